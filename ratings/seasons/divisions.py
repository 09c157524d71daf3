"""Divisions: how many there are, who rises and falls, and where everyone plays in the next season.

``R159`` and ``R160`` (``ratings.seasons.rules``) say how the sources are read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from ratings.seasons.borders import FinalDivision, PlayOff, draw_lot, find_moves
from ratings.seasons.letters import list_letters
from ratings.seasons.rules import DivisionRule
from ratings.seasons.sizes import count_divisions, list_levels, list_sizes
from ratings.texts import N_, say

Why: TypeAlias = Literal["new", "stayed", "promoted", "relegated", "returned", "moved", "filled"]

NEW = N_("New in this season; starts in division {division}.")
NEW_BY_RATING = N_("New in this season; starts in division {division} by the rating {rating}.")
STAYED = N_("Place {place} in division {before}: stays.")
SPARED = N_("Place {place} in division {before}: would have fallen, but a place was free.")
PROMOTED = N_("Place {place} in division {before}: rises.")
RELEGATED = N_("Place {place} in division {before}: falls.")
WITHDRAWN = N_("Withdrew from division {before}: falls.")
PLAYED_UP = N_("Place {place} in division {before}: rises, as the play-off was won.")
PLAYED_DOWN = N_("Place {place} in division {before}: falls, as the play-off was lost.")
WON = N_("Place {place} in division {before}: stays, as the play-off was won.")
LOST = N_("Place {place} in division {before}: stays, as the play-off was lost.")
UNDECIDED = N_("Place {place} in division {before}: stays, as the play-off is not decided.")
FILLED = N_("Place {place} in division {before}: rises, as a place was free.")
#: Where those who share a place move differently.
STAYED_BY_LOT = N_("Place {place} in division {before}, shared: stays by lot.")
PROMOTED_BY_LOT = N_("Place {place} in division {before}, shared: rises by lot.")
RELEGATED_BY_LOT = N_("Place {place} in division {before}, shared: falls by lot.")
RETURNED = N_("Returns to division {level}; seasons missed: {seasons}.")
DISSOLVED = N_("Place {place} in division {before}, which is dissolved.")
DIVIDED = N_("Place {place} in division {before}, which has become too large and is divided.")
MOVED = N_("Moved by hand: {reason}")
#: What a change by hand breaks.
NOT_HIGHER = N_("{player} was promoted but does not stand higher than before.")
PLAY_OFF_OPEN = N_("The play-off of {upper} and {lower} is not decided: both keep their levels.")
LOWER = N_("{player} stayed or rose but stands lower than before.")
TOO_SMALL = N_("Division {division} has {count} members, fewer than {smallest}.")
TOO_LARGE = N_("Division {division} has {count} members, more than {most}.")


@dataclass(frozen=True)
class Applicant:
    """Who wants to play in the next season. ``left``: the last level of who missed some seasons, and how many."""

    player: str
    rating: float | None = None
    left: tuple[int, int] | None = None


@dataclass(frozen=True)
class Placement:
    """Where somebody plays. ``before``: the division of the last season; None for those who did not play in it."""

    player: str
    level: int
    letter: str
    why: Why
    text: str
    values: Mapping[str, Any] = field(default_factory=dict)
    before: FinalDivision | None = field(default=None, compare=False, repr=False)
    place: int | None = None

    def explain(self) -> str:
        """Return why, in the reader's language."""
        # Those who are new or return may be moved after they are seated, so that their division is no value.
        return say(self.text, division=self.level, level=self.level, **self.values)


@dataclass(frozen=True)
class Break:
    """What a proposal breaks, as a text with named fields."""

    code: str
    text: str
    values: Mapping[str, Any]

    def explain(self) -> str:
        """Return the sentence in the reader's language."""
        return say(self.text, **self.values)


@dataclass(frozen=True)
class HandMove:
    """A change of a proposal by hand."""

    level: int
    letter: str
    reason: str


def propose_divisions(
    rule: DivisionRule,
    divisions: Sequence[FinalDivision],
    applicants: Sequence[Applicant],
    lot: str,
    moves_by_hand: Mapping[str, HandMove] | None = None,
    play_offs: Sequence[PlayOff] = (),
) -> list[Placement]:
    """Return where each applicant plays, from the first division down, best first.

    ``divisions``: the final standings of the season before, none if there was none; ``play_offs``: those after it.
    """
    if not applicants:
        return []
    count = count_divisions(rule, len(applicants), len(divisions) or None)
    planned = _plan_levels(rule, divisions, applicants, lot, count, play_offs)
    # A level that would stay too small is dissolved rather than filled with those who rose or stayed above it.
    while count > 1 and not planned.are_large_enough():
        count -= 1
        planned = _plan_levels(rule, divisions, applicants, lot, count, play_offs)
    return _move_by_hand(planned.list_seats(), moves_by_hand or {})


def _plan_levels(
    rule: DivisionRule,
    divisions: Sequence[FinalDivision],
    applicants: Sequence[Applicant],
    lot: str,
    count: int,
    play_offs: Sequence[PlayOff],
) -> "_Levels":
    """Return the levels of so many divisions with everyone seated."""
    shape = list_levels(rule, count)
    sizes = list_sizes(len(applicants), count)
    room = [sum(sizes[sum(shape[:at]) : sum(shape[: at + 1])]) for at in range(len(shape))]
    planned = _Levels(rule, shape, room, applicants)
    if divisions:
        moves = find_moves(rule, divisions, lot)
        texts = _judge_play_offs(play_offs, divisions, moves)
        planned.seat_members(divisions, moves, texts, lot)
        planned.seat_others()
        planned.fill()
    else:
        planned.seat_first()
    return planned


def _judge_play_offs(
    play_offs: Iterable[PlayOff], divisions: Iterable[FinalDivision], moves: dict[str, int]
) -> dict[str, str]:
    """Add the moves of those who won or lost a play-off across two levels; return player -> why."""
    levels = {place.player: division.level for division in divisions for place in division.places}
    texts: dict[str, str] = {}
    for one in play_offs:
        both = levels.get(one.upper), levels.get(one.lower)
        if None in both or (both[0] or 0) + 1 != both[1] or one.upper in moves or one.lower in moves:
            continue
        if one.winner == one.lower:
            moves |= {one.upper: 1, one.lower: -1}
            texts |= {one.upper: PLAYED_DOWN, one.lower: PLAYED_UP}
        elif one.winner == one.upper:
            texts |= {one.upper: WON, one.lower: LOST}
        else:
            texts |= dict.fromkeys((one.upper, one.lower), UNDECIDED)
    return texts


def find_open_play_offs(play_offs: Iterable[PlayOff], seats: Iterable[Placement]) -> list[Break]:
    """Return the play-offs that nobody has won, of those who play on."""
    playing = {seat.player for seat in seats}
    return [
        Break("play_off_open", PLAY_OFF_OPEN, {"upper": one.upper, "lower": one.lower})
        for one in play_offs
        if one.winner is None and one.upper != one.lower and {one.upper, one.lower} <= playing
    ]


def find_breaks(rule: DivisionRule, seats: Sequence[Placement]) -> list[Break]:
    """Return what a proposal breaks: who was promoted stands strictly higher, who stayed not lower; no bad sizes."""
    breaks = []
    for seat in seats:
        if seat.before is None or seat.why == "moved":
            level = None if seat.before is None else seat.before.level
            moved = seat.values.get("was")
        else:
            level, moved = seat.before.level, seat.why
        if level is None:
            continue
        if moved in ("promoted", "filled") and seat.level >= level:
            breaks.append(Break("promoted_not_higher", NOT_HIGHER, {"player": seat.player}))
        elif moved == "stayed" and seat.level > level:
            breaks.append(Break("stayed_lower", LOWER, {"player": seat.player}))
    members: dict[str, int] = {}
    for seat in seats:
        name = f"{seat.level}{seat.letter}"
        members[name] = members.get(name, 0) + 1
    smallest, most = int(rule.smallest), 2 * int(rule.target_size)
    for name, count in sorted(members.items()):
        values = {"division": name, "count": count}
        if count < smallest and len(seats) >= smallest:
            breaks.append(Break("too_small", TOO_SMALL, {**values, "smallest": smallest}))
        elif count > most:
            breaks.append(Break("too_large", TOO_LARGE, {**values, "most": most}))
    return breaks


class _Levels:
    """The levels of a new season while they are filled."""

    def __init__(
        self, rule: DivisionRule, shape: Sequence[int], room: Sequence[int], applicants: Sequence[Applicant]
    ) -> None:
        self.rule, self.shape, self.room = rule, shape, room
        self.applicants = {applicant.player: applicant for applicant in applicants}
        self.levels: list[list[Placement]] = [[] for _ in shape]
        #: The number of members of each level in the season before, if it had as many divisions.
        self.before: list[int] = []
        self.levels_before = 0

    def seat_first(self) -> None:
        """Seat everyone by rating: there was no season before."""
        ordered = sorted(
            enumerate(self.applicants.values()),
            key=lambda pair: (pair[1].rating is None, -(pair[1].rating or 0), pair[0]),
        )
        people = iter([applicant for _, applicant in ordered])
        for level, room in enumerate(self.room, 1):
            for _ in range(room):
                self._add_new(next(people), level)

    def seat_members(
        self, divisions: Sequence[FinalDivision], moves: Mapping[str, int], texts: Mapping[str, str], lot: str
    ) -> None:
        """Seat those who played in the season before, in the order of their places, better levels first.

        ``texts``: what a play-off says of its players.
        """
        self.levels_before = max(division.level for division in divisions)
        if len(divisions) == sum(self.shape):
            self.before = [0] * len(self.shape)
            for division in divisions:
                self.before[division.level - 1] += len(division.places)
        lines = [
            ((division.level, place.rank, -place.points_a_game, draw_lot(lot, place.player)), division, place)
            for division in divisions
            for place in division.places
            if place.player in self.applicants
        ]
        ways: dict[tuple[str, int], set[int]] = {}
        for _, division, place in lines:
            ways.setdefault((division.name, place.rank), set()).add(moves.get(place.player, 0))
        for _, division, place in sorted(lines, key=lambda line: line[0]):
            move = moves.get(place.player, 0)
            level = division.level + move
            why: Why = "stayed"
            by_lot = len(ways[division.name, place.rank]) > 1
            text = STAYED_BY_LOT if by_lot else STAYED
            if move < 0:
                why, text = "promoted", PROMOTED_BY_LOT if by_lot else PROMOTED
            elif move > 0:
                why, text = "relegated", RELEGATED_BY_LOT if by_lot else RELEGATED
                text = WITHDRAWN if move > 0 and place.withdrawn else text
            text = texts.get(place.player, text)
            if level > len(self.levels):
                level = len(self.levels)
                why, text = ("stayed", SPARED) if level == division.level else ("moved", DISSOLVED)
            values = {"place": place.rank, "before": division.name, "was": why}
            self._add(Placement(place.player, level, "", why, text, values, division, place.rank))

    def seat_others(self) -> None:
        """Seat those who return and those who are new."""
        seated = {seat.player for level in self.levels for seat in level}
        others = [applicant for name, applicant in self.applicants.items() if name not in seated]
        kept = int(self.rule.returning["seasons"])
        new = []
        for applicant in others:
            if applicant.left is None or applicant.left[1] > kept:
                new.append(applicant)
                continue
            before, seasons = applicant.left
            level = self._find_room(min(before, len(self.levels)))
            self._add(Placement(applicant.player, level, "", "returned", RETURNED, {"seasons": seasons}))
        for applicant in sorted(new, key=lambda one: (one.rating is None, -(one.rating or 0), one.player)):
            self._add_new(applicant, self._find_level(applicant))

    def fill(self) -> None:
        """Fill free places from below, and move the surplus of divided levels down."""
        # One player more or less does not move everybody: the last level takes in one too many.
        steady = bool(self.before) and len(self.levels[-1]) <= self.room[-1] + 1
        for level in range(1, len(self.levels)):
            upper, room = self.levels[level - 1], self.room[level - 1]
            while len(upper) < (min(room, self.before[level - 1]) if steady else room):
                below = next((one for one in self.levels[level:] if one), None)
                if below is None:
                    break
                seat = next(iter(sorted(below, key=_rank_for_filling)))
                below.remove(seat)
                self._add(_raise(seat, level))
        # A level that was added at the bottom is filled from the one above, which had become too large.
        for level in range(len(self.levels) - 1, 0, -1):
            self._push_down(level)

    def _push_down(self, level: int) -> None:
        """Move the last of a level down if the next one would be too small without them.

        Those who rose never move, and those who stayed only if the next level did not exist: the league is divided.
        """
        upper, lower = self.levels[level - 1], self.levels[level]
        smallest = int(self.rule.smallest) * self.shape[level]
        held = ("promoted", "filled") if level >= self.levels_before else ("promoted", "filled", "stayed")
        while len(lower) < smallest and len(upper) > self.room[level - 1]:
            seat = next((one for one in reversed(upper) if one.why not in held), None)
            if seat is None:
                break
            upper.remove(seat)
            if seat.before is not None and seat.why == "stayed":
                values = {"place": seat.place, "before": seat.before.name, "was": seat.why}
                seat = replace(seat, why="moved", text=DIVIDED, values=values)
            lower.insert(0, replace(seat, level=level + 1))

    def are_large_enough(self) -> bool:
        """Return whether no division is smaller than the smallest that the rule allows."""
        smallest = int(self.rule.smallest)
        return all(len(people) >= smallest * parallel for people, parallel in zip(self.levels, self.shape, strict=True))

    def list_seats(self) -> list[Placement]:
        """Return the seats with the letters of parallel divisions, which are dealt there and back."""
        seats = []
        for parallel, people in zip(self.shape, self.levels, strict=True):
            letters = list_letters(parallel)
            turns = [*letters, *reversed(letters)]
            dealt = [replace(seat, letter=turns[at % len(turns)]) for at, seat in enumerate(people)]
            seats += sorted(dealt, key=lambda seat: seat.letter)
        return seats

    def _add(self, seat: Placement) -> None:
        self.levels[seat.level - 1].append(seat)

    def _add_new(self, applicant: Applicant, level: int) -> None:
        text, values = (NEW, {}) if applicant.rating is None else (NEW_BY_RATING, {"rating": round(applicant.rating)})
        self._add(Placement(applicant.player, level, "", "new", text, values))

    def _find_level(self, applicant: Applicant) -> int:
        """Return the level of a newcomer: the last, or the highest with room that has nobody but better ones above."""
        if self.rule.newcomers == "by_rating" and applicant.rating is not None:
            for level, people in enumerate(self.levels, 1):
                ratings = [self.applicants[seat.player].rating for seat in people]
                known = [rating for rating in ratings if rating is not None]
                if known and applicant.rating >= min(known):
                    return self._find_room(level)
        return len(self.levels)

    def _find_room(self, level: int) -> int:
        """Return the first level from this one down that has room, else the last."""
        for lower in range(level, len(self.levels)):
            if len(self.levels[lower - 1]) < self.room[lower - 1]:
                return lower
        return len(self.levels)


def _rank_for_filling(seat: Placement) -> tuple[int, int]:
    """Return who fills a free place first: those who stayed, then those who fell, then others."""
    order = {"stayed": 0, "relegated": 1, "returned": 2, "promoted": 3}
    return order.get(seat.why, 4), seat.place or 0


def _raise(seat: Placement, level: int) -> Placement:
    """Return the seat of somebody who gets a free place of a level above."""
    if seat.before is None:
        return replace(seat, level=level)
    why: Why = "filled" if level < seat.before.level else "stayed"
    values = {"place": seat.place, "before": seat.before.name, "was": why}
    return replace(seat, level=level, why=why, text=FILLED if why == "filled" else SPARED, values=values)


def _move_by_hand(seats: Sequence[Placement], moves: Mapping[str, HandMove]) -> list[Placement]:
    moved = [
        replace(
            seat,
            level=moves[seat.player].level,
            letter=moves[seat.player].letter,
            why="moved",
            text=MOVED,
            values={"reason": moves[seat.player].reason, "was": seat.values.get("was", seat.why)},
        )
        if seat.player in moves
        else seat
        for seat in seats
    ]
    return sorted(moved, key=lambda seat: (seat.level, seat.letter))


def list_divisions(seats: Iterable[Placement]) -> Iterator[tuple[int, str, list[Placement]]]:
    """Yield level, letter and seats of each division, from the first down."""
    found: dict[tuple[int, str], list[Placement]] = {}
    for seat in seats:
        found.setdefault((seat.level, seat.letter), []).append(seat)
    for (level, letter), people in sorted(found.items()):
        yield level, letter, people
