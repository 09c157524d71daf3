"""Two entrants who are about to be merged."""

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import Q
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Entry, EntryPlayer, FixtureSeat, Season, SeasonEntry
from league.core.players.merge_guards import MergeRefusal
from league.models import Player

ENDED = (Competition.Status.FINISHED, Competition.Status.CANCELLED)


def list_merge_refusals(player: Player, survivor: Player) -> list[MergeRefusal]:
    """Return why two players cannot be merged: both take part in a competition, or are to meet there.

    In a competition that has ended, both entries stay as they are.
    """
    return [*_find_refusals(player, survivor), *_find_season_refusals(player, survivor)]


def _find_season_refusals(player: Player, survivor: Player) -> Iterator[MergeRefusal]:
    """Yield the seasons that have not ended in which both are entered."""
    people = Q(player__in=(player, survivor)) | Q(player__merged_into__in=(player, survivor))
    ended = (Season.Status.CLOSED, Season.Status.CANCELLED)
    lines = SeasonEntry.objects.filter(people, status=SeasonEntry.Status.ENTERED).exclude(season__status__in=ended)
    entries: defaultdict[Season, list[int]] = defaultdict(list)
    for entry in lines.select_related("season__league").order_by("season", "number"):
        entries[entry.season].append(entry.number)
    for season, numbers in entries.items():
        if len(numbers) > 1:
            template = _(
                "{name} and {other} are both in the season {season} ({league}), as entries {first} and {second}. "
                "Withdraw one of them first."
            )
            detail = template.format(
                name=player.name, other=survivor.name, season=season.title, league=season.league.title,
                first=numbers[0], second=numbers[1],
            )  # fmt: skip
            yield MergeRefusal(season.league_id, "both_entered", detail)


def _find_refusals(player: Player, survivor: Player) -> Iterator[MergeRefusal]:
    people = Q(player__in=(player, survivor)) | Q(player__merged_into__in=(player, survivor))
    lines = EntryPlayer.objects.filter(people).exclude(competition__status__in=ENDED)
    entries: defaultdict[Competition, dict[int, Entry]] = defaultdict(dict)
    for line in lines.select_related("entry", "competition__league").order_by("competition", "entry__number"):
        entries[line.competition][line.entry.number] = line.entry
    for competition, own in entries.items():
        if len(own) < 2:
            continue
        names = {"competition": competition.title, "league": competition.league.title,
                 "name": player.name, "other": survivor.name}  # fmt: skip
        active = [number for number, entry in own.items() if entry.status != Entry.Status.WITHDRAWN]
        if len(active) > 1:
            template = _(
                "{name} and {other} are both in {competition} ({league}), as entries {first} and {second}. Withdraw "
                "one of them first."
            )
            detail = template.format(first=active[0], second=active[1], **names)
            yield MergeRefusal(competition.league_id, "both_entered", detail)
            continue
        meetings = FixtureSeat.objects.filter(league=competition.league_id, entry__in=own.values())
        met = defaultdict(set)
        for fixture, entry in meetings.filter(fixture__cancelled_at=None).values_list("fixture__number", "entry"):
            met[fixture].add(entry)
        both = sorted(fixture for fixture, those in met.items() if len(those) > 1)
        if both:
            template = _(
                "{name} and {other} meet in fixture {fixture} of {competition} ({league}). Cancel that fixture first."
            )
            yield MergeRefusal(competition.league_id, "both_entered", template.format(fixture=both[0], **names))
