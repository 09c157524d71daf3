"""A new league in two steps, and the first page of the admin site."""

import random
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.core.errors import Invalid
from league.core.games.services.record import correct_game, void_game
from league.core.ladders.services import ladders as ladders_service
from league.core.leagues.services import templates
from league.core.leagues.services.leagues import create_league
from league.core.leagues.services.templates import TEMPLATES, create_from_template
from league.core.permissions import Viewer
from league.core.verify.run import verify_league
from league.models import Game, Ladder, LadderRule, League, LogEntry, Membership, RequestKey, Rule
from league.web.organiser import create_league as founding
from league.web.organiser.selectors import find_free_slug, load_own_leagues
from ratings.registry import load_systems
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.desk_client import ONCE_KEY, sign_in_member
from tests.helpers.founding import NEW, first_step, second_step
from tests.helpers.tiers import long_way, mark_slow

pytestmark = pytest.mark.django_db


@pytest.fixture
def fay(client: Client) -> Client:
    """Return the browser of somebody who may found leagues and is no staff."""
    user = User.objects.create_user("fay")
    user.user_permissions.add(Permission.objects.get(codename="add_league"))
    client.force_login(user)
    return client


@long_way
def test_two_steps_make_a_league_with_rule_ladders_and_owner(fay: Client) -> None:
    page = fay.post(NEW, first_step())
    text = page.content.decode()
    assert "not created yet" in text
    assert "Ladder of the month</b> starts again every month." in text
    assert not League.objects.exists()
    done = fay.post(NEW, second_step(page, make="1", once=ONCE_KEY), follow=True)
    assert done.redirect_chain == [("/admin/leagues/thursday-club/", 302)]
    league = League.objects.get()
    assert (league.title, league.game, league.time_zone, league.min_games) == (
        "Thursday club", "Barbu", "Europe/Belgrade", 3,
    )  # fmt: skip
    rule = Rule.objects.get()
    assert (rule.system, rule.parameters["demand_total"], rule.parameters["half_life"]) == ("barbu", "yes", 100)
    ranked = LadderRule.objects.order_by("ladder__slug").values_list("ladder__slug", "method", "cadence")
    assert list(ranked) == [("month", "erf_mean", "month"), ("zester", "best_scores", "year")]
    assert [(one.user.get_username(), one.role) for one in Membership.objects.all()] == [("fay", "owner")]
    kinds = ["league.created", "rule.adopted", *2 * ["ladder.created", "ladder.rule_adopted"]]
    assert list(LogEntry.objects.order_by("position").values_list("kind", flat=True)) == kinds
    assert set(LogEntry.objects.values_list("by", flat=True)) == {"fay"}
    assert verify_league(league.pk).differences == []
    text = done.content.decode()
    assert "No games yet. Start here:" in text
    assert [text.count(word) for word in (">Add people<", ">Record a game<", ">Import<")] == [1, 1, 1]
    # The public page offers the same three to the owner, and to nobody else.
    public = "/leagues/thursday-club/"
    offered = [fay.get(public).content.decode(), Client().get(public).content.decode()]
    assert [[text.count(word) for word in (">Add people<", ">Record<", ">Import<")] for text in offered] == [
        [1, 1, 1], [0, 0, 0],
    ]  # fmt: skip
    # Nothing that is empty.
    for part in ("Decisions due", "Data check", "No competition is running.", "No reports", ">0<"):
        assert part not in text


@pytest.mark.parametrize(
    "template", mark_slow(TEMPLATES, "Another template.", but=[*TEMPLATES][:2]), ids=lambda one: one.key
)
def test_every_template_makes_what_it_says(fay: Client, template: templates.Template) -> None:
    page = fay.post(NEW, first_step(template=template.key, game="Something"))
    assert template.title in page.content.decode()
    fay.post(NEW, second_step(page, make="1"))
    league = League.objects.get()
    assert (league.game, Rule.objects.get().system) == ("Something", template.system)
    assert [one.slug for one in Ladder.objects.order_by("pk")] == [plan.slug for plan in template.ladders]


@pytest.mark.parametrize(
    "system", mark_slow(sorted(load_systems()), "The code is one for all.", but=["elo", "preferans"])
)
def test_a_league_begins_with_any_rating_system_alone(fay: Client, system: str) -> None:
    assert f'href="{NEW}?template=system-{system}"' in fay.get(NEW).content.decode()
    page = fay.post(NEW, first_step(template=f"system-{system}", title="Odd club"))
    said = page.content.decode()
    assert load_systems()[system].title in said
    assert "None yet. You can create a ladder for each week" in said
    assert '<details class="gap" open>' in said
    fay.post(NEW, second_step(page, make="1"))
    league = League.objects.get()
    rule = Rule.objects.get()
    assert (rule.system, rule.parameters) == (system, load_systems()[system]().to_json())
    assert (league.min_games, league.ladders.count(), league.game) == (1, 0, "")
    assert verify_league(league.pk).differences == []


def test_published_settings_are_taken_as_they_are_typed(fay: Client) -> None:
    page = fay.post(NEW, first_step(template="elo"))
    sent = second_step(page, make="1")
    page = fay.post(NEW, {**sent, "parameters-k": "-3"})
    text = page.content.decode()
    assert "No league was created." in text
    assert '<details class="gap" open>' in text
    assert 'value="-3"' in text
    fay.post(NEW, {**sent, "parameters-k": "12,5"})
    assert Rule.objects.get().parameters["k"] == 12.5


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    ("sent", "field", "words"),
    [
        ({"title": ""}, "title", "Enter a title."),
        ({"template": ""}, "template", "Choose one of these options."),
        ({"slug": "A b"}, "slug", "Enter a valid"),
        ({"title": "Четвртак"}, "slug", "enter one, e.g. thursday-club"),
        ({"time_zone": "Mars"}, "time_zone", "There is no time zone “Mars”"),
        ({"slug": "Club"}, "slug", "“club” is taken; “club-2” is available."),
        ({"title": "Club!"}, "slug", "“club” is taken; “club-2” is available."),
        ({"slug": "_club"}, "slug", "The address must begin with a letter or a digit."),
        ({"slug": "-club"}, "slug", "The address must begin with a letter or a digit."),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_first_step_stands_at_its_field(
    fay: Client, sent: dict[str, Any], field: str, words: str
) -> None:
    make_league()
    page = fay.post(NEW, first_step(**sent))
    assert words in " ".join(page.context["form"].errors[field])
    assert "No league was created." in page.content.decode()
    assert League.objects.count() == 1


def test_who_goes_back_chooses_again_and_an_unknown_template_is_refused(fay: Client) -> None:
    page = fay.post(NEW, {**second_step(fay.post(NEW, first_step())), "back": "1"}).content.decode()
    assert "What do you play?" in page
    assert "No league was created." not in page
    assert "Choose one of these options." in fay.post(NEW, first_step(template="system-chance")).content.decode()
    assert not League.objects.exists()


def test_an_address_of_a_template_opens_its_second_step_with_its_game(fay: Client) -> None:
    page = fay.get(NEW, {"template": "golf"})
    assert (page.context["form"]["game"].value(), page.context["template"].key) == ("Golf", "golf")
    page = fay.get(NEW, {"template": "elo", "game": "  Darts "})
    assert page.context["form"]["game"].value() == "Darts"
    fay.post(NEW, second_step(page, make="1", title="Darts", visibility="public"))
    assert League.objects.get().game == "Darts"
    assert "What do you play?" in fay.get(NEW, {"template": "chance"}).content.decode()


@pytest.mark.parametrize("words", ["ping pong", "pingpong", "PingPong", "tabletennis", "table tennis", "tennis table"])
def test_a_template_is_found_by_other_names_and_as_one_word(fay: Client, words: str) -> None:
    found = {pick.template.key for pick in fay.get(NEW, {"q": words}).context["picks"]}
    assert found == {"table-tennis", "table-tennis-doubles"}


def test_what_is_typed_stays_where_something_is_wrong(fay: Client) -> None:
    sent = second_step(fay.post(NEW, first_step(game="Cards", visibility="private")), make="1")
    text = fay.post(NEW, {**sent, "title": "", "slug": "thursday"}).content.decode()
    for part in ("thursday", "Cards", "Europe/Belgrade"):
        assert f'value="{part}"' in text
    assert 'value="private" checked' in text


def test_a_league_that_is_sent_twice_is_made_once(fay: Client) -> None:
    sent = second_step(fay.post(NEW, first_step()), make="1", once=ONCE_KEY)
    assert fay.post(NEW, sent)["Location"] == "/admin/leagues/thursday-club/"
    assert fay.post(NEW, sent)["Location"] == "/admin/leagues/thursday-club/"
    assert League.objects.count() == 1
    page = fay.post(NEW, {**sent, "slug": "other", "title": "Other"})
    assert "This form has already created a league" in page.content.decode()
    assert League.objects.count() == 1


def test_of_two_founders_of_one_address_the_second_is_offered_a_free_one(
    fay: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = second_step(fay.post(NEW, first_step()), make="1", once=ONCE_KEY)
    create_league("thursday-club", "Theirs", by="gus")
    seen = iter([True])
    # When the second one's form was checked, the first one's league was not there yet.
    monkeypatch.setattr(
        founding, "find_free_slug", lambda slug, *kept: slug if next(seen, False) else find_free_slug(slug, *kept)
    )
    page = fay.post(NEW, sent)
    assert "“thursday-club” is taken; “thursday-club-2” is available." in page.content.decode()
    assert [league.title for league in League.objects.all()] == ["Theirs"]
    assert not Ladder.objects.exists()
    assert not RequestKey.objects.filter(owner__startswith="desk:").exists()
    assert fay.post(NEW, {**sent, "slug": "thursday-club-2"})["Location"] == "/admin/leagues/thursday-club-2/"


@pytest.mark.usefixtures("fay")
def test_all_of_a_template_is_made_or_nothing() -> None:
    broken = ladders_service.RankingRule("points", "fortnight")
    plan = templates.LadderPlan("broken", "Broken", "It cannot be made.", broken)
    template = templates.Template("broken", "Broken", "", "", "elo", {}, (TEMPLATES[0].ladders[0], plan))
    with pytest.raises(Invalid):
        create_from_template(
            template, "half", "Half", settings={}, parameters={}, username="fay", owner=User.objects.get(username="fay")
        )
    assert not League.objects.exists()
    assert not LogEntry.objects.exists()


def test_the_first_page_tells_of_each_league_and_asks_as_often_for_many(client: Client) -> None:
    client.force_login(User.objects.create_superuser("olga"))
    text = client.get("/admin/").content.decode()
    assert "There is no league yet." in text and f'href="{NEW}"' in text
    club = make_league()
    record(club, sheet(("anna", "ben"), (1, 0)))
    assert NEW not in sign_in_member("otto", "owner", club).get("/admin/").content.decode()
    with CaptureQueriesContext(connection) as few:
        text = client.get("/admin/").content.decode()
    assert "Game 1</a>, " in text
    assert f'href="{NEW}"' in text
    for number in range(5):
        make_league(slug=f"club{number}")
    with CaptureQueriesContext(connection) as many:
        text = client.get("/admin/").content.decode()
    assert len(many) == len(few)
    assert text.count("No game yet") == 5
    assert Game.objects.count() == 1


def test_a_free_address_fits_in_its_length() -> None:
    for slug in ("club", "club-2", 50 * "x"):
        make_league(slug=slug)
    assert find_free_slug("club") == "club-3"
    assert find_free_slug("chess") == "chess"
    assert find_free_slug(50 * "x") == 48 * "x" + "-2"
    assert find_free_slug("new") == "new"


def picked(page: Any) -> list[str]:
    """Return the keys of the templates that a page offers."""
    return [pick.template.key for pick in (*page.context["picks"], *page.context["systems"])]


def test_all_templates_are_offered_with_a_picture_of_their_board(fay: Client) -> None:
    page = fay.get(NEW)
    keys = picked(page)
    assert len({*keys}) == len(keys) == len(TEMPLATES) + len(load_systems())
    assert keys[0] == "elo"
    assert page.content.decode().count('class="smallboard"') == len(keys)
    assert "autofocus" not in page.content.decode()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("chess", ["chess"]),
        ("  TABLE  tennis ", ["table-tennis", "table-tennis-doubles"]),
        ("Prefér", ["preferans", "system-preferans"]),
        ("strokes", ["golf"]),
        ("two against two tennis", ["table-tennis-doubles"]),
        ("darts", []),
        ("\0", [template.key for template in TEMPLATES]),
    ],
)
def test_templates_are_searched_without_a_script(fay: Client, text: str, found: list[str]) -> None:
    page = fay.get(NEW, {"q": text})
    assert {*found} <= {*picked(page)} if text == "\0" else sorted(picked(page)) == sorted(found)
    href = f'href="{NEW}?template=elo&amp;game={text.strip()}"'
    assert not found or href not in page.content.decode() or "<span hidden>" in page.content.decode()
    if not found:
        assert href in page.content.decode()


@pytest.mark.parametrize("seed", range(3))
def test_the_first_page_shows_the_last_game_by_time_whatever_was_corrected_or_voided(client: Client, seed: int) -> None:
    drawn = random.Random(seed)
    league = make_league(players=("anna", "ben"))
    for minutes in drawn.sample(range(1000), 6):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    for number in drawn.sample(range(1, 7), 3):
        old = Game.objects.get(number=number)
        correct_game(
            league.pk, number, sheet(("anna", "ben"), (0, 1), played_at=old.played_at), reason="x", username="t"
        )
    void_game(league.pk, Game.objects.filter(voided_at=None).latest("played_at").number, reason="x", username="t")
    counting = [game for game in Game.objects.all() if game.voided_at is None]
    last = max(counting, key=lambda game: game.played_at)
    (own,) = load_own_leagues(Viewer("olga", "organise"), 5)
    assert own.newest == last


def test_the_second_step_opens_at_its_top_and_says_that_a_ladder_of_all_games_never_starts_again(fay: Client) -> None:
    text = fay.post(NEW, first_step(template="table-tennis")).content.decode()
    assert "autofocus" not in text
    text = fay.get(NEW, {"template": "table-tennis"}).content.decode()
    # The first field; the browser need not scroll to it.
    assert text.count("autofocus") == 1
    assert "autofocus" in text.partition('name="title"')[2].partition(">")[0]
    assert "Challenge ladder</b> counts all games and never starts again." in " ".join(text.split())
