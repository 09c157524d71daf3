"""How labels are written inside of a sentence."""

from django.utils.translation import get_language

#: Languages that write nouns large wherever they stand.
LARGE = ("de",)


def inside(label: object) -> str:
    """Write a label, such as the name of a role, inside of a sentence: small, but where nouns are large."""
    text = str(label)
    return text if (get_language() or "").split("-")[0] in LARGE else text.lower()
