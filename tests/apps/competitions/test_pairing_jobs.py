"""Rounds of large competitions are paired by a job, with its progress."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from django.urls import reverse

from league.apps.competitions.models import Fixture, Round
from league.apps.competitions.selectors.pairing_input import build_pairing_request
from league.apps.competitions.services import pairing, pairing_jobs
from league.apps.competitions.services.entries import change_entry
from league.apps.competitions.services.rounds import NewRound, make_round, preview_round
from league.core.dispatch.sweep import run_requested_job
from league.core.jobs.services.cancel import cancel_job
from league.core.verify.run import verify_league
from league.models import Job, League, Membership
from ratings.contract.pairing_format import PairingProposal, PairingRequest
from ratings.pairing_formats.swiss import Swiss
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league
from tests.helpers.desk_client import sign_in_member
from tests.helpers.running_competitions import loaded_cup, meetings, play_round, run_competition

pytestmark = pytest.mark.django_db
ROUNDS = "leagues/club/competitions/cup/rounds/"
SIX = (*FOUR, "eva", "finn")


@pytest.fixture(autouse=True)
def _small_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairing_jobs, "MAX_PAIRED_IN_REQUEST", {"swiss": 5})


def make_cup(rounds: int = 3) -> League:
    league = make_league(players=SIX)
    run_competition(league, SIX, rounds=rounds)
    return league


def run(body: Any) -> Any:
    """Run the job of an answer, and return it as it ended."""
    assert run_requested_job(body["id"])
    return Job.objects.get(pk=body["id"])


def test_a_large_round_is_proposed_and_made_by_jobs() -> None:
    league, api = make_cup(), Api("organise")
    expected = [list(one.entries) for one in preview_round(league.pk, "cup", NewRound(""))[0].list_fixtures(1)]
    proposed = api.post(f"{ROUNDS}?dry_run=true", {})
    assert (proposed.status_code, proposed.data["kind"], proposed.headers["Location"]) == (
        202, "pair", proposed.data["url"],
    )  # fmt: skip
    assert run(proposed.data).result == {"round": 1, "fixtures": expected, "reasons": []}
    assert not Round.objects.exists()
    asked = api.post(ROUNDS, {"number": 1, "starts": "2024-03-06T18:00:00Z"}, **{"Idempotency-Key": "key"})
    again = api.post(ROUNDS, {"number": 1, "starts": "2024-03-06T18:00:00Z"})
    assert (asked.status_code, again.data["id"]) == (202, asked.data["id"])
    made = run(asked.data)
    assert (made.state, made.problem, made.result["fixtures"]) == (Job.State.DONE, None, expected)
    assert [list(entries) for entries in meetings(league, 1)] == expected
    assert Round.objects.get().starts_at == datetime(2024, 3, 6, 18, tzinfo=UTC)
    assert api.get(f"jobs/{asked.data['id']}/").data["result"]["round"] == 1
    assert verify_league(league.pk).state == "is right"


def test_only_arbiters_see_the_job_of_a_round() -> None:
    league = make_cup()
    proposed = Api("organise").post(f"{ROUNDS}?dry_run=true", {})
    run(proposed.data)
    seen = {}
    for role in ("recorder", "arbiter"):
        api = Api()
        api.client = sign_in_member(role, role, league)
        seen[role] = api.get(f"jobs/{proposed.data['id']}/").status_code
        page = api.client.get(f"/admin/leagues/club/jobs/{proposed.data['id']}/")
        assert page.status_code == {"recorder": 404, "arbiter": 200}[role]
    assert seen == {"recorder": 404, "arbiter": 200}
    assert Api().get(f"jobs/{proposed.data['id']}/").status_code == 404


def test_what_refuses_a_round_is_said_at_once_or_ends_the_job() -> None:
    league, api = make_cup(rounds=6), Api("organise")
    assert api.post(ROUNDS, {"number": 2}).status_code == 409
    asked = api.post(ROUNDS, {})
    make_round(league.pk, "cup", by="other")
    ended = run(asked.data)
    assert (ended.state, ended.problem["status"]) == (Job.State.FAILED, 409)
    early = api.post(ROUNDS, {})
    assert (early.status_code, early.data["code"]) == (422, "refused")
    assert Round.objects.count() == 1


def test_who_cannot_be_paired_is_said_by_the_job() -> None:
    league = make_cup(rounds=6)
    for entry, others in ((1, [2, 3, 4, 5, 6]),):
        change_entry(league.pk, "cup", entry, {"not_against": others}, by="arbiter")
    ended = run(Api("organise").post(ROUNDS, {}).data)
    assert (ended.state, ended.problem["code"]) == (Job.State.FAILED, "refused")
    assert ended.problem["detail"].startswith("Round 1 cannot be paired")
    # Anna must meet nobody, and one more is left without an opponent.
    assert re.search(r"Left over: (Anna, \w+|\w+, Anna)\.$", ended.problem["detail"])
    assert not Fixture.objects.exists()


def test_a_cancelled_job_makes_nothing_and_a_worker_that_died_makes_the_round_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_cup()
    api = Api("organise")
    cancelled = api.post(ROUNDS, {}).data
    cancel_job(Job.objects.get(pk=cancelled["id"]), username="arbiter")
    assert not run_requested_job(cancelled["id"])
    asked = api.post(ROUNDS, {}).data
    assert asked["id"] != cancelled["id"]
    run(asked)
    # The job ended in the transaction of the round, so that no other worker makes it again.
    assert not run_requested_job(asked["id"])
    assert Round.objects.count() == 1


def test_the_progress_is_the_entries_that_are_paired() -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (0.5, 0.5), (0, 1))
    told: list[tuple[int, int]] = []
    request = build_pairing_request(loaded_cup(league), 2)
    Swiss().pair(replace(request, report=lambda done, total: told.append((done, total))))
    assert [total for _, total in told] == [6] * len(told)
    # Before each bracket, from the highest: nobody, then those of the brackets above.
    assert told[0] == (0, 6)
    assert told == sorted(told)
    assert len(told) > 1


def test_the_page_leads_to_the_job_and_the_job_to_the_page() -> None:
    league = make_cup()
    page = sign_in_member("arbiter", "arbiter", league)
    answer = page.post(reverse("desk:competition", args=["club", "cup"]), {"step": "pair", "round": "1"})
    job = Job.objects.get(kind=Job.Kind.PAIR)
    assert answer["Location"] == reverse("desk:job", args=["club", job.pk])
    assert run_requested_job(job.pk)
    shown = page.get(answer["Location"]).content.decode()
    assert reverse("desk:competition", args=["club", "cup"]) in shown
    assert Round.objects.get().made_by == job.asked_by


def test_a_job_without_time_makes_an_allowed_round_and_the_round_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (0.5, 0.5), (0, 1))
    monkeypatch.setattr(pairing, "MAX_SECONDS", -1)
    api = Api("organise")
    ended = run(api.post(ROUNDS, {}).data)
    sentence = "The search for the best pairing took too long and ended early."
    (reason,) = [one for one in ended.result["reasons"] if not one["entries"]]
    assert reason["text"].startswith(sentence)
    assert sorted(entry for pair in ended.result["fixtures"] for entry in pair) == [1, 2, 3, 4, 5, 6]
    assert not set(map(frozenset, meetings(league, 2))) & set(map(frozenset, meetings(league, 1)))
    told = [one["text"] for one in api.get(f"{ROUNDS}2/").data["reasons"] if not one["entries"]]
    assert told == [reason["text"]]
    page = sign_in_member("arbiter", "arbiter", league).get(reverse("desk:competition", args=["club", "cup"]))
    assert page.content.decode().count(sentence) == 1


def test_an_arbiter_who_is_none_any_more_while_a_round_is_paired_makes_none(monkeypatch: pytest.MonkeyPatch) -> None:
    league, api, pair = make_cup(), Api(), Swiss.pair
    api.client = sign_in_member("eve", "arbiter", league)
    asked = api.post(ROUNDS, {})
    assert asked.status_code == 202, asked.data

    def pair_and_leave(self: Swiss, request: PairingRequest) -> PairingProposal:
        Membership.objects.filter(user__username="eve").update(role="recorder")
        return pair(self, request)

    monkeypatch.setattr(Swiss, "pair", pair_and_leave)
    ended = run(asked.data)
    assert (ended.state, ended.problem["code"]) == (Job.State.FAILED, "forbidden")
    assert not Round.objects.exists()
