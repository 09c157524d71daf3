"""A process of the site for tests of who else is told: an empty database, so that a page fails; run as a program."""

import io
import os
from typing import Any
from wsgiref.util import setup_testing_defaults

SECRET, PRIVATE = "s3cr3t-of-a-link", "Anna Private"


def ask(application: Any, path: str, **headers: str) -> str:
    """Ask the site; returns the line of the answer's status."""
    environ: dict[str, Any] = {
        "PATH_INFO": path,
        "QUERY_STRING": f"q={PRIVATE}",
        "REMOTE_ADDR": "203.0.113.7",
        **headers,
    }
    setup_testing_defaults(environ)
    environ |= {
        "wsgi.input": io.BytesIO(),
        "HTTP_COOKIE": f"sessionid={SECRET}",
        "HTTP_AUTHORIZATION": f"Bearer {SECRET}",
    }
    told: list[str] = []
    answer = application(environ, lambda status, *_: told.append(status))
    list(answer)
    answer.close()
    return told[0]


def main() -> None:
    """Ask for pages that fail, and one that does not; do a task that fails."""
    from league.wsgi import application

    name = os.environ["TESTS_REQUEST_ID"]
    print(ask(application, "/", HTTP_X_REQUEST_ID=name))
    print(ask(application, f"/report/{SECRET}/", HTTP_X_REQUEST_ID=name))
    print(ask(application, "/rulings/", HTTP_X_REQUEST_ID=name))
    from league import tasks

    tasks.replay.apply(args=(1,), headers={"request_id": name})


if __name__ == "__main__":
    main()
