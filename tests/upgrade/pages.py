"""Reads pages of the database of DATABASE_URL in a process of its own: python -m tests.upgrade.pages ADDRESS…."""

import sys

import django


def main(addresses: list[str]) -> None:
    """Ask for each address; the first that is not answered well ends it."""
    django.setup()
    from django.test import Client

    browser = Client(headers={"host": "testserver"})
    for address in addresses:
        answer = browser.get(address, follow=True)
        if answer.status_code != 200 or len(answer.content) < 300:
            raise SystemExit(f"{address} was answered by {answer.status_code}.")
    print(f"{len(addresses)} pages answered.")


if __name__ == "__main__":
    main(sys.argv[1:])
