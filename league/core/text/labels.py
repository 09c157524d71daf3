"""Labels within sentences."""

from django.utils.translation import get_language

#: Languages that capitalise nouns.
LARGE = ("de",)

#: Characters that end a sentence.
ENDS = (".", "!", "?", "…", "。")


def end_sentence(text: str) -> str:
    """Return a text with a full stop if it does not end like a sentence."""
    return text if not text or text.endswith(ENDS) else f"{text}."


def format_inside_sentence(label: object) -> str:
    """Return a label for use within a sentence: in lower case, except in languages that capitalise nouns."""
    text = str(label)
    return text if (get_language() or "").split("-")[0] in LARGE else text.lower()
