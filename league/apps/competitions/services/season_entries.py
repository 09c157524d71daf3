"""Adds entries to a season, changes and withdraws them, and moves them in the proposal by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from league.apps.competitions.log_kinds import ChangeKind
from league.apps.competitions.models import MAX_ENTRIES, Competition, EntryPlayer, Season, SeasonEntry
from league.apps.competitions.selectors.season_proposal import build_proposal
from league.apps.competitions.selectors.season_standings import plays
from league.apps.competitions.selectors.seasons import build_rule, find_season, list_entries, refuse_ended_season
from league.apps.competitions.services.entries import change_entry
from league.apps.competitions.services.entry_checks import find_detail_problems
from league.apps.competitions.services.entry_players import find_sides
from league.apps.competitions.services.season_log import append_season_change
from league.core.errors import Conflict, Invalid, NotFound, Problem, Refused
from league.core.locking import locked
from league.core.permissions import Viewer
from league.core.players.services.add_players import log_added_players
from league.core.players.services.merges import lock_players
from league.core.reasons import require_reason
from league.models import League, Player

Kind, Status = ChangeKind, SeasonEntry.Status


@dataclass(frozen=True)
class NewSeasonEntry:
    """An entry to be added: any text that names a player, and a rating that is brought along."""

    player: str
    rating: int | None = None


@locked
def add_season_entries(
    league: League,
    now: datetime,
    slug: str,
    new: Sequence[NewSeasonEntry],
    *,
    by: str,
    viewer: Viewer | None = None,
    create_players: bool = False,
    names: Mapping[str, str] | None = None,
) -> list[SeasonEntry]:
    """Add entries, all or none; one that withdrew before the draw enters again.

    Raises Conflict if the season has ended, Invalid or Refused with a pointer below ``/entries/0`` for each problem.
    """
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    if not new:
        raise Invalid.of([Problem("/entries", "missing", _("There is no entry to add."))])
    prefixes = [f"/entries/{index}" for index in range(len(new))]
    problems = [
        problem
        for prefix, entry in zip(prefixes, new, strict=True)
        for problem in find_detail_problems(prefix, {"rating": entry.rating})
    ]
    if problems:
        raise Invalid.of(problems)
    added: list[str] = []
    sides = find_sides(
        league, range(1, 2), [[entry.player] for entry in new], prefixes,
        viewer=viewer, create_players=create_players, names=names or {}, added=added,
    )  # fmt: skip
    entries = _write_new(season, new, [players[0] for players in sides], now, by)
    log_added_players(league, now, by, added)
    append_season_change(league, now, by, Kind.SEASON_ENTERED, season, changed_entries=entries)
    return entries


def _write_new(
    season: Season, new: Sequence[NewSeasonEntry], players: Sequence[Player], now: datetime, by: str
) -> list[SeasonEntry]:
    listed = list_entries(season)
    # Of a merged player's two entries, the one that still plays.
    known = {entry.survivor.pk: entry for entry in sorted(listed, key=plays)}
    number = max((entry.number for entry in listed), default=0)
    if len(known) + len(new) > MAX_ENTRIES:
        template = _("A season has at most {limit} entries.")
        raise Refused.of([Problem("/entries", "too_many", template.format(limit=MAX_ENTRIES))])
    # A merge locks these rows too, so that it sees the entries, or they see it.
    locked_players = {player.pk: player for player in lock_players(*players)}
    problems, entries = [], []
    for index, (one, named) in enumerate(zip(new, players, strict=True)):
        player = locked_players[named.pk]
        survivor = player.merged_into or player
        entry = known.get(survivor.pk)
        if entry is not None and (entry.status == Status.ENTERED or entry in entries):
            template = _("{name} is entry {number} of the season already.")
            detail = template.format(name=survivor.name, number=entry.number)
            problems.append(Problem(f"/entries/{index}/player", "entered_twice", detail))
            continue
        if entry is None:
            number += 1
            entry = SeasonEntry(league=season.league, season=season, number=number, player=player)
        entry.status, entry.rating, entry.entered_at, entry.entered_by = Status.ENTERED, one.rating, now, by
        known[survivor.pk] = entry
        entries.append(entry)
    if problems:
        raise Refused.of(problems)
    for entry in entries:
        entry.save()
    return entries


@locked
def change_season_entry(
    league: League, now: datetime, slug: str, number: int, changes: Mapping[str, Any], *, by: str
) -> SeasonEntry:
    """Change the rating or the status of an entry. Who withdraws leaves the running competitions of the season, too.

    Raises NotFound, Conflict if the season has ended, and what ``change_entry`` raises.
    """
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    entry = find_season_entry(season, number)
    if "rating" in changes:
        if problems := list(find_detail_problems("", {"rating": changes["rating"]})):
            raise Invalid.of(problems)
        entry.rating = changes["rating"]
    status = changes.get("status", entry.status)
    if status not in Status.values:
        message = _("A status is one of: {statuses}.").format(statuses=", ".join(Status.values))
        raise Invalid.of([Problem("/status", "invalid", message)])
    if status == Status.ENTERED:
        _refuse_second_entry(season, entry)
    leaves = status == Status.WITHDRAWN and entry.status == Status.ENTERED
    entry.status = Status(status)
    entry.save(update_fields=["rating", "status"])
    append_season_change(league, now, by, Kind.SEASON_ENTRY_CHANGED, season, changed_entries=[entry])
    if leaves:
        _leave_competitions(league, season, entry, by)
    return entry


def _refuse_second_entry(season: Season, entry: SeasonEntry) -> None:
    """Raise Refused if the player takes part already, with the entry of somebody who was merged."""
    for other in list_entries(season):
        if other.number != entry.number and other.survivor == entry.survivor and plays(other):
            template = _("{name} is entry {number} of the season already.")
            detail = template.format(name=other.survivor.name, number=other.number)
            raise Refused.of([Problem("/status", "entered_twice", detail)])


def find_season_entry(season: Season, number: int) -> SeasonEntry:
    """Return an entry of a season; raises NotFound."""
    entries = SeasonEntry.objects.filter(league=season.league_id, season=season, number=number)
    found = entries.select_related("player__merged_into").first()
    if found is None:
        raise NotFound(_("The season has no entry {number}.").format(number=number))
    return found


def _leave_competitions(league: League, season: Season, entry: SeasonEntry, by: str) -> None:
    """Withdraw a player from the competitions of a season that have not ended."""
    ended = (Competition.Status.FINISHED, Competition.Status.CANCELLED)
    lines = EntryPlayer.objects.filter(
        league=league, player__in=(entry.player, entry.survivor), competition__season_parts__season=season
    ).exclude(competition__status__in=ended)
    for line in lines.select_related("entry", "competition").order_by("pk"):
        if line.entry.status == line.entry.Status.ENTERED:
            change_entry(league.pk, line.competition.slug, line.entry.number, {"status": "withdrawn"}, by=by)


@locked
def move_in_proposal(
    league: League, now: datetime, slug: str, handle: str, level: int | None, letter: str, *, by: str, reason: str
) -> SeasonEntry:
    """Move a player to another division of the proposal; ``level`` None: back to where the rule puts them.

    Raises Invalid without a reason, Conflict if the divisions are drawn, Refused if there is no such division.
    """
    season = find_season(league, slug, for_organisers=True)
    refuse_ended_season(season)
    rule = build_rule(season).divisions
    if rule is None:
        raise Refused(_("The season has no divisions."))
    if season.parts.filter(level__isnull=False).exists():
        raise Conflict(_("The divisions are drawn already."))
    reason = require_reason(reason, _("Give a reason; it is kept with the proposal.")) if level is not None else ""
    entries = [entry for entry in list_entries(season) if plays(entry)]
    found = [entry for entry in entries if handle in (entry.survivor.handle, entry.player.handle)]
    if not found:
        message = _("“{player}” has no entry in the season.").format(player=handle)
        raise Refused.of([Problem("/player", "not_entered", message)])
    problems = []
    if level is not None and not 1 <= level <= MAX_ENTRIES:
        problems.append(Problem("/level", "out_of_bounds", _("Levels are counted from 1, the highest.")))
    # The divisions of the proposal, and a new level below them.
    names = {(one.level, one.letter) for one in build_proposal(season).placements} if level is not None else set()
    names.add((max((one for one, _letter in names), default=0) + 1, ""))
    if level is not None and not problems and (level, letter) not in names:
        problems.append(
            Problem("/letter", "unknown_group", _("There is no division {name}.").format(name=f"{level}{letter}"))
        )
    if problems:
        raise Refused.of(problems)
    entry = found[0]
    entry.level, entry.letter, entry.reason = level, letter if level is not None else "", reason
    entry.save(update_fields=["level", "letter", "reason"])
    append_season_change(
        league, now, by, Kind.SEASON_MOVED, season, changed_entries=[entry], members={"reason": reason}
    )
    return entry
