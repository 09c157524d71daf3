"""What the pad says that a game is for: the fixture that it becomes the result of, also with partners."""

import random

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from league.apps.competitions.models import Fixture
from league.apps.competitions.organiser.panels import list_next_games
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.core.errors import Refused
from league.core.games.services.attaching import build_attacher
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.games.services.what_if import compute_what_if
from league.models import League
from league.web.organiser.panels import NextGame
from tests.helpers.builders import make_league, record
from tests.helpers.desk_client import PAD, page_text, sheet_fields
from tests.helpers.running_competitions import run_competition
from tests.helpers.tiers import examples

pytestmark = pytest.mark.django_db
PEOPLE = ("anna", "ben", "cleo", "dan")


def draw_sides(drawn: random.Random) -> list[list[str]]:
    """Return the four people as two sides, in any order."""
    drawn_people = drawn.sample(PEOPLE, 4)
    return [drawn_people[:2], drawn_people[2:]]


def open_fixture(league: League, slug: str, sides: list[list[str]]) -> None:
    """Open one fixture of two sides in a competition of its own."""
    run_competition(league, sides, "free", slug=slug, title=slug)
    add_fixtures(league.pk, slug, [NewFixture(entries=(1, 2))], by="olga")


@pytest.mark.parametrize("draw", range(6))
def test_a_game_of_partners_is_named_for_the_fixture_that_it_becomes_the_result_of(draw: int) -> None:
    league, drawn = make_league(players=PEOPLE), random.Random(draw)
    # The same four people, in the same and in other pairs.
    for number in range(1, 5):
        open_fixture(league, f"cup-{number}", draw_sides(drawn))
    while offered := list_next_games(League.objects.get()):
        game = drawn.choice(offered)
        lines = [NewResult(player, 1.0 - seat // 2, side=1 + seat // 2) for seat, player in enumerate(game.players)]
        recorded = record(league, NewGame(lines))
        fixture = Fixture.objects.get(game=recorded)
        assert game.receiver is not None
        assert f"{fixture.competition.title} · Fixture {fixture.number}" == game.receiver.place


def record_and_undo(league: League, game: NextGame, drawn: random.Random) -> int | None:
    """Record a game of exactly these sides, its players in any order; return its fixture."""
    seats = [(player, 1 + at // game.sides_of) for at, player in enumerate(game.players)]
    drawn.shuffle(seats)
    lines = [NewResult(player, 4.0 - side, side=side if game.sides_of > 1 else None) for player, side in seats]
    with transaction.atomic():
        fixture = record_game(league.pk, NewGame(lines), by="pad").fixture
        transaction.set_rollback(True)
    return fixture


@pytest.mark.parametrize("seed", range(examples(20)))
def test_the_fixture_named_may_be_one_in_which_the_same_people_play_alone(seed: int) -> None:
    """Drawn: partners of the same four people, and fixtures of all four, in three competitions."""
    drawn, league = random.Random(seed), make_league(players=PEOPLE)
    for slug in ("one", "two", "three"):
        sides = drawn.sample(PEOPLE, 4) if drawn.random() < 0.4 else draw_sides(drawn)
        run_competition(league, sides, "free", slug=slug, title=slug)
        fixtures = [NewFixture(tuple(drawn.sample(range(1, len(sides) + 1), len(sides)))) for _ in range(2)]
        add_fixtures(league.pk, slug, fixtures, by="olga")
    offered = list_next_games(League.objects.get())
    assert len(offered) == 6
    for game in offered:
        fixture = record_and_undo(league, game, drawn)
        assert game.receiver is not None
        assert game.receiver.place.endswith(f"Fixture {fixture}"), (game, fixture)


def test_a_game_of_an_unrated_competition_is_no_friendly_and_a_friendly_is_refused_before_it_is_recorded(
    olga: Client,
) -> None:
    league = make_league("elo", PEOPLE)
    run_competition(league, ("anna", "ben"), "free", slug="boxes", title="Boxes", rated=False)
    run_competition(league, ("cleo", "dan"), "free", slug="cup", title="Cup")
    add_fixtures(league.pk, "boxes", [NewFixture([1, 2])], by="olga")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    assert [(game.place, game.is_rated) for game in list_next_games(League.objects.get())] == [
        ("Cup · Fixture 2", True),
        ("Boxes · Fixture 1 · unrated", False),
    ]
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), follow=True)
    assert "Game 1 recorded. Boxes · Fixture 1 · unrated Undo" in page_text(page)
    # A friendly that names a fixture needs a result: what-if says so, as recording does, and not only that it is none.
    friendly = NewGame([NewResult("cleo"), NewResult("dan")], kind="friendly", fixture=2)
    attacher = build_attacher(league, timezone.now(), "")
    for check in (
        lambda: compute_what_if(league, friendly, attacher=attacher),
        lambda: record_game(league.pk, friendly, by="olga"),
    ):
        with pytest.raises(Refused, match="The result is missing"):
            check()
    # One that names none is for none.
    olga.post(PAD, sheet_fields(("cleo", "1"), ("dan", "0"), kind="friendly"))
    assert Fixture.objects.get(number=2).game is None
