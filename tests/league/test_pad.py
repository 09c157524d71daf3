"""A league's desk and its score pad: who comes in, what is recorded, added, refused, undone."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import ANY, patch

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.models import Game, League, Membership, Player, Result
from league.services.ladders.ladders import Ranking, create_ladder
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import DESK, PAD, page_messages, sheet_fields, sign_in_member
from tests.helpers.ladder_builders import clock

PAPER = ("middle", "left", "right")


@pytest.mark.django_db
def test_a_game_is_recorded_and_the_next_pad_tells_what_it_did(olga: Client) -> None:
    make_league()
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), follow=True)
    assert page.redirect_chain == [(f"{PAD}?just=1", 302)]
    assert "Game 1 recorded: Anna +" in page_messages(page)
    assert 'action="/admin/leagues/club/games/1/undo/"' in page.content.decode()
    assert [line.score for line in Result.objects.order_by("seat")] == [1, 0]


@pytest.mark.django_db
def test_the_same_pad_sent_twice_is_one_game(olga: Client) -> None:
    make_league()
    (key,) = re.findall(r'name="once" value="([0-9a-f]{32})"', olga.get(PAD).content.decode())
    for _ in range(2):
        page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), once=key), follow=True)
    assert Game.objects.count() == 1
    assert "Game 1 is recorded already: this sheet came twice." in page_messages(page)
    changed = olga.post(PAD, sheet_fields(("anna", "0"), ("ben", "1"), once=key))
    assert "This sheet was recorded already, and says something else now." in changed.content.decode()
    assert Game.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("keep", "names"), [("same", ["anna", "ben"]), ("turned", ["ben", "anna"])])
def test_the_next_pad_keeps_the_table_or_turns_it(olga: Client, keep: str, names: list[str]) -> None:
    make_league()
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), keep=keep), follow=True)
    seats = [form["player"].value() for form in page.context["sheet"].formset.forms]
    assert seats[:2] == names
    assert page.context["keep"] == keep


@pytest.mark.django_db
def test_a_name_that_means_nobody_is_asked_about_with_who_is_near(olga: Client) -> None:
    league = make_league(players=("anna", "ben"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = olga.post(PAD, sheet_fields(("Annna", "1"), ("Zoran", "0")))
    assert Game.objects.count() == 1
    unknown = {one.name: one.near for one in page.context["unknown"]}
    assert unknown == {"Annna": [("anna", "Anna")], "Zoran": []}
    assert "Seat 1: there is no player" in page.content.decode()


@pytest.mark.django_db
def test_a_name_said_to_be_new_is_added_with_the_game_and_no_other_is(olga: Client) -> None:
    make_league(players=("anna", "ben"))
    refused = olga.post(PAD, sheet_fields(("Zoran Rossi", "1"), ("Bne", "0"), new="Zoran Rossi"))
    assert [one.name for one in refused.context["unknown"]] == ["Zoran Rossi", "Bne"]
    assert not Player.objects.filter(name="Zoran Rossi").exists()
    olga.post(PAD, sheet_fields(("Zoran Rossi", "1"), ("ben", "0"), new=["Zoran Rossi", ""]))
    assert Result.objects.order_by("seat")[0].player.name == "Zoran Rossi"


@pytest.mark.django_db
def test_what_is_wrong_stands_at_its_seat_and_nothing_is_written(olga: Client) -> None:
    make_league("barbu", parameters={"demand_total": "yes", "total": 0})
    page = olga.post(PAD, sheet_fields(("anna", "10"), ("ben", "x"), ("cleo", "0"), ("dan", "-10")))
    assert not Game.objects.exists()
    assert page.context["sheet"].formset.forms[1].errors["score"]
    page = olga.post(PAD, sheet_fields(("anna", "10"), ("ben", "0"), ("cleo", "0"), ("dan", "-11")))
    assert "Nothing was recorded." in page.content.decode()
    assert not Game.objects.exists()
    assert page.context["total"] == 0


@pytest.mark.django_db
def test_a_pad_shows_what_is_not_rated_or_waits(olga: Client) -> None:
    league = make_league()
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), kind="friendly"), follow=True)
    assert page_messages(page) == "Game 1 recorded: a friendly, which is not rated."
    League.objects.filter(pk=league.pk).update(stale_from=EVENING, stale_key=1)
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), follow=True)
    assert page_messages(page) == "Game 2 recorded; its ratings follow in a moment."


@pytest.mark.django_db
def test_the_last_game_is_undone_by_one_press_and_its_scores_come_back(olga: Client) -> None:
    league = make_league()
    olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")))
    page = olga.post("/admin/leagues/club/games/1/undo/", follow=True)
    game = Game.objects.get()
    assert (game.void_reason, game.voided_by) == ("Undone on the score pad.", "olga")
    seats = [(form["player"].value(), form["score"].value()) for form in page.context["sheet"].formset.forms]
    assert seats[:2] == [("anna", 1), ("ben", 0)]
    assert page_messages(page).endswith("Game 1 is undone: it is void, and stays readable.")
    assert league.games.count() == 1


@pytest.mark.django_db
def test_an_earlier_game_is_not_undone_by_one_press(olga: Client) -> None:
    make_league()
    for score in ("1", "0"):
        olga.post(PAD, sheet_fields(("anna", score), ("ben", "0.5")))
    page = olga.post("/admin/leagues/club/games/1/undo/", follow=True)
    assert "Another game was recorded after game 1: void it on its own page." in page_messages(page)
    assert not Game.objects.filter(voided_at__isnull=False).exists()
    assert olga.get("/admin/leagues/club/games/1/undo/").status_code == 405


@pytest.mark.django_db
def test_the_pad_asks_what_a_sheet_would_change_and_nothing_is_written(olga: Client) -> None:
    make_league()
    answer = olga.post(f"{PAD}change/", sheet_fields(("anna", "1"), ("ben", "0")))
    assert Game.objects.count() == 0
    recorded = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), follow=True)
    seats = json.loads(answer.content)["seats"]
    assert f"Anna {seats[0]['change']}, Ben {seats[1]['change']}." in page_messages(recorded)
    assert not Player.objects.filter(name="Nobody Yet").exists()
    assert len(olga.post(f"{PAD}change/", sheet_fields(("anna", "1"), ("Nobody Yet", "0"))).json()["seats"]) == 2
    assert not Player.objects.filter(name="Nobody Yet").exists()


@pytest.mark.django_db
def test_what_has_no_change_answers_with_none(olga: Client) -> None:
    make_league()
    assert olga.post(f"{PAD}change/", sheet_fields(("anna", "x"), ("ben", "0"))).json() == {
        "seats": [],
        "made": [],
        "next": 1,
        "now": ANY,
    }
    assert olga.post(f"{PAD}change/", sheet_fields(("anna", ""), ("ben", ""))).json()["seats"] == []
    twice = olga.post(f"{PAD}change/", sheet_fields(("anna", "1"), ("anna", "0"))).json()
    assert twice["seats"] == []
    assert "anna" in twice["why"].lower()
    assert olga.get(f"{PAD}change/").status_code == 405


@pytest.mark.django_db
def test_a_league_without_a_rule_leads_to_its_choice(olga: Client) -> None:
    League.objects.create(slug="club", title="Club", created_at=EVENING)
    assert olga.get(PAD)["Location"] == "/admin/leagues/club/rules/"
    assert olga.get(DESK).status_code == 200


@pytest.mark.django_db
def test_the_desk_shows_the_evening_and_else_the_last_one(olga: Client) -> None:
    league = make_league(time_zone="Europe/Paris")
    assert "No game yet." in olga.get(DESK).content.decode()
    # 01:30 in Paris belongs to the evening before.
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 6, 0, 30, tzinfo=UTC)))
    with clock(datetime(2024, 3, 6, 1, 0, tzinfo=UTC)):
        page = olga.get(DESK).content.decode()
    assert "1 game, 2 people." in page
    assert "Tuesday 5 March" in page
    with clock(datetime(2024, 3, 13, 19, 0, tzinfo=UTC)):
        page = olga.get(DESK).content.decode()
    assert "2 people played 1 game. Nothing has been recorded tonight." in page


@pytest.mark.django_db
def test_the_desk_says_what_closes_soon_and_what_waits_for_a_decision(olga: Client) -> None:
    with clock(EVENING - timedelta(days=1)):
        league = make_league(close_after_hours=24)
    with clock(EVENING):
        create_ladder(league.pk, "month", "Month", Ranking("rating_score", "month"), by="test")
        record(league, sheet(("anna", "ben"), (1, 0)))
    with clock(datetime(2024, 4, 1, 15, 0, tzinfo=UTC)):
        page = olga.get(DESK).content.decode()
    assert "March 2024 of Month closes" in page
    assert "Anna leads with" in page
    assert "9\xa0hours" in page
    assert "Close now" in page


@pytest.mark.django_db
def test_recorders_see_what_they_may_do_and_strangers_nothing(olga: Client) -> None:
    league = make_league()
    recorder = sign_in_member("rita", Membership.Role.RECORDER, league)
    page = recorder.get(DESK).content.decode()
    assert "You record in this league" in page
    assert "Members" not in page
    assert [tab.name for tab in recorder.get(PAD).context["tabs"]] == ["home", "pad", "games"]
    assert recorder.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"))).status_code == 302
    other = make_league(slug="other")
    stranger = sign_in_member("stan", Membership.Role.OWNER, other)
    assert stranger.get(PAD).status_code == 403
    assert stranger.post("/admin/leagues/club/games/1/undo/").status_code == 403
    assert Client().get(PAD)["Location"].startswith("/admin/login/")
    assert olga.get("/admin/leagues/nowhere/").status_code == 404


@pytest.mark.django_db
def test_a_pad_of_places_and_one_of_worksheets_are_made_of_their_systems(olga: Client) -> None:
    make_league("durak", slug="durak")
    page = olga.get("/admin/leagues/durak/record/").content.decode()
    assert 'name="seats-0-place"' in page
    make_league("preferans", slug="pref")
    assert "seats-0-worksheet_" in olga.get("/admin/leagues/pref/record/").content.decode()


def fields(browser: Client, path: str) -> list[str]:
    """Return what a pad asks of each seat."""
    return list(browser.get(path).context["columns"])


@pytest.mark.django_db
def test_a_pad_asks_for_scores_or_places_as_its_system_and_the_organiser_want(olga: Client) -> None:
    make_league("durak", slug="durak")
    assert fields(olga, "/admin/leagues/durak/record/") == ["player", "place"]
    assert fields(olga, "/admin/leagues/durak/record/?by=score") == ["player", "score", "place"]
    make_league("elo", slug="elo")
    assert fields(olga, "/admin/leagues/elo/record/") == ["player", "score"]
    assert fields(olga, "/admin/leagues/elo/record/?by=place") == ["player", "place"]
    make_league("barbu", slug="barbu")
    assert fields(olga, "/admin/leagues/barbu/record/?by=place") == ["player", "score"]


@pytest.mark.django_db
def test_scores_of_an_undone_game_come_back_where_the_pad_asks_for_places(olga: Client) -> None:
    make_league("durak")
    rows: dict[str, Any] = {f"seats-{seat}-place": str(seat + 1) for seat in range(2)}
    olga.post(PAD, sheet_fields(("anna", "5"), ("ben", "3"), by="score", **rows))
    page = olga.post("/admin/leagues/club/games/1/undo/", follow=True)
    assert page.context["columns"] == ["player", "score", "place"]
    assert [form["score"].value() for form in page.context["sheet"].formset.forms][:2] == [5, 3]


@pytest.mark.django_db
def test_more_seats_are_laid_and_nothing_is_recorded(olga: Client) -> None:
    make_league()
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), _more="1"))
    assert len(page.context["sheet"].formset.forms) == 6
    assert not Game.objects.exists()


@pytest.mark.django_db
def test_the_papers_of_a_table_make_scores_and_what_was_written(olga: Client) -> None:
    """Pedja, Marko and Johnny of the documentation; without the bula nothing is rated, the scores stand.

    All begin at 1000 here: C is −18.3, −32.3 and −14.3, so the changes are −25.3, +2 and +23.3.
    """
    make_league("preferans")
    data: dict[str, Any] = {"seats-TOTAL_FORMS": 3, "seats-INITIAL_FORMS": 0}
    papers = [("anna", -20, 320, 160), ("ben", 4, 120, 60), ("cleo", 16, 20, 60)]
    for seat, (player, *columns) in enumerate(papers):
        data |= {f"seats-{seat}-player": player}
        data |= {f"seats-{seat}-worksheet_{key}": value for key, value in zip(PAPER, columns, strict=True)}
    answer = olga.post(f"{PAD}change/", data).json()
    assert answer["seats"] == []
    assert [seat["score"] for seat in answer["made"]] == ["−500", "40", "460"]
    assert [seat["columns"]["worksheet_written"] for seat in answer["made"]] == ["180", "180", "380"]
    whole = olga.post(f"{PAD}change/", {**data, "details_bula": "30"}).json()
    assert [seat["change"] for seat in whole["seats"]] == ["−25", "+2", "+23"]
    half = olga.post(f"{PAD}change/", {**data, "seats-0-worksheet_left": "", "details_bula": "30"}).json()
    assert half["made"] == []
    olga.post(PAD, {**data, "details_bula": "30"})
    assert olga.get(PAD).context["form"]["details_bula"].value() == 30


@pytest.mark.django_db
def test_the_pad_asks_few_questions_however_many_games_an_evening_has(
    olga: Client, django_assert_max_num_queries: Any
) -> None:
    league = make_league()
    for minutes in range(12):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    with clock(EVENING + timedelta(hours=1)):
        olga.get(PAD)
        with django_assert_max_num_queries(20):
            olga.get(PAD)


@pytest.mark.django_db
def test_the_script_of_the_pad_is_told_where_to_go_on_or_why_not(olga: Client) -> None:
    make_league()
    headers = {"Accept": "application/json"}
    answer = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), headers=headers)
    assert answer.json() == {"target": f"{PAD}?just=1", "played": Game.objects.get().played_at.isoformat()}
    refused = olga.post(PAD, sheet_fields(("anna", "1"), ("zoe", "x")), headers=headers)
    assert (refused.status_code, refused.json()) == (422, {"why": "Seat 2: Enter a number."})
    unknown = olga.post(PAD, sheet_fields(("anna", "1"), ("zoe", "0")), headers=headers).json()["why"]
    assert unknown.startswith("Seat 2: there is no player “zoe”.")
    assert Game.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("ago", "seconds"), [("3600000", 3600), ("1500", 1.5), ("99999999999", 14 * 86400), ("-5", 0), ("soon", 0), ("", 0)]
)
def test_a_sheet_that_waited_counts_as_played_when_it_was_typed(olga: Client, ago: str, seconds: float) -> None:
    make_league()
    with clock(EVENING + timedelta(days=30)):
        olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), ago=ago))
    game = Game.objects.get()
    assert abs((EVENING + timedelta(days=30) - game.played_at).total_seconds() - seconds) < 0.01


@pytest.mark.django_db
def test_a_time_that_is_written_on_the_sheet_goes_before_when_it_was_typed(olga: Client) -> None:
    make_league()
    with clock(EVENING + timedelta(days=30)):
        olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), ago="60000", played_at="2024-03-20T20:00"))
    assert Game.objects.get().played_at == datetime(2024, 3, 20, 20, 0, tzinfo=UTC)


@pytest.mark.django_db
def test_a_sheet_that_comes_again_later_is_still_one_game(olga: Client) -> None:
    make_league()
    for ago in ("0", "500", "90000"):
        olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), once="a" * 32, ago=ago))
    assert Game.objects.count() == 1


@pytest.mark.django_db
def test_the_worker_of_the_pads_stands_above_them_and_follows_their_parts(client: Client) -> None:
    answer = client.get("/admin/leagues/pad-worker.js")
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["Cache-Control"] == "no-cache"
    script = answer.content.decode()
    assert '"/static/rungs/pad-queue.js"' in script
    (told,) = re.findall(r"\$\{OWN\}([0-9a-f]{16})`", script)
    with patch.object(Path, "read_bytes", return_value=b"another"):
        assert told not in client.get("/admin/leagues/pad-worker.js").content.decode()
    assert client.post("/admin/leagues/pad-worker.js").status_code == 405


@pytest.mark.django_db
def test_a_script_without_a_session_or_with_an_old_token_is_told(client: Client) -> None:
    make_league()
    headers = {"Accept": "application/json"}
    for address in (PAD, f"{PAD}change/"):
        answer = client.post(address, sheet_fields(("anna", "1"), ("ben", "0")), headers=headers)
        assert answer.status_code == 401
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.create_superuser("olga"))
    answer = strict.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), headers=headers)
    assert answer.status_code == 403
    assert not Game.objects.exists()
