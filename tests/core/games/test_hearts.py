"""A league in which the lowest score wins: under every system, on its ladders, boards, pages and in the laboratory."""

from typing import Any

import pytest
from django.test import Client

from league.apps.laboratory.models import SecondBoard
from league.apps.laboratory.services.questions import check_question
from league.apps.laboratory.services.request_experiments import request_experiment
from league.apps.laboratory.services.second_board import choose_second_board
from league.core.leagues.services.templates import TEMPLATES, create_from_template
from league.core.rules.selectors.rules import load_rules
from league.core.verify.run import verify_league
from league.models import Job, League, Rule
from league.web.public.selectors.front import load_last_games
from ratings.contract.system import RatingSystem
from ratings.registry import get_system, load_systems
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, derived, make_league, ratings, record, sheet
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.experiment_builders import question
from tests.helpers.ladder_builders import make_ladder, ranking
from tests.helpers.tiers import long_way, mark_slow

pytestmark = pytest.mark.django_db

SYSTEMS = mark_slow(
    load_systems().values(),
    "The conformance suite holds the sums of every system.",
    but=[get_system(key) for key in ("barbu", "elo", "serpentine")],
)
#: What the seats take in three games of ten deals each, so that it moves whole ratings, too.
EVENING = ((0, 50, 80, 130), (20, 10, 110, 120), (0, 30, 260, 40))
LOW: Any = {"winner": "lowest"}


def size_of(system: type[RatingSystem]) -> int:
    """Return how many play: four where the system takes four."""
    return min(system.max_players, 4)


def scores_of(system: type[RatingSystem]) -> list[list[float]]:
    """Return the scores of an evening's tables."""
    return [list(row[: size_of(system)]) for row in EVENING]


def play(
    league: League, system: type[RatingSystem], tables: list[list[float]], *, lowest: bool = True, first: int = 0
) -> None:
    """Record tables of the first players from a minute on, with places where the system goes by them."""
    fields = {spec.key: spec.example for spec in system.game_fields}
    for minutes, scores in enumerate(tables, start=first):
        better = sorted(scores, reverse=not lowest)
        places = [1 + better.index(score) for score in scores] if system.place == "required" else None
        record(league, sheet(FOUR[: len(scores)], scores, places, minutes=minutes, details=fields))


@long_way
@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one.key)
def test_the_fewest_have_won_on_pages_on_ladders_and_in_previews_and_are_rated_as_the_scores_turned(
    system: type[RatingSystem], client: Client
) -> None:
    league = make_league(system.key, FOUR, parameters=LOW)
    make_ladder(league, "won", cadence="all_time")
    make_ladder(league, "sums", cadence="all_time", count="scores")
    make_ladder(league, "best", "best_scores", cadence="all_time", best=1, minimum=1)
    make_ladder(league, "challenge", "challenge", cadence="all_time")
    row, *_ = rows = scores_of(system)
    players = FOUR[: len(row)]
    fields = {spec.key: spec.example for spec in system.game_fields}
    places = [{"place": seat} for seat in range(1, 5)] if system.place == "required" else [{}] * 4
    lines = [
        {"player": handle, "score": score, **place} for handle, score, place in zip(players, row, places, strict=False)
    ]
    answer = Api("record").post("leagues/club/preview/", {"results": lines, "details": fields})
    assert answer.status_code == 200, answer.data
    changes = [line["change"] for line in answer.data["outcomes"][0]["players"]]
    assert changes == sorted(changes, reverse=True)
    assert changes[0] > changes[-1]
    play(league, system, [row])
    (game,) = load_last_games(league, load_rules(league), 1)
    assert [line.result.player.handle for line in game.lines] == list(players)
    assert [line.result.player.handle for line in game.winners] == ["anna"]
    assert ranking(league, "all", "won")[0] == (1, "anna", 1.0)
    expected = [(rank, handle, 0.0 - row[rank - 1]) for rank, handle in enumerate(players, 1)]
    assert ranking(league, "all", "sums") == ranking(league, "all", "best") == expected
    assert [handle for _, handle, _ in ranking(league, "all", "challenge")] == list(players)
    for path in ("how/", f"games/{game.game.number}/", "players/anna/"):
        assert client.get(f"/leagues/club/{path}").status_code == 200
    play(league, system, rows[1:], first=1)
    turned = [[(max(one) + min(one) if system.lowest_score == 0 else 0) - score for score in one] for one in rows]
    twin = make_league(system.key, FOUR, slug="twin")
    play(twin, system, turned, lowest=False)
    assert repr(derived(league)) == repr(derived(twin))
    assert max(ratings(league), key=ratings(league).__getitem__) == "anna"
    assert verify_league(league.pk).differences == []


def test_a_ladder_may_count_by_the_lowest_where_the_rating_does_not() -> None:
    league = make_league()
    counted: list[tuple[str, dict[str, Any]]] = [("won", {}), ("sums", {"count": "scores"})]
    for slug, parameters in counted:
        make_ladder(league, slug, cadence="all_time", **parameters)
        make_ladder(league, f"{slug}-low", cadence="all_time", **parameters, **LOW)
    record(league, sheet(("anna", "ben"), (3, 7)))
    assert ranking(league, "all", "won") == [(1, "ben", 1.0), (2, "anna", 0.0)]
    assert ranking(league, "all", "won-low") == [(1, "anna", 1.0), (2, "ben", 0.0)]
    assert ranking(league, "all", "sums") == [(1, "ben", 7.0), (2, "anna", 3.0)]
    assert ranking(league, "all", "sums-low") == [(1, "anna", -3.0), (2, "ben", -7.0)]
    assert verify_league(league.pk).differences == []


def test_a_sheet_whose_places_say_that_the_highest_won_is_refused_and_one_that_agrees_is_not() -> None:
    make_league(parameters=LOW)
    api = Api("record")

    def sent(*places: int) -> Any:
        lines = zip(("anna", "ben"), (26, 0), places, strict=True)
        results = [{"player": player, "score": score, "place": place} for player, score, place in lines]
        return api.post("leagues/club/games/", {"results": results})

    refused = sent(1, 2)
    assert refused.status_code == 422
    assert [(one["pointer"], one["code"]) for one in refused.data["errors"]] == [("/results/1/place", "contradiction")]
    answer = sent(2, 1)
    assert answer.status_code == 201
    assert [line["change"] for line in answer.data["results"]] == [-10, 10]


def test_the_laboratory_and_the_second_board_count_as_the_league_does() -> None:
    league = make_league(parameters=LOW)
    asked = check_question([{"system": key, "parameters": {}} for key in ("elo", "serpentine")])
    request_experiment(league, asked, username="olga")
    choose_second_board(league.pk, "weng_lin", {}, username="olga")
    arguments = Job.objects.get(kind="compare").arguments
    told = [one["parameters"]["winner"] for one in arguments["question"]["candidates"]]
    assert told == ["lowest", "lowest"]
    assert SecondBoard.objects.get(league=league).parameters["winner"] == "lowest"
    other = make_league(slug="other")
    (candidate,) = question("elo").with_winner_of(load_rules(other)).candidates
    assert candidate.parameters["winner"] == "highest"


@long_way
def test_sheets_and_rules_say_that_the_lowest_score_wins_and_only_they(client: Client) -> None:
    low, high = make_league(parameters=LOW), make_league(slug="other")
    for league, says in ((low, True), (high, False)):
        record(league, sheet(FOUR, (0, 5, 8, 13)))
        olga = sign_in_member(f"olga-{league.slug}", "organiser", league)
        pages = [client.get(f"/leagues/{league.slug}/{path}") for path in ("how/", "what-if/", "games/1/")]
        pages += [
            olga.get(f"/admin/leagues/{league.slug}/{path}") for path in ("record/", "games/1/correct/", "rules/")
        ]
        assert [("The lowest score wins." in page_text(page)) for page in pages] == [says] * len(pages)
        by_places = olga.get(f"/admin/leagues/{league.slug}/record/?by=place")
        assert "The lowest score wins." not in page_text(by_places)


def test_what_clubs_play_comes_before_what_scholars_wrote() -> None:
    keys = [template.key for template in TEMPLATES]
    sports = ["table-tennis", "table-tennis-doubles", "badminton", "tennis", "squash"]
    assert keys[:10] == ["hearts", "golf", *sports, "skat", "pool", "foosball"]
    for template in TEMPLATES[:2]:
        create_from_template(
            template,
            template.key,
            template.title,
            settings={},
            parameters=template.parameters,
            username="olga",
            owner=None,
        )
        league = League.objects.get(slug=template.key)
        assert Rule.objects.get(league=league).parameters["winner"] == "lowest"
