"""Fixtures that are still to be played, without loading whole competitions: of a league or a player."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture, FixtureSeat
from league.apps.competitions.selectors.competition_data import build_entry_name
from league.models import Game, League, Player

#: What decides a fixture at its deadline, so that it is no longer to be played.
DECIDING = (Competition.DeadlineAction.FORFEIT, Competition.DeadlineAction.DRAW)


@dataclass(frozen=True)
class OpenFixture:
    """A fixture without a result, with its entries' names in seat order."""

    number: int
    competition: Competition
    round: int | None
    table: int | None
    starts_at: datetime | None
    deadline: datetime | None
    venue: str
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
    """Return the published fixtures of running competitions that have no result and can get one, next ones first."""
    recorded = Game.objects.filter(league=league, order_key=OuterRef("game__order_key"), voided_at__isnull=True)
    fixtures = Fixture.objects.filter(
        Q(round__isnull=True) | Q(round__published_at__isnull=False),
        Q(game__isnull=True) | ~Exists(recorded),
        league=league,
        competition__status=Competition.Status.RUNNING,
        kind=Fixture.Kind.GAME,
        cancelled_at__isnull=True,
    ).exclude(competition__deadline_action__in=DECIDING, deadline__lte=now)
    # NULL is last: fixtures without a time or a deadline come after those with one.
    return fixtures.order_by(Coalesce("starts_at", "deadline").asc(nulls_last=True), "number")


def list_open_fixtures(
    league: League, now: datetime, count: int, *, entries: dict[int, set[int]] | None = None
) -> list[OpenFixture]:
    """Return the next fixtures of a league, or those of these entries (competition -> numbers)."""
    if not league.attaches_games or entries == {}:
        return []
    fixtures = query_open_fixtures(league, now)
    if entries is not None:
        seats = FixtureSeat.objects.filter(
            league=league, entry__competition__in=entries, entry__number__in=set().union(*entries.values())
        )
        wanted = [
            fixture
            for fixture, competition, number in seats.values_list("fixture", "entry__competition", "entry__number")
            if number in entries[competition]
        ]
        fixtures = fixtures.filter(pk__in=wanted)
    rows = list(fixtures.select_related("competition", "round")[:count])
    names = _load_seats(league, [row.pk for row in rows])
    for row in rows:
        row.competition.league = league
    return [
        OpenFixture(
            row.number,
            row.competition,
            row.round.number if row.round else None,
            row.table,
            row.starts_at,
            row.deadline,
            row.venue or row.competition.venue,
            tuple(entry for entry, _name in names[row.pk]),
            tuple(name for _entry, name in names[row.pk]),
        )
        for row in rows
    ]


def _load_seats(league: League, fixtures: list[int]) -> dict[int, list[tuple[int, str]]]:
    """Return fixture -> numbers and names of its entries, in seat order."""
    lines = FixtureSeat.objects.filter(league=league, fixture__in=fixtures).order_by("fixture", "seat")
    seats = list(lines.values_list("fixture", "entry"))
    entries = Entry.objects.filter(league=league, pk__in={entry for _fixture, entry in seats})
    names = {
        entry.pk: (entry.number, build_entry_name(entry))
        for entry in entries.prefetch_related("players__player__merged_into")
    }
    found: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for fixture, entry in seats:
        found[fixture].append(names[entry])
    return found
