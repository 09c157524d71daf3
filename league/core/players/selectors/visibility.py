"""Visibility of players and their aliases to users.

Players are shared by the whole site, so without these conditions private leagues could be read through others. A user
sees the players named in the data of leagues that they may read. Players not named in any league are visible to
everyone who may record somewhere, but those added in a league only to users who may read that league. Aliases other
than the handle find a player for users who may record in one of the player's leagues, and are shown to users who
organise one.
"""

from collections.abc import Collection, Mapping, Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from league.core.permissions import Viewer, find_leagues_for, find_visible_leagues
from league.core.text.names import build_name_key
from league.models import Alias, Game, Inactive, InitialRating, League, Player, Rating, Result

#: The path to a player's id in queries for players.
OWN = "pk"


def build_named_in_condition(leagues: QuerySet[League], player_path: str = OWN) -> Q:
    """Return the condition for rows whose player, at the path ``player_path``, is named in one of these leagues.

    Players with a rating are found by an index. Others can only be in unrated or void games; these are few and are
    queried once, not per player.
    """
    ids = leagues.order_by().values("pk")
    lines = Result.objects.order_by().filter(league__in=ids)
    awaits_replay = Q(league__stale_from__isnull=False, game__played_at__gte=F("league__stale_from"))
    unrated = Q(game__voided_at__isnull=False) | ~Q(game__kind=Game.Kind.PLAYED)
    condition = Q(Exists(Rating.objects.filter(league__in=ids, player=OuterRef(player_path))))
    for player_ids in (
        lines.filter(unrated).values("player"),
        lines.filter(awaits_replay).values("player"),
        InitialRating.objects.order_by().filter(league__in=ids).values("player"),
        lines.filter(recorded_as__isnull=False).values("recorded_as"),
        InitialRating.objects.order_by().filter(recorded_as__isnull=False, league__in=ids).values("recorded_as"),
    ):
        condition |= Q(**{f"{player_path}__in": player_ids})
    return condition


def _build_without_league_condition(leagues: QuerySet[League], player_path: str = OWN) -> Q:
    """Return the condition for rows whose player is not named in any league, nor was added in another than these.

    The survivor of a merged player must be named in one of ``leagues``, or in none.
    """
    survivor_condition = (
        Q(merged_into=None)
        | build_named_in_condition(leagues, "merged_into")
        | build_in_no_league_condition("merged_into")
    )
    added_condition = Q(added_in=None) | Q(added_in__in=leagues.order_by().values("pk"))
    return build_in_no_league_condition(player_path) & Q(
        Exists(Player.objects.filter(survivor_condition, added_condition, pk=OuterRef(player_path)))
    )


def build_in_league_condition(league: League) -> Q:
    """Return the condition for players who are named in a league's data, or were added in it."""
    return build_named_in_condition(League.objects.filter(pk=league.pk)) | Q(added_in=league)


def build_in_no_league_condition(player_path: str) -> Q:
    """Return the condition for rows whose player is not named by any fact, regardless of merges."""
    return ~Q(
        Exists(Result.objects.filter(player=OuterRef(player_path)))
        | Exists(InitialRating.objects.filter(player=OuterRef(player_path)))
        | Exists(Result.objects.filter(recorded_as__isnull=False, recorded_as=OuterRef(player_path)))
        | Exists(InitialRating.objects.filter(recorded_as=OuterRef(player_path)))
    )


def build_free_condition() -> Q:
    """Return the condition for players who are not named or added in any league yet."""
    return Q(added_in=None) & build_in_no_league_condition(OWN)


def build_visible_condition(viewer: Viewer, player_path: str = OWN) -> Q:
    """Return the condition for rows whose player is visible to the viewer."""
    if viewer.ids() is None:
        return Q()
    leagues = find_visible_leagues(viewer)
    condition = build_named_in_condition(leagues, player_path)
    return (
        condition
        if viewer.ids("record") == set()
        else condition | _build_without_league_condition(leagues, player_path)
    )


def find_visible_people(viewer: Viewer) -> QuerySet[Player]:
    """Return the players visible to the viewer, including merged ones."""
    return Player.objects.filter(build_visible_condition(viewer))


def is_handle_or_name(key: str, player: Player) -> bool:
    """Return whether an alias is just the handle or the name."""
    return key in (build_name_key(player.handle), build_name_key(player.name))


def build_reachable_condition(viewer: Viewer, action: str, player_path: str = OWN) -> Q:
    """Return the condition for rows whose player is in a league where the viewer may do ``action``, or in none yet.

    For viewers who may not record anywhere there are none.
    """
    ids = viewer.ids(action)
    if ids is None:
        return Q()
    if viewer.ids("record") == set():
        return Q(pk__in=())
    leagues = find_leagues_for(viewer, action)
    return (
        build_named_in_condition(leagues, player_path) | _build_without_league_condition(leagues, player_path)
        if ids
        else _build_without_league_condition(leagues, player_path)
    )


def find_reachable_players(viewer: Viewer, action: str, players: Collection[int]) -> set[int]:
    """Return the players that are ``build_reachable_condition``, with a query only if needed."""
    if viewer.ids(action) is None or not players:
        return set(players)
    if viewer.ids("record") == set():
        return set()
    reachable = Player.objects.filter(build_reachable_condition(viewer, action))
    return set(reachable.filter(pk__in=players).values_list("pk", flat=True))


def find_visible_ids(viewer: Viewer, players: Collection[int]) -> set[int]:
    """Return the players that are visible to the viewer, with a query only if there are any."""
    if not players:
        return set()
    return set(find_visible_people(viewer).filter(pk__in=players).values_list("pk", flat=True))


def find_hidden_players(viewer: Viewer | None, players: Collection[int]) -> set[int]:
    """Return the players that are not visible to the viewer; None sees everyone."""
    if viewer is None or viewer.ids() is None:
        return set()
    return set(players) - find_visible_ids(viewer, players)


def find_foreign_players(viewer: Viewer | None, players: Collection[int]) -> set[int]:
    """Return the players who play in a league that the viewer does not organise."""
    if viewer is None or viewer.ids("organise") is None or not players:
        return set()
    lines = Result.objects.exclude(league__in=find_leagues_for(viewer, "organise")).order_by()
    return set(lines.filter(player__in=players).values_list("player", flat=True))


def build_alias_visible_condition(viewer: Viewer) -> Q:
    """Return the condition for aliases that are originally the player's own, or of a visible merged player."""
    return Q() if viewer.ids() is None else Q(recorded_as=None) | build_visible_condition(viewer, "recorded_as")


def list_visible_aliases(viewer: Viewer, players: Sequence[Player]) -> dict[int, list[str]]:
    """Return player id -> aliases other than the handle, for players whose aliases the viewer may see."""
    reachable_ids = find_reachable_players(viewer, "organise", [player.pk for player in players])
    handles = {player.pk: player.handle for player in players}
    texts_by_player: dict[int, list[str]] = {}
    if reachable_ids:
        for alias in Alias.objects.filter(build_alias_visible_condition(viewer), player__in=reachable_ids).order_by(
            "key"
        ):
            if alias.text != handles[alias.player_id]:
                texts_by_player.setdefault(alias.player_id, []).append(alias.text)
    return texts_by_player


def find_players_with_visible_metadata(viewer: Viewer, players: Collection[int], *, token: bool) -> set[int]:
    """Return the players whose metadata the viewer may read.

    Organisers may read it for players of their leagues, and so may tokens of these leagues, whatever their scope.
    """
    if not token:
        return find_reachable_players(viewer, "organise", players)
    if viewer.ids() is None or not players:
        return set(players)
    leagues = find_leagues_for(viewer, "read")
    condition = (
        build_named_in_condition(leagues)
        if viewer.ids("record") == set()
        else build_named_in_condition(leagues) | _build_without_league_condition(leagues)
    )
    return set(Player.objects.filter(condition, pk__in=players).values_list("pk", flat=True))


def load_activity(viewer: Viewer, players: Sequence[Player]) -> dict[int, bool]:
    """Return player id -> whether active in any visible league; without leagues, the player's own setting.

    A second query runs only if a player is inactive.
    """
    keys = [player.pk for player in players]
    inactive_rows = Inactive.objects.filter(league__in=find_visible_leagues(viewer), player__in=keys)
    inactive_leagues: dict[int, set[int]] = {}
    for key, league in inactive_rows.values_list("player", "league"):
        inactive_leagues.setdefault(key, set()).add(league)
    idle = [player.pk for player in players if not player.active and player.pk not in inactive_leagues]
    books = _find_leagues_by_player([*inactive_leagues, *idle]) if inactive_leagues or idle else {}
    visible_ids = set(find_visible_leagues(viewer).values_list("pk", flat=True)) if books else set()
    active = {}
    for player in players:
        player_leagues = books.get(player.pk, set()) & visible_ids
        active[player.pk] = (
            bool(player_leagues - inactive_leagues.get(player.pk, set())) if player_leagues else player.active
        )
    return active


def _find_leagues_by_player(players: Collection[int]) -> Mapping[int, set[int]]:
    """Return player id -> ids of the leagues whose data names them, if any."""
    books: dict[int, set[int]] = {}
    for rows in (
        Result.objects.filter(player__in=players).order_by().values_list("player", "league").distinct(),
        InitialRating.objects.filter(player__in=players).order_by().values_list("player", "league"),
    ):
        for player, league in rows:
            books.setdefault(player, set()).add(league)
    return books
