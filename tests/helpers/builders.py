"""Leagues, players and games for tests, made through the services as the faces make them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.db.models import Model

from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.leagues.services.leagues import create_league
from league.core.log.selectors.log_decode import open_payload, open_payloads
from league.core.players.services.players import set_initial_rating
from league.core.text.names import build_name_key
from league.models import Alias, Game, League, LogEntry, Player, Rating, RatingChange

EVENING = datetime(2024, 3, 5, 19, 30, tzinfo=UTC)
FOUR = ("anna", "ben", "cleo", "dan")
#: Every parameter of Elo, as a rule tells them.
ELO = {
    "k": 20,
    "scale": 400,
    "provisional_games": 0,
    "provisional_k": 40,
    "initial": 1500,
    "top_rating": 0,
    "top_k": 10,
    "margin": "none",
    "first_seat": 0,
    "winner": "highest",
}
Row = TypeVar("Row", bound=Model)


def make_league(
    system: str = "elo",
    players: Sequence[str] = FOUR,
    *,
    slug: str = "club",
    parameters: Mapping[str, Any] | None = None,
    starts: Mapping[str, float] | None = None,
    sets: Mapping[str, Any] | None = None,
    **settings: Any,
) -> League:
    """Make a league under a system, with players and, where given, their initial ratings."""
    league = create_league(
        slug, slug.title(), system=system, parameters=parameters, settings=settings, set_rule=sets, by="test"
    )
    make_players(players)
    for handle, rating in (starts or {}).items():
        set_initial_rating(league.pk, Player.objects.get(handle=handle), rating)
    return league


def make_players(handles: Sequence[str]) -> None:
    """Add those of the players who are not there, all in three queries; as ``add_player`` adds them one by one."""
    there = set(Player.objects.filter(handle__in=handles).values_list("handle", flat=True))
    new = [handle for handle in dict.fromkeys(handles) if handle not in there]
    players = Player.objects.bulk_create(Player(handle=handle, name=handle.title()) for handle in new)
    Alias.objects.bulk_create(Alias(player=player, text=player.handle) for player in players)


def league_of(slug: str = "club") -> League:
    """Return a league as it stands."""
    return League.objects.get(slug=slug)


def move_club_away(system: str = "elo", **settings: Any) -> League:
    """Return a league without games at the address of the club, which moves to another one."""
    League.objects.filter(slug="club").update(slug="former")
    return make_league(system, **settings)


def sheet(
    players: Sequence[str],
    scores: Sequence[float] | None = None,
    places: Sequence[int] | None = None,
    *,
    minutes: int = 0,
    **more: Any,
) -> NewGame:
    """Return a game played so many minutes into the evening; give scores, places or both."""
    size = len(players)
    nothing: list[None] = [None] * size
    lines = zip(players, scores or nothing, places or nothing, strict=True)
    results = [NewResult(player, score, place) for player, score, place in lines]
    return NewGame(results=results, played_at=more.pop("played_at", EVENING + timedelta(minutes=minutes)), **more)


def record(league: League, new: NewGame) -> Game:
    """Record a game as the test's user."""
    return record_game(league.pk, new, by="test").game


def said(entry: LogEntry) -> dict[str, Any]:
    """Return what an entry of the log says, opened: by handles, with its texts."""
    return open_payload(entry.league, entry.payload)


def ratings(league: League) -> dict[str, float]:
    """Return handle -> current rating."""
    rows = Rating.objects.filter(league=league).values_list("player__handle", "rating")
    return dict(rows)


def derived(league: League) -> tuple[list[Any], list[Any]]:
    """Return everything derived of a league, keys of the tables left out: history and current ratings."""
    history = RatingChange.objects.filter(league=league).order_by("at", "order_key", "seat", "step").values_list(
        "player__handle", "number", "at", "step", "seat", "cause", "games", "before", "change", "after",
        "state_1", "state_2", "state_3", "performance", "shift",
    )  # fmt: skip
    current = Rating.objects.filter(league=league).order_by("player__handle").values_list(
        "player__handle", "rating", "settled", "shift", "state_1", "state_2", "state_3", "games", "score",
        "peak", "change", "last_at", "last_number",
    )  # fmt: skip
    return list(history), list(current)


def all_said(league: League) -> list[tuple[str, dict[str, Any]]]:
    """Return kind and opened payload of every entry of a league's log, the oldest first."""
    entries = list(league.log.order_by("position").values_list("kind", "payload"))
    found = open_payloads(league, [payload for _, payload in entries])
    return [(kind, one.payload) for (kind, _), one in zip(entries, found, strict=True)]


def player_of(handle: str) -> Player:
    """Return a player as they stand."""
    return Player.objects.get(handle=handle)


def reread(row: Row) -> Row:
    """Return a row as it stands."""
    return type(row)._default_manager.get(pk=row.pk)


def rename(name: str, *handles: str) -> None:
    """Give players a name, without an entry of the log."""
    Player.objects.filter(handle__in=handles).update(name=name, name_key=build_name_key(name))
