"""Reads that a side gave up a match of sets: Anna – Ben 11:9 11:7 3:5, Ben ret."""

import re
from dataclasses import replace

from league.apps.imports.paste.grammar import LineReading
from league.core.text.names import build_name_key
from league.core.text.numbers import UnclearText
from league.core.text.wording import gettext as _

#: The words for it, in the five languages of pastes.
WORDS = (
    *("ret", "retired", "aufg", "aufgabe", "krecz", "skreczował", "skreczowała", "predao", "predala", "предао"),
    *("предала", "odustao", "odustala", "одустао", "одустала", "отказ", "снялся", "снялась"),
)
#: At the end of a line, with the name before the word.
RETIRED = re.compile(
    rf"[\s,;(]+(?:(?P<who>[^\W\d_][^\d,;()]*?)\s+)?(?:{'|'.join(WORDS)}|gab auf)\.?\)?\s*\Z", re.IGNORECASE
)


def split_retirement(text: str) -> tuple[str, str | None]:
    """Return a line without the words that somebody retired, and who did ("": nobody is named); None: nobody did."""
    found = RETIRED.search(text)
    if found is None or not text[: found.start()].endswith((*"0123456789)",)):
        return text, None
    return text[: found.start()], found["who"] or ""


def mark_retired(reading: LineReading, who: str) -> LineReading:
    """Return a reading in which a side retired; its result follows from the sets. Raises UnclearText."""
    key = build_name_key(who)
    given_up = [any(key in (build_name_key(name), *build_name_key(name).split()) for name in side.names)
                for side in reading.sides]  # fmt: skip
    if not who or sum(given_up) != 1 or not all(side.sets for side in reading.sides):
        raise UnclearText(_("it is not clear who retired. Write the sets, and the name last: 11:9 11:7 3:5, Ben ret."))
    return replace(
        reading,
        sides=tuple(
            replace(side, score="", retired=retired) for side, retired in zip(reading.sides, given_up, strict=True)
        ),
    )
