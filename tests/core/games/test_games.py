"""The one door: recording, voiding, correcting."""

from typing import Any

import pytest
from django.utils import timezone

from league.core.errors import Conflict, Invalid, Refused
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, record_game, void_game
from league.core.leagues.services.leagues import create_league
from league.core.players.selectors.resolve import find_player
from league.core.players.services.players import set_initial_rating
from league.core.text.strict_json import load
from league.models import Game, InitialRating, League, Player, RatingChange, Result
from tests.helpers.builders import EVENING, derived, make_league, ratings, record, sheet

pytestmark = pytest.mark.django_db


def written() -> tuple[int, int, int, int]:
    """Return how many rows stand where a recording would write."""
    numbers = sum(League.objects.values_list("last_number", flat=True))
    return Game.objects.count(), Result.objects.count(), RatingChange.objects.count(), numbers


def test_numbers_are_gapless_also_after_refusals() -> None:
    league = make_league("serpentine")
    record(league, sheet(("anna", "ben"), (1, 0)))
    for refused in (("anna", "nobody"), ("new one", "new two")):
        with pytest.raises(Refused):
            record(league, sheet(refused, (-1, 5), create_players="new one" in refused))
    assert Player.objects.count() == 4, "a refused game creates no players"
    record(league, sheet(("anna", "ben"), (0, 1), minutes=1))
    assert list(Game.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_a_game_without_a_time_is_played_now() -> None:
    league = make_league()
    before = timezone.now()
    game = record(league, NewGame([NewResult("anna", 1), NewResult("ben", 0)]))
    assert before <= game.played_at == game.recorded_at <= timezone.now()


def test_the_same_external_id_with_the_same_content_answers_the_game_that_is_there() -> None:
    league, other = make_league(), make_league(slug="other")
    first = record_game(league.pk, sheet(("anna", "ben"), (1, 0), external_id="s/1"), by="server")
    state = written()
    again = record_game(league.pk, sheet(("Anna", "BEN"), (1, 0), external_id="s/1"), by="server")
    assert (first.created, again.created, again.game.pk) == (True, False, first.game.pk)
    assert written() == state
    correct_game(league.pk, 1, sheet(("anna", "ben"), (0, 1)), reason="wrong way round", username="test")
    again = record_game(league.pk, sheet(("anna", "ben"), (1, 0), external_id="s/1"), by="server")
    assert (again.created, again.game.pk) == (False, first.game.pk)
    assert record(other, sheet(("anna", "ben"), (0, 1), external_id="s/1")).number == 1, "another league's"


NAIVE = EVENING.replace(tzinfo=None)


@pytest.mark.parametrize(
    ("more", "errors"),
    [
        ({"players": ("x", "anna", "y"), "scores": (1, 2, 3)},
         [("/results/0/player", "unknown_player"), ("/results/2/player", "unknown_player")]),
        ({"scores": (1, float("nan"))}, [("/results/1/score", "not_finite")]),
        ({"scores": (1, float("inf"))}, [("/results/1/score", "not_finite")]),
        ({"scores": (1, float("-inf"))}, [("/results/1/score", "not_finite")]),
        ({"played_at": NAIVE}, [("/played_at", "no_offset")]),
        ({"note": "a\0b"}, [("/note", "nul")]),
        ({"players": (), "scores": ()}, [("/results", "players")]),
        ({"kind": "half_bye"}, [("/results", "players")]),
    ],
)  # fmt: skip
def test_what_no_form_lets_through_is_refused_too_and_nothing_is_written(
    more: dict[str, Any], errors: list[tuple[str, str]]
) -> None:
    """What forms find of a sheet is in test_one_code."""
    league = make_league("serpentine")
    with pytest.raises((Refused, Invalid)) as caught:
        record(league, sheet(**{"players": ("anna", "ben"), "scores": (1, 0), **more}))
    assert [(problem.pointer, problem.code) for problem in caught.value.problems] == errors
    assert written() == (0, 0, 0, 0)


def test_a_league_without_a_rule_refuses_games() -> None:
    league = create_league("bare", "Bare")
    make_league()
    with pytest.raises(Refused, match="no rule yet"):
        record(league, sheet(("anna", "ben"), (1, 0)))


def test_create_players_adds_them_under_a_handle_made_of_the_name() -> None:
    league = make_league()
    record(league, sheet(("Curaçao", "Côte d’Ivoire"), (2, 1), create_players=True))
    added = Player.objects.filter(handle__startswith="c").order_by("handle").values_list("handle", "name")
    assert list(added) == [("cleo", "Cleo"), ("cote-divoire", "Côte d’Ivoire"), ("curacao", "Curaçao")]
    record(league, sheet(("curaçao", "CÔTE D’IVOIRE"), (2, 1), minutes=1, create_players=True))
    assert Player.objects.count() == 6


def test_a_void_game_stays_readable_and_moves_no_rating_and_a_bye_moves_none() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    game = void_game(league.pk, 1, reason="Played as a friendly.", username="olga")
    game.refresh_from_db()
    assert (game.void_reason, game.voided_by, game.voided_at is not None) == ("Played as a friendly.", "olga", True)
    record(league, NewGame([NewResult("anna", 1)], played_at=EVENING, kind="full_bye"))
    assert derived(league) == ([], [])
    assert Game.objects.count() == 2


@pytest.mark.parametrize("reason", ["   ", "x" * 501, "a\0b"])
def test_a_void_needs_a_reason(reason: str) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    with pytest.raises(Invalid):
        void_game(league.pk, 1, reason=reason, username="olga")
    assert Game.objects.filter(voided_at__isnull=False).count() == 0


def test_a_zero_has_no_sign_in_the_books() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (-0.0, 1), kind="forfeit", details={"odds": -0.0}))
    set_initial_rating(league.pk, find_player("anna"), -0.0)
    zeros = [Game.objects.get().details["odds"], *Result.objects.filter(seat=1).values_list("score", flat=True)]
    zeros += InitialRating.objects.values_list("rating", flat=True)
    assert [str(zero) for zero in zeros] == ["0.0"] * 3
    assert str(load('{"k": -0.0}')["k"]) == "0.0"


def test_a_correction_may_not_take_the_external_id_of_another_game() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), external_id="s/1"))
    record(league, sheet(("anna", "ben"), (1, 0), minutes=1, external_id="s/2"))
    with pytest.raises(Conflict, match="belongs to game 1") as caught:
        correct_game(
            league.pk, 2, sheet(("anna", "ben"), (0, 1), external_id="s/1"), reason="Misread.", username="test"
        )
    assert [problem.pointer for problem in caught.value.problems] == ["/external_id"]
    assert Game.objects.filter(voided_at__isnull=True).count() == 2
    done = correct_game(
        league.pk, 2, sheet(("anna", "ben"), (0, 1), external_id="s/2"), reason="Misread.", username="test"
    )
    assert done.game.external_id == "s/2"


def test_a_correction_voids_replaces_and_keeps_time_and_external_id() -> None:
    league = make_league(parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0), external_id="s/1"))
    before = derived(league)
    with pytest.raises(Refused):
        correct_game(league.pk, 1, sheet(("anna", "ghost"), (0, 1)), reason="wrong", username="olga")
    assert Game.objects.get().voided_at is None
    assert derived(league) == before
    turned = NewGame([NewResult("anna", 0), NewResult("ben", 1)])
    done = correct_game(league.pk, 1, turned, reason="wrong way round", username="olga")
    assert (done.game.number, done.game.played_at, done.game.external_id) == (2, EVENING, "s/1")
    assert done.game.replaces is not None and done.game.replaces.number == 1
    assert ratings(league) == {"anna": 1484.0, "ben": 1516.0}
