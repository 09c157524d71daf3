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

from league.core.games.services.record import void_game
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.models import Game, League, Membership, Player, Result
from league.web.organiser.player_chips import build_chips
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.desk_client import DESK, PAD, page_messages, sheet_fields, sign_in_member
from tests.helpers.ladder_builders import clock

pytestmark = pytest.mark.django_db

PAPER = ("middle", "left", "right")
WORKER = "/admin/leagues/pad-worker.js"


def test_the_next_pad_keeps_the_table_or_turns_it(olga: Client) -> None:
    make_league()
    for keep, names in (("same", ["anna", "ben"]), ("turned", ["ben", "anna"])):
        page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), keep=keep), follow=True)
        seats = [form["player"].value() for form in page.context["sheet"].formset.forms]
        assert seats[:2] == names
        assert page.context["keep"] == keep


def test_a_game_of_goals_names_its_sides_and_has_no_third_seat_and_no_teams(olga: Client) -> None:
    league = make_league(game="Football")
    for minutes, scores, offered in ((0, (1, 0), True), (1, (3, 1), False)):
        record(league, sheet(("anna", "ben"), scores, minutes=minutes))
        page = olga.get(f"{PAD}?players=anna,ben").content.decode()
        assert re.findall(r"data-grip\s*>(.*?)<", page)[:2] == ["Home", "Away"]
        assert [offer in page for offer in ("+ Seat", "In teams")] == [offered, offered]


def test_seats_of_more_than_two_or_of_teams_have_numbers(olga: Client) -> None:
    league = make_league(game="Football")
    for page in (olga.get(PAD), olga.get(f"{PAD}?sides=1")):
        assert re.findall(r"data-grip\s*>(.*?)<", page.content.decode())[:3] == ["1", "2", "3"]
    record(league, sheet(("anna", "ben"), (1, 0)))
    assert re.findall(r"data-grip\s*>(.*?)<", olga.get(f"{PAD}?sides=1").content.decode())[:2] == ["1", "2"]


def test_a_name_that_means_nobody_is_asked_about_with_who_is_near(olga: Client) -> None:
    league = make_league(players=("anna", "ben"))
    record(league, sheet(("anna", "ben"), (1, 0)))
    page = olga.post(PAD, sheet_fields(("Annna", "1"), ("Zoran", "0")))
    assert Game.objects.count() == 1
    unknown = {one.name: one.near for one in page.context["unknown"]}
    assert unknown == {"Annna": [("anna", "Anna")], "Zoran": []}
    assert "Seat 1: no player is called “Annna”." in page.content.decode()


def test_a_name_said_to_be_new_is_added_with_the_game_and_no_other_is(olga: Client) -> None:
    make_league(players=("anna", "ben"))
    refused = olga.post(PAD, sheet_fields(("Zoran Rossi", "1"), ("Bne", "0"), new="Zoran Rossi"))
    assert [one.name for one in refused.context["unknown"]] == ["Zoran Rossi", "Bne"]
    assert not Player.objects.filter(name="Zoran Rossi").exists()
    olga.post(PAD, sheet_fields(("Zoran Rossi", "1"), ("ben", "0"), new=["Zoran Rossi", ""]))
    assert Result.objects.order_by("seat")[0].player.name == "Zoran Rossi"


def test_a_total_that_is_missed_is_not_recorded(olga: Client) -> None:
    make_league("barbu", parameters={"demand_total": "yes", "total": 0})
    page = olga.post(PAD, sheet_fields(("anna", "10"), ("ben", "0"), ("cleo", "0"), ("dan", "-11")))
    assert "Nothing was recorded." in page.content.decode()
    assert not Game.objects.exists()
    assert page.context["total"] == 0


def test_a_game_at_home_has_two_sides_where_others_may_grow(olga: Client) -> None:
    """Two played last in both leagues; one of them is of football, the other of any game."""
    for slug, game, most in (("kick", "Football", 2), ("any", "Skittles", 100)):
        league = make_league("elo", ("anna", "ben"), slug=slug)
        League.objects.filter(pk=league.pk).update(game=game)
        record(league, sheet(("anna", "ben"), (3, 1)))
        page = olga.get(f"/admin/leagues/{slug}/record/")
        assert f'data-most="{most}"' in page.content.decode()


def test_a_league_of_two_has_keys_for_its_results(olga: Client) -> None:
    slugs = iter(("scores", "places", "lowest", "sets", "four", "teams", "margins"))

    def list_keys(query: str = "", seats: int = 2, **settings: Any) -> list[tuple[str, str]]:
        league = make_league(slug=next(slugs), **settings)
        League.objects.filter(pk=league.pk).update(seats=seats)
        page = olga.get(f"/admin/leagues/{league.slug}/record/{query}")
        return [(key.label, key.results) for key in page.context["keys"]]

    assert list_keys() == [("1–0", "1 0"), ("½–½", "0.5 0.5"), ("0–1", "0 1")]
    assert list_keys("?by=place") == [("1–0", "1 2"), ("½–½", "1 1"), ("0–1", "2 1")]
    record(League.objects.get(slug="scores"), sheet(("anna", "ben"), (3, 1)))
    page = olga.get("/admin/leagues/scores/record/")
    # Goals: half a goal each is no result.
    assert [(key.label, key.results) for key in page.context["keys"]][1] == ("1–1", "1 1")
    # Elo rates larger tables, too, but this is a league of two.
    assert page.context["system"].max_players > 2 and 'data-most="2"' in page.content.decode()
    assert list_keys(parameters={"winner": "lowest"}) == [("1–0", "0 1"), ("½–½", "0.5 0.5"), ("0–1", "1 0")]
    assert list_keys(sets={"best_of": 3}) == [("2–0", "2 0"), ("2–1", "2 1"), ("1–2", "1 2"), ("0–2", "0 2")]
    # Larger tables and teams have none, nor has a margin, which must be exact.
    assert list_keys(seats=4) == list_keys("?sides=1") == []
    assert list_keys(parameters={"margin": "logarithm"}) == []


def test_a_pad_shows_what_is_not_rated_or_waits(olga: Client) -> None:
    league = make_league()
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), kind="friendly"), follow=True)
    assert page_messages(page) == "Game 1 recorded: a friendly, not rated."
    League.objects.filter(pk=league.pk).update(stale_from=EVENING, stale_key=1)
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), follow=True)
    assert page_messages(page) == "Game 2 recorded; its ratings will appear shortly."


def test_a_game_is_recorded_and_undone_by_one_press_and_its_scores_come_back(olga: Client) -> None:
    make_league()
    page = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), follow=True)
    assert page.redirect_chain == [(f"{PAD}?just=1", 302)]
    assert "Game 1 recorded: Anna +" in page_messages(page)
    assert 'action="/admin/leagues/club/games/1/undo/"' in page.content.decode()
    assert [line.score for line in Result.objects.order_by("seat")] == [1, 0]
    page = olga.post("/admin/leagues/club/games/1/undo/", follow=True)
    game = Game.objects.get()
    assert (game.void_reason, game.voided_by) == ("Undone on the score pad.", "olga")
    seats = [(form["player"].value(), form["score"].value()) for form in page.context["sheet"].formset.forms]
    assert seats[:2] == [("anna", 1), ("ben", 0)]
    assert page_messages(page).endswith("Game 1 was undone: it is void but can still be read.")
    assert olga.get(f"{PAD}?just=1").context["just"] is None


def test_an_earlier_game_is_not_undone_by_one_press(olga: Client) -> None:
    make_league()
    for score in ("1", "0"):
        olga.post(PAD, sheet_fields(("anna", score), ("ben", "0.5")))
    page = olga.post("/admin/leagues/club/games/1/undo/", follow=True)
    assert "Game 1 is no longer the latest; void it on its own page." in page_messages(page)
    assert not Game.objects.filter(voided_at__isnull=False).exists()
    assert olga.get("/admin/leagues/club/games/1/undo/").status_code == 405


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


def test_what_has_no_change_answers_with_none_and_more_seats_record_nothing(olga: Client) -> None:
    make_league()
    nothing = {"seats": [], "made": [], "next": 1, "now": ANY}
    assert olga.post(f"{PAD}change/", sheet_fields(("anna", "x"), ("ben", "0"))).json() == nothing
    assert olga.post(f"{PAD}change/", sheet_fields(("anna", ""), ("ben", ""))).json()["seats"] == []
    twice = olga.post(f"{PAD}change/", sheet_fields(("anna", "1"), ("anna", "0"))).json()
    assert twice["seats"] == []
    assert "anna" in twice["why"].lower()
    assert olga.get(f"{PAD}change/").status_code == 405
    more = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0"), _more="1"))
    assert len(more.context["sheet"].formset.forms) == 6
    assert not Game.objects.exists()


def test_a_league_without_a_rule_leads_to_its_choice(olga: Client) -> None:
    League.objects.create(slug="club", title="Club", created_at=EVENING)
    for page in ("record/", "paste/", "import/", "laboratory/", "second-board/"):
        assert olga.get(DESK + page)["Location"] == "/admin/leagues/club/rules/"
    assert olga.get(DESK).status_code == 200


def test_the_desk_shows_the_evening_and_else_the_last_one(olga: Client) -> None:
    league = make_league(time_zone="Europe/Paris")
    assert "No games yet." in olga.get(DESK).content.decode()
    olga.post(f"{DESK}people/invite/", {"role": "recorder", "note": "Ruth"})
    assert "Ruth, 7 days left" in olga.get(DESK).content.decode()
    # 01:30 in Paris belongs to the evening before.
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 6, 0, 30, tzinfo=UTC)))
    with clock(datetime(2024, 3, 6, 1, 0, tzinfo=UTC)):
        page = olga.get(DESK).content.decode()
    assert "1 game, 2 players." in page
    assert "Tuesday 5 March" in page
    with clock(datetime(2024, 3, 13, 19, 0, tzinfo=UTC)):
        page = olga.get(DESK).content.decode()
    assert "2 players played 1 game. Nothing has been recorded today." in page


def test_the_desk_says_what_closes_soon_and_what_waits_for_a_decision(olga: Client) -> None:
    with clock(EVENING - timedelta(days=1)):
        league = make_league(close_after_hours=24)
    with clock(EVENING):
        create_ladder(league.pk, "month", "Month", RankingRule("rating_score", "month"), username="test")
        record(league, sheet(("anna", "ben"), (1, 0)))
    with clock(datetime(2024, 4, 1, 15, 0, tzinfo=UTC)):
        page = olga.get(DESK).content.decode()
    assert "March 2024 of Month closes" in page
    assert "Anna leads with" in page
    assert "9\xa0hours" in page
    assert "Close now" in page


def test_recorders_see_what_they_may_do_and_who_is_not_signed_in_the_login(olga: Client) -> None:
    league = make_league()
    recorder = sign_in_member("rita", Membership.Role.RECORDER, league)
    page = recorder.get(DESK).content.decode()
    assert "You are a recorder of this league" in page
    assert "Members" not in page
    assert [tab.name for tab in recorder.get(PAD).context["tabs"]] == ["home", "pad", "games"]
    assert Client().get(PAD)["Location"].startswith("/admin/login/")
    assert olga.get("/admin/leagues/nowhere/").status_code == 404


def test_a_pad_of_places_and_one_of_worksheets_are_made_of_their_systems(olga: Client) -> None:
    for system, query, columns in (
        ("durak", "", ["player", "place"]),
        ("durak", "?by=score", ["player", "score", "place"]),
        ("elo", "", ["player", "score"]),
        ("elo", "?by=place", ["player", "place"]),
        ("barbu", "?by=place", ["player", "score"]),
    ):
        if not League.objects.filter(slug=system).exists():
            make_league(system, slug=system)
        page = olga.get(f"/admin/leagues/{system}/record/{query}")
        assert page.context["columns"] == columns
        assert f'name="seats-0-{columns[-1]}"' in page.content.decode()
    make_league("preferans", slug="pref")
    assert "seats-0-worksheet_" in olga.get("/admin/leagues/pref/record/").content.decode()


def test_scores_of_an_undone_game_come_back_where_the_pad_asks_for_places(olga: Client) -> None:
    make_league("durak")
    rows: dict[str, Any] = {f"seats-{seat}-place": str(seat + 1) for seat in range(2)}
    olga.post(PAD, sheet_fields(("anna", "5"), ("ben", "3"), by="score", **rows))
    page = olga.post("/admin/leagues/club/games/1/undo/", follow=True)
    assert page.context["columns"] == ["player", "score", "place"]
    assert [form["score"].value() for form in page.context["sheet"].formset.forms][:2] == [5, 3]


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


def test_the_pad_asks_few_questions_however_many_games_an_evening_has(
    olga: Client, django_assert_max_num_queries: Any
) -> None:
    league = make_league()
    for minutes in range(8):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    with clock(EVENING + timedelta(hours=1)):
        olga.get(PAD)
        with django_assert_max_num_queries(20):
            olga.get(PAD)


def test_the_script_of_the_pad_is_told_where_to_go_on_or_why_not(olga: Client) -> None:
    make_league()
    headers = {"Accept": "application/json"}
    answer = olga.post(PAD, sheet_fields(("anna", "1"), ("ben", "0")), headers=headers)
    assert answer.json() == {"target": f"{PAD}?just=1", "played": Game.objects.get().played_at.isoformat()}
    refused = olga.post(PAD, sheet_fields(("anna", "1"), ("zoe", "x")), headers=headers)
    assert (refused.status_code, refused.json()) == (422, {"why": "Seat 2: Enter a number."})
    unknown = olga.post(PAD, sheet_fields(("anna", "1"), ("zoe", "0")), headers=headers).json()["why"]
    assert unknown.startswith("Seat 2: no player is called “zoe”.")
    assert Game.objects.count() == 1


def test_the_worker_of_the_pads_stands_above_them_and_follows_their_parts(client: Client) -> None:
    answer = client.get(WORKER)
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["Cache-Control"] == "no-cache"
    script = answer.content.decode()
    assert '"/static/rungs/pad-queue.js"' in script
    (told,) = re.findall(r"\$\{OWN\}([0-9a-f]{16})`", script)
    with patch.object(Path, "read_bytes", return_value=b"another"):
        assert told not in client.get(WORKER).content.decode()
    assert client.post(WORKER).status_code == 405


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


def test_the_desk_says_who_is_at_the_table_and_what_can_be_undone_of_tonight(olga: Client) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=5))
    with clock(EVENING + timedelta(hours=1)):
        page = olga.get(DESK).content.decode()
    assert "At the table" in page
    assert re.findall(r"games/\d/(?:undo|void)/", page) == ["games/2/undo/", "games/1/void/"]
    (asked,) = re.findall(r'record/\?([^"]*)">Continue with this table', page)
    assert asked == "players=cleo%2Canna&amp;keep=same"
    seats = olga.get(f"{PAD}?{asked.replace('&amp;', '&')}").context["sheet"].formset.forms
    assert [seat["player"].value() for seat in seats][:3] == ["cleo", "anna", None]
    with clock(EVENING + timedelta(days=2)):
        assert "At the table" not in olga.get(DESK).content.decode()
    void_game(league.pk, 1, reason="A friendly.", username="test")
    assert "<dt>Games</dt><dd>1</dd>" in olga.get(DESK).content.decode()


def test_the_desk_shows_the_last_games_of_an_evening_with_many_and_leads_to_all(olga: Client) -> None:
    league = make_league()
    for number in range(9):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))
    for later in (timedelta(hours=1), timedelta(days=2)):
        with clock(EVENING + later):
            page = olga.get(DESK).content.decode()
        assert re.findall(r"games/(\d)/correct/", page) == list("98765432")
        assert 'Showing the last 8; <a href="/leagues/club/games/">all games</a>.' in " ".join(page.split())


def test_the_worker_keeps_the_words_of_one_language(client: Client) -> None:
    names = {}
    for asked, language in (
        ("", "en"), ("?texts=en", "en"), ("?texts=de", "de"), ("?texts=de-AT", "de"), ("?texts=xx", "en"),
    ):  # fmt: skip
        script = client.get(WORKER + asked).content.decode()
        parts = json.loads(re.findall(r"^const PARTS = (.*);$", script, re.M)[0])
        assert [part for part in parts if "texts-" in part] == [f"/look/texts-{language}.js"]
        assert any(part.endswith("words.js") for part in parts)
        names[language] = re.findall(r"^const NAME = (.*);$", script, re.M)
    assert names["en"] != names["de"], "another language is another worker"


def test_a_pad_asks_for_the_worker_of_its_language(olga: Client) -> None:
    make_league()
    for language in ("en", "de"):
        page = olga.get(PAD, headers={"Accept-Language": language}).content.decode()
        assert f'data-worker="{WORKER}?texts={language}"' in page
        words, own = page.index(f"/look/texts-{language}.js"), page.index("rungs/pad.js")
        assert words < page.index("rungs/words.js") < own


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["Anna Berg", "Ben", "Cleo Kern", "Cleo Lund"], ["Anna", "Ben", "Cleo Kern", "Cleo Lund"]),
        # Countries: the first word is no given name.
        (
            ["Brazil", "DR Congo", "France", "United States", "Peru"],
            ["Brazil", "DR Congo", "France", "United States", "Peru"],
        ),
        (["Ben", "Anna Berg"], ["Ben", "Anna"]),
    ],
)
def test_a_chip_has_the_first_name_unless_most_names_are_one_word(names: list[str], shown: list[str]) -> None:
    chips = build_chips(League(slug="club"), [(name.lower(), name) for name in names], ())
    assert [chip.short for chip in chips] == shown
