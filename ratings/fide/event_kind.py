"""The kind of an event by its time control: standard, rapid or blitz (Laws of Chess, appendices A and B)."""

#: Moves whose time counts, and minutes: less is rapid, this or less is blitz.
MOVES, LESS_IS_RAPID, MOST_OF_BLITZ = 60, 60, 10


def find_event_kind(time_control: str) -> str:
    """Return standard, rapid or blitz for a time control such as 5400+30 or 40/5400+30:1800+30; standard for "".

    What counts is the time that a player has for sixty moves.
    """
    seconds = _count_seconds(time_control) if time_control else None
    if seconds is None or seconds >= LESS_IS_RAPID * 60:
        return "standard"
    return "rapid" if seconds > MOST_OF_BLITZ * 60 else "blitz"


def _count_seconds(time_control: str) -> int:
    """Return the seconds for sixty moves, with those that each move adds."""
    left, seconds = MOVES, 0
    for period in time_control.split(":"):
        moves, slash, rest = period.rpartition("/")
        base, _plus, increment = rest.partition("+")
        played = min(left, int(moves)) if slash else left
        seconds += int(base) + played * int(increment or 0)
        left -= played
        if not left:
            break
    return seconds
