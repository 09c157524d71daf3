"""The points of a tournament report file: its table, the points that an arbiter awarded, and whether totals agree."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from ratings.contract.competition import ByeKind, PointsTable
from ratings.trf.document import (
    AT_THE_END,
    UNOPPOSED,
    TrfAward,
    TrfByes,
    TrfCell,
    TrfDocument,
    TrfLine,
    TrfPlayer,
    TrfPoints,
)
from ratings.trf.formats import detect_format
from ratings.trf.problems import TrfProblem, build_trf_problem

#: Result of a game -> its points in ``PointsTable``.
GAME_POINTS = {
    "1": "win", "=": "draw", "0": "loss", "W": "win", "D": "draw", "L": "loss", "+": "forfeit_win", "-": "forfeit_loss",
}  # fmt: skip
#: Code of line 299 -> the points that it sets for everyone.
AWARD_POINTS = {**GAME_POINTS, "F": "full_bye", "H": "half_bye", "Z": "zero_bye", "U": "pairing_bye"}


@dataclass(frozen=True)
class AwardedPoints:
    """What an arbiter awarded: points instead of those of a round, by player and round, and points added.

    ``added``: player -> round after which they count, and points.
    """

    instead: Mapping[tuple[int, int], Fraction]
    added: Mapping[int, tuple[tuple[int, Fraction], ...]]


def read_points_table(document: TrfDocument) -> PointsTable:
    """Return the points that the file states, otherwise those that its totals agree with, otherwise the usual ones."""
    stated = _read_stated_table(document)
    if stated is not None:
        return stated
    totals = _TrfTotals(document)
    return next((table for table in _list_usual_tables() if totals.agree(table)), PointsTable())


def read_awards(document: TrfDocument) -> AwardedPoints:
    """Return the points that an arbiter awarded."""
    instead: dict[tuple[int, int], Fraction] = {}
    added: dict[int, tuple[tuple[int, Fraction], ...]] = {}
    last = max(document.planned_rounds, document.paired_rounds)
    for award in document.list_values(TrfAward):
        for number in award.players:
            if award.code and award.round:
                instead[number, award.round] = award.points
            elif not award.code and award.points:
                counts_after = last if award.round == AT_THE_END else award.round
                added[number] = (*added.get(number, ()), (counts_after, award.points))
    return AwardedPoints(instead, added)


def list_byes(document: TrfDocument) -> dict[int, dict[int, ByeKind]]:
    """Return the byes that other lines than those of the players give: round -> player -> kind."""
    byes: dict[int, dict[int, ByeKind]] = {}
    for line in document.list_values(TrfByes):
        number = line.round or document.paired_rounds + 1
        byes.setdefault(number, {}).update(dict.fromkeys(line.players, line.kind))
    return byes


def check_points(document: TrfDocument) -> list[TrfProblem]:
    """Return warnings about totals that the results do not give."""
    totals, table = _TrfTotals(document), read_points_table(document)
    problems = []
    if _read_stated_table(document) is None and table != PointsTable():
        amounts = {
            name: format_points(value)
            for name, value in (("win", table.win), ("draw", table.draw), ("bye", table.pairing_bye))
        }
        problems.append(build_trf_problem(0, 0, "points_inferred", **amounts))
    for line, player, computed in totals.list_differences(table):
        values = {"points": format_points(player.points or Fraction(0)), "computed": format_points(computed)}
        problems.append(build_trf_problem(line.number, 81, "points_differ", player=player.number, **values))
    return problems


def format_points(points: Fraction) -> str:
    """Return points as in a file: 2.5; thirds and such as fractions."""
    tenths = points * 10
    if tenths.denominator == 1:
        return f"{float(points):.1f}"
    exact = f"{float(points):.4f}".rstrip("0")
    return exact if Fraction(exact) == points else str(points)


def states_points(document: TrfDocument) -> bool:
    """Return whether a file names the points for each outcome."""
    return _read_stated_table(document) is not None


def _read_stated_table(document: TrfDocument) -> PointsTable | None:
    """Return the points of lines 162, XXS and 299, None if there are none."""
    amounts = {name: points for line in document.list_values(TrfPoints) for name, points in line.amounts}
    for award in document.list_values(TrfAward):
        if award.code and not award.round and not award.players:
            amounts[AWARD_POINTS[award.code]] = award.points
    return replace(PointsTable(), **amounts) if amounts else None  # type: ignore[arg-type]  # none of them is places


def _list_usual_tables() -> Iterator[PointsTable]:
    """Yield the tables that a file without points may have followed, the most usual first."""
    for (win, draw), bye in product((("1", "1/2"), ("2", "1"), ("3", "1")), ("win", "draw", "loss")):
        amounts = {"win": Fraction(win), "draw": Fraction(draw), "loss": Fraction(0)}
        yield PointsTable(
            amounts["win"],
            amounts["draw"],
            amounts["loss"],
            pairing_bye=amounts[bye],
            full_bye=amounts["win"],
            half_bye=amounts["draw"],
            forfeit_win=amounts["win"],
        )


class _TrfTotals:
    """Each player's outcomes, by what they have points for."""

    def __init__(self, document: TrfDocument) -> None:
        self._lines: list[tuple[TrfLine, TrfPlayer]] = [
            (line, line.value) for line in document.lines if isinstance(line.value, TrfPlayer)
        ]
        self._swiss = detect_format(document).key == "swiss"
        self._byes, self._awards = list_byes(document), read_awards(document)
        self._rounds = document.paired_rounds
        self._outcomes = {player.number: self._count(player, self._rounds) for _, player in self._lines}

    def agree(self, table: PointsTable) -> bool:
        """Return whether all totals are those that a table gives."""
        return next(self.list_differences(table), None) is None

    def list_differences(self, table: PointsTable) -> Iterator[tuple[TrfLine, TrfPlayer, Fraction]]:
        """Yield the players whose totals are others than the table gives, with those that it gives."""
        for line, player in self._lines:
            if player.points is None:
                continue
            computed = self._sum(player, table, self._outcomes[player.number])
            if computed != player.points:
                # A file may count the byes of the round that is paired next.
                later = self._count(player, self._rounds + 1)
                if self._sum(player, table, later) != player.points:
                    yield line, player, computed

    def _count(self, player: TrfPlayer, rounds: int) -> Counter[str]:
        """Count the outcomes of a player's rounds, except those with awarded points."""
        outcomes = (
            self._name_outcome(player.number, number, player.get_cell(number) or TrfCell())
            for number in range(1, rounds + 1)
            if (player.number, number) not in self._awards.instead
        )
        return Counter(outcome for outcome in outcomes if outcome)

    def _name_outcome(self, player: int, number: int, cell: TrfCell) -> str:
        if cell.opponent:
            return GAME_POINTS.get(cell.result, "")
        if cell.result:
            return UNOPPOSED[cell.result]
        bye = self._byes.get(number, {}).get(player)
        return bye or ("zero_bye" if self._swiss and number <= self._rounds else "")

    def _sum(self, player: TrfPlayer, table: PointsTable, outcomes: Counter[str]) -> Fraction:
        points = sum((getattr(table, name) * count for name, count in outcomes.items()), Fraction(0))
        instead = self._awards.instead
        points += sum((amount for (number, _), amount in instead.items() if number == player.number), Fraction(0))
        added = self._awards.added.get(player.number, ())
        return points + sum((amount for number, amount in added if number <= self._rounds), Fraction(0))
