"""A round is paired outside of locks and transactions, from what is still true when it is written."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from threading import Thread
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from league.apps.competitions.models import Fixture, Round
from league.apps.competitions.services import pairing
from league.apps.competitions.services.entries import change_entry
from league.apps.competitions.services.pairing import MAX_PAIRINGS
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewRound, make_round, preview_round
from league.core.errors import Conflict, Refused
from league.core.games.services.record import record_game, void_game
from league.core.verify.run import verify_league
from league.models import League, LogEntry, RequestKey
from ratings.contract.pairing_format import PairingProposal, PairingRequest
from ratings.pairing_formats.swiss import Swiss
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league, sheet
from tests.helpers.running_competitions import meetings, play_round, run_competition, scores
from tests.helpers.tiers import mark_slow

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]
ROUNDS = "leagues/club/competitions/cup/rounds/"
SIX = (*FOUR, "eva", "finn")


def make_cup(rounds: int = 4) -> League:
    league = make_league(players=SIX)
    run_competition(league, SIX, rounds=rounds)
    return league


def run_beside(act: Callable[[], object]) -> None:
    """Do something in another thread, with its own connection, and wait until it is done."""
    errors: list[Exception] = []

    def run() -> None:
        try:
            act()
        except Exception as error:  # noqa: BLE001 -- a thread's error must reach the test, whatever it is
            errors.append(error)
        finally:
            connections.close_all()

    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert errors == []


@contextmanager
def meanwhile(monkeypatch: pytest.MonkeyPatch, *acts: Callable[[], object]) -> Iterator[list[int]]:
    """Do something on another connection while a round is being paired, an act each time; yield how often it was."""
    pair = Swiss.pair
    calls: list[int] = []

    def pair_and_act(self: Swiss, request: PairingRequest) -> PairingProposal:
        assert not connection.in_atomic_block
        calls.append(len(calls))
        with CaptureQueriesContext(connection) as queries:
            proposal = pair(self, request)
        assert [query["sql"] for query in queries] == []
        if len(calls) <= len(acts):
            run_beside(acts[len(calls) - 1])
        return proposal

    with monkeypatch.context() as patch:
        patch.setattr(Swiss, "pair", pair_and_act)
        yield calls


def set_status(league: League, status: str) -> Callable[[], object]:
    return lambda: change_entry(league.pk, "cup", 2, {"status": status}, by="other")


@pytest.mark.parametrize("key", ["", "a-key"])
def test_other_leagues_and_this_one_are_written_while_a_round_is_paired(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = make_cup()
    other = make_league(slug="other")
    acts = (lambda: [record_game(one.pk, sheet(("anna", "ben"), (1, 0)), by="pad") for one in (league, other)],)
    headers, api = {"Idempotency-Key": key} if key else {}, Api("organise")
    with meanwhile(monkeypatch, *acts) as calls:
        made = api.post(ROUNDS, {"number": 1}, **headers)
    # The game beside changed the log, but nothing that the round follows from.
    assert (made.status_code, len(calls), RequestKey.objects.count()) == (201, 1, bool(key))
    assert (len(meetings(league, 1)), other.games.count(), league.games.count()) == (3, 1, 1)
    if key:
        again = api.post(ROUNDS, {"number": 1}, **headers)
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
    assert verify_league(league.pk).state == "is right"


def test_what_changes_meanwhile_is_paired_again(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (1, 0), (1, 0))
    with meanwhile(
        monkeypatch, lambda: change_entry(league.pk, "cup", 2, {"status": "withdrawn"}, by="other")
    ) as calls:
        make_round(league.pk, "cup", by="arbiter", number=2)
    assert len(calls) == 2
    paired = {entry for entries in meetings(league, 2) for entry in entries}
    assert paired == {1, 3, 4, 5, 6}
    assert [len(entries) for entries in meetings(league, 2)] == [2, 2, 1]


def test_a_result_that_is_taken_back_meanwhile_refuses_the_round(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (1, 0), (1, 0))
    with (
        meanwhile(monkeypatch, lambda: void_game(league.pk, 1, reason="Typing error", username="other")) as calls,
        pytest.raises(Refused, match=r"Round 1: .* have no result yet"),
    ):
        make_round(league.pk, "cup", by="arbiter")
    assert (len(calls), Round.objects.count()) == (1, 1)


def test_a_result_that_comes_meanwhile_is_none_of_an_adjourned_game(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_cup()
    play_round(league, 1, (1, 0), (1, 0))
    with meanwhile(monkeypatch, lambda: record_result(league.pk, 3, scores(0, 1), by="other")) as calls:
        make_round(league.pk, "cup", by="arbiter", confirmed=("no_result",))
    assert (len(calls), Fixture.objects.filter(adjourned=True).count()) == (2, 0)


def test_the_round_that_another_made_meanwhile_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_cup()

    def make_beside() -> None:
        make_round(league.pk, "cup", by="other")

    with meanwhile(monkeypatch, make_beside), pytest.raises(Conflict, match="Round 1 is already made"):
        make_round(league.pk, "cup", by="arbiter", number=1)
    assert (Round.objects.get().made_by, Fixture.objects.count()) == ("other", 3)


def test_the_same_request_that_made_the_round_before_it_was_read_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    make_cup()
    api, key, answers, read = Api("organise"), {"Idempotency-Key": "twice"}, [], pairing.read_proposal

    def read_late(*given: Any, **named: Any) -> Any:
        monkeypatch.setattr(pairing, "read_proposal", read)
        answers.append(api.post(ROUNDS, {"number": 1}, **key))
        return read(*given, **named)

    monkeypatch.setattr(pairing, "read_proposal", read_late)
    second = api.post(ROUNDS, {"number": 1}, **key)
    assert (answers[0].status_code, second.status_code, second.headers["Idempotency-Replayed"]) == (201, 201, "true")
    assert second.content == answers[0].content
    refused = api.post(ROUNDS, {}, **{"Idempotency-Key": "other"})
    assert (refused.status_code, Round.objects.count()) == (422, 1)


def test_a_competition_that_changes_each_time_is_a_conflict(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_cup()
    statuses = ["withdrawn", "entered"] * MAX_PAIRINGS
    acts = [
        lambda status=status: change_entry(league.pk, "cup", 2, {"status": status}, by="other") for status in statuses
    ]
    with meanwhile(monkeypatch, *acts) as calls, pytest.raises(Conflict, match="while the round was being paired"):
        make_round(league.pk, "cup", by="arbiter")
    assert (len(calls), Round.objects.count(), Fixture.objects.count()) == (MAX_PAIRINGS, 0, 0)


@pytest.mark.parametrize("seed", mark_slow(range(3), "One rule.", but=[1]))
def test_a_proposal_locks_and_writes_nothing_and_is_what_is_made(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    league, random = make_cup(), Random(seed)
    for number in range(1, random.randint(2, 3)):
        play_round(league, number, *random.choices([(1, 0), (0.5, 0.5), (0, 1)], k=3))
    entries = LogEntry.objects.count()
    with CaptureQueriesContext(connection) as queries, meanwhile(monkeypatch):
        loaded, number = preview_round(league.pk, "cup", NewRound("arbiter"))
    words = {query["sql"].split()[0].upper() for query in queries}
    assert words <= {"SELECT", "BEGIN", "ROLLBACK", "SET", "COMMIT"}
    assert not any("FOR " in query["sql"] and " UPDATE" in query["sql"] for query in queries)
    assert not any(query["sql"].startswith("BEGIN IMMEDIATE") for query in queries)
    api = Api("organise")
    proposed = api.post(f"{ROUNDS}?dry_run=true", {"starts": "2024-03-06T18:00:00Z"})
    assert (proposed.status_code, LogEntry.objects.count()) == (200, entries)
    made = api.post(ROUNDS, {"starts": "2024-03-06T18:00:00Z"})
    assert made.status_code == 201
    assert proposed.data | {"made_at": None} == made.data | {"made_at": None}
    assert [one.entries for one in loaded.list_fixtures(number)] == meetings(league, number)
