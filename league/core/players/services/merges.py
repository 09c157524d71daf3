"""Merging two players who are one person, and taking that back.

A merge is a dated fact. What was recorded keeps whom it named (``recorded_as``) and counts for the
survivor from then on, so that no player who reads needs to know of merges, and recording a game costs
what it did. Taking it back hands over exactly what the merge took.
"""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from league.core.errors import Conflict, Forbidden, Invalid, Problem, Refused
from league.core.locking import with_league_locks
from league.core.log.services import entries
from league.core.players.services.affected_leagues import Permission, leagues_of, refuse_grown, with_leagues
from league.core.replay.services.history import Position
from league.core.replay.services.inline import catch_up
from league.models import Adjustment, Alias, ExternalId, Game, InitialRating, League, LogEntry, Merge, Player, Result

#: Maximum number of games listed in an error.
MAX_NAMED_GAMES = 10
BY_ITSELF = "the sweep"


def merge_players(player: Player, into: Player, *, by: str, allow: Permission | None = None) -> Merge:
    """Let everything of ``player`` count for ``into``, in all leagues, and replay these; all in one transaction.

    ``allow`` sees every league of either player, before anything is written, and may raise: both persons change. Only
    those of ``player`` are locked, the others' books stay as they are.
    Raises Invalid (into itself), Conflict (one of them is part of another merge), Refused (both sit
    in one game, or both have an initial rating in one league) or Busy.
    """

    def work(leagues: dict[int, League], now: datetime) -> Merge:
        one, other = locked(player, into)
        refuse_grown(leagues, leagues_of(one))
        # Before anything is said of either: whose leagues are not all theirs is told nothing else of the player.
        if allow is not None:
            allow(leagues_of_all(one, other))
        check_pair(one, other)
        refuse_together(one, other)
        refuse_two_starts(one, other)
        positions = {pk: position_of_merge(pk, one, other) for pk in leagues}
        hand_over(one, other)
        merge = Merge.objects.create(player=one, into=other, at=now, by=by)
        payload = entries.of_merge(one.opaque, other.opaque)
        entries.append_to_all(leagues.values(), now, by, LogEntry.Kind.PLAYER_MERGED, payload)
        replay(leagues, positions)
        return merge

    return with_leagues(lambda: leagues_of(player), work)


def unmerge_player(player: Player, *, by: str, allow: Permission | None = None) -> Merge:
    """Take a merge back: the player has their own games, start and spellings again, as they were.

    Games recorded since under one of their spellings are theirs, too. ``allow`` as for merging.
    Raises Conflict if no merge of the player is in force, or Busy.
    """

    def work(leagues: dict[int, League], now: datetime) -> Merge:
        (one,) = locked(player)
        merge = Merge.objects.filter(player=one, undone_at=None).select_related("into").first()
        if merge is None:
            raise Conflict(not_merged(one, named=allow is None or is_allowed(allow, leagues_of(one))))
        refuse_grown(leagues, leagues_to_unmerge(one))
        if allow is not None:
            allow(leagues_of_all(one, merge.into))
        positions = {pk: position_of_unmerge(pk, one, merge.into) for pk in leagues}
        take_back(one)
        merge.undone_at, merge.undone_by = now, by
        merge.save(update_fields=["undone_at", "undone_by"])
        payload = entries.of_merge(one.opaque, merge.into.opaque)
        entries.append_to_all(leagues.values(), now, by, LogEntry.Kind.PLAYER_UNMERGED, payload)
        replay(leagues, positions)
        return merge

    return with_leagues(lambda: leagues_to_unmerge(player), work)


def leagues_of_all(*players: Player) -> list[League]:
    """Return the leagues in whose books one of these players stands, also as a player who was merged."""
    found = {league for player in players for league in leagues_of(player) | leagues_of(player, merged=True)}
    return list(League.objects.filter(pk__in=found).order_by("pk"))


def leagues_to_unmerge(player: Player) -> set[int]:
    """Return the ids of the leagues that taking back a merge concerns: all that the merge was told in.

    Where both sat in a void game only, nothing was handed over; the log says all the same that they are one.
    """
    return leagues_of(player, merged=True) | leagues_of(player)


def locked(*players: Player) -> list[Player]:
    """Return the players as they stand, their rows locked in ascending order: merges wait for one another."""
    keys = [player.pk for player in players]
    rows = Player.objects.select_for_update(of=("self",), no_key=True).select_related("merged_into")
    found = {player.pk: player for player in rows.filter(pk__in=keys).order_by("pk")}
    return [found[key] for key in keys]


def check_pair(player: Player, into: Player) -> None:
    """Raise Invalid or Conflict if two players cannot be merged, whatever they played."""
    if player.pk == into.pk:
        sentence = _("{player} ({handle}) cannot be merged into themselves; choose another player.")
        raise Invalid.of([Problem("/into", "itself", sentence.format(player=player.name, handle=player.handle))])
    if player.merged_into is not None:
        raise Conflict(f"{merged_already(player)} {_('Unmerge {handle} first.').format(handle=player.handle)}")
    if into.merged_into is not None:
        instead = _("Merge into {handle} instead.").format(handle=into.merged_into.handle)
        raise Conflict.of([Problem("/into", "merged", f"{merged_already(into)} {instead}")])
    if into.erased_at is not None and player.erased_at is None:
        # Who is someone would be forgotten by halves: no one could erase either of them.
        raise Conflict(
            _("The personal data of {player} was deleted, so the player has no name.").format(player=into.name)
        )
    others = list(player.merged.order_by("handle").values_list("handle", flat=True))
    if others:
        sentence = _(
            "These players were merged into {player} ({handle}): {others}. Unmerge them first, "
            "or merge {other_handle} into {handle}."
        )
        raise Conflict(
            sentence.format(
                player=player.name, handle=player.handle, others=", ".join(others), other_handle=into.handle
            )
        )


def merged_already(player: Player) -> str:
    """Return the sentence that says into whom a player was merged."""
    whom = player.merged_into
    assert whom is not None, "only asked of merged players"
    sentence = _("{player} ({handle}) was already merged into {other} ({other_handle}).")
    return sentence.format(player=player.name, handle=player.handle, other=whom.name, other_handle=whom.handle)


def is_allowed(allow: Permission, leagues: Collection[int]) -> bool:
    """Return whether a player may change the data of all these leagues."""
    try:
        allow(League.objects.filter(pk__in=leagues))
    except Forbidden:
        return False
    return True


def not_merged(player: Player, *, named: bool) -> str:
    """Return the sentence that says that no merge of a player is in force; ``named`` names who was merged into them."""
    sentence = _("{player} ({handle}) is not merged into another player.").format(
        player=player.name, handle=player.handle
    )
    if not named:
        return sentence
    others = list(player.merged.order_by("handle").values_list("handle", flat=True))
    into = _("These players were merged into {handle}: {others}; choose one of them.")
    return f"{sentence} {into.format(handle=player.handle, others=', '.join(others))}" if others else sentence


def refuse_together(player: Player, into: Player) -> None:
    """Raise Refused if both sit in a game that is not void, naming the games."""
    # Joins: of EXISTS SQLite makes a scan of all games.
    games = Game.objects.filter(voided_at=None, results__player=player).filter(results__player=into)
    rows = games.order_by("league__title", "league", "number").values_list("league__title", "number")
    found = list(rows[: MAX_NAMED_GAMES + 1])
    if not found:
        return
    leagues = groupby(found[:MAX_NAMED_GAMES], key=lambda row: row[0])
    named = "; ".join(games_in(title, [number for title, number in lines]) for title, lines in leagues)
    if len(found) > MAX_NAMED_GAMES:
        more = number_format(games.count() - MAX_NAMED_GAMES, force_grouping=True)
        named = pgettext("games", "{list} and {count} more").format(list=named, count=more)
    sentence = _(
        "{player} and {other} both play in {games}: they are two people, or these games are "
        "wrong. Correct or void them first."
    )
    said = sentence.format(player=player.name, other=into.name, games=named)
    raise Refused.of([Problem("/into", "same_game", said)])


def games_in(title: str, numbers: Sequence[int]) -> str:
    """Return games of a league as a sentence names them."""
    named = ngettext("{league}, game {games}", "{league}, games {games}", len(numbers))
    return named.format(league=title, games=", ".join(map(str, numbers)))


def refuse_two_starts(player: Player, into: Player) -> None:
    """Raise Refused if both have an initial rating in one league."""
    theirs = InitialRating.objects.filter(player=into).values("league")
    titles = list(League.objects.filter(initial_ratings__player=player, pk__in=theirs).values_list("title", flat=True))
    if titles:
        sentence = _("{player} and {other} both have an initial rating in {leagues}; remove one of them first.")
        said = sentence.format(player=player.name, other=into.name, leagues=", ".join(titles))
        raise Refused.of([Problem("/into", "two_starts", said)])


def position_of_merge(league: int, player: Player, into: Player) -> Position | None:
    """Return the position of the first game that a merge makes otherwise, None if there is none."""
    starts = InitialRating.objects.filter(league=league, player=player).exists()
    return first_position(league, Q(player__in=[player, into]) if starts else Q(player=player))


def position_of_unmerge(league: int, player: Player, into: Player) -> Position | None:
    """Return the position of the first game that taking back a merge makes otherwise, None if there is none."""
    starts = InitialRating.objects.filter(league=league, recorded_as=player).exists()
    return first_position(league, Q(player=into) if starts else Q(recorded_as=player))


def first_position(league: int, whose: Q) -> Position | None:
    """Return the position of the first rated game with such a line, or of the first such adjustment before it."""
    lines = Result.objects.filter(whose, league=league, game__kind=Game.Kind.PLAYED, game__voided_at=None)
    ordered = lines.order_by("game__played_at", "game__order_key")
    game = ordered.values_list("game__played_at", "game__order_key").first()
    adjusted = Adjustment.objects.filter(whose, league=league, voided_at=None).order_by("at")
    at = adjusted.values_list("at", flat=True).first()
    return min((one for one in (game, at and (at, 0)) if one), default=None)


def hand_over(player: Player, into: Player) -> None:
    """Let what names a player count for another one. Void games in which both sit stay as they are."""
    both = Exists(Result.objects.filter(league=OuterRef("league"), game=OuterRef("game"), player=into))
    taken: dict[str, Any] = {"player": into, "recorded_as": player}
    Result.objects.filter(~both, player=player).update(**taken)
    InitialRating.objects.filter(player=player).update(**taken)
    Adjustment.objects.filter(player=player).update(**taken)
    Alias.objects.filter(player=player).update(**taken)
    ExternalId.objects.filter(player=player).update(**taken)
    player.merged_into = into
    player.save(update_fields=["merged_into"])


def take_back(player: Player) -> None:
    """Let what names a player count for himself again."""
    for model in (Result, InitialRating, Adjustment, Alias, ExternalId):
        model._default_manager.filter(recorded_as=player).update(player=player, recorded_as=None)
    player.merged_into = None
    player.save(update_fields=["merged_into"])


def replay(leagues: dict[int, League], positions: dict[int, Position | None]) -> None:
    """Bring the data of all leagues up to date, each from its position on."""
    for pk, position in positions.items():
        if position is not None:
            catch_up(leagues[pk], position)


def strays() -> QuerySet[Result]:
    """Return the lines that name a merged player although they could count for the survivor.

    A game is recorded under its own league's lock only, so one that was on its way while a merge
    was committed may name the merged player still. The sweep finds it.
    """
    same = Result.objects.filter(league=OuterRef("league"), game=OuterRef("game"))
    survivor = Exists(same.filter(player=OuterRef("player__merged_into")))
    return Result.objects.filter(~survivor, player__in=Player.objects.filter(merged_into__isnull=False))


def stray_leagues() -> list[int]:
    """Return the ids of the leagues in which a line names a merged player."""
    return sorted(set(strays().order_by().values_list("league", flat=True)))


def gather_strays(league_id: int) -> int:
    """Let the stray lines of a league count for the survivors, and replay it; returns how many there were."""

    def work(leagues: dict[int, League], now: datetime) -> int:
        found: Sequence[Result] = list(strays().filter(league=league_id).select_related("player__merged_into"))
        if not found:
            return 0
        position = first_position(league_id, Q(pk__in=[line.pk for line in found]))
        pairs = {(line.player.handle, line.player.opaque, survivor_of(line).opaque) for line in found}
        for line in found:
            line.player, line.recorded_as = survivor_of(line), line.player
        Result.objects.bulk_update(found, ["player", "recorded_as"], batch_size=500)
        for _handle, one, other in sorted(pairs):
            entries.append(
                leagues[league_id], now, BY_ITSELF, LogEntry.Kind.PLAYER_MERGED, entries.of_merge(one, other)
            )
        replay(leagues, {league_id: position})
        return len(found)

    return with_league_locks([league_id], work)


def survivor_of(line: Result) -> Player:
    """Return the player whom a stray line could count for."""
    survivor = line.player.merged_into
    assert survivor is not None, "strays are lines of merged players"
    return survivor
