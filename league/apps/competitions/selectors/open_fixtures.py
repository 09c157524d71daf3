"""Fixtures that are still to be played, without loading whole competitions: of a league or a player."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce

from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture, FixtureSeat
from league.apps.competitions.selectors.competition_data import build_entry_name
from league.models import League, Player


@dataclass(frozen=True)
class OpenFixture:
    """A fixture without a result, with the numbers and names of its entries in seat order."""

    row: Fixture
    entries: tuple[int, ...]
    names: tuple[str, ...]

    def list_opponents(self, entries: Collection[int]) -> list[str]:
        """Return the names of the entries of other players than those of these entries."""
        return [name for entry, name in zip(self.entries, self.names, strict=True) if entry not in entries]


def list_player_entries(league: League, player: Player) -> dict[int, set[int]]:
    """Return competition -> numbers of the player's entries; a merge may give several. Drafts are left out."""
    lines = EntryPlayer.objects.filter(
        Q(player=player) | Q(player__merged_into=player), league=league, entry__league=league
    ).exclude(competition__status=Competition.Status.DRAFT)
    entries: defaultdict[int, set[int]] = defaultdict(set)
    for competition, number in lines.values_list("competition", "entry__number"):
        entries[competition].add(number)
    return dict(entries)


def query_open_fixtures(league: League, now: datetime) -> QuerySet[Fixture]:
    """Return the fixtures that are still to be played, next ones first."""
    # NULL is last: fixtures without a time or a deadline come after those with one.
    order = Coalesce("starts_at", "deadline").asc(nulls_last=True)
    return Fixture.objects.filter(league=league).open(now).order_by(order, "number")


def list_open_fixtures(
    league: League,
    now: datetime,
    count: int,
    *,
    entries: dict[int, set[int]] | None = None,
    player: Player | None = None,
) -> list[OpenFixture]:
    """Return the next fixtures of a league, or those of these entries (competition -> numbers).

    ``player``: of the boards of a team, only this one's.
    """
    if not league.attaches_games or entries == {}:
        return []
    return _load_fixtures(league, query_open_fixtures(league, now), count, entries, player)


def list_cancelled_fixtures(
    league: League,
    now: datetime,
    count: int,
    *,
    entries: dict[int, set[int]] | None = None,
    player: Player | None = None,
) -> list[OpenFixture]:
    """Return the fixtures to come that were cancelled, or whose competition was, next ones first."""
    if entries == {}:
        return []
    cancelled = Q(cancelled_at__isnull=False) | Q(competition__status=Competition.Status.CANCELLED)
    shown = Q(round=None) | Q(round__published_at__isnull=False)
    fixtures = Fixture.objects.filter(cancelled, shown, league=league, starts_at__gt=now, kind=Fixture.Kind.GAME)
    return _load_fixtures(league, fixtures.order_by("starts_at", "number"), count, entries, player)


def _load_fixtures(
    league: League,
    fixtures: QuerySet[Fixture],
    count: int,
    entries: dict[int, set[int]] | None,
    player: Player | None,
) -> list[OpenFixture]:
    """Return the first of some fixtures, or of those of these entries."""
    if entries is not None:
        seats = FixtureSeat.objects.filter(
            league=league, entry__competition__in=entries, entry__number__in=set().union(*entries.values())
        )
        places = _list_places(league, player)
        columns = ("fixture", "entry__competition", "entry__number", "member", "fixture__match")
        wanted = [
            fixture
            for fixture, competition, number, member, match in seats.values_list(*columns)
            if number in entries[competition]
            and (match is None or player is None or (competition, number, member) in places)
        ]
        fixtures = fixtures.filter(pk__in=wanted)
    rows = list(fixtures.select_related("competition", "round")[:count])
    names = _load_seats(league, [row.pk for row in rows])
    for row in rows:
        row.competition.league = league
    return [
        OpenFixture(row, tuple(entry for entry, _ in names[row.pk]), tuple(name for _, name in names[row.pk]))
        for row in rows
    ]


def _list_places(league: League, player: Player | None) -> set[tuple[int, int, int]]:
    """Return competition, entry's number and place in its squad of each entry of a player."""
    lines = EntryPlayer.objects.filter(Q(player=player) | Q(player__merged_into=player), league=league)
    return set() if player is None else set(lines.values_list("competition", "entry__number", "position"))


def _load_seats(league: League, fixtures: list[int]) -> dict[int, list[tuple[int, str]]]:
    """Return fixture -> numbers and names of its entries, in seat order."""
    lines = FixtureSeat.objects.filter(league=league, fixture__in=fixtures).order_by("fixture", "seat")
    seats = list(lines.values_list("fixture", "entry", "member"))
    wanted = {entry for _fixture, entry, _member in seats}
    entries = {entry.pk: entry for entry in Entry.objects.filter(league=league, pk__in=wanted).with_players()}
    names = {pk: build_entry_name(entry) for pk, entry in entries.items()}
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for fixture, entry, member in seats:
        squad = entries[entry].survivors
        # At a board, a player sits for the team.
        name = squad[member - 1].name if member and member <= len(squad) else names[entry]
        found[fixture].append((entries[entry].number, name))
    return found
