"""Fitted parameters over the API, on the organiser's form and on the experiment's page."""

import math
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from league import tasks
from league.apps.laboratory.services import run
from league.apps.laboratory.services.questions import check_question
from league.apps.laboratory.services.run import compute_report
from league.core.accounts.services.members import set_member
from league.models import Game, Job, League
from ratings.registry import get_system
from tests.helpers.api_client import Api
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import browser_of, ok_text
from tests.helpers.experiment_builders import club, made, question
from tests.helpers.experiment_builders import question_fields as form_of
from tests.helpers.ladder_builders import tables, utc
from tests.helpers.notice_builders import member
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

CLUB = "leagues/club/experiments/"
PAGE = "/leagues/club/laboratory/"
FORM = "/admin/leagues/club/laboratory/"
SLOW = {"system": "elo", "parameters": {"k": 1}, "fit": ["k"]}


def build() -> None:
    """Create a league of 160 games whose better players win four of five, and its organiser."""
    member(club(160), "olga", "organiser")


built = built_once(build)


def run_experiment(body: dict[str, Any]) -> dict[str, Any]:
    """Request an experiment, run its job, and return the experiment."""
    answer = Api("organise", name=str(uuid4())).post(CLUB, body)
    assert answer.status_code == 202, answer.data
    assert tasks.job(answer.data["id"])
    found: dict[str, Any] = Api().get(CLUB + answer.data["id"] + "/").data
    return found


def log_losses(k: float) -> list[float]:
    """Return the log loss of each game of the league under Elo with this K, computed with dictionaries."""
    rating: dict[str, float] = {}
    found = []
    for game in Game.objects.order_by("played_at").prefetch_related("results__player"):
        one, other = sorted(game.results.all(), key=lambda result: result.seat)
        mine, theirs = (rating.get(result.player.handle, 1500.0) for result in (one, other))
        chance = 1 / (1 + 10 ** ((theirs - mine) / 400))
        came = float((one.score or 0) > (other.score or 0))
        found.append(-math.log(chance if came else 1 - chance))
        rating[one.player.handle] = mine + k * (came - chance)
        rating[other.player.handle] = theirs - k * (came - chance)
    return found


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


@pytest.mark.slow("Fits twice.")
def test_the_api_fits_parameters_and_compares_on_later_games() -> None:
    left_out = ("Job", "Token")
    before = tables(*left_out)
    result = run_experiment({"candidates": [SLOW, {"system": "glicko2"}], "until_share": 0.5, "draws": 100})
    assert tables(*left_out) == before
    assert [one["fit"] for one in result["candidates"]] == [["k"], []]
    assert (result["until"], result["until_share"]) == (None, 0.5)
    report = result["report"]
    assert (report["games"], report["warm_up"], report["judged"]) == (160, 80, 80)
    (one,) = report["fits"]
    found = one["found"]
    assert (one["key"], one["why_not"], found["measure"]) == ("elo", None, "log_loss")
    # A fifth of the 80 earlier games is warm-up.
    assert (found["until"], found["warm_up"]) == (80, 16)
    (k,) = found["fitted"]
    assert (k["parameter"], k["before"]) == ("k", 1)
    grid = {value: mean(log_losses(value)[16:80]) for value in (1, *range(10, 400, 10))}
    assert abs(k["after"] - min(grid, key=grid.__getitem__)) <= 10
    assert found["earlier_before"] == pytest.approx(grid[1], rel=1e-9)
    assert found["earlier_after"] == pytest.approx(mean(log_losses(k["after"])[16:80]), rel=1e-9)
    gain = mean(log_losses(k["after"])[80:]) - mean(log_losses(1)[80:])
    assert found["later"]["value"] == pytest.approx(gain, rel=1e-9)
    assert found["later"]["low"] < gain < found["later"]["high"]
    # The fitted system is among the systems, all evaluated on the same later games.
    keys = [(one["key"], one["parameters"].get("k")) for one in report["measured"] if not one["baseline"]]
    assert keys == [("elo", 1), ("elo", k["after"]), ("glicko2", None)]
    measured = {one["parameters"].get("k"): one for one in report["measured"] if one["key"] == "elo"}
    assert measured[k["after"]]["log_loss"]["value"] == pytest.approx(mean(log_losses(k["after"])[80:]), rel=1e-9)


def test_the_earlier_games_may_end_on_a_day() -> None:
    # Two games a day from 1 January 2024 on: 40 before the 21st.
    result = run_experiment({"candidates": [SLOW], "until": "2024-01-21", "warm_up_games": 10})
    assert (result["until"], result["until_share"]) == ("2024-01-21", None)
    (one,) = result["report"]["fits"]
    assert (one["found"]["until"], one["found"]["warm_up"], result["report"]["judged"]) == (40, 10, 120)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("body", "pointer", "code", "sentence"),
    [
        ({"candidates": [{**SLOW, "fit": ["tau"]}]}, "/candidates/0/fit", "invalid", "“tau” is not a numeric"),
        ({"candidates": [{**SLOW, "fit": ["k", "scale", "start", "tie"]}]}, "/candidates/0/fit", "max_length", "3"),
        ({"candidates": [{**SLOW, "fit": "k"}]}, "/candidates/0/fit", "not_a_list", ""),
        ({"candidates": [SLOW], "until": "2024-02-01", "until_share": 0.5}, "/until_share", "not_together", "not both"),
        ({"candidates": [{"system": "elo"}], "until_share": 0.5}, "/until_share", "not_together", "No parameters"),
        ({"candidates": [{"system": "elo"}], "until": "2024-02-01"}, "/until", "not_together", "No parameters"),
        ({"candidates": [SLOW], "until_share": 0.95}, "/until_share", "max_value", ""),
        ({"candidates": [SLOW], "from": "2024-02-01", "until": "2024-02-01"}, "/until", "out_of_bounds", "within"),
        ({"candidates": [SLOW], "to": "2024-02-01", "until": "2024-02-01"}, "/until", "out_of_bounds", "within"),
        (
            {"candidates": [{"system": "elo", "parameters": {"k": k}, "fit": ["k"]} for k in (1, 2, 3, 4)]},
            "/candidates", "too_many", "you chose 8, as a fitted system counts twice",
        ),
        ({"candidates": [SLOW, {**SLOW, "fit": []}]}, "/candidates/1", "twice", "is listed twice"),
    ],
)  # fmt: skip
def test_invalid_fits_are_refused(body: dict[str, Any], pointer: str, code: str, sentence: str) -> None:
    answer = Api("organise").post(CLUB, body)
    assert answer.status_code == 400, answer.data
    assert [(one["pointer"], one["code"]) for one in answer.data["errors"]] == [(pointer, code)]
    assert sentence in answer.data["errors"][0]["detail"]
    assert not Job.objects.exists()


def test_a_question_without_fits_has_no_earlier_games() -> None:
    stored = question("elo").to_json()
    job = Job.objects.create(
        league=League.objects.get(), kind="compare", asked_at=utc("2024-01-01"), arguments={"question": stored}
    )
    result = Api().get(f"{CLUB}{job.pk}/").data
    assert (result["candidates"][0]["fit"], result["until"], result["until_share"]) == ([], None, None)


def test_a_failed_fit_is_reported_with_the_others() -> None:
    preferans = {"system": "preferans", "fit": ["magic_number"]}
    result = run_experiment({"candidates": [{"system": "elo"}, preferans]})
    (one,) = result["report"]["fits"]
    assert one["found"] is None
    assert "3 players" in one["why_not"]["sentence"]
    assert [one["key"] for one in result["report"]["refused"]] == ["preferans"]
    assert "elo" in {one["key"] for one in result["report"]["measured"]}


@long_way
@pytest.mark.parametrize("before", [True, False], ids=["before it", "after it"])
def test_a_fitted_system_among_the_candidates_is_listed_once(before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"parameters": get_system("elo").whole({"k": 40})}
    monkeypatch.setattr(run, "_fit_candidate", lambda *arguments, **options: {"found": found})
    fitted, other = {"system": "elo", "parameters": {"k": 1}, "fit": ["k"]}, {"system": "elo", "parameters": {"k": 40}}
    requested = check_question([other, fitted] if before else [fitted, other], draws=50)
    result = compute_report(League.objects.get(), requested, lambda what, done, total: None)["measured"]
    assert [one["parameters"]["k"] for one in result if not one["baseline"]] == ([40, 1] if before else [1, 40])


@long_way
def test_a_system_without_probabilities_is_fitted_by_its_predictions() -> None:
    league = make_league("durak", ("p1", "p2", "p3", "p4"), slug="rank")
    for number in range(120):
        four = [f"p{1 + (seat + number) % 4}" for seat in range(4)]
        order = sorted(range(4), key=lambda seat: (int(four[seat][1]) * 7 + number * 3) % 11)
        record(league, sheet(four, places=[1 + order.index(seat) for seat in range(4)], minutes=720 * number))
    one = check_question([{"system": "durak", "parameters": {}, "fit": ["inflation"]}], draws=50)
    (fit,) = compute_report(league, one, lambda what, done, total: None)["fits"]
    assert fit["found"]["measure"] in ("score_error", "order_accuracy")


@pytest.mark.parametrize(
    ("more", "pointer"),
    [({"to": "2024-01-21", "until_share": 0.5}, "/to"), ({"until": "2050-01-01"}, "/until")],
)
def test_too_few_games_fail_the_job_with_a_pointer(more: dict[str, Any], pointer: str) -> None:
    result = run_experiment({"candidates": [SLOW], "draws": 50, **more})
    assert (result["state"], result["report"], result["problem"]["status"]) == ("failed", None, 422)
    assert [one["pointer"] for one in result["problem"]["errors"]] == [pointer]


def test_an_organiser_cancels_an_experiment_over_the_api() -> None:
    api = Api("organise")
    requested = api.post(CLUB, {"candidates": [SLOW]}).data["id"]
    address = f"{CLUB}{requested}/cancel/"
    assert Api("record", name="rita").post(address, None).status_code == 403
    answer = api.post(address, None)
    assert answer.status_code == 200, answer.data
    assert (answer.data["state"], answer.data["problem"]["code"]) == ("failed", "cancelled")
    again = api.post(address, None)
    assert (again.status_code, again.data["code"]) == (409, "conflict")
    assert "has already ended" in again.data["detail"]
    runs = api.post(CLUB, {"candidates": [SLOW]}).data["id"]
    Job.objects.filter(pk=runs).update(state="running")
    result = api.post(f"{CLUB}{runs}/cancel/", None)
    assert (result.status_code, result.data.get("state")) == (200, "running"), result.data
    assert Job.objects.get(pk=runs).cancelled_by == "server-7"
    assert api.post(f"{CLUB}{uuid4()}/cancel/", None).status_code == 404
    make_league(slug="other")
    assert api.post(f"leagues/other/experiments/{runs}/cancel/", None).status_code == 404


def test_the_page_shows_values_gain_and_warning_and_links_to_a_rule() -> None:
    browser = browser_of("olga")
    requested = check_question([SLOW, {"system": "glicko2", "parameters": {}}], draws=100, until_share=0.25)
    job = made(requested, League.objects.get())
    assert job.result
    (fit,) = job.result["fits"]
    k, later = fit["found"]["fitted"][0]["after"], fit["found"]["later"]
    answer = browser.get(f"{PAGE}{job.pk}/")
    text = ok_text(answer)
    assert "Fitted parameters" in text
    assert "Earlier games 40 Games evaluated 120" in text
    assert f"Parameter Before Fitted K 1 {k:g} Prediction error (log loss) on the earlier games: " in text
    gain = f"{-later['value']:+.4f} ({-later['high']:+.4f} – {-later['low']:+.4f})".replace("-", "−")
    assert f"Gain on the later games: {gain}." in text
    for sentence in fit["found"]["sentences"]:
        # Of two systems by Elo, the fitted one is the second.
        assert sentence["sentence"].replace("Elo, K = 1”", "Elo A”") in answer.content.decode()
    assert f"Elo A K = 1 {100 * job.result['measured'][0]['order_accuracy']['value']:.1f}" in text
    assert "Games used for fitting 25%" in text
    assert "Elo, K = 1 (fitted: K)" in text
    acts = [one for entrant in answer.context["entrants"] for one in entrant["acts"]]
    (act,) = [one for one in acts if f"parameters_k={k:g}" in one.address]
    assert act.label == "Preview as the league's rule"
    form = browser.get(act.address.partition("#")[0]).context["form"]
    assert float(form["parameters_k"].value()) == k
    assert "as a rule" not in ok_text(Client().get(f"{PAGE}{job.pk}/"))


@long_way
def test_the_page_calls_a_random_gain_noise() -> None:
    league = make_league(slug="luck")
    pairs = (("anna", "ben"), ("cleo", "dan"), ("anna", "cleo"), ("ben", "dan"))
    # Who wins says nothing of who is better: the digits of pi, odd or even.
    pi = "1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"
    for number, digit in enumerate(pi):
        record(league, sheet(pairs[number % 4], (int(digit) % 2, 1 - int(digit) % 2), minutes=720 * number))
    job = made(check_question([{"system": "elo", "parameters": {"k": 3}, "fit": ["k"]}]), league)
    set_member(league.pk, "olga", "organiser")
    answer = browser_of("olga").get(f"/leagues/luck/laboratory/{job.pk}/")
    text = ok_text(answer)
    # What is noise is not offered as a rule; K = 3, which was asked about, is.
    acts = {entrant["row"].label: [act.label for act in entrant["acts"]] for entrant in answer.context["entrants"]}
    assert acts.pop("Elo, K = 3") == ["Preview as the league's rule"]
    assert list(acts.values()) in ([], [[]])
    assert job.result
    assert not job.result["fits"][0]["found"]["later"] or not job.result["fits"][0]["found"]["later"]["better"]
    assert "On later games the gain could be chance" in text or "predict the earlier games best" in text


def test_the_form_takes_the_parameters_to_fit() -> None:
    browser = browser_of("olga")
    page = browser.get(FORM)
    assert page.context["form"]["until_share"].value() == 50
    assert "Fit to the earlier games K" in ok_text(page)
    data = form_of(fit_1=["k", "scale"], until_share="40")
    assert browser.post(FORM, data).status_code == 302
    stored = Job.objects.get(state="waiting").arguments["question"]
    assert [one["fit"] for one in stored["candidates"]] == [["k", "scale"], []]
    assert (stored["until"], stored["until_share"]) == (None, 0.4)
    assert browser.post(FORM, form_of(fit_2="tau", until="2024-02-01", until_share="40")).status_code == 302
    stored = Job.objects.filter(state="waiting").latest("asked_at").arguments["question"]
    assert (stored["until"], stored["until_share"]) == ("2024-02-01", None)
    # Without a fit the share that the form offers says nothing.
    assert browser.post(FORM, form_of(until_share="50")).status_code == 302
    assert Job.objects.filter(state="waiting").latest("asked_at").arguments["question"]["until_share"] is None


@pytest.mark.parametrize(
    ("more", "field", "sentence"),
    [
        ({"fit_1": "margin"}, "fit_1", "margin is not one of the available choices"),
        ({"fit_2": "tau", "until_share": "99"}, "until_share", "90"),
        ({"fit_2": "tau", "first": "2024-03-01", "until": "2024-02-01"}, "until", "within the chosen dates"),
        ({"until": "2024-02-01"}, "until", "No parameters"),
    ],
)
def test_invalid_fits_are_shown_at_the_field(more: dict[str, str], field: str, sentence: str) -> None:
    answer = browser_of("olga").post(FORM, form_of(**more))
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [field]
    assert sentence in str(answer.context["form"].errors)
    assert not Job.objects.exists()
