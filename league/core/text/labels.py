"""How labels are written inside of a sentence."""

from django.utils.translation import get_language

#: Languages that write nouns large wherever they stand.
LARGE = ("de",)

#: What a sentence ends with.
ENDS = (".", "!", "?", "…", "。")


def ended(text: str) -> str:
    """Write what someone wrote as a sentence that others follow: with a full stop where it has no end."""
    return text if not text or text.endswith(ENDS) else f"{text}."


def inside(label: object) -> str:
    """Write a label, such as the name of a role, inside of a sentence: small, but where nouns are large."""
    text = str(label)
    return text if (get_language() or "").split("-")[0] in LARGE else text.lower()
