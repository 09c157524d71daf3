"""Merges two players who are one person, and undoes merges.

A merge is a dated fact. It reassigns all facts of the merged player to the survivor and keeps the original player in
``recorded_as``, so readers need not know of merges, and undoing one restores exactly what it reassigned.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.core.capabilities import load_declared
from league.core.errors import Conflict, Forbidden, Invalid, Problem, Refused
from league.core.locking import locked
from league.core.log.services import entries
from league.core.players.merge_guards import MergeRefusal
from league.core.players.services.affected_leagues import Permission, find_leagues_of, locked_leagues, refuse_unlocked
from league.core.replay.services.history import Position
from league.core.replay.services.inline import catch_up
from league.models import Adjustment, Alias, ExternalId, Game, InitialRating, League, LogEntry, Merge, Player, Result

#: Maximum number of games listed in an error.
MAX_NAMED_GAMES = 10
SWEEP_AUTHOR = "the sweep"


def find_leagues_to_unmerge(player: Player) -> set[int]:
    """Return the ids of all leagues whose logs contain the player's merge.

    If both played only in a void game, nothing was reassigned, but the merge is in the log.
    """
    return find_leagues_of(player, merged=True) | find_leagues_of(player)


@locked_leagues(find_leagues_of)
def merge_players(
    leagues: dict[int, League],
    now: datetime,
    player: Player,
    survivor: Player,
    *,
    username: str,
    allow: Permission | None = None,
) -> Merge:
    """Reassign all facts of ``player`` to ``survivor``, and replay the leagues of ``player``, in one transaction.

    ``allow`` checks the leagues of both players before anything is written, and may raise.
    Raises Invalid (into itself), Conflict (one of them is part of another merge), Refused (both played in one game,
    have initial ratings in one league, or an app refuses) or Busy.
    """
    locked_player, locked_survivor = lock_players(player, survivor)
    refuse_unlocked(leagues, find_leagues_of(locked_player))
    # Permission is checked first, as later errors contain data of both players.
    if allow is not None:
        allow(find_leagues_of_all(locked_player, locked_survivor))
    check_pair(locked_player, locked_survivor)
    refuse_together(locked_player, locked_survivor)
    refuse_two_starts(locked_player, locked_survivor)
    refuse_guarded(locked_player, locked_survivor, allow)
    positions = {pk: find_merge_position(pk, locked_player, locked_survivor) for pk in leagues}
    reassign_to_survivor(locked_player, locked_survivor)
    merge = Merge.objects.create(player=locked_player, into=locked_survivor, at=now, by=username)
    payload = entries.build_merge_payload(locked_player.opaque, locked_survivor.opaque)
    entries.append_to_all(leagues.values(), now, username, LogEntry.Kind.PLAYER_MERGED, payload)
    replay_leagues(leagues, positions)
    return merge


@locked_leagues(find_leagues_to_unmerge)
def unmerge_player(
    leagues: dict[int, League], now: datetime, player: Player, *, username: str, allow: Permission | None = None
) -> Merge:
    """Undo a merge: the player gets back their games, initial rating and aliases.

    They also get the games recorded since under one of their aliases. ``allow``: see ``merge_players``.
    Raises Conflict if no merge of the player is in force, or Busy.
    """
    (locked_player,) = lock_players(player)
    merge = Merge.objects.filter(player=locked_player, undone_at=None).select_related("into").first()
    if merge is None:
        raise Conflict(
            describe_unmerged(
                locked_player, list_merged=allow is None or is_allowed(allow, find_leagues_of(locked_player))
            )
        )
    refuse_unlocked(leagues, find_leagues_to_unmerge(locked_player))
    if allow is not None:
        allow(find_leagues_of_all(locked_player, merge.into))
    positions = {pk: find_unmerge_position(pk, locked_player, merge.into) for pk in leagues}
    reassign_to_original(locked_player)
    merge.undone_at, merge.undone_by = now, username
    merge.save(update_fields=["undone_at", "undone_by"])
    payload = entries.build_merge_payload(locked_player.opaque, merge.into.opaque)
    entries.append_to_all(leagues.values(), now, username, LogEntry.Kind.PLAYER_UNMERGED, payload)
    replay_leagues(leagues, positions)
    return merge


def find_leagues_of_all(*players: Player) -> list[League]:
    """Return the leagues with facts of these players, including reassigned ones."""
    league_ids = {
        league for player in players for league in find_leagues_of(player) | find_leagues_of(player, merged=True)
    }
    return list(League.objects.filter(pk__in=league_ids).order_by("pk"))


def lock_players(*players: Player) -> list[Player]:
    """Return the players with their rows locked, in ascending order to avoid deadlocks between merges."""
    keys = [player.pk for player in players]
    # Without a join: PostgreSQL joins rows as they were before it waited for the lock.
    rows = Player.objects.select_for_update(no_key=True)
    players_by_pk = {player.pk: player for player in rows.filter(pk__in=keys).order_by("pk")}
    return [players_by_pk[key] for key in keys]


def check_pair(player: Player, survivor: Player) -> None:
    """Raise Invalid or Conflict if two players cannot be merged, regardless of their games."""
    if player.pk == survivor.pk:
        template = _("{player} ({handle}) cannot be merged into themselves; choose another player.")
        raise Invalid.of([Problem("/into", "itself", template.format(player=player.name, handle=player.handle))])
    if player.merged_into is not None:
        raise Conflict(f"{_describe_merge(player)} {_('Unmerge {handle} first.').format(handle=player.handle)}")
    if survivor.merged_into is not None:
        instead = _("Merge into {handle} instead.").format(handle=survivor.merged_into.handle)
        raise Conflict.of([Problem("/into", "merged", f"{_describe_merge(survivor)} {instead}")])
    if survivor.erased_at is not None and player.erased_at is None:
        # Neither player could be erased afterwards.
        raise Conflict(
            _("The personal data of {player} was deleted, so the player has no name.").format(player=survivor.name)
        )
    merged_handles = list(player.merged.order_by("handle").values_list("handle", flat=True))
    if merged_handles:
        template = _(
            "These players were merged into {player} ({handle}): {others}. Unmerge them first, "
            "or merge {other_handle} into {handle}."
        )
        raise Conflict(
            template.format(
                player=player.name, handle=player.handle, others=", ".join(merged_handles), other_handle=survivor.handle
            )
        )


def _describe_merge(player: Player) -> str:
    other = player.merged_into
    assert other is not None, "only asked of merged players"
    template = _("{player} ({handle}) was already merged into {other} ({other_handle}).")
    return template.format(player=player.name, handle=player.handle, other=other.name, other_handle=other.handle)


def is_allowed(allow: Permission, leagues: Collection[int]) -> bool:
    """Return whether ``allow`` permits changes of all these leagues."""
    try:
        allow(League.objects.filter(pk__in=leagues))
    except Forbidden:
        return False
    return True


def describe_unmerged(player: Player, *, list_merged: bool) -> str:
    """Return the message that a player is not merged; with ``list_merged``, it lists the players merged into them."""
    message = _("{player} ({handle}) is not merged into another player.").format(
        player=player.name, handle=player.handle
    )
    if not list_merged:
        return message
    merged_handles = list(player.merged.order_by("handle").values_list("handle", flat=True))
    hint = _("These players were merged into {handle}: {others}; choose one of them.")
    return (
        f"{message} {hint.format(handle=player.handle, others=', '.join(merged_handles))}"
        if merged_handles
        else message
    )


def refuse_together(player: Player, survivor: Player) -> None:
    """Raise Refused if both played in a game that is not void; the error lists the games."""
    # Joins, as SQLite scans all games for EXISTS.
    games = Game.objects.counting().filter(results__player=player).filter(results__player=survivor)
    rows = games.order_by("league__title", "league", "number").values_list("league__title", "number")
    shared_games = list(rows[: MAX_NAMED_GAMES + 1])
    if not shared_games:
        return
    leagues = groupby(shared_games[:MAX_NAMED_GAMES], key=lambda row: row[0])
    games_text = "; ".join(_format_games(title, [number for title, number in lines]) for title, lines in leagues)
    if len(shared_games) > MAX_NAMED_GAMES:
        more_count = number_format(games.count() - MAX_NAMED_GAMES, force_grouping=True)
        games_text = pgettext("games", "{list} and {count} more").format(list=games_text, count=more_count)
    template = _(
        "{player} and {other} both play in {games}: they are two people, or these games are "
        "wrong. Correct or void them first."
    )
    message = template.format(player=player.name, other=survivor.name, games=games_text)
    raise Refused.of([Problem("/into", "same_game", message)])


def _format_games(title: str, numbers: Sequence[int]) -> str:
    template = ngettext("{league}, game {games}", "{league}, games {games}", len(numbers))
    return template.format(league=title, games=", ".join(map(str, numbers)))


def refuse_two_starts(player: Player, survivor: Player) -> None:
    """Raise Refused if both have an initial rating in one league."""
    survivor_leagues = InitialRating.objects.filter(player=survivor).values("league")
    titles = list(
        League.objects.filter(initial_ratings__player=player, pk__in=survivor_leagues).values_list("title", flat=True)
    )
    if titles:
        template = _("{player} and {other} both have an initial rating in {leagues}; remove one of them first.")
        message = template.format(player=player.name, other=survivor.name, leagues=", ".join(titles))
        raise Refused.of([Problem("/into", "two_starts", message)])


def refuse_guarded(player: Player, survivor: Player, allow: Permission | None) -> None:
    """Raise Refused with what the installed apps have against a merge. The rows of both players are locked."""
    refusals: list[MergeRefusal] = [
        one
        for list_refusals in load_declared(lambda app: app.data.merge_guard)
        for one in list_refusals(player, survivor)
    ]
    if refusals and allow is not None:
        allow(list(League.objects.filter(pk__in={one.league for one in refusals}).order_by("pk")))
    if refusals:
        raise Refused.of([Problem("/into", one.code, one.detail) for one in refusals])


def find_merge_position(league: int, player: Player, survivor: Player) -> Position | None:
    """Return the position of the first game that a merge changes; None if there is none."""
    starts = InitialRating.objects.filter(league=league, player=player).exists()
    return find_first_position(league, Q(player__in=[player, survivor]) if starts else Q(player=player))


def find_unmerge_position(league: int, player: Player, survivor: Player) -> Position | None:
    """Return the position of the first game that undoing a merge changes; None if there is none."""
    starts = InitialRating.objects.filter(league=league, recorded_as=player).exists()
    return find_first_position(league, Q(player=survivor) if starts else Q(recorded_as=player))


def find_first_position(league: int, condition: Q) -> Position | None:
    """Return the position of the first matching line of a rated game, or of an earlier matching adjustment."""
    lines = Result.objects.rated().filter(condition, league=league)
    ordered = lines.order_by("game__played_at", "game__order_key")
    game = ordered.values_list("game__played_at", "game__order_key").first()
    adjusted = Adjustment.objects.counting().filter(condition, league=league).order_by("at")
    adjusted_at = adjusted.values_list("at", flat=True).first()
    return min((position for position in (game, adjusted_at and (adjusted_at, 0)) if position), default=None)


def reassign_to_survivor(player: Player, survivor: Player) -> None:
    """Reassign facts of a player to another one, except in void games with both."""
    has_both = Exists(Result.objects.filter(league=OuterRef("league"), game=OuterRef("game"), player=survivor))
    reassigned: dict[str, Any] = {"player": survivor, "recorded_as": player}
    Result.objects.filter(~has_both, player=player).update(**reassigned)
    InitialRating.objects.filter(player=player).update(**reassigned)
    Adjustment.objects.filter(player=player).update(**reassigned)
    Alias.objects.filter(player=player).update(**reassigned)
    ExternalId.objects.filter(player=player).update(**reassigned)
    player.merged_into = survivor
    player.save(update_fields=["merged_into"])


def reassign_to_original(player: Player) -> None:
    """Give a merged player their facts back."""
    for model in (Result, InitialRating, Adjustment, Alias, ExternalId):
        model._default_manager.filter(recorded_as=player).update(player=player, recorded_as=None)
    player.merged_into = None
    player.save(update_fields=["merged_into"])


def replay_leagues(leagues: dict[int, League], positions: dict[int, Position | None]) -> None:
    """Replay each league from its position."""
    for pk, position in positions.items():
        if position is not None:
            catch_up(leagues[pk], position)


def find_strays() -> QuerySet[Result]:
    """Return the lines of merged players that should count for the survivor.

    A game is recorded under its own league's lock only, so one recorded during a merge may still name the merged
    player. The sweep corrects it.
    """
    same_game = Result.objects.filter(league=OuterRef("league"), game=OuterRef("game"))
    survivor = Exists(same_game.filter(player=OuterRef("player__merged_into")))
    return Result.objects.filter(~survivor, player__in=Player.objects.filter(merged_into__isnull=False))


def find_stray_leagues() -> list[int]:
    """Return the ids of the leagues with stray lines."""
    return sorted(set(find_strays().order_by().values_list("league", flat=True)))


@locked
def reassign_strays(league: League, now: datetime) -> int:
    """Reassign the stray lines of a league to the survivors, and replay it; return their number."""
    strays: Sequence[Result] = list(find_strays().filter(league=league).select_related("player__merged_into"))
    if not strays:
        return 0
    position = find_first_position(league.pk, Q(pk__in=[line.pk for line in strays]))
    pairs = {(line.player.handle, line.player.opaque, find_survivor(line).opaque) for line in strays}
    for line in strays:
        line.player, line.recorded_as = find_survivor(line), line.player
    Result.objects.bulk_update(strays, ["player", "recorded_as"])
    for _handle, player, survivor in sorted(pairs):
        entries.append(
            league,
            now,
            SWEEP_AUTHOR,
            LogEntry.Kind.PLAYER_MERGED,
            entries.build_merge_payload(player, survivor),
        )
    replay_leagues({league.pk: league}, {league.pk: position})
    return len(strays)


def find_survivor(line: Result) -> Player:
    """Return the player for whom a stray line should count."""
    survivor = line.player.merged_into
    assert survivor is not None, "strays are lines of merged players"
    return survivor
