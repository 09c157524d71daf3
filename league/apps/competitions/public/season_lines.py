"""The lines that the pages of a season show: divisions, the table of the series, stages."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction

from django.urls import reverse
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Season, SeasonPart
from league.apps.competitions.public.lines import FixtureLine, build_entry_lines, build_fixture_lines
from league.apps.competitions.public.season_words import (
    SERIES_DECISIONS,
    describe_outlook,
    describe_quotas,
    describe_zone,
    find_drawn_zone,
)
from league.apps.competitions.public.standings_table import name_tie_break
from league.apps.competitions.selectors.result_texts import count_decimals, format_in_column
from league.apps.competitions.selectors.season_groups import GroupTable, read_group_tables
from league.apps.competitions.selectors.season_standings import (
    DivisionLine,
    DivisionTable,
    SeasonReader,
    StageSeat,
    StageTree,
)
from league.models import League, Player
from ratings.pairing_formats.knockout import list_bracket_seeds
from ratings.seasons.letters import find_group, get_letter
from ratings.seasons.rules import StageRule
from ratings.seasons.series import SeriesRow

#: Games to come that are shown of a division.
MAX_NEXT_GAMES = 2


@dataclass(frozen=True)
class ShownLine:
    """A line of a division or group.

    ``possible``: the ranks that can still be reached, "" if there is one, or every player can reach every rank.
    ``zone``: of the place, or the one for which a lot is drawn, "lot" if it is drawn for several; ``word``: what it
    leads to. ``games``: those played and those to come, 0 if that is not known.
    """

    rank: int
    name: str
    address: str
    points: str
    played: int
    zone: str
    word: str
    certain: bool
    possible: str = ""
    decided: str = ""
    """What separates the player from others with the same points: a tie-break, or the lot; "" for others."""
    games: int = 0
    by_lot: bool = False


@dataclass(frozen=True)
class ShownDivision:
    """A division or group with its lines, and what can still happen in it. ``anchor``: its id on the page.

    ``next_games``: who meets whom next. ``quotas``: how many rise and fall, "" once the season is closed.
    """

    title: str
    anchor: str
    name: str
    competition: Competition
    lines: list[ShownLine]
    outlook: list[str]
    next_games: Sequence[FixtureLine] = ()
    quotas: str = ""

    @property
    def next_deadline(self) -> datetime | None:
        """The deadline that all next games share, None if they do not."""
        deadlines = {line.state.deadline for line in self.next_games}
        return deadlines.pop() if len(deadlines) == 1 else None

    @property
    def is_finished(self) -> bool:
        """Whether its competition is finished."""
        return self.competition.status == Competition.Status.FINISHED


@dataclass(frozen=True)
class ShownScore:
    """A cell of the table of a series, of an event by its number: "" if the player missed it."""

    event: int
    text: str = ""
    place: int = 0
    counted: bool = True


@dataclass(frozen=True)
class ShownRow:
    """A line of the table of a series. ``can_win``: whether one who does not lead can still win, once some cannot.

    ``decided``: what separates the player from the next one with the same points; "" if nothing has to.
    """

    rank: int
    name: str
    address: str
    points: str
    scores: list[ShownScore]
    can_win: bool
    decided: str = ""


@dataclass(frozen=True)
class ShownSeat:
    """A seat of a stage: the place that leads to it, such as A1, and the player, once known. Empty: a bye."""

    source: str = ""
    name: str = ""
    address: str = ""


@dataclass(frozen=True)
class ShownStage:
    """A stage of the tree. ``pairs``: the first round of a knock-out before it is drawn; ``seats``: of other formats.

    ``waits_for``: the titles of the groups that must end before it can be drawn. ``is_outdated``: a correction gives
    seats to others than those who play.
    """

    title: str
    rule: StageRule
    parts: Sequence[SeasonPart]
    groups: list[ShownDivision]
    pairs: list[list[ShownSeat]]
    seats: list[ShownSeat]
    waits_for: list[str]
    is_outdated: bool


def build_player_address(league: League, handle: str) -> str:
    """Return the address of a player's page."""
    return reverse("pages:player", args=[league.slug, handle])


def build_entry_address(competition: Competition, entry: int) -> str:
    """Return the address of an entry of a competition; whoever has not played yet has no page of a player."""
    return reverse("pages:competition_entry", args=[competition.league.slug, competition.slug, entry])


def build_divisions(season: Season, tables: Sequence[DivisionTable]) -> list[ShownDivision]:
    """Return the divisions of a season, their points with as many decimals in each."""
    decimals = count_decimals(line.place.points for table in tables for line in table.lines)
    return [_build_division(season, table, decimals) for table in tables]


def _build_division(season: Season, table: DivisionTable, decimals: int) -> ShownDivision:
    """Return a division with its lines; zones once it has begun, and sentences while it is open."""
    competition = table.part.competition
    has_begun = any(line.place.played for line in table.lines)
    has_zones = has_begun or all(line.certain for line in table.lines)
    decisions = _describe_decisions(table)
    open_games = Counter(entry for fixture in table.upcoming for entry in fixture.entries)
    is_narrower = any((line.possible.best, line.possible.worst) != (1, len(table.lines)) for line in table.lines)
    is_open = has_begun and competition.status != Competition.Status.FINISHED
    return ShownDivision(
        _("Division {name}").format(name=table.name),
        f"d{table.name}",
        table.name,
        competition,
        [
            replace(
                _build_line(competition, line, decimals, describe_zone(line, season), with_possible=is_narrower)
                if has_zones
                else _build_first_line(competition, line, decimals),
                decided=decided if has_begun else "",
                games=line.place.played + open_games[line.entry],
            )
            for line, decided in zip(table.lines, decisions, strict=True)
        ],
        describe_outlook(table.lines) if is_open else [],
        _list_next_games(table),
        "" if season.status == Season.Status.CLOSED else describe_quotas(table.lines),
    )


def _describe_decisions(table: DivisionTable) -> list[str]:
    """Return for each line what separates it from others with the same points."""
    decisions = {
        choice.code: _("by {tie_break}").format(tie_break=name_tie_break(choice)) for choice in table.standings.choices
    }
    words = []
    for line, row in zip(table.lines, table.standings.rows, strict=True):
        # Before the lot is drawn, the word of the zone says that one decides.
        by_lot = _("by lot") if line.certain else ""
        words.append(by_lot if line.drawn else decisions.get(row.decided_by, ""))
    return words


def _list_next_games(table: DivisionTable) -> list[FixtureLine]:
    """Return the next games of a division that is being played."""
    games = table.upcoming
    return build_fixture_lines(table.loaded, build_entry_lines(table.loaded), games)[:MAX_NEXT_GAMES] if games else []


def _build_first_line(competition: Competition, line: DivisionLine, decimals: int) -> ShownLine:
    """Return a line before the first game, when ranks and zones say nothing."""
    address = build_entry_address(competition, line.entry)
    return ShownLine(
        line.place.rank, line.player.name, address, format_in_column(Fraction(), decimals), 0, "stays", "", certain=True
    )


def _build_line(
    competition: Competition, line: DivisionLine, decimals: int, word: str, *, with_possible: bool
) -> ShownLine:
    best, worst = line.possible.best, line.possible.worst
    by_lot = bool(line.drawn) and not line.certain
    return ShownLine(
        line.place.rank,
        line.player.name,
        build_entry_address(competition, line.entry),
        format_in_column(line.place.points, decimals),
        line.place.played,
        (find_drawn_zone(line) or "lot") if by_lot else line.zone,
        word,
        line.certain,
        f"{best}–{worst}" if with_possible and best != worst else "",
        by_lot=by_lot,
    )


def build_series(
    league: League, rows: Sequence[SeriesRow], people: Mapping[str, Player], events: Sequence[int]
) -> list[ShownRow]:
    """Return the lines of the table of a series, with a cell for each event."""
    decimals = count_decimals(row.points for row in rows)
    in_column = {
        event: count_decimals(one.points for row in rows for one in row.events if one.event == event)
        for event in events
    }
    decided = not all(row.can_still_win for row in rows)
    shown = []
    for row in rows:
        scores = {
            one.event: ShownScore(one.event, format_in_column(one.points, in_column[one.event]), one.place, one.counted)
            for one in row.events
            if one.event in in_column
        }
        person = people[row.player]
        shown.append(
            ShownRow(
                row.rank,
                person.name,
                build_player_address(league, person.handle) if row.events else "",
                format_in_column(row.points, decimals),
                [scores.get(event, ShownScore(event)) for event in events],
                decided and row.can_still_win and row.rank > 1,
                str(SERIES_DECISIONS.get(row.decided_by, "")),
            )
        )
    return shown


def build_stages(league: League, reader: SeasonReader) -> list[ShownStage]:
    """Return the stages in their order, with the standings of groups and the seats that are known."""
    trees = {tree.rule.key: tree for tree in reader.read_stages()}
    tables = {key: read_group_tables(reader, tree) for key, tree in trees.items()}
    sizes = {
        (key, find_group(table.part.letter)): sum(not line.is_gone for line in table.lines)
        for key, some in tables.items()
        for table in some
    }
    shown = []
    for tree in trees.values():
        seats = [] if tree.parts else [_build_seat(league, seat) for seat in tree.seats if _exists(seat, sizes)]
        is_bracket = tree.rule.format in ("knockout", "double_knockout") and len(seats) > 1
        shown.append(
            ShownStage(
                tree.rule.heading,
                tree.rule,
                tree.parts,
                [_build_group(table) for table in tables[tree.rule.key]],
                _pair_seats(seats) if is_bracket else [],
                [] if is_bracket else seats,
                [] if tree.parts or tree.is_ready else _list_awaited(trees, tree),
                tree.is_outdated,
            )
        )
    return shown


def _exists(seat: StageSeat, sizes: Mapping[tuple[str, int], int]) -> bool:
    """Return whether the place that leads to a seat exists; ``sizes``: of the groups that have begun."""
    if seat.source is None:
        return True
    return seat.source.place <= sizes.get((seat.source.stage, seat.source.group), seat.source.place)


def _build_seat(league: League, seat: StageSeat) -> ShownSeat:
    source = f"{get_letter(seat.source.group)}{seat.source.place}" if seat.source else ""
    if seat.player is None:
        return ShownSeat(source)
    return ShownSeat(source, seat.player.name, build_player_address(league, seat.player.handle))


def _pair_seats(seats: Sequence[ShownSeat]) -> list[list[ShownSeat]]:
    """Return the first round of a bracket; a seed without an opponent has a bye."""
    order = list_bracket_seeds(1 << (len(seats) - 1).bit_length())
    seeded = [seats[seed - 1] if seed <= len(seats) else ShownSeat() for seed in order]
    return [seeded[at : at + 2] for at in range(0, len(seeded), 2)]


def _list_awaited(trees: Mapping[str, StageTree], tree: StageTree) -> list[str]:
    """Return the titles of what must end before a stage can be drawn."""
    waiting = []
    for source in tree.rule.sources:
        before = trees[source["stage"]]
        going = [part for part in before.parts if part.competition.status != Competition.Status.FINISHED]
        waiting += [_name_part(before, part) for part in going] if before.parts else [before.rule.heading]
    return list(dict.fromkeys(waiting))


def _name_part(tree: StageTree, part: SeasonPart) -> str:
    return _("Group {letter}").format(letter=part.letter) if part.letter else tree.rule.heading


def _build_group(table: GroupTable) -> ShownDivision:
    decimals = count_decimals(line.points for line in table.lines)
    first = next((line.target for line in table.lines if line.target), None)
    lines = []
    for line in table.lines:
        word = ""
        if line.target is not None:
            template = _("to: {stage}") if line.certain else _("would go to: {stage}")
            word = template.format(stage=line.target.heading)
        lines.append(
            ShownLine(
                line.rank,
                line.player.name,
                build_entry_address(table.part.competition, line.entry),
                format_in_column(line.points, decimals),
                line.played,
                "up" if line.target and line.target is first else "stays",
                word,
                line.certain,
            )
        )
    part = table.part
    title = _("Group {letter}").format(letter=part.letter) if part.letter else part.competition.title
    return ShownDivision(title, f"g{part.pk}", part.letter, part.competition, lines, [])
