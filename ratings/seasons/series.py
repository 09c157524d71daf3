"""A series: the places of events give points, and the best events of each player count (``R161``)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key, partial
from itertools import accumulate
from math import lcm
from typing import NamedTuple

from ratings.contract.competition import parse_fraction
from ratings.seasons.rules import SeriesRule


@dataclass(frozen=True)
class EventLine:
    """A player's line in the final standings of an event. ``points``: those of the competition."""

    player: str
    place: int
    points: Fraction = Fraction(0)


@dataclass(frozen=True)
class SeriesEvent:
    """An event of the series that has ended, ``number`` from 1."""

    number: int
    lines: tuple[EventLine, ...]


class EventScore(NamedTuple):
    """What an event gave to a player. ``counted``: whether it is among the player's best."""

    event: int
    place: int
    points: Fraction
    counted: bool


@dataclass(frozen=True)
class SeriesRow:
    """A player's line in the table of a series. Players whom no tie-break separates share a rank.

    ``highest``: the most points that the player can end with; None if an event may give any number.
    ``needs``: the points that the player must still gain to reach what the leader has now; 0 for the leader.
    ``decided_by``: what separates the player from the next one with the same points; "" if nothing has to.
    """

    rank: int
    player: str
    points: Fraction
    events: tuple[EventScore, ...]
    firsts: int
    highest: Fraction | None
    can_still_win: bool
    needs: Fraction
    decided_by: str = ""


def tabulate_series(
    rule: SeriesRule,
    events: Sequence[SeriesEvent],
    players: Collection[str] = (),
    guests: Collection[str] = (),
    *,
    is_over: bool = False,
) -> list[SeriesRow]:
    """Return the table after some events, best first.

    ``players``: those with an entry, who are listed without an event, too. ``guests``: those who are not.
    ``is_over``: no event is to come.
    """
    scores: dict[str, list[_Score]] = {player: [] for player in players}
    hidden = {*guests} if rule.guests == "passed_over" else set()
    in_order = sorted(events, key=lambda one: one.number)
    scorer = _Scorer(rule, hidden)
    scored = [scorer.score_event(event) for event in in_order]
    # In whole units, as fractions are slow to add and to compare.
    remaining = [] if is_over else _list_remaining(rule, events)
    scale = lcm(*(points.denominator for points in (*scorer.given.values(), *filter(None, remaining))))
    for event, lines in zip(in_order, scored, strict=True):
        units = {place: points.numerator * (scale // points.denominator) for place, points in lines.values()}
        for player, (place, points) in lines.items():
            scores.setdefault(player, []).append(_Score(-units[place], event.number, place, points))
    bounded = None not in remaining
    to_come = [int(most * scale) for most in remaining if most is not None]
    rows = [_build_row(rule, player, lines, scale, to_come if bounded else None) for player, lines in scores.items()]
    last = max((event.number for event in events), default=0)
    compare = partial(_compare, rule, last)
    ordered = sorted(rows, key=cmp_to_key(compare))
    leading = max((row.points for row in rows), default=Fraction(0))
    ranked: list[SeriesRow] = []
    for position, row in enumerate(ordered, 1):
        shares = bool(ranked) and compare(ordered[position - 2], row) == 0
        rank = ranked[-1].rank if shares else position
        can_win = rank == 1 if not remaining else row.highest is None or row.highest >= leading
        below = ordered[position] if position < len(ordered) else None
        ranked.append(
            SeriesRow(
                rank,
                row.player,
                row.points,
                row.events,
                row.firsts,
                row.highest,
                can_win,
                _find_need(rule, row, leading) if remaining else Fraction(0),
                _find_decision(rule, last, row, below) if below else "",
            )
        )
    return ranked


def find_last_sufficient_place(rule: SeriesRule, event: int, needs: Fraction) -> int | None:
    """Return the last place of an event that gives so many points, as each place before it does; None without one.

    Only a table gives the same whoever takes part.
    """
    table, scorer, found = rule.points.get("table", ()), _Scorer(rule, ()), None
    for place in range(1, len(table) + 1):
        if scorer.score_alone(place, is_last=event == rule.of) < needs:
            break
        found = place
    return found


def score_place(rule: SeriesRule, place: int, sharing: int, field: int, points: Fraction) -> Fraction:
    """Return what a place gives that ``sharing`` players have, of ``field`` players; ``points``: the competition's."""
    if rule.points.get("by") == "competition_points":
        return points
    places = range(place, place + sharing)
    return sum((_score_alone(rule, one, field) for one in places), Fraction(0)) / sharing


def _score_alone(rule: SeriesRule, place: int, field: int) -> Fraction:
    table = rule.points.get("table")
    if table is not None:
        return parse_fraction(table[place - 1]) if place <= len(table) else Fraction(0)
    beaten = max(field + 1 - place, 0)
    return Fraction(100 * beaten, field) if rule.points["by"] == "share_of_field" else Fraction(beaten)


class _Score(NamedTuple):
    """What an event gave to a player; the best sort first, and of equal ones the earlier."""

    negative_units: int
    event: int
    place: int
    points: Fraction


class _Scorer:
    """Gives points for places, and remembers what equal places of equal fields gave."""

    def __init__(self, rule: SeriesRule, hidden: Collection[str]) -> None:
        self.rule, self.hidden, self.bonus = rule, hidden, _read_bonus(rule)
        self.given: dict[tuple[object, ...], Fraction] = {}

    def score_event(self, event: SeriesEvent) -> dict[str, tuple[int, Fraction]]:
        """Return place and points of each player of an event; the places are counted without the hidden ones."""
        lines = [line for line in event.lines if line.player not in self.hidden]
        sharing = Counter(line.place for line in lines)
        before = accumulate((sharing[place] for place in sorted(sharing)), initial=1)
        places = dict(zip(sorted(sharing), before, strict=False))
        is_last, size = event.number == self.rule.of, len(lines)
        by_competition = self.rule.points.get("by") == "competition_points"
        scores = {}
        for line in lines:
            place, equal = places[line.place], sharing[line.place]
            asked = line.points.as_integer_ratio() if by_competition else (place, equal, size)
            key = (*asked, place == 1, is_last)
            if key not in self.given:
                self.given[key] = self._score(place, equal, size, line.points, is_last=is_last)
            scores[line.player] = place, self.given[key]
        return scores

    def score_alone(self, place: int, *, is_last: bool) -> Fraction:
        """Return what a place of the table gives that nobody shares."""
        return self._score(place, 1, 0, Fraction(0), is_last=is_last)

    def _score(self, place: int, sharing: int, field: int, points: Fraction, *, is_last: bool) -> Fraction:
        """Return what a place gives, with its weight and bonus."""
        given = score_place(self.rule, place, sharing, field, points)
        if is_last:
            given *= parse_fraction(self.rule.final_weight)
        won = self.bonus.get("won", Fraction(0)) if place == 1 else 0
        return given + self.bonus.get("played", Fraction(0)) + won


def _read_bonus(rule: SeriesRule) -> Mapping[str, Fraction]:
    return {one["what"]: parse_fraction(one["points"]) for one in rule.bonus}


def _list_remaining(rule: SeriesRule, events: Sequence[SeriesEvent]) -> list[Fraction | None]:
    """Return the most points of each event to come; None if it may give any number."""
    done = {event.number for event in events}
    bonus = sum(_read_bonus(rule).values(), Fraction(0))
    remaining: list[Fraction | None] = []
    for number in range(1, int(rule.of) + 1):
        if number in done:
            continue
        weight = parse_fraction(rule.final_weight) if number == rule.of else Fraction(1)
        table = rule.points.get("table")
        highest = max(map(parse_fraction, table)) if table else Fraction(100)
        bounded = table is not None or rule.points["by"] == "share_of_field"
        remaining.append(weight * highest + bonus if bounded else None)
    return remaining


def _build_row(
    rule: SeriesRule, player: str, lines: Sequence[_Score], scale: int, to_come: Sequence[int] | None
) -> SeriesRow:
    """Return a row without its rank. Of equal scores the later ones are dropped.

    ``to_come``: the most units of each event to come, None if they are not bounded.
    """
    best = sorted(lines)[: rule.counting]
    counted = {score.event for score in best}
    scores = tuple(EventScore(one.event, one.place, one.points, one.event in counted) for one in lines)
    highest = None
    if to_come is not None:
        reachable = sorted([*(score.negative_units for score in best), *(-most for most in to_come)])
        highest = Fraction(-sum(reachable[: rule.counting]), scale)
    points = Fraction(-sum(score.negative_units for score in best), scale)
    firsts = sum(score.place == 1 for score in lines)
    return SeriesRow(0, player, points, scores, firsts, highest, can_still_win=False, needs=Fraction(0))


def _compare(rule: SeriesRule, last: int, one: SeriesRow, other: SeriesRow) -> int:
    """Return below 0 if the first row stands higher, 0 if they share a rank."""
    if one.points != other.points:
        return -1 if one.points > other.points else 1
    for tie in rule.ties:
        first, second = (_find_tie_value(tie, last, row) for row in (one, other))
        if first != second:
            return -1 if first > second else 1
    return 0


def _find_decision(rule: SeriesRule, last: int, row: SeriesRow, below: SeriesRow) -> str:
    """Return the tie-break that separates two rows, "" if their points do, or nothing."""
    if row.points != below.points:
        return ""
    differing = (tie for tie in rule.ties if _find_tie_value(tie, last, row) != _find_tie_value(tie, last, below))
    return next(differing, "")


def _find_tie_value(tie: str, last: int, row: SeriesRow) -> Fraction:
    """Return the value of a tie-break; higher is better. Who missed the last event is behind all who played in it."""
    if tie == "firsts":
        return Fraction(row.firsts)
    place = next((score.place for score in row.events if score.event == last), None)
    return Fraction(-place) if place is not None else Fraction(-(10**9))


def _find_need(rule: SeriesRule, row: SeriesRow, leading: Fraction) -> Fraction:
    """Return what the events to come must give to reach the leader, given that weak events are replaced."""
    missing = leading - row.points
    if missing <= 0:
        return Fraction(0)
    counted = sum(score.counted for score in row.events)
    if counted < rule.counting:
        return missing
    # A full list of counting events loses its weakest one when a better one comes.
    return missing + min(score.points for score in row.events if score.counted)
