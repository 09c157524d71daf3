"""The competitions of the demo's club, in every state, made by the services as an organiser makes them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from league.apps.competitions.models import Fixture
from league.apps.competitions.selectors.playable_fixtures import PlayableFixture, find_playable_fixture
from league.apps.competitions.services.competitions import create_competition, finish_competition, start_competition
from league.apps.competitions.services.entries import NewEntry, add_entries
from league.apps.competitions.services.results import record_result, seat_players
from league.apps.competitions.services.rounds import make_round, publish_round
from league.apps.reports.services.entering import enter_report
from league.apps.reports.services.links import make_link
from league.apps.reports.services.writing import generate_salt
from league.core.games.services.game_input import NewGame, NewResult
from league.demo.simulator import BY, Club, build_club, draw_result
from league.models import League

WEEK = timedelta(weeks=1)


def run_club(league: League) -> tuple[str, ...]:
    """Run the competitions; return what to say of them.

    Games are recorded in the order in which they were played, so that nothing is rated again.
    """
    hour = timezone.now().replace(minute=0, second=0, microsecond=0)
    competitions = ClubCompetitions(league, build_club(), hour)
    competitions.finish_round_robin()
    competitions.begin_cup()
    competitions.begin_tables()
    competitions.begin_swiss()
    competitions.open_entries()
    return ("5 competitions: 1 finished, 3 running, 1 open for entries; 2 reports wait to be confirmed.",)


@dataclass(frozen=True)
class ClubCompetitions:
    """Makes and plays competitions of a club up to an hour."""

    league: League
    club: Club
    hour: datetime

    def finish_round_robin(self) -> None:
        """Play a round robin to its end."""
        self.make("club-championship", "Club championship", "round_robin", range(3, 11), start=True)
        for number in range(1, 8):
            self.play("club-championship", number, self.hour - (13 - number) * WEEK)
        finish_competition(self.league.pk, "club-championship", by=BY)

    def begin_cup(self) -> None:
        """Play a cup to the first semi-final."""
        self.make("cup", "Cup", "knockout", range(8), start=True, parameters={"level": "seed"})
        self.play_round("cup", 1, self.hour - 5 * WEEK)
        self.play_round("cup", 2, self.hour - 4 * WEEK, games=1)

    def begin_tables(self) -> None:
        """Play two of three evenings at tables of four; the third one is announced."""
        self.make(
            "tables-of-four", "Tables of four", "tables", range(8, 20), start=True, rounds=3, rated=False,
            points={"places": [3, 2, 1, 0]},
        )  # fmt: skip
        for number, games in ((1, 3), (2, 3), (3, 0)):
            self.play_round("tables-of-four", number, self.hour - 4 * WEEK + number * timedelta(days=1), games=games)

    def begin_swiss(self) -> None:
        """Play a Swiss up to this evening: two results of the fourth round are in, two wait to be confirmed."""
        self.make("swiss", "Swiss tournament", "swiss", range(12), start=True, rounds=5)
        for number in range(1, 4):
            self.play_round("swiss", number, self.hour - (4 - number) * WEEK)
        begun = self.hour - timedelta(hours=1)
        self.play_round("swiss", 4, begun, games=2)
        for fixture in self._list_open_games("swiss", 4)[:2]:
            new = self._draw_game(fixture, begun + timedelta(minutes=40))
            secret, player = generate_salt(), fixture.players[0][0]
            make_link(self.league.pk, secret, username=BY, player=player)
            sheet = NewGame(seat_players(fixture, new.results), new.played_at, fixture=fixture.row.number)
            enter_report(secret, sheet, key=f"demo-{fixture.row.number}")

    def open_entries(self) -> None:
        """Announce a tournament that players can enter."""
        self.make(
            "next-month", "Tournament of next month", "swiss", range(4, 10), rounds=5, max_entries=16,
            players_enter=True, starts_at=self.hour + 4 * WEEK,
        )  # fmt: skip

    def make(
        self, slug: str, title: str, format_key: str, members: Sequence[int], *, start: bool = False, **settings: Any
    ) -> None:
        """Make a competition with entries."""
        given: Mapping[str, Any] = {
            "title": f"{title} (simulated)", "format": format_key, "status": "open",
            "time_zone": self.league.time_zone, **settings,
        }  # fmt: skip
        # A seed of its own: the lots are the same on every machine.
        create_competition(self.league.pk, slug, given, by=BY, seed=len(members))
        entries = [NewEntry([self.club.names[member]]) for member in members]
        add_entries(self.league.pk, slug, entries, by=BY, create_players=True)
        if start:
            start_competition(self.league.pk, slug, by=BY)

    def play_round(self, slug: str, number: int, at: datetime, *, games: int | None = None) -> None:
        """Pair, publish and play a round."""
        make_round(self.league.pk, slug, by=BY, starts_at=at)
        publish_round(self.league.pk, slug, number, by=BY)
        self.play(slug, number, at, games)

    def play(self, slug: str, number: int, at: datetime, games: int | None = None) -> None:
        """Record results of a round, all unless so many ``games`` are given."""
        for index, fixture in enumerate(self._list_open_games(slug, number)[:games]):
            new = self._draw_game(fixture, at + timedelta(minutes=20 + index))
            record_result(self.league.pk, fixture.row.number, new, by=BY)

    def _list_open_games(self, slug: str, number: int) -> list[PlayableFixture]:
        fixtures = Fixture.objects.filter(
            league=self.league, competition__slug=slug, round__number=number, kind=Fixture.Kind.GAME, game=None
        )
        numbers = fixtures.order_by("number").values_list("number", flat=True)
        return [find_playable_fixture(self.league, number) for number in numbers]

    def _draw_game(self, fixture: PlayableFixture, at: datetime) -> NewGame:
        seats = [self.club.names.index(players[0].name) for players in fixture.players]
        kind = "played" if fixture.row.competition.rated else "friendly"
        return NewGame([NewResult("", score) for score in self._draw_scores(seats)], at, kind=kind)

    def _draw_scores(self, seats: Sequence[int]) -> Iterator[float]:
        if len(seats) == 2:
            return iter(draw_result(self.club, seats))
        return (float(round(100 + performance / 5)) for performance in self.club.performance(seats, luck=150.0))
