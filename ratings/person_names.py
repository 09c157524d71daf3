"""Names of people as lists and tournament reports write them."""


def put_first_name_first(name: str) -> str:
    """Return ``Anna Berg`` for ``Berg, Anna``; names without a comma are unchanged."""
    last, comma, first = (part.strip() for part in name.partition(","))
    return f"{first} {last}" if comma and first else last


def put_surname_first(name: str) -> str:
    """Return ``Berg, Anna`` for ``Anna Berg``; one word, or a name with a comma, is unchanged."""
    first, _space, last = name.rpartition(" ")
    return name if "," in name or not first else f"{last}, {first}"
