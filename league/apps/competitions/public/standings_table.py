"""The table of standings on pages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.apps.competitions.models import Competition
from league.apps.competitions.public.lines import ShownEntry
from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.competitions import BRACKET_FORMATS
from league.apps.competitions.selectors.prizes import filter_standings
from league.apps.competitions.selectors.result_texts import count_decimals, format_in_column
from league.apps.competitions.selectors.standings import compute_possible_ranks, compute_ranks, compute_standings
from ratings.contract.tie_break import TieBreakChoice
from ratings.standings.left_out import EXPELLED, FEW_GAMES
from ratings.standings.possible_ranks import PossibleRanks
from ratings.standings.ranking import Standings, StandingsRow

#: The lowest rank with a medal.
MEDALS = 3
#: Modifier of a tie-break that cuts values -> the title in words; others are shown by their codes.
CUTS: dict[str, Any] = {
    "C1": gettext_lazy("{title} without the lowest"),
    "C2": gettext_lazy("{title} without the two lowest"),
    "M1": gettext_lazy("{title} without the highest and the lowest"),
    "M2": gettext_lazy("{title} without the two highest and the two lowest"),
}


@dataclass(frozen=True)
class TieBreakColumn:
    """A column of the table. ``title`` in the reader's language, with the code for those who know it.

    ``decides``: what is said of a value that separates entries.
    """

    code: str
    title: str
    decides: str
    decimals: int
    is_named: bool = False
    """Whether its head is the title: codes of tables of three and more are no usual abbreviations."""

    @property
    def head(self) -> str:
        """What stands above the column, and before a value."""
        return self.title if self.is_named else self.code


@dataclass(frozen=True)
class TieBreakFigure:
    """An entry's value, and whether it separates the entry from the row below.

    ``named``: the value after its code, "" if there is none.
    """

    code: str
    text: str
    named: str
    decides: bool
    title: str = ""


#: Tie-breaks of tables of three and more, whose codes are whole words.
WORDS = ("SCORE", "BEST", *("FIRSTS", "SECONDS", "THIRDS", "FOURTHS", "FIFTHS", "SIXTHS", "SEVENTHS"))
#: Why an entry has no rank.
LEFT_OUT = {
    EXPELLED: gettext_lazy("expelled"),
    FEW_GAMES: gettext_lazy("fewer than half the games: they do not count"),
}


@dataclass(frozen=True)
class StandingsLine:
    """A line of the table.

    ``before``: the rank a round earlier. ``waits``: its game of the running round is not over, so it has not moved yet.
    ``possible``: the ranks that can still be reached, "" if nothing narrows them. ``left_out``: why it has no rank, ""
    if it has one.
    """

    rank: int
    entry: ShownEntry
    points: str
    figures: tuple[TieBreakFigure, ...]
    before: int | None = None
    possible: str = ""
    medal: bool = False
    left_out: str = ""
    waits: bool = False

    @property
    def shown_rank(self) -> str:
        """The rank as every page has it, – without one."""
        return "–" if self.left_out else str(self.rank)

    @property
    def is_certain(self) -> bool:
        """Whether a single final rank is left, whatever the missing results are."""
        return bool(self.possible) and "–" not in self.possible


@dataclass(frozen=True)
class StandingsTable:
    """The table after a round; ``moves``: it shows what the last round changed."""

    standings: Standings
    columns: tuple[TieBreakColumn, ...]
    lines: "StandingsLines"
    moves: bool = False
    by_points: bool = True
    exact: bool = True
    """Whether the possible ranks are exact and no bounds."""
    open: bool = False
    """Whether games remain that can change ranks, as far as the bounds show."""

    @property
    def ties_decided(self) -> bool:
        """Whether a tie-break separated anyone."""
        codes = {column.code for column in self.columns}
        return any(row.decided_by in codes for row in self.standings.rows)


@dataclass(frozen=True)
class StandingsLines(Sequence[StandingsLine]):
    """The lines of a table; only those of the page that is shown are built."""

    rows: Sequence[StandingsRow]
    build: Callable[[Sequence[StandingsRow]], list[StandingsLine]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[StandingsLine]:
        return iter(self[:])

    @overload
    def __getitem__(self, at: int) -> StandingsLine: ...

    @overload
    def __getitem__(self, at: slice) -> list[StandingsLine]: ...

    def __getitem__(self, at: int | slice) -> StandingsLine | list[StandingsLine]:
        return self.build(self.rows[at]) if isinstance(at, slice) else self.build([self.rows[at]])[0]


def build_standings_table(
    loaded: LoadedCompetition,
    entries: Mapping[int, ShownEntry],
    round_number: int | None = None,
    *,
    with_moves: bool = True,
    with_possible: bool = True,
) -> StandingsTable:
    """Return the table after a round (None: now, with the ranks that can still be reached)."""
    standings = compute_standings(loaded, round_number=round_number)
    is_open = (
        round_number is None and loaded.competition.status == Competition.Status.RUNNING and has_open_games(loaded)
    )
    last_round = max((one_round.number for one_round in loaded.published_rounds), default=None)
    is_knockout = loaded.competition.format in BRACKET_FORMATS
    possible = compute_possible_ranks(loaded, standings) if is_open and with_possible else {}
    before = _find_round_before(loaded, standings) if with_moves else 0
    waiting = _find_waiting(loaded, before + 1) if before else frozenset()
    # In a knock-out tie-breaks decide nothing.
    columns = () if is_knockout else list_columns(standings)
    decimals = count_decimals(row.points for row in standings.rows)
    # Before the end a rank is no prize.
    with_medals = loaded.competition.status == Competition.Status.FINISHED and round_number in (None, last_round)
    last = len(standings.rows)
    # Before the first result of a bracket a bye puts nobody before others.
    is_even = is_knockout and not any(one.status in ("played", "forfeited") for one in loaded.fixtures)
    narrower = any((ranks.best, ranks.worst) != (1, last) for ranks in possible.values())

    def find_rank(row: StandingsRow) -> int:
        return 1 if is_even else row.rank

    def describe_possible(row: StandingsRow) -> str:
        return _format_possible(possible[row.entry]) if narrower and row.entry in possible else ""

    def build(rows: Sequence[StandingsRow]) -> list[StandingsLine]:
        ranks = compute_ranks(standings, before, {row.entry for row in rows}) if before else {}
        return [
            StandingsLine(
                find_rank(row),
                entries[row.entry],
                format_in_column(row.points, decimals),
                _build_figures(columns, row),
                None if row.left_out else ranks.get(row.entry),
                describe_possible(row),
                with_medals and row.rank <= MEDALS and bool(standings.table.rounds) and not row.left_out,
                str(LEFT_OUT.get(row.left_out, "")),
                row.entry in waiting,
            )
            for row in rows
        ]

    return StandingsTable(
        standings,
        columns,
        StandingsLines(standings.rows, build),
        moves=bool(before),
        by_points=not is_knockout,
        exact=all(ranks.exact for ranks in possible.values()),
        open=narrower,
    )


def _find_waiting(loaded: LoadedCompetition, number: int) -> frozenset[int]:
    """Return the entries whose game of a round is not over: they have not fallen behind those whose is."""
    games = (one for one in loaded.fixtures if one.round == number and one.status == "planned")
    return frozenset(entry for one in games for entry in one.entries)


def build_category_table(
    loaded: LoadedCompetition, entries: Mapping[int, ShownEntry], members: Sequence[int]
) -> StandingsTable:
    """Return the table of a category with ranks of its own, without movements and possible ranks."""
    table = build_standings_table(loaded, entries, with_moves=False, with_possible=False)
    standings = filter_standings(table.standings, members)
    return replace(table, standings=standings, lines=StandingsLines(standings.rows, table.lines.build))


def has_open_games(loaded: LoadedCompetition) -> bool:
    """Return whether a result is missing or a round is not published yet."""
    data = loaded.data
    if len(data.rounds) < loaded.planned_rounds:
        return True
    return any(fixture.kind == "planned" for one_round in data.rounds for fixture in one_round.fixtures)


def _find_round_before(loaded: LoadedCompetition, standings: Standings) -> int:
    """Return the round before the last one of which anything was played; 0 after the first round."""
    if loaded.competition.format in (*BRACKET_FORMATS, "free"):
        return 0
    played = [
        one_round.number
        for one_round in standings.table.competition.rounds
        if any(fixture.kind in ("played", "forfeit") for fixture in one_round.fixtures)
    ]
    return max(played, default=1) - 1


def list_columns(standings: Standings) -> tuple[TieBreakColumn, ...]:
    """Return the columns of tie-breaks for which any entry has a value: a column of dashes tells nothing."""
    return tuple(
        _build_column(choice, standings)
        for choice in standings.choices
        if choice.code != "PTS" and any(row.values[choice.code] is not None for row in standings.rows)
    )


def _build_column(choice: TieBreakChoice, standings: Standings) -> TieBreakColumn:
    decimals = count_decimals(row.values[choice.code] for row in standings.rows)
    title = describe_tie_break(choice)
    decides = _("{title} separates this entry from the next one, which has the same points").format(title=title)
    return TieBreakColumn(choice.code, title, decides, decimals, choice.tie_break.code in WORDS)


def _format_possible(ranks: PossibleRanks) -> str:
    return str(ranks.best) if ranks.best == ranks.worst else f"{ranks.best}–{ranks.worst}"


def describe_tie_break(choice: TieBreakChoice) -> str:
    """Return the title of a tie-break with its modifiers: Buchholz without the lowest, Buchholz /P."""
    title, modifiers = str(choice.tie_break.title), choice.code.partition("/")[2]
    # Of progressive scores, /C1 leaves out the first round.
    if (template := CUTS.get(modifiers)) and not choice.code.startswith("PS/"):
        return str(template).format(title=title)
    return f"{title} /{modifiers}" if modifiers else title


def describe_decision(choice: TieBreakChoice, other: str) -> str:
    """Return that a tie-break separates an entry from another one; a direct encounter is one with that."""
    if choice.tie_break.code == "DE":
        return _("on tie-break: {tie_break} with {name}").format(tie_break=name_tie_break(choice), name=other)
    return _("on tie-break: {tie_break}").format(tie_break=name_tie_break(choice))


def name_tie_break(choice: TieBreakChoice) -> str:
    """Return the name of a tie-break as it stands within a sentence."""
    title = describe_tie_break(choice)
    # Others are names, or nouns, which German writes large.
    return title[:1].lower() + title[1:] if choice.code == "DE" else title


def _build_figures(columns: tuple[TieBreakColumn, ...], row: StandingsRow) -> tuple[TieBreakFigure, ...]:
    figures = []
    for column in columns:
        value = row.values[column.code]
        text, decides = format_in_column(value, column.decimals), row.decided_by == column.code
        named = "" if value is None else f"{column.head} {text}"
        figures.append(TieBreakFigure(column.code, text, named, decides, column.decides if decides else ""))
    return tuple(figures)


def serialize_standings(table: StandingsTable) -> list[dict[str, Any]]:
    """Return the table as data for files."""
    return [
        {
            "rank": row.rank,
            "entry": row.entry,
            "name": line.entry.name,
            "points": float(row.points),
            **{code: None if value is None else float(value) for code, value in row.values.items() if code != "PTS"},
            "decided_by": row.decided_by,
        }
        for row, line in zip(table.standings.rows, table.lines, strict=True)
    ]
