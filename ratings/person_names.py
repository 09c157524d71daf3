"""Names of people as lists and tournament reports write them."""


def put_first_name_first(name: str) -> str:
    """Return ``Anna Berg`` for ``Berg, Anna``; names without a comma are unchanged."""
    last, comma, first = (part.strip() for part in name.partition(","))
    return f"{first} {last}" if comma and first else last
