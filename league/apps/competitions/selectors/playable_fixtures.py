"""Fixtures that a game may be recorded for, with the players of their entries, read without the whole competition."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from league.apps.competitions.models import MEETINGS, Competition, EntryPlayer, Fixture, FixtureSeat
from league.apps.competitions.selectors.competition_data import GameLines, build_played_seats, load_counting_games
from league.core.db.statements import build_any_condition
from league.core.errors import NotFound
from league.core.text.names import join_partners
from league.models import League, Player
from ratings.contract.competition import Seat


@dataclass(frozen=True)
class PlayableFixture:
    """A fixture with its competition and round: numbers of entries and the players of each, in seat order.

    ``game``: the game that counts for it, if there is one.
    """

    row: Fixture
    entries: Sequence[int]
    players: Sequence[Sequence[Player]]
    game: GameLines | None

    @cached_property
    def people(self) -> dict[int, int]:
        """Player's id -> the number of the entry."""
        return {player.pk: entry for entry, side in zip(self.entries, self.players, strict=True) for player in side}

    @property
    def handles(self) -> list[str]:
        """The handles of everyone in seat order."""
        return [player.handle for side in self.players for player in side]

    def list_opponents(self, player: Player) -> list[str]:
        """Return the names of the entries that a player meets."""
        own = self.people.get(player.pk)
        sides = zip(self.entries, self.players, strict=True)
        return [join_partners([one.name for one in side]) for entry, side in sides if entry != own]

    def is_bye(self) -> bool:
        """Return whether it is a bye."""
        return self.row.kind not in MEETINGS


def find_playable_fixture(league: League, number: int) -> PlayableFixture:
    """Return a fixture of a league; raises NotFound."""
    found = load_playable_fixtures(league, Fixture.objects.filter(league=league, number=number))
    if not found:
        raise NotFound(_("The league {league} has no fixture {number}.").format(league=league.title, number=number))
    return found[0]


def load_results_of_games(league: League, order_keys: Sequence[int]) -> dict[int, int | None]:
    """Return number of a fixture that games were recorded for -> number of the game that is its result now.

    None: it waits for one. What has none and gets none any more is left out.
    """
    # What the deadline decides waits, too: it can be moved. After the end nothing waits.
    found = load_playable_fixtures(
        league, Fixture.objects.filter(league=league, game__order_key__in=order_keys).playable()
    )
    return {
        one.row.number: None if one.game is None else one.game.number
        for one in found
        if one.game is not None or one.row.competition.status == Competition.Status.RUNNING
    }


def load_open_fixtures(league: League, players: Collection[int] | None = None) -> list[PlayableFixture]:
    """Return the published fixtures without a result, by round and number: of some players (ids), or all."""
    fixtures = Fixture.objects.filter(league=league, competition__status=Competition.Status.RUNNING).playable()
    # A void game may have been corrected to other players, who give no result: that is judged below.
    fixtures = fixtures.filter(Q(game=None) | Q(game__voided_at__isnull=False))
    if players is not None:
        lines = EntryPlayer.objects.filter(league=league).filter(
            Q(player__in=players) | Q(player__merged_into__in=players)
        )
        fixtures = fixtures.filter(seats__entry__in=lines.values("entry"))
    found = [fixture for fixture in load_playable_fixtures(league, fixtures) if fixture.game is None]
    # Of a match of teams, a player has one board.
    return [
        one for one in found if players is None or one.row.match is None or not one.people.keys().isdisjoint(players)
    ]


def load_playable_fixtures(league: League, fixtures: QuerySet[Fixture]) -> list[PlayableFixture]:
    """Return fixtures of a league, by round and number."""
    rows = list({row.pk: row for row in fixtures.select_related("competition", "round")}.values())
    if not rows:
        return []
    seats: defaultdict[int, list[tuple[int, int, int | None]]] = defaultdict(list)
    lines = FixtureSeat.objects.filter(league=league, fixture__in=[row.pk for row in rows]).order_by("seat")
    for fixture_id, entry_id, number, member in lines.values_list("fixture_id", "entry_id", "entry__number", "member"):
        seats[fixture_id].append((entry_id, number, member))
    players: defaultdict[int, list[Player]] = defaultdict(list)
    entry_ids = {entry_id for places in seats.values() for entry_id, _number, _member in places}
    for line in (
        EntryPlayer.objects.filter(league=league, entry__in=entry_ids)
        .select_related("player__merged_into")
        .order_by("position")
    ):
        players[line.entry_id].append(line.survivor)
    games = load_counting_games(league.pk, *build_any_condition("f.id", [row.pk for row in rows]))
    found = [_build_fixture(row, seats[row.pk], players, games) for row in rows]
    return sorted(found, key=_get_order)


def _build_fixture(
    row: Fixture, seats: Sequence[tuple[int, int, int | None]], players: Any, games: dict[int, GameLines]
) -> PlayableFixture:
    game = games.get(row.pk)
    fixture = PlayableFixture(
        row,
        [number for _entry, number, _member in seats],
        [
            players[entry_id] if row.match is None else players[entry_id][(member or 0) - 1 : member or 0]
            for entry_id, _number, member in seats
        ],
        game,
    )
    if game is None:
        return fixture
    # A game that was corrected to other players is no result.
    played = build_played_seats([Seat(entry) for entry in fixture.entries], game, fixture.people)
    return fixture if played is not None else PlayableFixture(row, fixture.entries, fixture.players, None)


def _get_order(fixture: PlayableFixture) -> tuple[bool, int, int]:
    return fixture.row.round is None, fixture.row.round.number if fixture.row.round else 0, fixture.row.number
