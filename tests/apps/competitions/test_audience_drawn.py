"""Drawn competitions in each state: a stranger's log and export tell what the addresses show, no more and no less."""

import re
from io import BytesIO
from random import Random

import pytest

from league.apps.competitions.models import Competition
from league.apps.competitions.services.competitions import (
    cancel_competition,
    change_competition,
    create_competition,
    start_competition,
)
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round, undo_round
from league.core.errors import RungsError
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import League
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league
from tests.helpers.competition_builders import enter
from tests.helpers.public_log import CHANGES, check_chain, load_lines, read
from tests.helpers.running_competitions import scores
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
WORD = re.compile(r"Wort\d+")


class DrawnLeague:
    """A league whose competitions and rounds have words of their own: in titles, and in the venue of a fixture."""

    def __init__(self, league: League, random: Random) -> None:
        self.league, self.random, self.words = league, random, 0

    def new_word(self) -> str:
        """Return another word."""
        self.words += 1
        return f"Wort{self.words}"

    def act(self) -> None:
        """Do something that is possible, drawn; what is refused changes nothing."""
        found = list(Competition.objects.filter(league=self.league).order_by("pk"))
        competition = self.random.choice([None, *found]) if len(found) < 4 else self.random.choice(found)
        if competition is None:
            title = {"title": self.new_word(), "format": "swiss", "rounds": 3, "tie_breaks": ["BH"]}
            slug = f"cup{len(found)}"
            create_competition(self.league.pk, slug, {**title, "status": self.random.choice(["draft", "open"])}, by="x")
            enter(self.league, *FOUR, slug=slug)
            return
        act = self.random.choice([self.start, self.open, self.pair, self.pair, self.publish, self.undo, self.play])
        if self.random.random() < 0.03:
            cancel_competition(self.league.pk, competition.slug, by="x")
        else:
            act(competition)

    def start(self, competition: Competition) -> None:
        """Start it."""
        start_competition(self.league.pk, competition.slug, by="x")

    def open(self, competition: Competition) -> None:
        """Open it, or make it a draft again."""
        status = {"draft": "open", "open": "draft"}[competition.status]
        change_competition(self.league.pk, competition.slug, {"status": status}, by="x")

    def pair(self, competition: Competition) -> None:
        """Make a round; a word is the venue of one of its fixtures."""
        number = make_round(self.league.pk, competition.slug, by="x").number
        fixture = competition.fixtures.filter(round__number=number).order_by("number")[0]
        change_fixture(self.league.pk, fixture.number, {"venue": self.new_word()}, by="x")

    def find_last(self, competition: Competition) -> int:
        """Return the number of the last round, 0 without one."""
        return competition.round_rows.count()

    def publish(self, competition: Competition) -> None:
        """Publish the last round."""
        publish_round(self.league.pk, competition.slug, self.find_last(competition), by="x")

    def undo(self, competition: Competition) -> None:
        """Undo the last round."""
        undo_round(self.league.pk, competition.slug, self.find_last(competition), by="x")

    def play(self, competition: Competition) -> None:
        """Play the last round."""
        for fixture in competition.fixtures.filter(round__number=self.find_last(competition)):
            record_result(self.league.pk, fixture.number, scores(1, 0), by="x")


def find_words(*paths: str) -> set[str]:
    """Return the words that a stranger reads."""
    return {word for path in paths for word in WORD.findall(read(Api(), path)[1])}


@long_way
@pytest.mark.sampled(every=12)
@pytest.mark.parametrize("seed", range(12))
def test_the_log_and_the_export_tell_what_the_addresses_show(seed: int) -> None:
    drawn = DrawnLeague(make_league(), Random(seed))
    for step in range(60):
        try:
            drawn.act()
        except (RungsError, KeyError):
            continue
        if step % 4 == 0:
            slugs = Competition.objects.filter(league=drawn.league).values_list("slug", flat=True)
            rounds = [f"leagues/club/competitions/{slug}/rounds/" for slug in slugs]
            shown = find_words("leagues/club/competitions/", *rounds)
            assert (find_words(CHANGES), find_words("leagues/club/export/")) == (shown, shown)
    assert drawn.words > 4
    check_chain(load_lines(Api()))
    text = read(Api(), "leagues/club/export/")[1]
    again = restore_league(BytesIO(text.encode()), slug="again", known_players=True, by="root").league
    assert list(verify_league(again.pk).differences) == []
    # What the restored league exports is restored, too.
    more = read(Api("organise"), "leagues/again/export/")[1]
    third = restore_league(BytesIO(more.encode()), slug="third", known_players=True, by="root").league
    assert list(verify_league(third.pk).differences) == []
