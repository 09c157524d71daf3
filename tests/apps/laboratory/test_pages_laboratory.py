"""The laboratory's public pages, and the organiser's form for a new experiment."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from league.apps.laboratory.organiser.parameter_fields import list_parameter_values
from league.apps.laboratory.services.questions import check_question
from league.core.accounts.services.members import set_member
from league.models import Job, League
from league.web.public.user_actions import PageAction
from ratings.registry import get_system
from tests.helpers.builders import make_league
from tests.helpers.desk_client import browser_of, ok_text
from tests.helpers.experiment_builders import club, made, question, question_fields
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

PAGE = "/leagues/club/laboratory/"
FORM = "/admin/leagues/club/laboratory/"


def build() -> None:
    """Create a league with an experiment of three systems, one of which cannot rate its games, and an organiser."""
    league = club(120)
    candidates = [("elo", {"k": 40}), ("glicko2", {}), ("preferans", {})]
    made(check_question([{"system": key, "parameters": given} for key, given in candidates]), league)
    User.objects.create_user("olga")
    set_member(league.pk, "olga", "organiser")


built = built_once(build)


def experiment() -> Job:
    return Job.objects.get(kind="compare", state="done")


@long_way
def test_the_rules_page_leads_to_experiments(client: Client) -> None:
    assert f'href="{PAGE}"' in client.get("/leagues/club/how/").content.decode()
    listed = client.get(PAGE)
    assert "Glicko-2 and Elo cannot be told apart Elo · Glicko-2 · Preferans · " in ok_text(listed)
    assert f'href="{PAGE}{experiment().pk}/"' in listed.content.decode()
    assert FORM not in listed.content.decode()
    assert f'href="{FORM}"' in browser_of("olga").get(PAGE).content.decode()
    assert f'href="{PAGE}"' in browser_of("olga").get("/admin/leagues/club/rules/").content.decode()


def test_a_report_has_intervals_sentences_and_plots(client: Client) -> None:
    job = experiment()
    answer = client.get(f"{PAGE}{job.pk}/")
    text = ok_text(answer)
    report = job.result
    assert report
    for fact in ("Games evaluated 96", "Warm-up 24", "Players 4"):
        assert fact in text
    found = {one["key"]: one for one in report["measured"]}
    elo = found["elo"]["log_loss"]
    assert f"{elo['value']:.4f} {elo['low']:.4f} – {elo['high']:.4f}" in text
    order = found["glicko2"]["order_accuracy"]
    assert f"{100 * order['value']:.1f} {100 * order['low']:.1f} – {100 * order['high']:.1f}" in text
    # Always even promises ½ of each game: ln 2.
    assert "Always even 50.0" in text
    assert "0.6931" in text
    assert text.count("“Points per game” does not give win probabilities, so it has no log loss") == 1
    assert "Games before the time of the experiment" in text
    assert "Preferans rates games of 3 players; 120 games have another number." in text
    assert "<h1>Glicko-2 and Elo cannot be told apart</h1>" in answer.content.decode()
    for difference in report["differences"]:
        # Sentences have the short names; the full ones are in the systems' details.
        assert difference["sentence"]["sentence"].replace("Elo, K = 40", "Elo").replace("'", "&#x27;") in text
    assert "Elo Elo, K = 40" in text
    html = answer.content.decode()
    # The order of two systems and two baselines; two errors of the systems and one baseline.
    assert html.count('<svg class="interval"') == 10
    assert html.count('<svg class="plot') >= 2
    assert html.count("<table") >= 4, "each plot has a table"
    assert "style=" not in html


def test_a_report_needs_few_queries(client: Client, django_assert_num_queries: Any) -> None:
    name = experiment().pk
    client.get(PAGE)
    with django_assert_num_queries(4):
        assert client.get(f"{PAGE}{name}/").status_code == 200


def test_tables_are_available_as_files(client: Client) -> None:
    name = experiment().pk
    page = client.get(f"{PAGE}{name}/").content.decode()
    for table in ("measures", "calibration", "inflation"):
        assert f"table={table}&amp;format=csv" in page
        rows = list(csv.DictReader(StringIO(client.get(f"{PAGE}{name}/?table={table}&format=csv").content.decode())))
        assert {"Elo, K = 40", "Glicko-2"} <= {row["label"] for row in rows}
    result = client.get(f"{PAGE}{name}/?table=measures&format=json").json()["results"]
    assert [row["log_loss"] for row in result if row["label"] == "Always even"] == [pytest.approx(0.6931471805599453)]


def test_a_running_experiment_shows_its_progress(client: Client) -> None:
    league = League.objects.get(slug="club")
    stored = {"question": question("elo", "glicko2").to_json()}
    more = {"state": "running", "done": 420, "total": 1000, "phase": "computing", "arguments": stored}
    job = Job.objects.create(league=league, kind="compare", asked_by="olga", asked_at=timezone.now(), **more)
    page = client.get(f"{PAGE}{job.pk}/").content.decode()
    assert '<progress max="100" value="42">' in page
    assert "rungs/jobs" in page
    assert "<noscript>" in page
    part = client.get(f"{PAGE}{job.pk}/?part=1").content.decode()
    assert part.lstrip().startswith('<div class="findings" data-open="yes">')
    assert "<html" not in part
    assert "/jobs/" not in part, "strangers cancel nothing"
    assert f"/admin/leagues/club/jobs/{job.pk}/" in browser_of("olga").get(f"{PAGE}{job.pk}/").content.decode()
    Job.objects.filter(pk=job.pk).update(state="failed", ended_at=timezone.now(), problem={"detail": "Too few games."})
    assert "No result. Too few games." in ok_text(client.get(f"{PAGE}{job.pk}/"))


def test_missing_experiments_are_explained(client: Client) -> None:
    for name in ("x", "7", "00000000-0000-0000-0000-000000000000", "a" * 300):
        assert client.get(f"{PAGE}{name}/").status_code == 404
    make_league(slug="other")
    assert client.get(f"/leagues/other/laboratory/{experiment().pk}/").status_code == 404
    assert "No experiments yet. Organisers choose systems" in ok_text(client.get("/leagues/other/laboratory/"))


@pytest.mark.parametrize(("language", "words"), [("de", "Labor"), ("ru", "Лаборатория"), ("sr", "Лабораторија")])
def test_a_report_is_in_the_readers_language(client: Client, language: str, words: str) -> None:
    page = client.get(f"{PAGE}{experiment().pk}/?lang={language}").content.decode()
    assert words in page
    assert "cannot be told apart" not in page
    assert "0,6931" in page


def test_the_form_compares_the_leagues_own_rule_with_another_system() -> None:
    form = browser_of("olga").get(FORM).context["form"]
    assert [form[f"system_{number}"].value() for number in range(1, 7)] == ["elo", "glicko2", *[None] * 4]
    assert (form["1-elo-k"].value(), form["2-glicko2-tau"].value(), form["warm_up"].value()) == (20, 0.5, 20)
    assert "1-glicko2-tau" not in form.fields


def test_the_form_shows_the_parameters_of_the_chosen_systems_without_starting() -> None:
    data = question_fields(system_3="weng_lin", **{"1-elo-k": "24", "_show": "1"})
    answer = browser_of("olga").post(FORM, data)
    form = answer.context["form"]
    assert (form["1-elo-k"].value(), form["3-weng_lin-kappa"].value(), form["draws"].value()) == ("24", 0.0001, "60")
    assert not form.errors
    assert "Parameters of Weng–Lin" in ok_text(answer)
    assert not Job.objects.filter(state="waiting").exists()


def list_elo_fields(number: int = 1) -> dict[str, Any]:
    """Return the fields of Elo's parameters as a browser sends them."""
    return list_parameter_values(number, "elo", get_system("elo").whole({}))


def test_the_form_creates_one_experiment_and_redirects_to_it() -> None:
    browser = browser_of("olga")
    data = question_fields(first="2024-01-05", once="a" * 32, **{**list_elo_fields(), "1-elo-k": "24"})
    answers = [browser.post(FORM, data) for _ in range(2)]
    job = Job.objects.get(kind="compare", state="waiting")
    assert [one["Location"] for one in answers] == [f"{PAGE}{job.pk}/"] * 2
    stored = job.arguments["question"]
    assert [(one["system"], one["parameters"].get("k")) for one in stored["candidates"]] == [
        ("elo", 24),
        ("glicko2", None),
    ]
    # The fields of Glicko-2 were not sent: it has its defaults.
    assert stored["candidates"][1]["parameters"] == get_system("glicko2").whole({})
    assert (stored["from"], stored["to"], stored["warm_up_share"], stored["draws"]) == ("2024-01-05", None, 0.2, 60)
    assert job.asked_by == "olga"


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("more", "field", "sentence"),
    [
        ({**list_elo_fields(), "1-elo-k": "900"}, "1-elo-k", "400"),
        ({**list_elo_fields(), "1-elo-k": "forty"}, "1-elo-k", "Enter a number."),
        ({"system_2": "elo"}, "system_2", "Elo is listed twice."),
        ({"system_1": "", "system_2": ""}, None, "An experiment compares 1 to 6 systems; you chose 0."),
        ({"first": "2024-05-02", "before": "2024-05-01"}, "before", "dates end before they begin"),
        ({"first": "1066-10-14"}, "first", "Dates must be from 1800-01-01"),
        ({"warm_up": "95"}, "warm_up", ""),
        ({"draws": "1"}, "draws", ""),
        ({"system_1": "chess"}, "system_1", ""),
    ],
)
def test_form_errors_are_shown_at_the_field(more: dict[str, str], field: str | None, sentence: str) -> None:
    before = Job.objects.count()
    answer = browser_of("olga").post(FORM, question_fields(**more))
    assert answer.status_code == 200
    errors = answer.context["form"].errors
    assert list(errors) == [field or "__all__"]
    assert sentence in str(errors)
    assert "The experiment was not started." in answer.content.decode()
    assert Job.objects.count() == before


def test_the_job_page_links_to_the_experiment() -> None:
    job = experiment()
    page = browser_of("olga").get(f"/admin/leagues/club/jobs/{job.pk}/").content.decode()
    assert f'href="{PAGE}{job.pk}/"' in page
    assert "<h1>Experiment</h1>" in page
    assert "Result" not in page  # its sentences are on its own page
    assert "&#x27;sentence&#x27;" not in page


def list_acts(answer: Any) -> list[PageAction]:
    """Return the actions of all systems of a report."""
    return [act for entrant in answer.context["entrants"] for act in entrant["acts"]]


def test_an_organiser_previews_a_tested_system_as_a_rule() -> None:
    browser, address = browser_of("olga"), f"{PAGE}{experiment().pk}/"
    act, *others = list_acts(browser.get(address))
    assert act.label == "Preview as the league's rule"
    assert [one.label for one in others] == ["Adopt from …", "Show as a second board"]
    assert "Preview as the league&#x27;s rule : Elo" in ok_text(browser.get(address))
    # Strangers adopt nothing.
    assert list_acts(Client().get(address)) == []
    other = others[0]
    assert browser.get(other.address.partition("#")[0]).context["asked"].key != "elo"
    page = browser.get(act.address.partition("#")[0])
    form = page.context["form"]
    assert form["parameters_k"].value() == "40"
    data = {name: form[name].value() for name in form.fields}
    shown = browser.post("/admin/leagues/club/rules/", {**data, "from_date": "2024-01-01"})
    assert shown.context["tried"].diff.ratings
    assert League.objects.get(slug="club").rules.count() == 1


def test_the_current_rule_is_not_suggested() -> None:
    made(check_question([{"system": "elo", "parameters": {}}]), League.objects.get(slug="club"))
    newest = Job.objects.filter(kind="compare").latest("asked_at")
    answer = browser_of("olga").get(f"{PAGE}{newest.pk}/")
    assert list_acts(answer) == []
    assert "Elo the league's rule" in ok_text(answer)


def test_an_empty_laboratory_shows_an_example(client: Client) -> None:
    make_league(slug="other")
    text = ok_text(client.get("/leagues/other/laboratory/"))
    assert "An example of a result Glicko-2 predicts better than Elo" in text
    assert "Elo 61.2 59.8 – 62.6" in text
