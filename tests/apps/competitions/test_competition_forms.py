"""Forms of a competition's settings: a format is asked for what it has."""

import pytest
from django.conf import settings

from league.apps.competitions.models import Competition
from league.apps.competitions.organiser.competition_templates import TEMPLATES
from league.apps.competitions.services.competitions import change_competition
from tests.helpers.builders import make_league
from tests.helpers.competition_builders import make_competition
from tests.helpers.desk_client import sign_in_member

pytestmark = pytest.mark.django_db


def test_founding_asks_for_what_the_template_has_and_ignores_what_was_entered_for_another() -> None:
    league = make_league("elo", game="Chess")
    browser = sign_in_member("arno", "arbiter", league)
    address = "/admin/leagues/club/competitions/+new/"
    form = browser.get(address).context["form"]
    shown = {name: getattr(field, "shown_for", "always") for name, field in form.fields.items()}
    assert shown["rounds"] == "asked for-swiss for-tables" and shown["venue"] == "always"
    assert shown["regulations"] == "asked for-round_robin for-swiss for-months"
    assert shown["tie_breaks"] == "asked for-round_robin for-swiss for-tables for-months for-free"
    titles = [(group.title, group.shown_for) for group in form.folded_groups]
    assert [title for title, _shown in titles] == [
        "Dates and place", "Teams and pairs", "Entries", "Points and tie-breaks", "Games", "Entry of results",
        "Deadlines and time zone", "Tournament report", "Web address",
    ]  # fmt: skip
    # Everything below a heading may be hidden, and then the heading is.
    assert [title for title, shown_for in titles if shown_for] == [
        "Points and tie-breaks",
        "Games",
        "Tournament report",
    ]
    # What is usual after a deadline is said by name.
    asking = {key for key, template in TEMPLATES.items() if template.settings.get("deadline_action") == "ask"}
    assert asking == {"months", "free"}
    assert "the organiser decides in fixtures over months and free fixtures" in form["deadline_action"].help_text
    assert form.fields["deadline_action"].choices[0] == ("", "As usual: it can still be played")
    sent = {"title": "Cup", "template": "cup", "rounds": "many", "tie_breaks": "NONE", "win": "3", "regulations": "on"}
    assert browser.post(address, {**sent, "template": "swiss"}).context["form"].errors.keys() == {"rounds"}
    assert browser.post(address, {**sent, "places": "x"}).status_code == 302
    made = Competition.objects.get()
    assert (made.format, made.rounds, made.points["win"], made.regulations) == ("knockout", None, 1, False)
    assert "NONE" not in made.tie_breaks


def test_each_template_has_a_rule_that_hides_what_it_does_not_ask_for() -> None:
    sheet = (settings.BASE_DIR / "league/static/rungs/desk.css").read_text()
    assert [key for key in TEMPLATES if f'[value="{key}"]:checked) .asked:not(.for-{key})' not in sheet] == []


def test_settings_ask_for_what_the_format_has_unless_something_is_stored() -> None:
    league = make_league("elo", game="Chess")
    browser = sign_in_member("arno", "arbiter", league)
    asked = ("win", "places", "tie_breaks", "teams", "regulations")
    for format_key, own in (("knockout", []), ("swiss", ["win", "tie_breaks", "teams", "regulations"])):
        Competition.objects.all().delete()
        make_competition(league, format_key, rounds=None if format_key == "knockout" else 3)
        form = browser.get("/admin/leagues/club/competitions/cup/settings/").context["form"]
        assert [name for name in asked if name in form.fields] == own
    change_competition(league.pk, "cup", {"points": {"places": [5, 3]}}, by="api")
    page = browser.get("/admin/leagues/club/competitions/cup/settings/")
    form = page.context["form"]
    assert form["places"].value() == "5 3"
    sent = {
        "title": "Cup", "rounds": "3", "win": "2", "draw": "1", "loss": "0", "places": "5 3", "rated": "on",
        "parameters-first_colour": "lot", "parameters-acceleration": "none", "once": page.context["once"],
    }  # fmt: skip
    browser.post("/admin/leagues/club/competitions/cup/settings/", sent)
    points = Competition.objects.get().points
    assert (points["win"], points["draw"], points["places"]) == (2, 1, [5, 3])
