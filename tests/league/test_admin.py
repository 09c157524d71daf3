"""The admin site: sheets, corrections, leagues, players, tokens; refusals at their fields."""

from typing import Any
from unittest.mock import patch

import pytest
from celery import current_app
from django.contrib.auth.models import User
from django.test import Client

from league.models import Alias, Game, InitialRating, League, Player, Rating, Token
from tests.helpers.admin_client import confirm
from tests.helpers.builders import make_league, ratings, record, sheet
from tests.helpers.desk_client import dated_sheet, seat_errors

pytestmark = pytest.mark.django_db


def test_a_game_with_its_players_is_recorded_on_one_page(olga: Client) -> None:
    league = make_league("preferans", ("pedja", "marko", "johnny"), time_zone="Europe/Belgrade",
                         starts={"pedja": 1200, "marko": 1150, "johnny": 1100})  # fmt: skip
    page = olga.get("/admin/league/game/add/?league=club").content.decode()
    assert "details_bula" in page
    assert "seats-2-score" in page
    assert "seats-3-score" not in page
    assert "seats-0-place" not in page
    assert "Europe/Belgrade" in page
    data = dated_sheet(("pedja", "-500"), ("Marko", "40"), ("johnny", "460"), details_bula="30")
    done = olga.post("/admin/league/game/add/?league=club", data, follow=True).content.decode()
    assert "Game 1 recorded: Pedja 1200 → 1173 (−27), Marko 1150 → 1152 (+2), Johnny 1100 → 1125 (+25)." in done
    game = Game.objects.get()
    assert (game.played_at.isoformat(), game.recorded_by) == ("2024-03-05T19:30:00+00:00", "olga")
    assert ratings(league) == {"pedja": 1173.0, "marko": 1152.0, "johnny": 1125.0}


def test_the_league_is_chosen_first_and_remembered(olga: Client) -> None:
    assert b"There is no league yet" in olga.get("/admin/league/game/add/").content
    make_league(slug="alpha")
    make_league(slug="beta")
    olga.get("/admin/league/game/add/?league=beta")
    page = olga.get("/admin/league/game/add/").content.decode()
    assert page.index("league=beta") < page.index("league=alpha")


def test_twenty_sheets_go_in_one_after_the_other(olga: Client) -> None:
    make_league()
    address = "/admin/league/game/add/?league=club"
    for number in range(20):
        data = dated_sheet(("anna", number % 3), ("ben", 1), ("", ""), ("", ""), _addanother="1", keep_players="on")
        answer = olga.post(address, data)
        assert answer.status_code == 302
        address = answer["Location"]
    assert Game.objects.count() == 20
    next_sheet = olga.get(address).content.decode()
    assert 'value="anna"' in next_sheet
    assert 'value="2024-03-05T20:30"' in next_sheet


@pytest.mark.parametrize(
    ("system", "data", "row", "column", "sentence"),
    [
        ("elo", dated_sheet(("anna", 1), ("zoe", 0)), 1, "player", "Seat 2: there is no player “zoe”."),
        ("elo", dated_sheet(("anna", 1), ("", ""), ("anna", 0)), 1, "player", "a player plays a game once"),
        ("serpentine", dated_sheet(("anna", 1), ("ben", -3)), 1, "score", "the score must be at least 0"),
        ("serpentine", dated_sheet(("anna", 1), ("ben", "")), 1, "score", "Seat 2 has no score."),
        ("elo", dated_sheet(("anna", 1), ("ben", "x")), 1, "score", "Enter a number."),
        ("durak", dated_sheet(("anna", 1), ("ben", 1), columns=("player", "place")), 1, "place", "tied"),
    ],
)
def test_a_refusal_stands_at_its_field_and_nothing_is_written(
    olga: Client, system: str, data: dict[str, Any], row: int, column: str, sentence: str
) -> None:
    make_league(system)
    page = olga.post("/admin/league/game/add/?league=club", data)
    assert page.status_code == 200
    assert sentence in " ".join(seat_errors(page, row, column))
    assert b"Nothing was recorded" in page.content
    assert Game.objects.count() == 0


@pytest.mark.parametrize(
    ("data", "field"),
    [
        (dated_sheet(("anna", 1), ("ben", 2), ("cleo", 3), details_bula="-1"), "details_bula"),
        (dated_sheet(("anna", 1), ("ben", 2), ("cleo", 3), details_bula=""), "details_bula"),
        (
            dated_sheet(("anna", 1), ("ben", 2), ("cleo", 3), details_bula="30", played_at="2090-01-01T10:00"),
            "played_at",
        ),
        (dated_sheet(("anna", 1), ("ben", 2), details_bula="30"), "__all__"),
    ],
)
def test_a_refusal_of_the_whole_game_stands_at_its_field(olga: Client, data: dict[str, Any], field: str) -> None:
    make_league("preferans")
    page = olga.post("/admin/league/game/add/?league=club", data)
    assert list(page.context["sheet"].form.errors) == [field]
    assert Game.objects.count() == 0


def test_a_time_that_the_clocks_left_out_is_refused(olga: Client) -> None:
    make_league(time_zone="Europe/Belgrade")
    page = olga.post(
        "/admin/league/game/add/?league=club", dated_sheet(("anna", 1), ("ben", 0), played_at="2024-03-31T02:30")
    )
    assert list(page.context["sheet"].form.errors) == ["played_at"]


def test_more_seats_keep_what_was_written(olga: Client) -> None:
    make_league()
    page = olga.post("/admin/league/game/add/?league=club", dated_sheet(("anna", 1), ("ben", 0), _more="1"))
    assert len(page.context["sheet"].formset.forms) == 6
    assert b'value="anna"' in page.content
    assert Game.objects.count() == 0


def test_a_name_that_one_player_only_bears_is_understood(olga: Client) -> None:
    make_league()
    Player.objects.filter(handle="anna").update(name="Anna Adler")
    olga.post("/admin/league/game/add/?league=club", dated_sheet(("Anna Adler", 1), ("ben", 0)))
    assert Game.objects.count() == 1


def test_a_correction_is_the_same_sheet_filled_in(olga: Client) -> None:
    league = make_league(parameters={"k": 32})
    game = record(league, sheet(("anna", "ben"), (1, 0)))
    page = olga.get(f"/admin/league/game/{game.pk}/correct/").content.decode()
    assert 'value="anna"' in page
    assert 'value="2024-03-05T19:30"' in page
    data = dated_sheet(("anna", 0), ("ben", 1), played_at="2024-03-05T19:30", reason="")
    refused = olga.post(f"/admin/league/game/{game.pk}/correct/", data)
    assert list(refused.context["sheet"].form.errors) == ["reason"]
    done = confirm(olga, f"/admin/league/game/{game.pk}/correct/", {**data, "reason": "misread"}, follow=True)
    assert "Game 2 replaces game 1: Anna 1500.0 → 1484.0 (−16.0), Ben 1500.0 → 1516.0 (+16.0)." in done.content.decode()
    assert ratings(league) == {"anna": 1484.0, "ben": 1516.0}
    old = olga.get(f"/admin/league/game/{game.pk}/change/").content.decode()
    assert "misread" in old
    assert "Correct this game" not in old
    again = olga.get(f"/admin/league/game/{game.pk}/correct/", follow=True)
    assert b"void already" in again.content


def test_a_game_is_voided_with_a_reason(olga: Client) -> None:
    league = make_league()
    game = record(league, sheet(("anna", "ben"), (1, 0)))
    address = f"/admin/league/game/{game.pk}/void/"
    assert b"rated anew" in olga.get(address).content
    assert list(olga.post(address, {"reason": ""}).context["form"].errors) == ["reason"]
    assert b"Game 1 is void." in confirm(olga, address, {"reason": "a friendly"}, follow=True).content
    assert b"void already" in olga.post(address, {"reason": "again"}).content
    assert ratings(league) == {}


def test_games_are_listed_searched_and_never_deleted(olga: Client, django_assert_max_num_queries: Any) -> None:
    league = make_league()
    for number in range(10):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))
    with django_assert_max_num_queries(9):
        assert olga.get("/admin/league/game/").status_code == 200
    assert b"Game 7" in olga.get("/admin/league/game/?q=7").content
    assert olga.get("/admin/league/game/?q=a%00b").status_code == 200
    game = Game.objects.get(number=1)
    assert olga.post(f"/admin/league/game/{game.pk}/delete/", {"post": "yes"}).status_code == 403
    assert olga.get("/admin/league/game/4711/change/").status_code == 404
    assert olga.get("/admin/league/game/4711/void/").status_code == 404


def test_a_late_game_that_waits_for_celery_says_so(olga: Client, settings: Any) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), minutes=600))
    settings.RUNGS_INLINE_GAMES = 0
    with patch.object(current_app, "send_task"):
        done = olga.post("/admin/league/game/add/?league=club", dated_sheet(("anna", 1), ("ben", 0)), follow=True)
    assert b"Game 2 recorded; its ratings follow in a moment." in done.content


def test_a_league_is_made_with_the_parameters_of_its_system(olga: Client) -> None:
    assert b"?system=durak" in olga.get("/admin/league/league/add/").content
    data = {"title": "Durak club", "slug": "durak", "time_zone": "UTC", "visibility": "public", "min_games": "3"}
    data["close_after_hours"] = "24"
    page = olga.get("/admin/league/league/add/?system=durak")
    defaults = {
        name: field.initial for name, field in page.context["form"].fields.items() if name.startswith("parameters_")
    }
    bad = olga.post("/admin/league/league/add/?system=durak", {**data, **defaults, "slug": "No", "parameters_k": "-1"})
    assert set(bad.context["form"].errors) == {"parameters_k"}
    bad = olga.post("/admin/league/league/add/?system=durak", {**data, **defaults, "slug": "No"})
    assert set(bad.context["form"].errors) == {"slug"}
    done = olga.post("/admin/league/league/add/?system=durak", {**data, **defaults, "parameters_k": "32"}, follow=True)
    assert b"The league Durak club was made" in done.content
    league = League.objects.get()
    assert league.rules.get().parameters["k"] == 32.0
    assert olga.post("/admin/league/league/add/?system=durak", {**data, **defaults}).status_code == 200


def test_settings_are_changed_and_refused_at_their_field(olga: Client) -> None:
    league = make_league()
    data = {"title": "The Club", "time_zone": "Europe/Paris", "visibility": "private", "min_games": "2"}
    data["close_after_hours"] = "48"
    assert b"Adopt a new rule" in olga.get(f"/admin/league/league/{league.pk}/change/").content
    olga.post(f"/admin/league/league/{league.pk}/change/", data)
    league.refresh_from_db()
    assert (league.title, league.time_zone, league.min_games) == ("The Club", "Europe/Paris", 2)
    assert league.close_after_hours == 48
    page = olga.post(f"/admin/league/league/{league.pk}/change/", {**data, "min_games": "0"})
    assert set(page.context["form"].errors) == {"min_games"}
    assert olga.get("/admin/league/league/").status_code == 200


def test_a_rule_is_adopted_and_a_start_is_set(olga: Client) -> None:
    league = make_league(parameters={"k": 20})
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = olga.get(f"/admin/league/league/{league.pk}/rule/")
    values = {name: page.context["form"][name].value() for name in page.context["form"].fields}
    data = {**values, "parameters_k": "40", "from_date": "2024-03-05"}
    preview = olga.post(f"/admin/league/league/{league.pk}/rule/", data)
    assert [(line.player, line.before, line.after) for line in preview.context["diff"].ratings] == [
        ("anna", 1510.0, 1520.0),
        ("ben", 1490.0, 1480.0),
    ]
    assert "1 game would be rated anew. Nothing has been written yet." in preview.content.decode()
    assert ratings(league) == {"anna": 1510.0, "ben": 1490.0}
    done = olga.post(f"/admin/league/league/{league.pk}/rule/", {**data, "_adopt": "Adopt it"})
    assert done.status_code == 302
    assert ratings(league) == {"anna": 1520.0, "ben": 1480.0}
    again = olga.post(f"/admin/league/league/{league.pk}/rule/", data)
    assert again.context["diff"] is None
    assert "already" in str(again.context["form"].errors)
    address = f"/admin/league/league/{league.pk}/start/"
    assert "no player" in str(olga.post(address, {"player": "zoe", "initial_rating": "1"}).context["form"].errors)
    olga.post(address, {"player": "cleo", "initial_rating": "1700"})
    assert InitialRating.objects.get().rating == 1700


def test_a_league_without_a_rule_is_sent_to_choose_one(olga: Client) -> None:
    from league.services.leagues.leagues import create_league

    bare = create_league("bare", "Bare")
    page = olga.get("/admin/league/game/add/?league=bare", follow=True)
    assert b"?system=elo" in page.content
    form = olga.get(f"/admin/league/league/{bare.pk}/rule/?system=elo").context["form"]
    filled = {name: "" if form[name].value() is None else form[name].value() for name in form.fields}
    olga.post(f"/admin/league/league/{bare.pk}/rule/?system=elo", {**filled, "_adopt": "Adopt it"})
    assert bare.rules.get().system == "elo"


def test_a_replay_is_asked_for_by_a_button(olga: Client, django_capture_on_commit_callbacks: Any) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    address = f"/admin/league/league/{league.pk}/replay/"
    assert olga.get(address).status_code == 405
    with patch.object(current_app, "send_task") as sent, django_capture_on_commit_callbacks(execute=True):
        assert b"is on its way" in olga.post(address, follow=True).content
    assert sent.call_args.args == ("league.replay",)
    league.refresh_from_db()
    assert league.stale_from is not None


def test_players_are_added_changed_and_refused_at_their_field(olga: Client) -> None:
    olga.post("/admin/league/player/add/", {"handle": "ana", "name": "", "aliases": "Ana M.\n\nАна", "active": "on"})
    player = Player.objects.get()
    assert (player.name, Alias.objects.count()) == ("ana", 3)
    page = olga.post("/admin/league/player/add/", {"handle": "ANA", "active": "on"})
    assert set(page.context["form"].errors) == {"handle"}
    page = olga.post("/admin/league/player/add/", {"handle": "x y", "active": "on"})
    assert set(page.context["form"].errors) == {"handle"}
    form = olga.get(f"/admin/league/player/{player.pk}/change/").content.decode()
    assert "Ana M." in form
    olga.post(f"/admin/league/player/{player.pk}/change/", {"name": "Ana Marija", "aliases": ""})
    player.refresh_from_db()
    assert (player.name, player.active, Alias.objects.count()) == ("Ana Marija", False, 1)
    assert b"Ana Marija" in olga.get("/admin/league/player/?q=marija").content
    assert olga.get("/admin/league/player/?q=a%00b").status_code == 200


def test_tokens_are_shown_once_and_revoked(olga: Client) -> None:
    league = make_league()
    data = {"name": "server-7", "scope": "record", "leagues": [league.pk]}
    made = olga.post("/admin/league/token/add/", data, follow=True).content.decode()
    assert "rungs_" in made
    assert "rungs_" not in olga.get("/admin/league/token/").content.decode()
    assert set(olga.post("/admin/league/token/add/", data).context["form"].errors) == {"name"}
    token = Token.objects.get()
    assert list(token.leagues.all()) == [league]
    assert b"Revoke" in olga.get(f"/admin/league/token/{token.pk}/change/").content
    assert olga.get(f"/admin/league/token/{token.pk}/revoke/").status_code == 405
    for _ in range(2):
        olga.post(f"/admin/league/token/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert b"Revoked" in olga.get(f"/admin/league/token/{token.pk}/change/").content


def test_derived_tables_are_only_to_look_at(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    for model in ("rating", "ratingchange"):
        assert b"Anna" in olga.get(f"/admin/league/{model}/").content
        assert olga.get(f"/admin/league/{model}/add/").status_code == 403
    assert b"disabled" not in olga.get(f"/admin/league/rating/{Rating.objects.first().pk}/change/").content  # type: ignore[union-attr]


def test_the_log_is_only_to_look_at(olga: Client) -> None:
    league = make_league(starts={"dan": 1700})
    make_league(slug="other", starts={"ben": 1850})
    address = f"/admin/league/logentry/?league__id__exact={league.pk}"
    assert address in olga.get(f"/admin/league/league/{league.pk}/change/").content.decode()
    page = olga.get(address).content.decode()
    assert "initial_rating.set" in page
    assert "1700" in page
    assert "1850" not in page
    assert olga.get("/admin/league/logentry/add/").status_code == 403
    entry = league.log.get(position=1)
    assert olga.post(f"/admin/league/logentry/{entry.pk}/change/", {"by": "x"}).status_code == 403
    assert olga.post(f"/admin/league/logentry/{entry.pk}/delete/", {"post": "yes"}).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "game/add/",
        "league/add/",
        "player/add/",
        "token/add/",
        "league/1/change/",
        "league/1/rule/",
        "game/1/void/",
        "game/1/change/",
    ],
)
def test_staff_without_permission_may_not(client: Client, path: str) -> None:
    league = make_league()
    game = record(league, sheet(("anna", "ben"), (1, 0)))
    client.force_login(User.objects.create_user("ben", is_staff=True))
    real = path.replace("league/1", f"league/{league.pk}").replace("game/1", f"game/{game.pk}")
    assert client.get(f"/admin/league/{real}").status_code == 403
