"""Experiments over the API: requested by organisers, run by workers, read by everyone."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from league import tasks
from league.apps.laboratory.services.request_experiments import request_experiment
from league.core.jobs.services import work
from league.core.jobs.services.cancel import cancel_job
from league.core.leagues.services.leagues import change_league
from league.models import Game, Job, League
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league
from tests.helpers.experiment_builders import club, question
from tests.helpers.ladder_builders import tables
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(club)

CLUB = "leagues/club/experiments/"


def question_body(*candidates: Any, **more: Any) -> dict[str, Any]:
    """Return a request body with systems by key, or with parameters."""
    some = [{"system": one} if isinstance(one, str) else one for one in candidates or ("elo", "glicko2")]
    return {"candidates": some, **more}


def run_experiment(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    """Request an experiment, run its job, and return the experiment."""
    answer = api.post(CLUB, body)
    assert answer.status_code == 202, answer.data
    assert tasks.job(answer.data["id"])
    found: dict[str, Any] = Api().get(CLUB + answer.data["id"] + "/").data
    return found


@long_way
def test_the_openapi_document_limits_candidates() -> None:
    document = Client().get("/api/v1/schema/", headers={"accept": "application/json"}).json()
    candidates = document["components"]["schemas"]["ExperimentInputRequest"]["properties"]["candidates"]
    assert (candidates["minItems"], candidates["maxItems"]) == (1, 6)


def test_an_organiser_requests_an_experiment_and_everyone_can_read_it() -> None:
    api = Api("organise")
    before = tables("Job", "Token")
    answer = api.post(CLUB, question_body({"system": "elo", "parameters": {"k": 40}}, "glicko2", warm_up_share=0.25))
    assert (answer.status_code, answer.data["kind"], answer.data["state"]) == (202, "compare", "waiting")
    assert answer["Location"] == f"http://testserver/api/v1/{CLUB}{answer.data['id']}/"
    waits = Api().get(answer["Location"])
    assert (waits.data["state"], waits.data["report"], waits["Retry-After"]) == ("waiting", None, "1")
    assert tasks.job(answer.data["id"])
    assert tables("Job", "Token") == before, "nothing but its job is touched"
    result = Api().get(answer["Location"]).data
    assert (result["state"], result["progress"], result["problem"]) == ("done", 1.0, None)
    assert [one["label"] for one in result["candidates"]] == ["Elo, K = 40", "Glicko-2"]
    assert result["candidates"][0]["parameters"]["k"] == 40
    assert (result["warm_up_games"], result["warm_up_share"], result["draws"]) == (None, 0.25, 200)
    report = result["report"]
    assert (report["games"], report["warm_up"], report["judged"]) == (60, 15, 45)
    assert report["players"] == 4
    found = {one["key"]: one for one in report["measured"]}
    assert set(found) == {"elo", "glicko2", "even", "points"}
    assert found["even"]["log_loss"]["value"] == pytest.approx(0.6931471805599453)
    assert found["even"]["order_accuracy"]["value"] == 0.5
    listed = Api().get(CLUB).data["results"]
    assert [one["id"] for one in listed] == [answer.data["id"]]
    assert "report" not in listed[0]
    assert api.get(f"jobs/{answer.data['id']}/").data["result"] == report


@pytest.mark.parametrize(
    ("body", "pointer", "code", "sentence"),
    [
        ({"candidates": []}, "/candidates", "empty", ""),
        (question_body(*["elo"] * 7), "/candidates", "too_many", "An experiment compares 1 to 6 systems; you sent 7."),
        (question_body("chess"), "/candidates/0/system", "unknown_system", "There is no rating system “chess”"),
        (
            question_body("elo", {"system": "elo", "parameters": {"k": -3}}),
            "/candidates/1/parameters/k",
            "invalid",
            "K must",
        ),
        (
            question_body({"system": "elo", "parameters": {"tau": 1}}),
            "/candidates/0/parameters/tau",
            "invalid",
            "no parameter",
        ),
        (question_body("elo", {"system": "elo", "parameters": {}}), "/candidates/1", "twice", "Elo is listed twice."),
        (question_body(warm_up_games=5, warm_up_share=0.5), "/warm_up_share", "not_together", "not both"),
        (question_body(warm_up_share=0.95), "/warm_up_share", "max_value", ""),
        (question_body(warm_up_games=-1), "/warm_up_games", "min_value", ""),
        (question_body(draws=5), "/draws", "min_value", ""),
        (
            question_body(**{"from": "2024-05-01", "to": "2024-05-01"}),
            "/to",
            "out_of_bounds",
            "dates end before they begin",
        ),
        (question_body(**{"from": "1066-10-14"}), "/from", "out_of_bounds", "Dates must be from 1800-01-01"),
        (question_body(tau=1), "/tau", "unknown", "there is no such field"),
    ],
)
def test_invalid_questions_are_refused(body: dict[str, Any], pointer: str, code: str, sentence: str) -> None:
    answer = Api("organise").post(CLUB, body)
    assert answer.status_code == 400, answer.data
    assert [(one["pointer"], one["code"]) for one in answer.data["errors"]] == [(pointer, code)]
    assert sentence in answer.data["errors"][0]["detail"]
    assert not Job.objects.exists()


def test_a_league_without_a_rule_has_no_experiments() -> None:
    owner = Api("organise")
    assert owner.post("leagues/", {"slug": "bare", "title": "Bare"}).status_code == 201
    answer = owner.post("leagues/bare/experiments/", question_body())
    assert (answer.status_code, answer.data["code"]) == (422, "refused")
    assert "no rule yet" in answer.data["detail"]


@pytest.mark.parametrize(
    ("games", "more", "pointer"),
    [
        (5, {}, "/from"),
        (60, {"warm_up_games": 60}, "/warm_up_games"),
        (60, {"from": "2030-01-01"}, "/from"),
        (60, {"to": "2000-01-01"}, "/to"),
    ],
)
def test_too_few_games_fail_the_job_with_a_message(games: int, more: dict[str, Any], pointer: str) -> None:
    Game.objects.filter(number__gt=games).update(voided_at=timezone.now())
    result = run_experiment(Api("organise"), question_body(**more))
    assert (result["state"], result["report"], result["problem"]["status"]) == ("failed", None, 422)
    assert [(one["code"], one["pointer"]) for one in result["problem"]["errors"]] == [("unjudgeable", pointer)]
    assert result["problem"]["detail"].endswith(".")


def test_a_system_that_cannot_rate_the_games_is_reported_with_the_others() -> None:
    report = run_experiment(Api("organise"), question_body("elo", "preferans", draws=50))["report"]
    assert [one["key"] for one in report["refused"]] == ["preferans"]
    assert "Preferans" in report["refused"][0]["sentence"]["sentence"]
    assert "elo" in {one["key"] for one in report["measured"]}


def test_a_league_has_at_most_three_open_experiments() -> None:
    make_league(slug="other")
    api = Api("organise")
    first, *_ = [api.post(CLUB, question_body(draws=50 + number)) for number in range(3)]
    answer = api.post(CLUB, question_body())
    assert (answer.status_code, answer.data["code"]) == (409, "conflict")
    assert "3 experiments of this league are already running" in answer.data["detail"]
    assert api.post("leagues/other/experiments/", question_body()).status_code == 202
    cancel_job(Job.objects.get(pk=first.data["id"]), username="olga")
    assert api.post(CLUB, question_body()).status_code == 202


def test_experiments_of_a_private_league_are_for_its_members() -> None:
    league = change_league(League.objects.get().pk, {"visibility": "private"})
    make_league(slug="other")
    job = request_experiment(league, question(), username="olga")
    assert Api().get(CLUB).status_code == 404
    assert Api().get(f"{CLUB}{job.pk}/").status_code == 404
    assert Api("read").get(f"{CLUB}{job.pk}/").status_code == 200
    for name in (str(job.pk), str(uuid4()), "7", "x" * 90):
        answer = Api("read", name=name).get(f"leagues/other/experiments/{name}/")
        assert (answer.status_code, answer.data["code"]) == (404, "not_found")
    verify = work.request_job(league, Job.Kind.VERIFY)
    assert Api("read", name="another").get(f"{CLUB}{verify.pk}/").status_code == 404


def test_the_list_is_paged_with_two_queries(django_assert_num_queries: Any) -> None:
    league = League.objects.get()
    jobs = [request_experiment(league, question(draws=60 + number), username="olga") for number in range(3)]
    now = timezone.now()
    for number, job in enumerate(jobs):
        Job.objects.filter(pk=job.pk).update(asked_at=now + timedelta(seconds=number))
    api = Api()
    for address in (CLUB, f"{CLUB}{jobs[0].pk}/"):
        with django_assert_num_queries(2):
            assert api.get(address).status_code == 200
    first = Api().get(f"{CLUB}?limit=2").data
    assert [one["draws"] for one in first["results"]] == [62, 61]
    second = Api().get(first["next"]).data
    assert ([one["draws"] for one in second["results"]], second["next"]) == ([60], None)
    assert Api().get(f"{CLUB}?limit=0").status_code == 400
