"""Visibility of players and their aliases to users.

Players are shared by the whole site, so without these conditions private leagues could be read through others.
A user sees the players named in the data of leagues that they may read. Players not named in any league are visible to
everyone who may record somewhere. Aliases other than the handle find a player for users who may record in one of the
player's leagues, and are shown to users who organise one.
"""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from league.core.permissions import Viewer, leagues_for, visible_leagues
from league.core.text.names import key_of
from league.models import Alias, Game, Inactive, InitialRating, League, Player, Rating, Result

#: The path to a player's id in queries for players.
OWN = "pk"


def named_in(leagues: QuerySet[League], who: str = OWN) -> Q:
    """Return the condition for rows whose player, at the path ``who``, is named in one of these leagues.

    Players with a rating are found by an index. Others can only be in unrated or void games; these are few and are
    queried once, not per player.
    """
    ids = leagues.order_by().values("pk")
    lines = Result.objects.order_by().filter(league__in=ids)
    waiting = Q(league__stale_from__isnull=False, game__played_at__gte=F("league__stale_from"))
    unrated = Q(game__voided_at__isnull=False) | ~Q(game__kind=Game.Kind.PLAYED)
    named = Q(Exists(Rating.objects.filter(league__in=ids, player=OuterRef(who))))
    for found in (
        lines.filter(unrated).values("player"),
        lines.filter(waiting).values("player"),
        InitialRating.objects.order_by().filter(league__in=ids).values("player"),
        lines.filter(recorded_as__isnull=False).values("recorded_as"),
        InitialRating.objects.order_by().filter(recorded_as__isnull=False, league__in=ids).values("recorded_as"),
    ):
        named |= Q(**{f"{who}__in": found})
    return named


def without_league(leagues: QuerySet[League], who: str = OWN) -> Q:
    """Return the condition for rows whose player is not named in any league.

    The survivor of a merged player must be named in one of ``leagues``, or in none.
    """
    into = Q(merged_into=None) | named_in(leagues, "merged_into") | in_no_book("merged_into")
    return in_no_book(who) & Q(Exists(Player.objects.filter(into, pk=OuterRef(who))))


def in_no_book(who: str) -> Q:
    """Return the condition for rows whose player is not named by any fact, regardless of merges."""
    return ~Q(
        Exists(Result.objects.filter(player=OuterRef(who)))
        | Exists(InitialRating.objects.filter(player=OuterRef(who)))
        | Exists(Result.objects.filter(recorded_as__isnull=False, recorded_as=OuterRef(who)))
        | Exists(InitialRating.objects.filter(recorded_as=OuterRef(who)))
    )


def seen_by(viewer: Viewer, who: str = OWN) -> Q:
    """Return the condition for rows whose player is visible to the viewer."""
    if viewer.ids() is None:
        return Q()
    leagues = visible_leagues(viewer)
    seen = named_in(leagues, who)
    return seen if viewer.ids("record") == set() else seen | without_league(leagues, who)


def people(viewer: Viewer) -> QuerySet[Player]:
    """Return the players visible to the viewer, including merged ones."""
    return Player.objects.filter(seen_by(viewer))


def seen_spellings(found: QuerySet[Alias], viewer: Viewer) -> dict[str, Alias]:
    """Return key -> alias for the aliases that the viewer may use."""
    # An alias of a merged player still belongs to that player, whose games determine its visibility.
    found = found.annotate(whom=Coalesce("recorded_as_id", "player_id")).filter(seen_by(viewer, "whom"))
    known = {alias.key: alias for alias in found}
    others = {key: alias for key, alias in known.items() if not is_plain(key, alias.recorded_as or alias.player)}
    shown = reachable_players(viewer, "record", {whom(alias) for alias in others.values()})
    return {key: alias for key, alias in known.items() if key not in others or whom(alias) in shown}


def is_plain(key: str, player: Player) -> bool:
    """Return whether an alias is just the handle or the name."""
    return key in (key_of(player.handle), key_of(player.name))


def whom(alias: Alias) -> int:
    """Return the id of the player whom an alias named originally."""
    return alias.recorded_as_id or alias.player_id


def reached(viewer: Viewer, action: str, who: str = OWN) -> Q:
    """Return the condition for rows whose player is in a league where the viewer may do ``action``, or in none yet.

    For viewers who may not record anywhere there are none.
    """
    ids = viewer.ids(action)
    if ids is None:
        return Q()
    if viewer.ids("record") == set():
        return Q(pk__in=())
    leagues = leagues_for(viewer, action)
    return named_in(leagues, who) | without_league(leagues, who) if ids else without_league(leagues, who)


def reachable_players(viewer: Viewer, action: str, players: Collection[int]) -> set[int]:
    """Return the players that are ``reached``, with a query only if needed."""
    if viewer.ids(action) is None or not players:
        return set(players)
    if viewer.ids("record") == set():
        return set()
    return set(Player.objects.filter(reached(viewer, action), pk__in=players).values_list("pk", flat=True))


def hidden_players(viewer: Viewer | None, players: Collection[int]) -> set[int]:
    """Return the players that are not visible to the viewer; None sees everyone."""
    if viewer is None or viewer.ids() is None or not players:
        return set()
    return set(players) - set(people(viewer).filter(pk__in=players).values_list("pk", flat=True))


def not_organised(viewer: Viewer | None, players: Collection[int]) -> set[int]:
    """Return the players who are in no league that the viewer organises; empty for viewers with full access."""
    if viewer is None or viewer.ids() is None or not players:
        return set()
    return set(players) - reachable_players(viewer, "organise", players)


def own_or_seen(viewer: Viewer) -> Q:
    """Return the condition for aliases that are originally the player's own, or of a visible merged player."""
    return Q() if viewer.ids() is None else Q(recorded_as=None) | seen_by(viewer, "recorded_as")


def told_aliases(viewer: Viewer, players: Sequence[Player]) -> dict[int, list[str]]:
    """Return player id -> aliases other than the handle, for players whose aliases the viewer may see."""
    shown = reachable_players(viewer, "organise", [player.pk for player in players])
    handles = {player.pk: player.handle for player in players}
    found: dict[int, list[str]] = {}
    if shown:
        for alias in Alias.objects.filter(own_or_seen(viewer), player__in=shown).order_by("key"):
            if alias.text != handles[alias.player_id]:
                found.setdefault(alias.player_id, []).append(alias.text)
    return found


def known_to_programs(viewer: Viewer, players: Collection[int], *, token: bool) -> set[int]:
    """Return the players whose metadata the viewer may read.

    Organisers may read it for players of their leagues, and so may tokens of these leagues, whatever their scope.
    """
    if not token:
        return reachable_players(viewer, "organise", players)
    if viewer.ids() is None or not players:
        return set(players)
    leagues = leagues_for(viewer, "read")
    known = named_in(leagues) if viewer.ids("record") == set() else named_in(leagues) | without_league(leagues)
    return set(Player.objects.filter(known, pk__in=players).values_list("pk", flat=True))


def active_players(viewer: Viewer, players: Sequence[Player]) -> dict[int, bool]:
    """Return player id -> whether active in any visible league; without leagues, the player's own setting.

    A second query runs only if a player is inactive.
    """
    keys = [player.pk for player in players]
    gone = Inactive.objects.filter(league__in=visible_leagues(viewer), player__in=keys)
    left: dict[int, set[int]] = {}
    for key, league in gone.values_list("player", "league"):
        left.setdefault(key, set()).add(league)
    idle = [player.pk for player in players if not player.active and player.pk not in left]
    books = books_of([*left, *idle]) if left or idle else {}
    shown = set(visible_leagues(viewer).values_list("pk", flat=True)) if books else set()
    active = {}
    for player in players:
        theirs = books.get(player.pk, set()) & shown
        active[player.pk] = bool(theirs - left.get(player.pk, set())) if theirs else player.active
    return active


def books_of(players: Collection[int]) -> Mapping[int, set[int]]:
    """Return player id -> ids of the leagues whose data names them, if any."""
    books: dict[int, set[int]] = {}
    for rows in (
        Result.objects.filter(player__in=players).order_by().values_list("player", "league").distinct(),
        InitialRating.objects.filter(player__in=players).order_by().values_list("player", "league"),
    ):
        for player, league in rows:
            books.setdefault(player, set()).add(league)
    return books
