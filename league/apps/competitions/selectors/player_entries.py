"""What a player can do in the competitions of a league: enter, withdraw, ask for byes, and play fixtures."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.utils.translation import gettext as _

from league.apps.competitions.models import Competition, Entry, EntryPlayer, Fixture
from league.apps.competitions.selectors.competitions import FORMATS_WITH_BYES, build_format, list_competitions
from league.apps.competitions.selectors.playable_fixtures import PlayableFixture, load_open_fixtures
from league.models import League, Player

#: The bye that players can ask for.
PLAYERS_BYE = Fixture.Kind.HALF_BYE.value
UNDERWAY = (Competition.Status.OPEN, Competition.Status.RUNNING)


@dataclass(frozen=True)
class PlayerEntry:
    """A competition with a player's entry, if there is one.

    ``entered``: the number of entries; ``queue``: that on the waiting list; ``waiting``: the place on it; ``byes``: the
    rounds of requested byes that can still be cancelled; ``next_rounds``: those for which a bye can be requested.
    """

    competition: Competition
    entry: Entry | None
    entered: int
    queue: int
    waiting: int | None
    last_round: int

    @property
    def title(self) -> str:
        """The name of the format."""
        return _(build_format(self.competition).title)

    @property
    def is_entered(self) -> bool:
        """Whether the player takes part or is on the waiting list."""
        return self.entry is not None and self.entry.status != Entry.Status.WITHDRAWN

    @property
    def is_full(self) -> bool:
        """Whether a new entry would be on the waiting list."""
        return self.competition.max_entries is not None and self.entered >= self.competition.max_entries

    @property
    def may_enter(self) -> bool:
        """Whether the player can enter."""
        competition = self.competition
        return not self.is_entered and competition.status == Competition.Status.OPEN and competition.sides_of == 1

    @property
    def may_leave(self) -> bool:
        """Whether the player can withdraw: before the start, and later if the format pairs who is there."""
        competition = self.competition
        started = competition.status == Competition.Status.RUNNING
        return self.is_entered and competition.sides_of == 1 and (not started or self._pairs_each_round)

    @property
    def _pairs_each_round(self) -> bool:
        return self.competition.format in FORMATS_WITH_BYES

    @property
    def byes(self) -> list[int]:
        """The rounds of requested byes that can still be cancelled."""
        byes = self.entry.byes if self.entry is not None and self.is_entered else []
        return [bye["round"] for bye in byes if bye["round"] > self.last_round]

    @property
    def next_rounds(self) -> list[int]:
        """The rounds for which a bye can be requested."""
        if not self.is_entered or not self._pairs_each_round or self.competition.sides_of > 1:
            return []
        last = self.competition.rounds or self.last_round + 1
        return [number for number in range(self.last_round + 1, last + 1) if number not in self.byes]


def list_player_entries(league: League, player: Player) -> list[PlayerEntry]:
    """Return the competitions that players enter themselves: open ones, and running ones with the player's entry."""
    competitions = Competition.objects.filter(league=league, players_enter=True, status__in=UNDERWAY)
    counted = competitions.annotate(
        entered=Count("entries", filter=Q(entries__status=Entry.Status.ENTERED)),
        queue=Count("entries", filter=Q(entries__status=Entry.Status.WAITING)),
    )
    rows = list(counted.order_by("starts_at", "created_at"))
    if not rows:
        return []
    entries = {entry.competition_id: entry for entry in query_entries(league, player).filter(competition__in=rows)}
    found = [_build_entry(row, entries.get(row.pk)) for row in rows]
    return [one for one in found if one.is_entered or one.competition.status == Competition.Status.OPEN]


def find_player_entry(competition: Competition, player: Player) -> PlayerEntry:
    """Return a competition with a player's entry."""
    # As annotated elsewhere.
    competition.entered = competition.entries.entered().count()  # type: ignore[attr-defined]
    competition.queue = competition.entries.waiting().count()  # type: ignore[attr-defined]
    own = query_entries(competition.league, player).filter(competition=competition)
    return _build_entry(competition, own.first())


def query_entries(league: League, player: Player) -> QuerySet[Entry]:
    """Return the entries of a player, also those under a name that was merged; withdrawn ones last."""
    condition = Q(players__player=player) | Q(players__player__merged_into=player)
    return Entry.objects.filter(condition, league=league).order_by("competition", "status", "number").distinct()


def query_entered_players(league: League) -> QuerySet[EntryPlayer, Any]:
    """Return the ids of the players of entries in competitions that everyone sees, without withdrawn ones."""
    entered = EntryPlayer.objects.filter(league=league, competition__in=list_competitions(league))
    return entered.exclude(entry__status=Entry.Status.WITHDRAWN).values("player")


def _build_entry(competition: Competition, entry: Entry | None) -> PlayerEntry:
    waiting = None
    if entry is not None and entry.status == Entry.Status.WAITING:
        waiting = competition.entries.waiting().filter(number__lte=entry.number).count()
    rounds = competition.round_rows.aggregate(last=Max("number"))
    entered: int = competition.entered  # type: ignore[attr-defined]  # annotated
    queue: int = competition.queue  # type: ignore[attr-defined]  # annotated
    return PlayerEntry(competition, entry, entered, queue, waiting, rounds["last"] or 0)


def list_player_fixtures(league: League, player: Player, now: datetime) -> list[PlayableFixture]:
    """Return the published fixtures that a player is still to play, the next first."""
    if not league.attaches_games:
        return []
    found = [one for one in load_open_fixtures(league, [player.pk]) if not one.row.is_decided(now)]
    for fixture in found:
        fixture.row.competition.league = league
    return sorted(found, key=lambda one: (_get_time(one.row.expected_at), _get_time(one.row.due_at)))


def _get_time(time: datetime | None) -> float:
    return float("inf") if time is None else time.timestamp()
