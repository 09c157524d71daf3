"""Twelve clients do the same, or what excludes each other, at once: one outcome, and a right league."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from league.apps.competitions.models import Competition, Entry, Fixture, FixtureSeat, Round
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_round, publish_round
from league.core.errors import Conflict
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import record_game
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league
from tests.helpers.running_competitions import run_competition, scores
from tests.helpers.threads import in_threads
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.engine, pytest.mark.django_db(transaction=True)]
COMPETITIONS = "leagues/club/competitions/"
CUP = f"{COMPETITIONS}cup/"
PLAYERS = tuple(f"p{number}" for number in range(8))
TWELVE = 12
#: Done, or refused with a sentence.
DONE, REFUSED = {200, 201, 204}, {404, 409, 422}
RESULT: Any = {"results": [{"score": 1}, {"score": 0}]}
Act = Callable[[Api], int]


def post(path: str, body: Any = None) -> Act:
    return lambda api: int(api.post(f"{CUP}{path}", {} if body is None else body).status_code)


def undo(api: Api) -> int:
    return int(api.call("delete", f"{CUP}rounds/1/").status_code)


def withdraw(api: Api) -> int:
    return int(api.patch(f"{CUP}entries/1/", {"status": "withdrawn", "withdrawn_after": 0}).status_code)


def enter(api: Api) -> int:
    return int(api.post(f"{CUP}entries/", {"player": "late"}).status_code)


MAKE, PUBLISH = post("rounds/", {"number": 1}), post("rounds/1/publish/")
START, CANCEL, FINISH = post("start/"), post("cancel/", {"reason": "Rain."}), post("finish/", {"reason": "Done."})
ENTER_RESULT = post("fixtures/1/result/", RESULT)


def prepare(state: str) -> League:
    """Bring a cup into a state."""
    league = make_league(players=(*PLAYERS, "late"))
    api = Api("organise", name="before")
    body = {"slug": "cup", "title": "Cup", "format": "swiss", "rounds": 1, "status": "open"}
    assert api.post(COMPETITIONS, body).status_code == 201
    assert api.post(f"{CUP}entries/", {"entries": [{"player": one} for one in PLAYERS]}).status_code == 201
    for name, act in (("running", START), ("made", MAKE), ("published", PUBLISH)):
        if state == "open":
            break
        assert act(api) in DONE
        if state == name:
            break
    if state == "played":
        for number in (2, 3, 4):
            assert post(f"fixtures/{number}/result/", RESULT)(api) == 201
    return league


def count_done(acts: list[Act]) -> list[bool]:
    """Do all at once; return which were done."""
    apis = [Api("organise", name=f"client {number}") for number in range(len(acts))]
    answers = in_threads([partial(act, api) for act, api in zip(acts, apis, strict=True)])
    assert set(answers) <= DONE | REFUSED, Counter(answers)
    return [answer in DONE for answer in answers]


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize(
    ("state", "act", "most"),
    [
        ("open", START, 1),
        ("open", enter, 1),
        ("running", MAKE, 1),
        ("made", undo, 1),
        ("published", ENTER_RESULT, 1),
        ("running", CANCEL, 1),
        ("made", PUBLISH, TWELVE),
        ("running", withdraw, TWELVE),
    ],
    ids=["start", "enter", "make", "undo", "result", "cancel", "publish", "withdraw"],
)
def test_what_twelve_do_at_once_is_done_once(state: str, act: Act, most: int) -> None:
    league = prepare(state)
    before = League.objects.get().log_length
    assert 1 <= sum(count_done([act] * TWELVE)) <= most
    assert League.objects.get().log_length - before <= 2  # a result has a game beside it
    check(league)


@long_way
@pytest.mark.sampled(every=4)
@pytest.mark.parametrize(
    ("state", "one", "other"),
    [
        ("made", PUBLISH, undo),
        ("running", withdraw, MAKE),
        ("open", START, enter),
        ("published", CANCEL, ENTER_RESULT),
        ("played", FINISH, ENTER_RESULT),
        ("published", undo, ENTER_RESULT),
        ("made", CANCEL, PUBLISH),
    ],
    ids=[
        "publish-undo", "withdraw-make", "start-enter", "cancel-result", "finish-result", "undo-result",
        "cancel-publish",
    ],
)  # fmt: skip
def test_what_excludes_each_other_leaves_one_outcome(state: str, one: Act, other: Act) -> None:
    league = prepare(state)
    assert any(count_done([one, other] * (TWELVE // 2)))
    check(league)


def check(league: League) -> None:
    """Every round has each entry that plays once, every game its fixture, and the log proves it."""
    assert verify_league(league.pk).state == "is right"
    cup = Competition.objects.get()
    for one_round in Round.objects.all():
        met = sorted(Fixture.objects.filter(round=one_round).values_list("seats__entry__number", flat=True))
        playing = Entry.objects.filter(competition=cup, entered_at__lte=one_round.made_at).order_by("number")
        without = [entry.number for entry in playing if entry.status == "withdrawn"]
        assert met == sorted(set(met))
        assert set(playing.values_list("number", flat=True)) - set(met) <= set(without)
    assert Game.objects.count() == Fixture.objects.exclude(game=None).count()
    assert cup.status != "finished" or Fixture.objects.filter(kind="game", game=None).count() == 0


def attempt(act: Callable[[], object]) -> Callable[[], str]:
    """Return an act that answers with its conflict, or "done"."""

    def run() -> str:
        try:
            act()
        except Conflict as error:
            return error.detail
        return "done"

    return run


def make_cup() -> League:
    league = make_league()
    run_competition(league, FOUR)
    return league


def test_a_result_that_two_enter_at_once_is_one_game() -> None:
    league = make_cup()
    make_round(league.pk, "cup", by="organiser")
    publish_round(league.pk, "cup", 1, by="organiser")
    answers = in_threads([attempt(lambda: record_result(league.pk, 1, scores(1, 0), by="arbiter"))] * 2)
    assert sorted(answers) == ["Fixture 1 already has a result: game 1. Correct that game instead.", "done"]
    seats = FixtureSeat.objects.filter(fixture__number=2).order_by("seat")
    first, second = (seat.entry.players.get().player.handle for seat in seats)
    by_pad = NewGame([NewResult(first, 1), NewResult(second, 0)])
    # A pad and a link at once: both are recorded, one is for the fixture.
    recorded = in_threads([lambda: record_game(league.pk, by_pad, by="pad").fixture] * 2)
    assert sorted(recorded, key=str) == [2, None]
    assert Game.objects.count() == 3
    assert verify_league(league.pk).state == "is right"
