"""What the head of a tournament report states: the federation, the chief arbiter and the time control."""

import re

#: What line 182 names, unless the file came from another program.
PROGRAM = "Rungs"
#: Settings that texts become -> their lines.
TEXT_TAGS = {"title": "012", "venue": "022", "federation": "032", "arbiter": "102", "time_control": "222"}
#: The longest texts that are taken.
MAX_ARBITER, MAX_TIME_CONTROL = 120, 60
#: Seconds, with those that each move adds; before them periods, each with its number of moves.
TIME_CONTROL = re.compile(
    r"(?:[1-9]\d{0,2}/[1-9]\d{0,4}(?:\+\d{1,4})?:)*(?:[1-9]\d{0,4}(?:\+\d{1,4})?|0\+[1-9]\d{0,3})"
)
FEDERATION = re.compile(r"[A-Za-z]{3}")


def read_federation(text: str) -> str | None:
    """Return the three letters of a federation as FIDE writes them, "" for none; None for another text."""
    found = text.strip()
    return found.upper() if not found or FEDERATION.fullmatch(found) else None


def read_arbiter(text: str) -> str:
    """Return the chief arbiter's name, and the FIDE ID if there is one, in a line."""
    return " ".join(text.split())[:MAX_ARBITER].rstrip()


def read_time_control(text: str) -> str | None:
    """Return a time control in seconds, such as 5400+30 or 40/5400+30:1800+30, "" for none; None for another text."""
    found = re.sub(r"\s", "", text)
    fits = len(found) <= MAX_TIME_CONTROL and found.isascii() and TIME_CONTROL.fullmatch(found)
    return found if not found or fits else None
