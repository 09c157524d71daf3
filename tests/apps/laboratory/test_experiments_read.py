"""Questions of experiments, the games they read, progress and refusals."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from django.utils import translation

from league.apps.laboratory.services.questions import ExperimentQuestion, check_question
from league.apps.laboratory.services.read_games import read_games
from league.apps.laboratory.services.run import compute_report
from league.core.errors import Cancelled, Invalid, Refused
from league.core.games.services.record import void_game
from league.core.jobs.services.progress import ignore_progress
from league.core.leagues.typed_parameters import read_parameters
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.experiment_builders import club, question

pytestmark = pytest.mark.django_db


def test_questions_survive_json() -> None:
    for more in (
        {"warm_up_games": 0}, {"warm_up_games": 25, "draws": 77}, {"warm_up_share": 0.0}, {"warm_up_share": 0.5},
        {"first": date(2020, 1, 1)}, {"before": date(2020, 1, 1)}, {},
    ):  # fmt: skip
        one = question("elo", "glicko2", **more)
        assert ExperimentQuestion.from_json(one.to_json()) == one
    for until in ({"until_share": 0.3}, {"until": date(2024, 2, 1)}, {}):
        one = check_question([{"system": "elo", "parameters": {}, "fit": ["k", "scale", "k"]}], **until)
        assert one.candidates[0].fit == ("k", "scale")
        assert ExperimentQuestion.from_json(one.to_json()) == one
    assert question().count_warm_up_games(60) == 12
    assert question(warm_up_games=7).count_warm_up_games(60) == 7
    assert question(warm_up_share=0.5).count_warm_up_games(61) == 30


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("k=40", {"k": 40}),
        (" k = 40 , scale=400.5", {"k": 40, "scale": 400.5}),
        ("tau = 0,5; start = −20", {"tau": 0.5, "start": -20}),
        ("tau=0,5,model=bradley_terry", {"tau": 0.5, "model": "bradley_terry"}),
        ("winner = lowest total=0", {"winner": "lowest", "total": 0}),
        ("k=inf, scale=nan, start=1e999", {"k": "inf", "scale": "nan", "start": "1e999"}),
    ],
)
def test_typed_parameters_are_parsed(text: str, found: dict[str, float | str]) -> None:
    assert read_parameters("elo", text) == found


def test_words_that_look_like_numbers_are_words_and_invalid_text_is_refused() -> None:
    # What looks like a number is a word where the system wants one.
    assert read_parameters("preferans", "intermediate_decimals = 3") == {"intermediate_decimals": "3"}
    assert read_parameters("no_such", "intermediate_decimals = 3") == {"intermediate_decimals": 3}
    for text in ("k", "40", "k=", "k==4", "k=4 scale", "=4"):
        with pytest.raises(ValueError, match="contains no parameters"):
            read_parameters("elo", text)


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(Invalid) as raised:
        check_question(
            [{"system": "x", "parameters": {}}, {"system": "elo", "parameters": {"k": 1e9}}],
            first=date(2024, 2, 1),
            before=date(2024, 1, 1),
            draws=1,
        )
    assert [one.pointer for one in raised.value.problems] == [
        "/candidates/0/system", "/candidates/1/parameters/k", "/to", "/draws",
    ]  # fmt: skip


@pytest.mark.parametrize(("fit", "phase"), [([], "computing"), (["k"], "fitting")])
def test_an_experiment_reports_progress_and_can_be_cancelled(fit: list[str], phase: str) -> None:
    league = club()
    requested = check_question(
        [{"system": "elo", "parameters": {}, "fit": fit}, {"system": "glicko2", "parameters": {}}], draws=50
    )
    heard: list[tuple[str, int, int]] = []

    def listen(what: str, done: int, total: int) -> None:
        heard.append((what, done, total))

    compute_report(league, requested, listen)
    shares = [done / total for _, done, total in heard]
    assert heard[0] == ("reading the games", 0, 1000)
    assert {what for what, _, _ in heard[1:]} == {phase}
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(set(shares)) > 3

    def stop(what: str, done: int, total: int) -> None:
        if done > 200:
            raise Cancelled("Cancelled by olga. Nothing was saved.")

    with pytest.raises(Cancelled):
        compute_report(league, requested, stop)


def test_rated_games_are_read_by_days_of_the_league() -> None:
    league = make_league("durak", players=("dan", "anna", "ben", "cleo"), time_zone="Europe/Belgrade")
    late = datetime(2024, 3, 30, 22, 30, tzinfo=UTC)  # 23:30 on the day before clocks go forward
    order = (("ben", "anna", "dan"), ("anna", "cleo", "ben"), ("dan", "anna", "cleo"))
    for people, hours in zip(order, (0, 1, 24), strict=True):
        record(league, sheet(people, places=(1, 2, 3), played_at=late + timedelta(hours=hours)))
    record(league, sheet(("anna", "ben"), places=(1, 2), played_at=late + timedelta(minutes=30)))
    void_game(league.pk, 4, reason="a friendly", username="test")
    played = read_games(league, question("durak")).played
    assert played.offsets.tolist() == [0, 3, 6, 9]
    assert played.count == 4
    names = {0: "dan", 1: "anna", 2: "ben", 3: "cleo"}  # in the order in which they were added
    assert [names[one] for one in played.players.tolist()] == [one for people in order for one in people]
    assert played.places.tolist() == [1, 2, 3] * 3
    assert np.isnan(played.scores).all()
    assert played.weights.tolist() == [1, 1, 1]
    # 23:30 on the 30th; 0:30 on the 31st; 24 hours after the first it is 0:30 on 1 April by summer time.
    thirtieth = (date(2024, 3, 30) - date(1970, 1, 1)).days
    assert played.evenings.tolist() == [thirtieth, thirtieth + 1, thirtieth + 2]
    assert played.days[0] == pytest.approx(thirtieth + 22.5 / 24)
    assert not played.lowest_wins


def test_spans_are_days_in_the_leagues_time_zone() -> None:
    league = make_league(time_zone="Europe/Belgrade")
    midnight = datetime(2024, 3, 4, 23, tzinfo=UTC)  # 0:00 on 5 March in Belgrade
    for number, at in enumerate((midnight - timedelta(seconds=1), midnight, midnight + timedelta(days=1))):
        record(league, sheet(("anna", "ben"), (number, 0.5), played_at=at))
    span = question(first=date(2024, 3, 5), before=date(2024, 3, 6))
    assert read_games(league, span).played.scores.tolist() == [1, 0.5]
    assert read_games(league, question(first=date(2024, 3, 5))).played.scores.tolist() == [1, 0.5, 2, 0.5]
    assert read_games(league, question(before=date(2024, 3, 5))).played.scores.tolist() == [0, 0.5]
    assert len(read_games(league, question(first=date(2030, 1, 1))).played.players) == 0


def test_game_fields_and_lowest_score_wins_are_read() -> None:
    league = make_league("preferans", ("pedja", "marko", "johnny"), parameters={"winner": "lowest"})
    for number, bula in enumerate((30, 45)):
        record(league, sheet(("pedja", "marko", "johnny"), (-500, 40, 460), minutes=number, details={"bula": bula}))
    assert read_games(league, question("preferans")).played.fields["bula"].tolist() == [30, 45]
    played = read_games(league, question("elo")).played
    assert dict(played.fields) == {}
    assert played.lowest_wins


def test_refusals_are_in_the_requesters_language() -> None:
    league = club(3)
    with translation.override("de"), pytest.raises(Refused) as raised:
        compute_report(league, question(), ignore_progress)
    with pytest.raises(Refused) as plain:
        compute_report(league, question(), ignore_progress)
    assert raised.value.problems[0].code == plain.value.problems[0].code == "unjudgeable"
