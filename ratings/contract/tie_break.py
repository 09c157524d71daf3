"""The contract of a tie-break: a value of each entry of a competition, which separates entries with equal points.

A file in ``ratings/tie_breaks/`` declares one or several ``TieBreak`` objects. Each computes a ``TieBreakTally``: the
amounts, round by round, whose sum is the value. So the explanation of a value and the value cannot differ.
All sums are of whole numbers; a tally divides its sum once, exactly.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Literal, NamedTuple, TypeVar

from ratings.contract.competition import ScoreName
from ratings.contract.declarations import Ruling
from ratings.contract.parameters import ParameterSet, choice, number, word_or_number
from ratings.contract.result_table import ResultTable, tabulate_results
from ratings.texts import N_

T = TypeVar("T")

#: Reasons for a missing value, and notes on parts. Tie-breaks share them.
NO_GAME = N_("No game over the board counts.")
NOT_FOR_TABLES = N_("This is defined for games of two only.")
TEAMS_ONLY = N_("This is defined for teams only.")
NOT_COUNTED = N_("not counted")
ROUNDED = N_("rounding")

SEVERAL_RATINGS = Ruling(
    "R193",
    N_("Several ratings of an entry"),
    N_(
        "Article 10 takes the rating at the start by default. In an event of more than 30 days the rating that applies "
        "in the round of each game can count, or that of the last round for all games. The own rating (RTNG) is then "
        "that of the last round."
    ),
    "ratings",
)


@dataclass(frozen=True)
class TieBreakRules(ParameterSet):
    """The parameters of a competition's tie-breaks."""

    title: ClassVar[str] = N_("Tie-breaks")

    regulations: str = choice(
        "2026-03-01",
        {
            "2026-03-01": N_("in force since 1 March 2026"),
            "2024-08-01": N_("in force from 1 August 2024 to 28 February 2026"),
            "2023-07-01": N_("in force from 1 July 2023"),
        },
        label=N_("FIDE's regulations"),
        help=N_("The edition of FIDE's tie-break regulations. They differ in unplayed rounds."),
        source="R141",
    )
    unrated: str | float = word_or_number(
        "drop",
        {"drop": N_("there is no value"), "skip_game": N_("the game does not count")},
        label=N_("Unrated opponents"),
        low=0,
        high=4000,
        help=N_("How an opponent without a rating is treated; a number is used as the rating."),
        source="R145",
    )
    ratings: str = choice(
        "first",
        {
            "first": N_("those at the start"),
            "round": N_("those that apply in the round of a game"),
            "last": N_("those that apply in the last round"),
        },
        label=N_("Ratings of tie-breaks"),
        help=N_("Which ratings count in an event of more than 30 days, whose entries may have several."),
        source="R193",
    )
    perfect_score_bonus: float = number(
        800,
        label=N_("Bonus for 100%"),
        low=736,
        high=800,
        whole=True,
        help=N_("PTP at 100% is the highest opponent's rating plus this."),
        source="R8",
    )

    @property
    def replacement_rating(self) -> int | None:
        """The whole rating (ruling R13) that unrated entries count with, None if none is set."""
        return None if isinstance(self.unrated, str) else round_half_up(*self.unrated.as_integer_ratio())


@dataclass(frozen=True, slots=True)
class TieBreakOptions:
    """The modifiers of a code in a list of tie-breaks, such as those of BH/C1, and the rules.

    ``cut_low``, ``cut_high``: values left out. ``limit``: Koya's, as a share of the maximum; ``limit_points`` is added
    to it. ``fore``: as if all games of the final round were drawn. ``forfeits_played``: forfeits count as games.
    ``reverse``: the lowest value first. ``tied``: the entries that are tied when direct encounter is applied.
    ``score``: the points of teams that count, if others than those that come first. ``divisor``: of SSSC, if it is set.
    """

    cut_low: int = 0
    cut_high: int = 0
    limit: Fraction = Fraction(1, 2)
    limit_points: Fraction = Fraction(0)
    fore: bool = False
    forfeits_played: bool = False
    reverse: bool = False
    tied: frozenset[int] = frozenset()
    rules: TieBreakRules = field(default_factory=TieBreakRules)
    score: ScoreName | Literal[""] = ""
    divisor: int = 0


class TallyLine(NamedTuple):
    """An amount of a tally, in its units. ``round`` and ``opponent`` are 0 if it has none."""

    round: int
    opponent: int
    amount: int
    note: str = ""
    #: Of a product: the points, in units of their own, and what they are multiplied by, in those of points.
    factors: tuple[int, int] | None = None


@lru_cache(maxsize=4096)
def _divide(amount: int, unit: int) -> Fraction:
    """Return a fraction; many entries have the same few, which are slow to make."""
    return Fraction(amount, unit)


@dataclass(slots=True)
class TieBreakTally:
    """The amounts whose sum, divided by ``unit``, is the value; those in ``left_out`` (positions) do not count.

    ``reason``: why there is no value.
    """

    lines: Sequence[TallyLine] = ()
    unit: int = 1
    left_out: frozenset[int] = frozenset()
    reason: str = ""
    #: The unit of points, if lines are products with them.
    scale: int = 1

    @property
    def value(self) -> Fraction | None:
        """The value, None if the rules give none."""
        if self.reason:
            return None
        counted = self.lines
        if self.left_out:
            counted = [line for position, line in enumerate(counted) if position not in self.left_out]
        return _divide(sum([line[2] for line in counted]), self.unit)


@dataclass(frozen=True)
class TieBreakPart:
    """A part of a value. A part that a modifier left out has the amount 0, and the amount it would have had."""

    round: int
    opponent: int
    amount: Fraction
    note: str = ""
    left_out: Fraction | None = None
    factors: tuple[Fraction, Fraction] | None = None
    """Of what it is the product."""


@dataclass(frozen=True)
class TieBreakExplanation:
    """A value and its parts, whose amounts sum exactly to it; or the reason why there is no value."""

    value: Fraction | None
    parts: tuple[TieBreakPart, ...]
    reason: str = ""


@dataclass(frozen=True)
class TieBreak:
    """A tie-break of the regulations.

    ``summary``: one sentence for players. ``modifiers``: the letters it takes (``MODIFIERS``).
    ``rank_tied`` replaces the comparison of values: it returns the groups of entries still tied, best first.
    ``for_tables``: also defined at tables of three or more. ``needs_ratings``: article 10 applies.
    ``is_mean``: a mean of the opponents' ratings or performances, perhaps with a difference.
    ``lowest_first``: the lower value is better, given the competition.
    """

    code: str
    title: str
    summary: str
    tally: Callable[[ResultTable, int, TieBreakOptions], TieBreakTally]
    article: str = ""
    modifiers: str = ""
    rank_tied: Callable[[ResultTable, Sequence[int], TieBreakOptions], list[list[int]]] | None = None
    for_tables: bool = False
    needs_ratings: bool = False
    is_mean: bool = False
    lowest_first: Callable[[ResultTable], bool] = lambda table: False
    rulings: tuple[Ruling, ...] = ()


@dataclass(frozen=True)
class TieBreakChoice:
    """A tie-break with its modifiers, as in a competition's list. ``code``: as it is written, such as BH/C1."""

    code: str
    tie_break: TieBreak
    options: TieBreakOptions

    def tally(self, table: ResultTable, entry: int, tied: Iterable[int] = ()) -> TieBreakTally:
        """Return an entry's tally; ``tied``: the entries tied when this tie-break is applied, including the entry."""
        if not (table.two_seats or self.tie_break.for_tables):
            return TieBreakTally(reason=NOT_FOR_TABLES)
        if self.options.score:
            if table.competition.teams is None:
                return TieBreakTally(reason=TEAMS_ONLY)
            table = select_score(table, self.options.score)
        options = replace(self.options, tied=frozenset(tied)) if tied else self.options
        return self.tie_break.tally(table, entry, options)

    def rank_tied(self, table: ResultTable, tied: Sequence[int]) -> list[list[int]] | None:
        """Return the tied entries in groups that remain tied, best first; None: as the values say."""
        if self.tie_break.rank_tied is None:
            return None
        if self.options.score and table.competition.teams is not None:
            table = select_score(table, self.options.score)
        return self.tie_break.rank_tied(table, tied, self.options)

    def explain(self, table: ResultTable, entry: int, tied: Iterable[int] = ()) -> TieBreakExplanation:
        """Return an entry's value with its parts; ``tied`` as in ``tally``."""
        tally = self.tally(table, entry, tied)
        parts = []
        for position, line in enumerate(tally.lines):
            amount = Fraction(line.amount, tally.unit)
            factors = None
            if line.factors is not None:
                gained, score = line.factors
                factors = Fraction(gained * tally.scale, tally.unit), Fraction(score, tally.scale)
            if position in tally.left_out:
                parts.append(TieBreakPart(line.round, line.opponent, Fraction(0), NOT_COUNTED, amount, factors))
            else:
                parts.append(TieBreakPart(line.round, line.opponent, amount, line.note, factors=factors))
        return TieBreakExplanation(tally.value, tuple(parts), tally.reason)


def compute_once(table: ResultTable, key: Hashable, compute: Callable[[], T]) -> T:
    """Return what ``compute`` returned for this key of this table the first time."""
    if key not in table.cache:
        table.cache[key] = compute()
    value: T = table.cache[key]
    return value


def select_score(table: ResultTable, score: ScoreName) -> ResultTable:
    """Return the table of a competition of teams by the points of matches or of boards."""
    teams = table.competition.teams
    if teams is None or teams.primary == score:
        return table
    other = replace(table.competition, teams=replace(teams, primary=score))
    return compute_once(table, ("score", score), lambda: tabulate_results(other))


def find_rating(table: ResultTable, entry: int, rules: TieBreakRules, number: int) -> int | None:
    """Return the rating of an entry that counts for a game of a round, by the rules."""
    return table.find_rating(entry, {"first": 0, "round": number}.get(rules.ratings, table.rounds))


def tally_mean(lines: Sequence[TallyLine], divisor: int, value: int, steps: int = 1) -> TieBreakTally:
    """Return the tally of a mean that is rounded to ``value`` steps; ``steps`` make up one whole.

    Each line has its share of the mean; a last line has the rounding. ``divisor``: of the lines' sum.
    """
    shares = [*lines] if steps == 1 else [line._replace(amount=line.amount * steps) for line in lines]
    rest = value * divisor - sum([line.amount for line in shares])
    if rest:
        shares.append(TallyLine(0, 0, rest, ROUNDED))
    return TieBreakTally(shares, divisor * steps)


def round_half_up(numerator: int, denominator: int) -> int:
    """Return a fraction rounded to a whole number, exactly one half upwards."""
    return (2 * numerator + denominator) // (2 * denominator)
