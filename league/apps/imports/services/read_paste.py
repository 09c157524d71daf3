"""Reads a paste into score sheets: proposes roles of columns, matches players, checks rules, finds recorded games."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.imports.paste.games import PasteClock, PastedGame, PasteSeat
from league.apps.imports.paste.read import Notes, TextTable, read_blocks, split_blocks
from league.apps.imports.paste.roles import NAME_ROLES, PERSON, SheetFields, TableRoles
from league.apps.imports.paste.scores import find_excess, suggest_correction
from league.apps.imports.paste.text import Grid, Lexicon
from league.apps.imports.services.paste_columns import RememberedColumns, list_roles, load_columns
from league.core.calendar import compute_local_date
from league.core.errors import Invalid, Refused
from league.core.fields.selectors.fields import PREFIX, Of, load_fields
from league.core.fields.values import find_faults, parse_value
from league.core.games.selectors.games import SMALL_HOURS, Likeness, group_partners, load_equal_games
from league.core.games.services.computed_results import compute_results_by_rule
from league.core.games.services.game_input import NewGame, NewResult, check_form, check_time, find_refusals
from league.core.permissions import Viewer
from league.core.players.selectors.search import ResolvedName, find_name_fault, load_known_names, resolve_names
from league.core.rules.selectors.rules import build_rule_system, find_rule_to_show, find_rules_rating, load_rules
from league.core.text import written_days as days
from league.core.text.display_formats import format_exact
from league.core.text.names import build_name_key
from league.models import DeclaredField, League, Rule
from ratings.contract.system import RatingSystem

#: The answer for a name that is added as a new player.
NEW_PLAYER = "+"
#: ``DATELESS`` games are right but for a day or time that a game above has, too, which is to fix.
BAD, DATELESS, UNDECIDED, NEW_GAME, RECORDED, LEFT_OUT, CHAT = (
    "bad", "dateless", "asked", "new", "known", "out", "chat"
)  # fmt: skip


@dataclass(frozen=True)
class PasteAnswers:
    """A text with the user's answers so far."""

    text: str
    roles: Mapping[int, str] = field(default_factory=dict)
    """Position of a column -> its role, if it differs from the guess."""
    order: days.DayOrder = ""
    day: date | None = None
    people: Mapping[str, str] = field(default_factory=dict)
    """Key of a name -> handle, or NEW."""
    all_new: bool = False
    left_out: frozenset[str] = frozenset()
    recorded_again: frozenset[str] = frozenset()
    """Keys of games that are already recorded and are to be recorded once more."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Values of declared fields for all games, by key."""


@dataclass(frozen=True)
class PasteName:
    """A pasted name with its match (handle "" if unclear), or marked as a new player."""

    text: str
    key: str
    match: ResolvedName
    is_new: bool = False
    problem: str = ""

    @property
    def is_decided(self) -> bool:
        """Return whether the player is known."""
        return self.is_new or bool(self.match.handle)


@dataclass(frozen=True)
class SheetSeat:
    """A seat of a sheet with its player and rating change, if known."""

    seat: PasteSeat
    handle: str
    name: str
    change: float | None = None


@dataclass
class PastedSheet:
    """The score sheet of a pasted game."""

    game: PastedGame
    state: str
    seats: list[SheetSeat]
    refusals: list[str] = field(default_factory=list)
    excess: float = 0.0
    suggestion: str = ""
    duplicate_of: int | None = None
    """The number of the recorded game with the same content."""

    @property
    def lines(self) -> list[int]:
        """Return the lines of the game, with one above it that has its wrong date."""
        return sorted({*self.game.lines, *(line for line, _sentence in self.game.problems)})

    @property
    def sum(self) -> float | None:
        """Return the sum of the scores, None if one is missing or partners share scores."""
        if any(line.seat.side is not None for line in self.seats):
            return None
        scores = [line.seat.score for line in self.seats if line.seat.score is not None]
        return round(sum(scores), 6) + 0.0 if scores and len(scores) == len(self.seats) else None


@dataclass(frozen=True)
class PasteTable:
    """A table of a text with its guessed, proposed and chosen columns."""

    grid: Grid
    first_column: int
    """The number of its first column, counted over all tables."""
    guessed_columns: TableRoles
    """The columns as guessed from headings and cells."""
    remembered: RememberedColumns
    """The saved columns for these headings."""
    columns: TableRoles

    @property
    def proposed(self) -> TableRoles:
        """Return the guessed columns with the remembered roles."""
        return self.remembered.apply_to(self.guessed_columns)


@dataclass(frozen=True)
class Paste:
    """A parsed text: tables, names, sheets and open questions."""

    tables: list[PasteTable]
    order: days.DayOrder
    stated_order: days.DayOrder
    """The order chosen now or remembered for these headings."""
    asks_order: bool
    asks_day: bool
    names: list[PasteName]
    sheets: list[PastedSheet]
    ignored_lines: list[int]

    def in_state(self, state: str) -> list[PastedSheet]:
        """Return the sheets of a state."""
        return [sheet for sheet in self.sheets if sheet.state == state]

    @property
    def remembered(self) -> bool:
        """Return whether any proposed column is remembered."""
        return any(table.proposed != table.guessed_columns for table in self.tables)

    @property
    def roles(self) -> tuple[str, ...]:
        """Return the roles of all columns of all tables."""
        return tuple(role for table in self.tables for role in table.columns.roles)

    @property
    def undecided_names(self) -> list[PasteName]:
        """Return the names without a clear player."""
        return [name for name in self.names if not name.is_decided]


def load_seat_fields(league: League) -> dict[str, DeclaredField]:
    """Return the declared fields of seats that score sheets ask for, by key."""
    return {one.key: one for one in load_fields(league) if one.of == Of.SEAT and one.is_asked_for and not one.retired}


def make_sheet_fields(
    system: RatingSystem, declared: Mapping[str, DeclaredField], *, sets: bool = False
) -> SheetFields:
    """Make the sheet fields of a rating system; ``declared``: of seats; ``sets``: whether games may have sets."""
    knows = type(system)
    return SheetFields(
        scores=system.score != "unused",
        places=system.place != "unused",
        game_fields={spec.key: spec.label for spec in system.game_fields},
        places_first=system.place == "required" and system.score != "required",
        sides=knows.sides,
        weights=knows.weights,
        lowest_wins=system.lowest_score_wins(),
        sets=sets,
        values={key: (one.title, key, f"{PREFIX}{key}") for key, one in declared.items()},
    )


def read_paste(league: League, answers: PasteAnswers, viewer: Viewer, now: datetime) -> Paste:
    """Read a text with the user's answers; raises Invalid if it cannot be read at all."""
    rules = load_rules(league)
    if not rules:
        raise Refused(_("The league has no rule yet. Choose a rating system before recording games."))
    rule = find_rule_to_show(rules, now) or rules[0]
    declared = load_seat_fields(league)
    fields = make_sheet_fields(build_rule_system(rule), declared, sets=bool(rule.sets))
    lexicon = Lexicon.from_names(*load_known_names(league, viewer))
    clock = PasteClock(league.time_zone, compute_local_date(now, league.time_zone), answers.order, answers.day)
    blocks = split_blocks(answers.text, fields, clock, lexicon)
    tables = read_tables(league, blocks, fields, answers)
    if not all({*NAME_ROLES, PERSON} & {*table.columns.roles} for table in tables):
        message = _("No column contains names. Choose the column below, or write the names above the scores.")
        unread = PastedSheet(PastedGame("", []), BAD, [], [message])
        return Paste(tables, "", "", False, False, [], [unread], [])
    remaining_tables = iter(tables)
    blocks = [
        replace(block, columns=next(remaining_tables).columns) if isinstance(block, TextTable) else block
        for block in blocks
    ]
    stated_order = answers.order or next((table.remembered.order for table in tables if table.remembered.order), "")
    pasted = read_blocks(blocks, fields, clock, lexicon)
    order = answers.order or days.find_day_order(pasted.written_days) or stated_order
    if order != clock.order:
        pasted = read_blocks(blocks, fields, replace(clock, order=order), lexicon)
    for game in pasted.games:
        read_values(game, declared)
    names = match_names(pasted.games, league, answers, viewer)
    sheets = make_sheets(pasted.games, {name.key: name for name in names}, league, rules, now, answers)
    sheets.sort(key=lambda sheet: (BAD, DATELESS, UNDECIDED, NEW_GAME, RECORDED, LEFT_OUT, CHAT).index(sheet.state))
    asks = any(map(days.is_ambiguous, pasted.written_days))
    return Paste(tables, order, stated_order, asks, pasted.has_undated_games, names, sheets, pasted.ignored_lines)


def read_values(game: PastedGame, declared: Mapping[str, DeclaredField]) -> None:
    """Read the values of a game's seats; those that their fields cannot have become problems of the game."""
    for at, seat in enumerate(game.seats):
        if seat.values:
            values = {key: parse_value(declared[key], text) for key, text in seat.values.items()}
            game.seats[at] = replace(seat, values=values)
            faults = find_faults(declared.values(), values, game.day)
            game.problems += [(seat.line, f"{seat.name}: {fault.detail}") for fault in faults]


def read_tables(
    league: League, blocks: Sequence[TextTable | Notes], fields: SheetFields, answers: PasteAnswers
) -> list[PasteTable]:
    """Return the tables of a text with proposed and changed columns."""
    tables: list[PasteTable] = []
    first = 0
    valid_roles = list_roles(fields)
    chosen = {index: role for index, role in answers.roles.items() if role in valid_roles}
    for block in blocks:
        if isinstance(block, TextTable):
            guessed_columns = block.columns
            remembered = load_columns(league, block.grid, guessed_columns, fields)
            guessed = enumerate(remembered.apply_to(guessed_columns).roles, start=first)
            columns = replace(guessed_columns, roles=tuple(chosen.get(index, role) for index, role in guessed))
            tables.append(PasteTable(block.grid, first, guessed_columns, remembered, columns))
            first += len(guessed_columns.roles)
    return tables


def match_names(games: Sequence[PastedGame], league: League, answers: PasteAnswers, viewer: Viewer) -> list[PasteName]:
    """Match the names of a paste in order, without those of games left out."""
    spelled: dict[str, str] = {}
    for game in games:
        if game.key not in answers.left_out:
            for seat in game.seats:
                if seat.name:
                    spelled.setdefault(build_name_key(seat.name), seat.name)
    matches = resolve_names(spelled.values(), league, viewer)
    chosen_texts = {text for key, text in answers.people.items() if key in spelled and text not in ("", NEW_PLAYER)}
    chosen_matches = resolve_names(chosen_texts, league, viewer) if chosen_texts else {}
    return [apply_answer(key, text, matches[text], chosen_matches, answers) for key, text in spelled.items()]


def apply_answer(
    key: str, text: str, match: ResolvedName, chosen_matches: Mapping[str, ResolvedName], answers: PasteAnswers
) -> PasteName:
    """Apply the user's answer to a name."""
    answer = answers.people.get(key, "")
    if answer and answer != NEW_PLAYER:
        if chosen_matches[answer].handle:
            return PasteName(text, key, chosen_matches[answer]._replace(how="chosen", near=match.near))
        return PasteName(
            text, key, match._replace(handle=""), problem=_("No player here is called “{said}”.").format(said=answer)
        )
    if match.handle:
        return PasteName(text, key, match)
    fault = find_name_fault(text)
    if (answer == NEW_PLAYER and not match.is_ambiguous) or (answers.all_new and not match.near):
        return PasteName(text, key, match, is_new=fault is None, problem=fault.detail if fault else "")
    return PasteName(text, key, match)


def make_sheets(
    games: Sequence[PastedGame],
    names: Mapping[str, PasteName],
    league: League,
    rules: Sequence[Rule],
    now: datetime,
    answers: PasteAnswers,
) -> list[PastedSheet]:
    """Return the sheets of games, in their order."""
    played_days = [day for game in games for day in list_days(game, league)]
    alike = RecordedGames(
        load_equal_games(league, min(played_days), max(played_days) + timedelta(days=1)) if played_days else {}
    )
    sheets = []
    # A text of which nothing was read has no chat between its games.
    has_games = any(game.seats for game in games)
    said: set[tuple[int, str] | None] = set()
    for game in games:
        seats = [make_sheet_seat(seat, names.get(build_name_key(seat.name))) for seat in game.seats]
        sheet = PastedSheet(game, NEW_GAME, seats)
        if game.key in answers.left_out:
            sheet.state = LEFT_OUT
        elif game.chat and has_games:
            sheet.state = CHAT
        else:
            check_sheet(sheet, names, rules, now, said)
            said.add(game.date_problem)
            if sheet.state == NEW_GAME and (duplicate := find_recorded_game(alike, sheet, league)):
                sheet.duplicate_of = duplicate
                sheet.state = NEW_GAME if game.key in answers.recorded_again else RECORDED
        sheets.append(sheet)
    return sheets


def make_sheet_seat(seat: PasteSeat, name: PasteName | None) -> SheetSeat:
    """Make a seat of a sheet; new and unclear players keep the written name."""
    handle = name.match.handle if name is not None else ""
    return SheetSeat(seat, handle, name.match.name if name is not None and handle else seat.name)


def check_sheet(
    sheet: PastedSheet,
    names: Mapping[str, PasteName],
    rules: Sequence[Rule],
    now: datetime,
    said: Collection[tuple[int, str] | None],
) -> None:
    """Set a sheet's refusals and state; ``said``: the problems of dates that games above have stated."""
    game = sheet.game
    problems = [one for one in game.problems if one != game.date_problem or one not in said]
    sheet.refusals = [_("Line {line}: {why}").format(line=line, why=sentence) for line, sentence in problems]
    is_dateless = bool(game.problems) and not problems
    if is_dateless:
        # The rules ask for its date; what is wrong on any day is said now.
        sheet.refusals = _find_repeated_players(sheet)
    elif not sheet.refusals:
        sheet.refusals = check_rules(sheet, rules, now)
    if sheet.refusals:
        sheet.state = BAD
    elif is_dateless:
        sheet.state = DATELESS
    elif any(not names[build_name_key(line.seat.name)].is_decided for line in sheet.seats):
        sheet.state = UNDECIDED


def check_rules(sheet: PastedSheet, rules: Sequence[Rule], now: datetime) -> list[str]:
    """Return why the league's rules refuse a sheet, whatever players the unknown names mean.

    If a total is required, also set the sheet's excess and suggestion.
    """
    new = make_new_game(sheet)
    try:
        check_form(new)
        played_at = new.played_at
        assert played_at is not None, "a game without a time is wrong already"
        rule = check_time(played_at, now, rules)
        new = compute_results_by_rule(rule, new)
    except (Invalid, Refused) as error:
        return [problem.detail for problem in error.problems] or [error.detail]
    sheet.seats = [
        replace(line, seat=replace(line.seat, score=result.score, place=result.place))
        for line, result in zip(sheet.seats, new.results, strict=True)
    ]
    reasons = [problem.detail for problem in find_refusals(find_rules_rating(rules, played_at), new)]
    reasons += _find_repeated_players(sheet)
    parameters = build_rule_system(rule).to_json()
    if parameters.get("demand_total") == "yes":
        total = float(parameters["total"])
        scores = [line.seat.score for line in sheet.seats]
        sheet.excess = find_excess(scores, total)
        if guess := suggest_correction(scores, total):
            seat, score = guess
            sheet.suggestion = _("Did you mean {name} {score}?").format(
                name=sheet.seats[seat].name, score=format_exact(score)
            )
    return reasons


def _find_repeated_players(sheet: PastedSheet) -> list[str]:
    player_keys = [line.handle or build_name_key(line.name) for line in sheet.seats]
    twice = {line.name for line, key in zip(sheet.seats, player_keys, strict=True) if player_keys.count(key) > 1}
    template = _("{name} is in two seats; a player can play a game only once.")
    return [template.format(name=name) for name in sorted(twice)]


def make_new_game(
    sheet: PastedSheet, external_id: str | None = None, values: Mapping[str, Any] | None = None
) -> NewGame:
    """Make the input of the recording service from a sheet; ``values``: those of declared fields."""
    game, seats = sheet.game, [(line.handle or line.name, line.seat) for line in sheet.seats]
    results = [
        NewResult(
            player,
            seat.score,
            seat.place,
            seat.side,
            sets=list(seat.sets) or None,
            retired=seat.retired,
            fields=seat.values or None,
        )
        for player, seat in seats
    ]
    return NewGame(results, game.played_at, external_id, dict(game.fields), weight=game.weight, fields=values or None)


def list_days(game: PastedGame, league: League) -> list[date]:
    """Return a game's written day and, in the small hours, the day before."""
    if game.played_at is None or game.day is None:
        return []
    evening = compute_local_date(game.played_at - SMALL_HOURS, league.time_zone) if game.has_time else game.day
    return list(dict.fromkeys([game.day, evening]))


class RecordedGames:
    """Recorded games by content; each can be claimed by one sheet."""

    def __init__(self, alike: Mapping[Likeness, Sequence[int]]) -> None:
        self.unclaimed = {likeness: deque(numbers) for likeness, numbers in alike.items()}
        self.claimed: set[int] = set()

    def claim(self, likeness: Likeness) -> int | None:
        """Claim the first unclaimed game of a day with these results, None if there is none."""
        numbers = self.unclaimed.get(likeness, deque())
        while numbers:
            # A game of the small hours is listed under two days and may be claimed already.
            if (number := numbers.popleft()) not in self.claimed:
                self.claimed.add(number)
                return number
        return None


def find_recorded_game(recorded: RecordedGames, sheet: PastedSheet, league: League) -> int | None:
    """Find an unclaimed recorded game with the content of a sheet, None if there is none.

    If both have sides, partners must be the same.
    """
    if not all(line.handle for line in sheet.seats):
        return None
    results = frozenset((line.handle, line.seat.score, line.seat.place) for line in sheet.seats)
    partners = group_partners((line.handle, line.seat.side) for line in sheet.seats)
    candidates = [
        (day, results, sides)
        for sides in (partners, frozenset() if partners else None)
        for day in list_days(sheet.game, league)
    ]
    return next((number for likeness in candidates if (number := recorded.claim(likeness))), None)


def refuse_undecided(paste: Paste) -> None:
    """Raise Refused if a paste is unclear or has no new game."""
    if reason := find_obstacle(paste):
        raise Refused(_("{why} Nothing was recorded.").format(why=reason))


def find_obstacle(paste: Paste) -> str:
    """Explain why a paste cannot be recorded yet, "" if it can."""
    lines = [sheet.lines[0] for sheet in paste.in_state(BAD) if sheet.lines]
    if len(lines) == 1:
        return _("Check line {line}.").format(line=lines[0])
    if lines:
        count = len(lines)
        return ngettext("{count} game needs checking.", "{count} games need checking.", count).format(count=count)
    if paste.in_state(BAD):
        return paste.in_state(BAD)[0].refusals[0]
    if len(paste.undecided_names) == 1:
        return _("Match the name {name}.").format(name=paste.undecided_names[0].text)
    if count := len(paste.undecided_names):
        return ngettext("Match {count} name.", "Match {count} names.", count).format(count=count)
    return "" if paste.in_state(NEW_GAME) else _("None of these games is new.")
