"""Names of people as lists and tournament reports write them."""

#: What follows a surname and belongs to it, without a full stop: English, Portuguese.
SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "filho", "neto", "sobrinho", "junior", "júnior"})
#: Those of them that are nobody's first name: only they are taken for a suffix behind a comma.
AFTER_COMMA = frozenset({"Jr", "JR", "jr", "Sr", "SR", "sr", "II", "III", "IV"})


def put_first_name_first(name: str) -> str:
    """Return ``Anna Berg`` for ``Berg, Anna``; names without a comma are unchanged, but ``John Smith, Jr.``."""
    last, comma, first = (part.strip() for part in name.partition(","))
    if " " in last and _is_after_comma(first):
        return f"{last} {first}"
    return f"{first} {last}" if comma and first else last


def put_surname_first(name: str) -> str:
    """Return ``Berg, Anna`` for ``Anna Berg``, ``Smith Jr., John`` for ``John Smith Jr.`` or ``John Smith, Jr.``.

    One word, or a name with another comma, is unchanged.
    """
    before, _comma, after = name.partition(",")
    if " " in before.strip() and _is_after_comma(after):
        name = put_first_name_first(name)
    first, _space, last = name.rpartition(" ")
    if "," in name or not first:
        return name
    if _is_suffix(last):
        before, _space, surname = first.rpartition(" ")
        # Of two words the last one is the surname, whatever it is.
        if before:
            first, last = before, f"{surname} {last}"
    return f"{last}, {first}"


def _is_suffix(word: str) -> bool:
    return word.strip().rstrip(".").casefold() in SUFFIXES


def _is_after_comma(word: str) -> bool:
    return word.strip().rstrip(".") in AFTER_COMMA
