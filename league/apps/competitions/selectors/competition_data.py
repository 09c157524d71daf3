"""A competition as of a time: entries, fixtures with their results, and the input of the sums.

The deadline of a fixture is judged by the time alone, so that it needs no worker: see ``judge_deadline``.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from django.db.models.functions import Coalesce
from django.utils import timezone

from league.apps.competitions.files.fixture_plan import PLANNED
from league.apps.competitions.models import MEETINGS, Competition, EnteredPlayer, Entry, EntryPlayer, Fixture, Round
from league.apps.competitions.records import FIXTURE_RECORD
from league.apps.competitions.selectors.competitions import build_format, takes_part
from league.apps.competitions.selectors.fixture_order import sort_fixtures
from league.apps.competitions.selectors.game_points import are_awarded, have_points_as_scores
from league.apps.competitions.selectors.team_matches import build_team_rules, gather_boards
from league.core.db.statements import build_any_condition, execute_query, parse_timestamp
from league.core.rules.selectors.rules import build_system_at, load_rules
from league.models import Game
from ratings.contract.bracket_format import BracketFormat
from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    PointsTable,
    RoundData,
    Seat,
    parse_fraction,
    score_unplayed,
)

#: As clients see it. A bye has no game.
FixtureStatus: TypeAlias = Literal["planned", "played", "forfeited", "bye", "cancelled"]
FORFEIT_LOSER = 2
#: Columns and SQL: model objects would take several times as long in a competition of 300 entries and 11 rounds.
STORED = [member for name, member in FIXTURE_RECORD.line.items() if name != "game"]
FIXTURE_COLUMNS = ["pk", *(member.build_lookup() for member in STORED)]
SEATS = """
SELECT f.id, e.number, s.points, s.member FROM competitions_fixture f
JOIN competitions_fixtureseat s ON s.league_id = f.league_id AND s.fixture_id = f.id
JOIN competitions_entry e ON e.league_id = s.league_id AND e.id = s.entry_id
WHERE f.league_id = %s AND {condition} ORDER BY s.seat
"""
#: The games that count: those with the order keys of the games that were recorded for fixtures.
GAMES = """
FROM competitions_fixture f JOIN league_game recorded ON recorded.league_id = f.league_id AND recorded.id = f.game_id
JOIN league_game g ON g.league_id = f.league_id AND g.order_key = recorded.order_key AND g.voided_at IS NULL
"""
#: When a fixture got its first result.
ENTERED_AT = "recorded.recorded_at"


class ResultLine(NamedTuple):
    """A player's line of a game."""

    player: int
    score: float | None
    place: int | None


class GameLines(NamedTuple):
    """The game that counts for a fixture, with its lines in seat order.

    ``entered_at``: when the fixture got its first result, which may have been corrected since.
    ``corrected_at``: when it got this one, if it is another.
    """

    number: int
    kind: str
    played_at: datetime
    lines: tuple[ResultLine, ...]
    entered_at: datetime = datetime.max.replace(tzinfo=UTC)
    corrected_at: datetime | None = None


class FixtureState(NamedTuple):
    """A fixture as of a time, with the number of its round and the game that counts.

    ``data``: the fixture with its result. ``is_overdue``: it has no result, and no time is left.
    ``is_decided_by_deadline``: its result follows from that. ``has_other_players``: its game was corrected to players
    of other entries, so that it has no result. ``reported``: another result in the tournament report alone.
    ``was_adjourned``: it ended later than others of its round. ``entered``: results that do not count yet.
    ``boards``: of a match of teams; each names its ``match`` and has the places in the squads of who sits there
    (``members``), in seat order.
    """

    pk: int
    number: int
    round: int | None
    kind: str
    status: FixtureStatus
    data: FixtureData
    table: int | None = None
    starts_at: datetime | None = None
    deadline: datetime | None = None
    venue: str = ""
    forfeit: str = ""
    game: GameLines | None = None
    is_overdue: bool = False
    is_decided_by_deadline: bool = False
    has_other_players: bool = False
    reported: str = ""
    match: int | None = None
    board: int | None = None
    members: tuple[int | None, ...] = ()
    boards: "tuple[FixtureState, ...]" = ()
    was_adjourned: bool = False
    entered: tuple[Mapping[str, Any], ...] = ()

    @property
    def entries(self) -> tuple[int, ...]:
        """The numbers of the entries in seat order."""
        return tuple([seat.entry for seat in self.data.seats])

    @property
    def lacks_player(self) -> bool:
        """Whether it is a board of a match with an empty or unknown seat."""
        return not all(self.members)

    @property
    def adjourned(self) -> bool:
        """Whether its game has begun and has no result yet."""
        return self.data.adjourned

    @property
    def ended_at(self) -> datetime | None:
        """When it got its first result, a match that of its last board; None without one."""
        return max((one.game.entered_at for one in (self, *self.boards) if one.game is not None), default=None)


@dataclass(frozen=True)
class LoadedCompetition:
    """A competition as of ``now``. ``rounds`` by number, ``fixtures`` in the order of ``sort_fixtures``.

    ``entries``: by number in pairing order, without the waiting list. ``people``: survivor's id -> number of the entry.
    ``lowest_wins`` and ``scores_are_points``: what the scores of games mean.
    """

    competition: Competition
    now: datetime
    entries: Mapping[int, Entry]
    waiting: Sequence[Entry]
    people: Mapping[int, int]
    rounds: Mapping[int, Round]
    fixtures: Sequence[FixtureState]
    lowest_wins: bool = field(default=False)
    scores_are_points: bool = field(default=False)

    @cached_property
    def data(self) -> CompetitionData:
        """The input of tie-breaks and standings: all rounds that are published."""
        return self.build_data()

    def build_data(self, last_round: int | None = None, *, with_unpublished: bool = False) -> CompetitionData:
        """Return the input of the sums up to a round (None: all).

        A fixture without a round is in the first round in which none of its entries has another one.
        """
        pairing_format = build_format(self.competition)
        by_round: defaultdict[int, list[FixtureData]] = defaultdict(list)
        taken: defaultdict[int, int] = defaultdict(int)
        for fixture in sorted(self.fixtures, key=_get_order):
            if fixture.status == "cancelled":
                continue
            if fixture.round is None:
                number = 1 + max(taken[entry] for entry in fixture.entries)
            elif self.rounds[fixture.round].published_at is None and not with_unpublished:
                continue
            else:
                number = fixture.round
            for entry in fixture.entries:
                taken[entry] = max(taken[entry], number)
            by_round[number].append(fixture.data)
        points = dict(self.competition.points)
        data = CompetitionData(
            entries=tuple(map(build_entry_data, self.entries.values())),
            rounds=tuple(
                RoundData(number, tuple(by_round[number]))
                for number in sorted(by_round)
                if last_round is None or number <= last_round
            ),
            points=PointsTable.from_json(
                {name: value for name, value in points.items() if name != "places"}, points.get("places", ())
            ),
            predetermined=pairing_format.predetermined,
            planned_rounds=self.planned_rounds if last_round is None else last_round,
            lowest_wins=self.lowest_wins,
            teams=build_team_rules(self.competition),
        )
        return score_unplayed(data)

    @cached_property
    def planned_rounds(self) -> int:
        """The number of rounds in all, 0 if it is open."""
        pairing_format = build_format(self.competition)
        rounds = self.competition.rounds or pairing_format.count_rounds(len(self.entries)) or 0
        if isinstance(pairing_format, BracketFormat) and rounds in self.rounds:
            rounds += pairing_format.needs_another_round(self.build_data(rounds))
        return rounds

    @property
    def published_rounds(self) -> list[Round]:
        """The published rounds."""
        return [one_round for one_round in self.rounds.values() if one_round.published_at is not None]

    def is_published(self, fixture: FixtureState) -> bool:
        """Return whether everyone who sees the competition may see a fixture."""
        return fixture.round is None or self.rounds[fixture.round].published_at is not None

    def hide_unpublished(self) -> "LoadedCompetition":
        """Return the competition without its unpublished rounds, as everyone sees it."""
        rounds = {one_round.number: one_round for one_round in self.published_rounds}
        return replace(self, rounds=rounds, fixtures=[one for one in self.fixtures if self.is_published(one)])

    def name(self, number: int) -> str:
        """Return the name of an entry."""
        return build_entry_name(self.entries[number])

    def join_names(self, entries: Iterable[int]) -> str:
        """Return the names of entries for a sentence."""
        return " – ".join(self.name(number) for number in entries)

    def list_fixtures(self, round_number: int) -> list[FixtureState]:
        """Return the fixtures of a round in their order."""
        return [fixture for fixture in self.fixtures if fixture.round == round_number]

    def find_fixture(self, number: int) -> FixtureState | None:
        """Return a fixture by its number, or a board of a match."""
        found = (one for fixture in self.fixtures for one in (fixture, *fixture.boards) if one.number == number)
        return next(found, None)


def build_entry_data(entry: Entry) -> EntryData:
    """Return an entry as the sums need it."""
    data = EntryData(
        entry.number,
        entry.rating,
        entry.title,
        tuple((one["round"], parse_fraction(one["points"])) for one in entry.added_points),
        tuple(map(parse_fraction, entry.virtual_points)),
        later=tuple((one["from_round"], one["rating"]) for one in entry.later_ratings),
        moved=entry.moved_number,
    )
    return replace(data, by_hand=parse_fraction(entry.by_hand)) if entry.by_hand else data


def _get_order(fixture: FixtureState) -> tuple[bool, int, float, int]:
    if fixture.round is not None:
        return False, fixture.round, 0.0, fixture.number
    times = (fixture.game and fixture.game.played_at, fixture.starts_at, fixture.deadline)
    time = next((value.timestamp() for value in times if value is not None), float("inf"))
    return True, 0, time, fixture.number


def build_entry_name(entry: Entry) -> str:
    """Return the name of an entry: its own or its players'."""
    return entry.name or join_members([player.name for player in entry.survivors])


def join_members(names: Iterable[str]) -> str:
    """Return the name of an entry that was given none; clients and files know it in this form."""
    return " / ".join(names)


def load_competition(competition: Competition, now: datetime | None = None) -> LoadedCompetition:
    """Return a competition as of a time (None: now)."""
    return load_competitions([competition], now)[0]


def load_competitions(competitions: Sequence[Competition], now: datetime | None = None) -> list[LoadedCompetition]:
    """Return competitions of one league as of a time (None: now), in as many queries as one of them takes."""
    if not competitions:
        return []
    now = now or timezone.now()
    league, by_pk = competitions[0].league, {competition.pk: competition for competition in competitions}
    entries = _load_entries(league.pk, by_pk)
    rounds: defaultdict[int, dict[int, Round]] = defaultdict(dict)
    for one in Round.objects.filter(league=league, competition__in=by_pk).order_by("number"):
        one.competition = by_pk[one.competition_id]
        rounds[one.competition_id][one.number] = one
    system = build_system_at(load_rules(league), now)
    loaded = [
        _build_competition(competition, now, entries[competition.pk], rounds[competition.pk], system)
        for competition in competitions
    ]
    fixtures = _load_fixtures(loaded)
    return [replace(one, fixtures=fixtures[one.competition.pk]) for one in loaded]


def _build_competition(
    competition: Competition, now: datetime, entries: Sequence[Entry], rounds: Mapping[int, Round], system: Any
) -> LoadedCompetition:
    """Return a competition without its fixtures."""
    listed = {entry.number: entry for entry in entries if takes_part(entry)}
    # Of a merged player's two entries, the one that still plays counts.
    by_status = sorted(listed.values(), key=lambda entry: entry.status != Entry.Status.WITHDRAWN)
    return LoadedCompetition(
        competition=competition,
        now=now,
        entries=listed,
        waiting=[entry for entry in entries if entry.status == Entry.Status.WAITING],
        people={player.pk: entry.number for entry in by_status for player in entry.survivors},
        rounds=rounds,
        fixtures=(),
        lowest_wins=system is not None and system.lowest_score_wins(),
        scores_are_points=have_points_as_scores(competition.league, system, competition.players_of_seat),
    )


def _load_entries(league_id: int, competitions: Mapping[int, Competition]) -> defaultdict[int, list[Entry]]:
    """Return entries by competition and pairing number with their survivors, of whom only what is shown is read."""
    lines = EntryPlayer.objects.filter(league=league_id, competition__in=competitions).order_by("position")
    shown = [Coalesce(f"player__merged_into__{name}", f"player__{name}") for name in EnteredPlayer._fields]
    survivors: defaultdict[int, list[EnteredPlayer]] = defaultdict(list)
    for entry, *values in lines.values_list("entry", *shown):
        survivors[entry].append(EnteredPlayer(*values))
    entries: defaultdict[int, list[Entry]] = defaultdict(list)
    for one in Entry.objects.filter(league=league_id, competition__in=competitions).in_order():
        one.competition, one.survivors = competitions[one.competition_id], survivors[one.pk]
        entries[one.competition_id].append(one)
    return entries


def _load_fixtures(loaded: Sequence[LoadedCompetition]) -> defaultdict[int, list[FixtureState]]:
    """Return the fixtures of competitions in the order of ``sort_fixtures``."""
    league_id, by_pk = loaded[0].competition.league_id, {one.competition.pk: one for one in loaded}
    condition, parameter = (
        ("f.competition_id = %s", next(iter(by_pk)))
        if len(by_pk) == 1
        else build_any_condition("f.competition_id", [*by_pk])
    )
    seats: defaultdict[int, list[Seat]] = defaultdict(list)
    members: defaultdict[int, list[int | None]] = defaultdict(list)
    for fixture, entry, points, member in execute_query(SEATS.format(condition=condition), [league_id, parameter]):
        seats[fixture].append(Seat(entry, 0, None, Fraction(points) if points else None))
        members[fixture].append(member)
    games = load_counting_games(league_id, condition, parameter)
    stored = Fixture.objects.filter(league=league_id, competition__in=[*by_pk])
    states: defaultdict[int, list[FixtureState]] = defaultdict(list)
    for competition, *row in stored.order_by().values_list("competition", *FIXTURE_COLUMNS):
        state = _build_state(by_pk[competition], row, tuple(seats[row[0]]), games.get(row[0]))
        states[competition].append(state._replace(members=tuple(members[row[0]])) if state.match else state)
    for some in states.values():
        sort_fixtures(some)
    for competition, some in states.items():
        states[competition] = gather_boards(some, by_pk[competition].competition)
    return states


def load_counting_games(league_id: int, condition: str, parameter: Any) -> dict[int, GameLines]:
    """Return fixture's id -> the game that counts for it, with its lines in seat order.

    ``condition``: which fixtures (f), as SQL with one parameter.
    """
    which, parameters = f"WHERE f.league_id = %s AND {condition}", [league_id, parameter]
    lines: defaultdict[int, list[ResultLine]] = defaultdict(list)
    results = "JOIN league_result l ON l.league_id = g.league_id AND l.game_id = g.id"
    for fixture, *values in execute_query(
        f"SELECT f.id, l.player_id, l.score, l.place {GAMES} {results} {which} ORDER BY l.seat",
        parameters,
    ):
        lines[fixture].append(ResultLine(*values))
    games = {}
    for fixture, number, kind, *times in execute_query(
        f"SELECT f.id, g.number, g.kind, g.played_at, {ENTERED_AT}, g.recorded_at {GAMES} {which}", parameters
    ):
        began, entered, at = (parse_timestamp(time) or datetime.max.replace(tzinfo=UTC) for time in times)
        games[fixture] = GameLines(number, kind, began, tuple(lines[fixture]), entered, at if at > entered else None)
    return games


def _build_state(
    loaded: LoadedCompetition, row: Sequence[Any], planned: tuple[Seat, ...], game: GameLines | None
) -> FixtureState:
    pk, number, round_number, kind, *values, forfeit, adjourned, reported, cancelled_at, match, board, entered = row
    plan: dict[str, Any] = dict(zip(PLANNED, values, strict=True))
    status: FixtureStatus
    if cancelled_at is not None:
        status, data, game = "cancelled", FixtureData(planned), None
    elif kind not in MEETINGS:
        status, data, game = "bye", FixtureData((planned[0]._replace(place=1),), kind), None
    elif game is None or (played := build_played_seats(planned, game, loaded.people, loaded)) is None:
        status, data = "planned", FixtureData(planned, adjourned=adjourned)
    elif game.kind == Game.Kind.FORFEIT.value:
        status, data = "forfeited", FixtureData(played, "forfeit")
    else:
        status, data = "played", FixtureData(played, "played")
    # A correction may have made the game a forfeit, or a played game.
    reason = (forfeit or Fixture.Reason.OTHER.value) if status == "forfeited" else ""
    state = FixtureState(
        pk, number, round_number, kind, status, data, **plan, forfeit=reason, game=game,
        has_other_players=status == "planned" and game is not None, reported=reported, match=match, board=board,
        was_adjourned=adjourned and data.kind != "planned", entered=tuple(entered if status == "planned" else ()),
    )  # fmt: skip
    return judge_deadline(state, loaded.competition, loaded.now) if status == "planned" and game is None else state


def judge_deadline(state: FixtureState, competition: Competition, now: datetime) -> FixtureState:
    """Return a fixture without a result as it counts at a time: forfeited or drawn if its deadline has passed."""
    if state.deadline is None or now < state.deadline or state.data.adjourned:
        return state
    action, seats = competition.deadline_action, state.data.seats
    if action == Competition.DeadlineAction.FORFEIT:
        lost = tuple(seat._replace(place=FORFEIT_LOSER) for seat in seats)
        return state._replace(
            status="forfeited", data=FixtureData(lost, "forfeit"), is_overdue=True, is_decided_by_deadline=True
        )
    if action == Competition.DeadlineAction.DRAW:
        points, _loss = _read_game_points(competition, of_match=state.match is None)
        drawn = tuple(seat._replace(place=1, points=points) for seat in seats)
        return state._replace(
            status="forfeited", data=FixtureData(drawn, "forfeit"), is_overdue=True, is_decided_by_deadline=True
        )
    return state._replace(is_overdue=True)


def _read_game_points(competition: Competition, *, of_match: bool = False) -> tuple[Fraction, Fraction]:
    """Return the points of a draw and of a loss. Of teams, those stated are of matches, and a board has its own."""
    teams = None if of_match else build_team_rules(competition)
    if teams is not None:
        return teams.points.draw, teams.points.loss
    points = competition.points
    return parse_fraction(points.get("draw", 0.5)), parse_fraction(points.get("loss", 0))


def build_played_seats(
    seats: Sequence[Seat], game: GameLines, people: Mapping[int, int], loaded: LoadedCompetition | None = None
) -> tuple[Seat, ...] | None:
    """Return the seats of a fixture with the places and scores of its game, None if the game has other players."""
    lines = _match_lines([seat.entry for seat in seats], game.lines, people)
    if lines is None:
        return None
    results = tuple([(line.score, line.place) for line in lines])
    ranked = _rank_results(results, game.kind == Game.Kind.FORFEIT.value, loaded is not None and loaded.lowest_wins)
    if game.kind == Game.Kind.FRIENDLY.value and loaded and (awarded := _read_awarded_points(lines, loaded)):
        ranked = [(1, score) for _place, score in ranked]
        seats = [
            seat if seat.points is not None else seat._replace(points=points)
            for seat, points in zip(seats, awarded, strict=True)
        ]
    return tuple([Seat(seat.entry, *own, seat.points) for seat, own in zip(seats, ranked, strict=True)])


@lru_cache(maxsize=4096)
def _rank_results(
    results: tuple[tuple[float | None, int | None], ...], is_forfeit: bool, lowest_wins: bool
) -> list[tuple[int, Fraction | None]]:
    """Return the places and scores of a game's lines; the same few occur again and again."""
    by_place = all(place is not None for _score, place in results)
    if is_forfeit and by_place:
        places = [place or FORFEIT_LOSER for _score, place in results]
    else:
        # The lowest value is best.
        sign = 1 if lowest_wins else -1
        values = [place or 0 if by_place else (score or 0) * sign for score, place in results]
        places = [1 + sum([other < value for other in values]) for value in values]
    scores = [None if score is None else parse_fraction(score) for score, _place in results]
    return list(zip(places, scores, strict=True))


def _read_awarded_points(lines: Sequence[ResultLine], loaded: LoadedCompetition) -> list[Fraction]:
    """Return the points of a game whose scores only an arbiter gives; otherwise none."""
    scores = [line.score for line in lines]
    if all(line.place is not None for line in lines) or not are_awarded(scores, as_points=loaded.scores_are_points):
        return []
    draw, loss = _read_game_points(loaded.competition)
    return [draw if score else loss for score in scores]


def _match_lines(
    entries: Sequence[int], lines: Sequence[ResultLine], people: Mapping[int, int]
) -> Sequence[ResultLine] | None:
    """Return the line of each entry, None if there are other players.

    One player who is of no entry, because games were split off, counts for the one entry without a player.
    """
    owners = [people.get(line.player) for line in lines]
    if owners == entries:
        return lines
    found: dict[int, ResultLine] = {}
    strangers: list[ResultLine] = []
    for owner, line in zip(owners, lines, strict=True):
        if owner is not None and owner in entries:
            found.setdefault(owner, line)
        else:
            strangers.append(line)
    missing = [entry for entry in entries if entry not in found]
    if missing or strangers:
        if len(missing) != 1 or not strangers:
            return None
        found[missing[0]] = strangers[0]
    return [found[entry] for entry in entries]
