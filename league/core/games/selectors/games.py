"""Games for display: the facts with status and rating changes."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple, TypeVar

from django.db.models import Count, Exists, OuterRef, Prefetch, Q
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.core.calendar import compute_evening_of_game, compute_local_date, compute_previous_evening_end, start_of_day
from league.core.db.statements import build_any_condition, execute_query
from league.core.errors import NotFound
from league.core.finish import group_lines_by_side, rates_results_alone
from league.core.text.display_formats import get_known_zone_name
from league.models import Game, League, Player, RatingChange, Result
from league.models.facts import RESULT, GameQuerySet, list_recorded_values
from ratings.contract.system import RatingSystem

#: Similar games recorded within this time are reported, among this many preceding numbers.
SIMILAR_WITHIN, MAX_COMPARED = timedelta(hours=1), 1000
#: Roughly how far an evening extends into the next day, for searches; ``compute_evening_day`` has the exact rule.
SMALL_HOURS = timedelta(hours=6)
#: Number of games that tell whether scores are points of a game of two, or goals; and those points.
LAST, POINTS = 10, (0.0, 0.5, 1.0)


def compute_evening_day(league: League, played_at: datetime) -> date:
    """Return the day of the evening in which a game was played, in the league's time zone."""
    return compute_evening_of_game(played_at, get_known_zone_name(league.time_zone))


def compute_evening_end(league: League, day: date) -> datetime:
    """Return when an evening ends: in the morning of the next day, in the league's time zone."""
    return compute_previous_evening_end(day + timedelta(days=1), get_known_zone_name(league.time_zone))


def build_evening_condition(league: League, day: date, field: str) -> Q:
    """Return the condition for rows whose time is of this day according to ``compute_evening_day``."""
    return build_evenings_condition(league, day, day, field)


def build_evenings_condition(league: League, first: date | None, last: date | None, field: str) -> Q:
    """Return the condition for rows of the evenings from a first to a last day, if given."""
    zone, condition = get_known_zone_name(league.time_zone), Q()
    if first is not None:
        start = start_of_day(first, zone)
        timed = Q(**{f"{field}__gte": compute_previous_evening_end(first, zone)})
        # The first condition is redundant, but usable by an index.
        condition &= Q(**{f"{field}__gte": start}) & (Q(**{field: start}) | timed)
    if last is not None:
        next_day = last + timedelta(days=1)
        # Without a time of day, a game of the next day is before the end of this evening.
        condition &= Q(**{f"{field}__lt": compute_previous_evening_end(next_day, zone)})
        condition &= ~Q(**{field: start_of_day(next_day, zone)})
    return condition


@dataclass(frozen=True)
class ShownResult:
    """One player's line with its rating change, None if the game is not rated."""

    result: Result
    change: RatingChange | None


@dataclass(frozen=True)
class ShownSide:
    """The players of a side, or one who plays alone, with one score or place."""

    lines: list[ShownResult]

    @property
    def result(self) -> Result:
        """Return the shared result."""
        return self.lines[0].result

    @property
    def changes(self) -> list[float]:
        """Return their rating changes; only one if all are equal, as is usual for partners."""
        line_changes = [line.change.change for line in self.lines if line.change is not None]
        return line_changes[:1] if len(set(line_changes)) == 1 else line_changes


class GameAtTime(NamedTuple):
    """A game that a page leads to: its number, and when it was played."""

    number: int
    played_at: datetime


@dataclass(frozen=True)
class ShownGame:
    """A game with its results, its status and the numbers of the games it replaces or is replaced by."""

    game: Game
    status: str
    results: list[ShownResult]
    replaces: int | None
    replaced_by: int | None

    @property
    def status_word(self) -> str:
        """Return the status in the reader's language."""
        return format_game_status(self.status)

    @property
    def by_side(self) -> list[ShownSide]:
        """Return the results by sides."""
        return list(map(ShownSide, group_lines_by_side(self.results)))


def build_shown_sides(game: Game) -> list[ShownSide]:
    """Return the sides of a game whose results are loaded, without rating changes."""
    return list(map(ShownSide, group_lines_by_side([ShownResult(line, None) for line in game.results.all()])))


def find_games(league: League) -> GameQuerySet:
    """Return the league's games, newest first."""
    return Game.objects.filter(league=league).order_by("-played_at", "-order_key", "-number")


def filter_by_status(games: GameQuerySet, league: League, status: str) -> GameQuerySet:
    """Return the games with one status: rated, pending, unrated or void."""
    if status == "void":
        return games.filter(voided_at__isnull=False)
    games = games.counting()
    if status == "unrated":
        return games.exclude(kind=Game.Kind.PLAYED)
    games = games.filter(kind=Game.Kind.PLAYED)
    pending = _build_pending_condition(league)
    if pending is None:
        return games if status == "rated" else games.none()
    return games.filter(pending) if status == "pending" else games.exclude(pending)


def _build_pending_condition(league: League) -> Q | None:
    """Return the condition for games that wait for a replay, None if none do."""
    if league.stale_from is None:
        return None
    later = Q(played_at__gt=league.stale_from)
    return later | Q(played_at=league.stale_from, order_key__gte=league.stale_key)


def filter_played_between(games: GameQuerySet, start: datetime | None, end: datetime | None) -> GameQuerySet:
    """Return the games played at or after a start and before an end, if given."""
    if start is not None:
        games = games.filter(played_at__gte=start)
    return games if end is None else games.filter(played_at__lt=end)


def filter_before_game(games: GameQuerySet, played_at: datetime, order_key: int, number: int) -> GameQuerySet:
    """Return the games before a position in the order: the next page when listing newest first."""
    earlier_key = Q(order_key__lt=order_key) | Q(order_key=order_key, number__lt=number)
    # The last condition is redundant, but usable by an index.
    return games.filter(Q(played_at__lt=played_at) | Q(earlier_key, played_at=played_at), played_at__lte=played_at)


def filter_after_game(games: GameQuerySet, played_at: datetime, order_key: int, number: int) -> GameQuerySet:
    """Return the games after a position in the order: the next page when listing oldest first."""
    later = Q(order_key__gt=order_key) | Q(order_key=order_key, number__gt=number)
    return games.filter(Q(played_at__gt=played_at) | Q(later, played_at=played_at), played_at__gte=played_at)


def filter_by_player(games: GameQuerySet, player_id: int) -> GameQuerySet:
    """Return the games of a player."""
    return games.filter(Exists(Result.objects.filter(league=OuterRef("league"), game=OuterRef("pk"), player=player_id)))


def list_common_games(league: League, one: Player, other: Player) -> list[GameAtTime]:
    """Return the games that two players both played and that are not void, in order."""
    games = Game.objects.counting().filter(league=league)
    for player in (one, other):
        games = games.filter(pk__in=Result.objects.filter(league=league, player=player).values("game"))
    rows = games.order_by("played_at", "order_key", "number").values_list("number", "played_at")
    return [GameAtTime(*row) for row in rows]


def find_counting_game(league: League, order_key: int) -> Game | None:
    """Return the game that counts among those with an order key, None if all are void."""
    return league.games.counting().filter(order_key=order_key).first()


def count_following(league: League, game: Game, maximum: int) -> int:
    """Return the number of rated games from a game on, at most ``maximum``."""
    games = Game.objects.rated().filter(league=league)
    return games.filter(played_at__gte=game.played_at)[:maximum].count()


def load_games_of_same_time(game: Game) -> list[Game]:
    """Return all games of the same time that count, in order, with their results."""
    games = Game.objects.counting().filter(league=game.league_id, played_at=game.played_at)
    results = Prefetch("results", Result.objects.select_related("player").order_by("seat"))
    return list(games.order_by("order_key").prefetch_related(results))


def find_times_with_several_games(league: League, games: Sequence[Game]) -> set[datetime]:
    """Return the times at which several games count, among those of some games."""
    times = {game.played_at for game in games}
    counting = Game.objects.counting().filter(league=league, played_at__in=times).order_by()
    several = counting.values("played_at").annotate(games=Count("pk")).filter(games__gt=1)
    return set(several.values_list("played_at", flat=True))


def find_game(league: League, number: int) -> Game:
    """Return a game of the league by its number; raises NotFound with a message."""
    game = Game.objects.filter(league=league, number=number).first()
    if game is None:
        raise NotFound(_("The league {league} has no game {number}.").format(league=league.title, number=number))
    return game


def load_games(league: League, games: GameQuerySet) -> list[ShownGame]:
    """Return games for display, in the given order, with four queries."""
    results = Result.objects.select_related("player").order_by("seat")
    loaded = list(games.select_related("replaces").prefetch_related(Prefetch("results", results)))
    changes, replaced = _load_rating_changes(league, loaded), load_replacements(loaded)
    return [show(league, game, changes, replaced.get(game.pk)) for game in loaded]


def writes_goals(league: League) -> bool:
    """Return whether the scores of the last games are goals or the like, not points of a game of two."""
    last = filter_by_status(find_games(league), league, "rated").values("pk")[:LAST]
    scores = Result.objects.filter(league=league, game__in=last, score__isnull=False)
    return scores.exclude(score__in=POINTS).exists()


def plays_for_goals(league: League, system: RatingSystem, *, by_places: bool) -> bool:
    """Return whether a game of two of the league has goals or the like: it is not played by more, or in teams."""
    return not by_places and rates_results_alone(system) and writes_goals(league)


def load_replacements(games: Sequence[Game]) -> dict[int, int]:
    """Return game id -> number of the newest game that replaces it; only void games have one."""
    void = [game.pk for game in games if game.voided_at is not None]
    if not void:
        return {}
    replacements = Game.objects.filter(replaces__in=void).order_by("number")
    return {pk: number for pk, number in replacements.values_list("replaces_id", "number") if pk is not None}


def _load_rating_changes(league: League, games: list[Game]) -> dict[tuple[int, int], RatingChange]:
    """Return (game id, player id) -> rating change."""
    if not games:
        return {}
    times = [game.played_at for game in games]
    # The time range uses the index; an index on the game would slow down every write.
    lines = RatingChange.objects.filter(
        league=league, step=1, at__gte=min(times), at__lte=max(times), number__in=[game.number for game in games]
    )
    return {(line.game_id, line.player_id): line for line in lines}


def show(league: League, game: Game, changes: dict[tuple[int, int], RatingChange], replaced: int | None) -> ShownGame:
    """Return one game for display; ``replaced`` is the number of the game that replaces it."""
    return ShownGame(
        game=game,
        status=get_game_status(league, game),
        results=[ShownResult(line, changes.get((game.pk, line.player_id))) for line in game.results.all()],
        replaces=game.replaces.number if game.replaces else None,
        replaced_by=replaced,
    )


def get_game_status(league: League, game: Game) -> str:
    """Return rated, pending, unrated or void."""
    if game.voided_at is not None:
        return "void"
    if game.kind != Game.Kind.PLAYED:
        return "unrated"
    is_waiting = league.stale_from is not None and is_pending(league.stale_from, league.stale_key, game)
    return "pending" if is_waiting else "rated"


def format_game_status(status: str) -> str:
    """Return a status in the reader's language."""
    return {
        "void": pgettext("state of a game", "void"),
        "unrated": pgettext("state of a game", "unrated"),
        "pending": pgettext("state of a game", "pending"),
    }.get(status) or pgettext("state of a game", "rated")


def is_pending(stale_from: datetime, stale_key: int, game: Game) -> bool:
    """Return whether a game waits for a replay."""
    return game.position >= (stale_from, stale_key)


#: Live and void games have separate indexes; one query for both would scan the whole league.
BEARING = """
SELECT g.id FROM league_game g WHERE g.league_id = %s AND {0} AND g.voided_at IS NULL
 UNION ALL
SELECT g.id FROM league_game g WHERE g.league_id = %s AND {0} AND g.voided_at IS NOT NULL"""


def find_by_external_ids(league: League, external_ids: Sequence[str]) -> GameQuerySet:
    """Return the games, including void ones, with one of these external ids, highest number first."""
    condition, parameter = "g.external_id = %s", external_ids[0] if external_ids else ""
    if len(external_ids) > 1:
        condition, parameter = build_any_condition("g.external_id", external_ids)
    keys = [key for (key,) in execute_query(BEARING.format(condition), [league.pk, parameter] * 2)]
    games = Game.objects.filter(pk__in=keys) if keys else Game.objects.none()
    return games.order_by("-number")


#: Groups of partners by handle; empty if everyone plays alone. None: any partners.
Partners = frozenset[frozenset[str]] | None
#: A key for equal games in lists: the day, everyone with score and place, and the partners.
Likeness = tuple[date, frozenset[tuple[str, float | None, int | None]], Partners]
#: A player: a handle, or a key.
Who = TypeVar("Who", bound=Hashable)


def group_partners(seats: Iterable[tuple[Who, int | None]]) -> frozenset[frozenset[Who]]:
    """Return the groups of partners, given players with side numbers."""
    sides: dict[int, set[Who]] = {}
    for player, side in seats:
        if side is not None:
            sides.setdefault(side, set()).add(player)
    return frozenset(frozenset(players) for players in sides.values() if len(players) > 1)


def may_be_same(first: frozenset[frozenset[Who]], other: frozenset[frozenset[Who]]) -> bool:
    """Return whether two groups of partners may belong to the same game: one of them may have no sides."""
    return not first or not other or first == other


def load_equal_games(league: League, first: date, last: date) -> dict[Likeness, list[int]]:
    """Return (day, results, partners) -> numbers of the league's games that count, between two days.

    A game after midnight has two days: the calendar day and the day of the evening. A game with partners is also listed
    under None, for lists without partners.
    """
    start, end = start_of_day(first, league.time_zone), start_of_day(last + timedelta(days=2), league.time_zone)
    lines = Result.objects.counting().filter(league=league)
    lines = lines.filter(game__played_at__gte=start, game__played_at__lt=end)
    games: dict[int, tuple[datetime, list[tuple[str, float | None, int | None, int | None]]]] = {}
    rows = lines.order_by("game__number").values_list(
        "game__number", "game__played_at", "player__handle", "score", "place", "side"
    )
    for number, played_at, handle, score, place, side in rows:
        games.setdefault(number, (played_at, []))[1].append((handle, score, place, side))
    numbers_by_likeness: dict[Likeness, list[int]] = {}
    for number, (played_at, seats) in games.items():
        results = frozenset((handle, score, place) for handle, score, place, _side in seats)
        partners = group_partners((handle, side) for handle, _score, _place, side in seats)
        for day in {
            compute_local_date(played_at, league.time_zone),
            compute_local_date(played_at - SMALL_HOURS, league.time_zone),
        }:
            for known_partners in (partners, None) if partners else (partners,):
                numbers_by_likeness.setdefault((day, results, known_partners), []).append(number)
    return numbers_by_likeness


def find_similar(league: League, game: Game, lines: Sequence[Result]) -> list[int]:
    """Return the numbers of equal games that count and were recorded in the hour before a game.

    They have the same kind and details, and in each seat the same player, score, place and side; ``lines`` are the
    game's in seat order. One query, limited to the newest numbers, which have an index; times of recording have none.
    """
    first = lines[0]
    games = Game.objects.counting().filter(
        league=league,
        number__gte=game.number - MAX_COMPARED,
        number__lt=game.number,
        recorded_at__gte=game.recorded_at - SIMILAR_WITHIN,
        kind=game.kind,
    )
    seat = Result.objects.filter(league=league, game=OuterRef("pk"), seat=1, player=first.player_id, score=first.score)
    rows = Result.objects.filter(league=league, game__in=games.filter(Exists(seat))).order_by("game__number", "seat")
    lines_by_number: dict[int, list[tuple[Any, ...]]] = {}
    for number, *line in rows.values_list("game__number", "game__details", "player", *RESULT):
        lines_by_number.setdefault(number, []).append(tuple(line))
    own_lines = [(game.details, line.player_id, *list_recorded_values(line)) for line in lines]
    return [number for number, other_lines in lines_by_number.items() if other_lines == own_lines]


#: The results of a game: player, score and place of each.
Lines = frozenset[tuple[int, float | None, int | None]]


def find_last_equal_game(
    league: League, lines: Lines, partners: frozenset[frozenset[int]], played_at: datetime, within: timedelta
) -> Game | None:
    """Return the last game that counts with exactly these results, played near a time; None if there is none.

    The same players with other partners are a different game.
    """
    games = find_games(league).counting()
    games = games.filter(played_at__gte=played_at - within, played_at__lte=played_at + within)
    for player in sorted(player for player, _score, _place in lines)[:1]:
        games = filter_by_player(games, player)
    of_games = Result.objects.filter(league=league, game__in=games.order_by())
    rows = of_games.values_list("game", "player", "score", "place", "side")
    lines_by_game: dict[int, set[tuple[int, float | None, int | None]]] = {}
    sides: dict[int, list[tuple[int, int | None]]] = {}
    for game, player, score, place, side in rows:
        lines_by_game.setdefault(game, set()).add((player, score, place))
        sides.setdefault(game, []).append((player, side))
    matching_games = [
        game
        for game, results in lines_by_game.items()
        if results == lines and may_be_same(group_partners(sides[game]), partners)
    ]
    return Game.objects.filter(pk__in=matching_games).order_by("number").last() if matching_games else None
