"""Remarks of a tournament report (lines ###): what an arbiter changed by hand, written and read in one form.

People read them, and the checker of reports, which takes back what was changed after a round was paired:

    Correction @ Round 1: 1-4 1/2-1/2 instead of 1-0, after the pairing of round 2

Remarks in other words are kept and have no effect.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

from ratings.contract.competition import FixtureData, PointsTable, Seat, build_forfeit, build_game
from ratings.trf.document import BYES, TrfDocument

PAIRING, CORRECTION, POINTS, ADJOURNMENT = "MPA", "Correction", "Points decided", "Adjournment"
ADDED_POINTS, EXPULSION, FULL_BYE = "Points added", "Expulsion", "FPB"
#: Of entries, by the numbers of today: an exchange, and one that came after the round was paired.
NUMBERS, LATE_ENTRY = "Numbers", "Late entry"
#: Settings on which pairings depend.
ROUNDS_SETTING, POINTS_SETTING = "Rounds", "Points"
#: Remarks that begin with the entries that they are about.
OF_ENTRIES = frozenset((CORRECTION, POINTS, ADJOURNMENT, ADDED_POINTS, EXPULSION, FULL_BYE, NUMBERS, LATE_ENTRY))
#: A game without a result; one without play; a result that only the report has.
VOID, FORFEIT, REPORT_ALONE = "void", " by forfeit", " in the report alone"
DRAW = "1/2-1/2"
OUTCOMES = {"1-0": "win", DRAW: "draw", "0-1": "loss"}
#: Results without play -> the seats that lost.
LOSERS = {"1-0": (1,), "0-1": (0,), "0-0": (0, 1)}
#: Results that only an arbiter gives -> the outcomes whose points the seats have.
AWARDED = {"0-0": ("loss", "loss"), "1/2-0": ("draw", "loss"), "0-1/2": ("loss", "draw")}
BYE_CODES = {kind: code for code, kind in BYES.items()}
REMARK = re.compile(
    r"(?P<kind>\S.*?) @ Round (?P<round>\d{1,3})(?:: (?P<text>.*?))?"
    r"(?:, (?:ended )?after the pairing of round (?P<paired>\d{1,3}))?",
    re.ASCII,
)
NUMBER = r"[-+]?\d{1,6}(?:\.\d{1,6}|/\d{1,6})?"
POINTS_TEXT = re.compile(NUMBER, re.ASCII)
SEATS_TEXT = re.compile(rf"({NUMBER}|-)-({NUMBER}|-)", re.ASCII)
AMOUNTS = {field.name for field in fields(PointsTable)} - {"places"}
SUBJECT = re.compile(r"(?P<entries>\d{1,4}(?:-\d{1,4})*)(?: (?P<rest>.*))?", re.ASCII)
CHANGE = re.compile(r"without (?P<lost>.*)|(?P<new>.*?)(?: instead of (?P<old>.*))?", re.ASCII)


@dataclass(frozen=True)
class TrfRemark:
    """A change by hand in a round (0: before the first).

    ``entries``: whom it is about. ``old``, ``new``: the values before and after, "" for none. ``paired``: the last
    round that was paired before it, 0 if that is its own. ``line``: of the file.
    """

    kind: str
    round: int
    entries: tuple[int, ...] = ()
    old: str = ""
    new: str = ""
    paired: int = 0
    line: int = 0

    @property
    def game(self) -> tuple[int, tuple[int, ...]]:
        """The round and the entries of the game that it is about."""
        return self.round, self.entries

    def write(self) -> str:
        """Return the text of its line."""
        change = f"{self.new} instead of {self.old}" if self.old and self.new else self.new
        if self.old and not self.new:
            change = f"without {self.old}"
        text = " ".join(part for part in (join_entries(self.entries), change) if part)
        ended = "ended " if self.kind == ADJOURNMENT else ""
        after = f", {ended}after the pairing of round {self.paired}" if self.paired else ""
        return f"{self.kind} @ Round {self.round}" + (f": {text}" if text else "") + after


def read_remarks(document: TrfDocument) -> Iterator[TrfRemark]:
    """Yield the remarks of a document, in its order, without those in other words."""
    for line in document.list_lines("###"):
        found = REMARK.fullmatch((line.text or "").removeprefix("###").strip())
        if found is None:
            continue
        text, entries = found["text"] or "", tuple[int, ...]()
        if found["kind"] in OF_ENTRIES:
            subject = SUBJECT.fullmatch(text)
            if subject is None:
                continue
            entries, text = _split_entries(subject["entries"]), subject["rest"] or ""
        change = CHANGE.fullmatch(text)
        old, new = (change["lost"] or change["old"] or "", change["new"] or "") if change else ("", text)
        paired = int(found["paired"] or 0)
        yield TrfRemark(found["kind"], int(found["round"]), entries, old, new, paired, line.number)


def join_entries(entries: Sequence[int]) -> str:
    """Return the numbers of entries as remarks have them."""
    return "-".join(map(str, entries))


def _split_entries(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("-")))


def write_pairing(entries: Sequence[int], kind: str) -> str:
    """Return who meets; or of a bye its entry, and its code; ``kind``: of the fixture."""
    code = BYE_CODES.get(kind)  # type: ignore[call-overload]  # a game has none
    return f"{entries[0]} {code}" if code else join_entries(entries)


def read_pairing(text: str) -> FixtureData | None:
    """Return a fixture without a result, or a bye; None if the text is none."""
    if found := re.fullmatch(r"(\d{1,4}) ([FHZU])", text, re.ASCII):
        return FixtureData((Seat(int(found[1]), 1),), BYES[found[2]])
    if re.fullmatch(r"\d{1,4}-\d{1,4}", text, re.ASCII):
        return FixtureData(tuple(map(Seat, _split_entries(text))))
    return None


def write_result(fixture: FixtureData, table: PointsTable) -> str:
    """Return the result of a game of two."""
    if fixture.kind == "planned":
        return VOID
    places = tuple(seat.place for seat in fixture.seats)
    if fixture.kind == "forfeit":
        lost = tuple(at for at, place in enumerate(places) if place > 1)
        return next((text for text, losers in LOSERS.items() if losers == lost), "0-0") + FORFEIT
    if len(set(places)) > 1:
        return "1-0" if places[0] < places[1] else "0-1"
    points = [seat.points for seat in fixture.seats]
    awarded = (text for text, names in AWARDED.items() if [getattr(table, name) for name in names] == points)
    return next(awarded, DRAW)


def read_result(text: str, entries: Sequence[int], table: PointsTable) -> FixtureData | None:
    """Return a game with a result; None if the text is none."""
    if text == VOID:
        return FixtureData(tuple(map(Seat, entries)))
    if len(entries) != 2:
        return None
    white, black = entries
    if text in OUTCOMES:
        return build_game(white, black, OUTCOMES[text])  # type: ignore[arg-type]  # one of the three
    if text.endswith(FORFEIT) and (result := text.removesuffix(FORFEIT)) in LOSERS:
        return build_forfeit(white, black, *(entries[at] for at in LOSERS[result]))
    if text in AWARDED:
        lines = zip(entries, AWARDED[text], strict=True)
        return FixtureData(tuple(Seat(entry, 1, points=getattr(table, name)) for entry, name in lines), "played")
    return None


def write_points(points: Fraction) -> str:
    """Return points with their sign, which were added or taken."""
    return f"+{points}" if points > 0 else str(points)


def read_points(text: str) -> Fraction | None:
    """Return points that were added or taken; None if the text is none."""
    return Fraction(text) if POINTS_TEXT.fullmatch(text) else None


def write_seat_points(points: Sequence[Fraction | None]) -> str:
    """Return the points that an arbiter decided, a dash for a seat that has those of the result; "" if all have."""
    return (
        "-".join("-" if one is None else str(one) for one in points) if any(one is not None for one in points) else ""
    )


def read_seat_points(text: str) -> tuple[Fraction | None, ...] | None:
    """Return the points of two seats, none if they are those of the result; None if the text is none."""
    if not text:
        return ()
    found = SEATS_TEXT.fullmatch(text)
    return found and tuple(None if one == "-" else Fraction(one) for one in found.groups())


def read_points_table(text: str) -> PointsTable | None:
    """Return the points for each outcome, as name=value with commas; None if the text is none."""
    amounts = {}
    for part in text.split(","):
        name, _sign, value = part.partition("=")
        if name not in AMOUNTS or not POINTS_TEXT.fullmatch(value):
            return None
        amounts[name] = Fraction(value)
    return PointsTable(**amounts)  # type: ignore[arg-type]  # none of them is places
