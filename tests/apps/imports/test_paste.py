"""Pasting an evening on the desk: what is read, asked, refused, recorded once, and taken back as a whole."""

import re
from collections import deque
from datetime import UTC, date, datetime, timedelta
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from league.apps.imports.models import PasteBatch
from league.apps.imports.services import paste_record
from league.apps.imports.services.read_paste import RecordedGames
from league.core.dispatch.sweep import run_requested_job
from league.core.errors import Refused
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.selectors.games import Likeness
from league.core.games.services.record import correct_game
from league.core.ladders.services.decisions import close_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.models import Game, Job, LogEntry, Rating, RatingChange, Result
from tests.helpers.builders import derived, league_of, make_league, record, rename, sheet
from tests.helpers.desk_client import page_messages, sign_in_member
from tests.helpers.paste_builders import EVENING, PASTE, fields, press, shown, states
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(make_league)


@long_way
@pytest.mark.parametrize("seats", [2000, 1])
def test_declared_fields_are_asked_for_once_for_all_games(olga: Client, seats: int) -> None:
    league = league_of()
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust"], required=True), username="olga")
    declare_field(league.pk, NewField("ranked", "Ranked", "game", "yes_no"), username="olga")
    page = shown(olga, EVENING)
    assert "The field “map” (Map) is required." in page.content.decode()
    chosen = {"fields_map": "dust", "fields_ranked": "false"}
    page = olga.post(PASTE, {**fields(page), **chosen})
    assert "is required" not in page.content.decode() and 'value="dust" selected' in page.content.decode()
    with patch.object(paste_record, "MAX_IMMEDIATE_SEATS", seats):
        page = olga.post(PASTE, {**fields(page), **chosen, "_record": ""}, follow=True)
        if seats == 1:
            run_requested_job(Job.objects.get().pk)
    stored = {str(game.details["declared_fields"]) for game in Game.objects.all()}
    assert (Game.objects.count(), stored) == (2, {str({"game": {"map": "dust", "ranked": False}})})


@long_way
def test_reading_nothing_says_what_to_do(olga: Client) -> None:
    league_of()
    page = olga.post("/admin/leagues/club/paste/", {"text": " \n", "_read": ""})
    assert str(page.context["error"].detail) == "There is nothing to read yet: paste games, or choose a file."
    assert "autofocus" in page.content.decode()


def test_an_evening_is_read_shown_recorded_once_and_taken_back(olga: Client) -> None:
    league = league_of()
    page = shown(olga, EVENING)
    assert states(page) == ["new", "new"]
    assert page.context["columns"][2][2:] == ("A", ["Anna", "Cleo"])
    assert Game.objects.count() == 0
    changes = [change for one in page.context["cards"] for _name, _score, _place, change, _side, _values in one.lines]
    form, page = page, press(olga, page, _record="")
    assert page_messages(page) == "2 games were recorded: 1–2."
    assert "These games have already been recorded" in page_messages(press(olga, form, _record="")), (
        "sent twice, once there"
    )
    assert [(game.played_at, game.recorded_by) for game in Game.objects.order_by("number")] == [
        (datetime(2024, 3, 5, 20, tzinfo=UTC), "olga"),
        (datetime(2024, 3, 5, 21, tzinfo=UTC), "olga"),
    ]
    assert list(Result.objects.order_by("game__number", "seat").values_list("player__handle", "score")) == [
        ("anna", 1), ("ben", 0), ("cleo", 0.5), ("dan", 0.5),
    ]  # fmt: skip
    # What the sheets foretold is what was rated.
    assert changes == list(RatingChange.objects.order_by("number", "seat").values_list("change", flat=True))
    (lately,) = page.context["lately"]
    undo = f"{PASTE}{lately.key}/undo/"
    assert "2 games of this paste count." in olga.get(undo).content.decode()
    page = olga.post(undo, follow=True)
    assert page_messages(page) == "2 pasted games were voided; they can still be read."
    assert derived(league) == ([], [])
    assert {game.void_reason for game in Game.objects.all()} == {"Undone: the whole paste is taken back."}
    assert LogEntry.objects.filter(kind=LogEntry.Kind.GAME_VOIDED).count() == 2
    assert page_messages(olga.post(undo, follow=True)) == "None of the pasted games counts any more."
    assert page.context["lately"] == []
    # A void game is not there. Players of one name are offered by their handles.
    rename("Anna", "cleo")
    page = shown(olga, EVENING)
    assert states(page) == ["asked", "new"]
    assert sorted(page.context["people"]) == ["Ben", "Dan", "anna", "cleo"]


@long_way
def test_an_evening_pasted_again_is_there_already_unless_somebody_wants_it(olga: Client) -> None:
    press(olga, shown(olga, EVENING), _record="")
    page = shown(olga, EVENING)
    assert states(page) == ["known", "known"]
    assert page.context["why"] == "None of these games is new."
    assert 'name="_record" disabled' in page.content.decode()
    assert "None of these games is new. Nothing was recorded." in press(olga, page, _record="").content.decode()
    key = page.context["cards"][0].sheet.game.key
    again = press(olga, page, repeat=key)
    assert states(again) == ["new", "known"]
    assert states(press(olga, again, known=key)) == ["known", "known"]
    press(olga, again, _record="")
    assert Game.objects.count() == 3


@long_way
def test_a_game_of_the_small_hours_is_found_under_its_evening(olga: Client) -> None:
    league = change_league(league_of().pk, {"time_zone": "Europe/Paris"})
    record(league, sheet(("ben", "anna"), (0, 1), played_at=datetime(2024, 3, 6, 0, 30, tzinfo=UTC)))
    assert states(shown(olga, "5.3.2024;Anna;1;Ben;0")) == ["known"]
    assert states(shown(olga, "6.3.2024;Anna;1;Ben;0")) == ["known"]
    assert states(shown(olga, "7.3.2024;Anna;1;Ben;0")) == ["new"]
    assert states(shown(olga, "5.3.2024;Anna;0;Ben;1")) == ["new"]
    # One recorded game is one pasted game.
    assert states(shown(olga, "5.3.2024;Anna;1;Ben;0\n5.3.2024;Anna;1;Ben;0")) == ["new", "known"]


def test_bad_games_come_first_and_hold_all_others_back_until_left_out(olga: Client) -> None:
    page = shown(olga, "5.3.2024;Anna;1;Ben;0\n5.3.2024;Anna;(1);Ben;0\n5.3.2024;Anna;1;Anna;0")
    assert states(page) == ["bad", "bad", "new"]
    assert [one.sheet.refusals for one in page.context["cards"][:2]] == [
        ["Line 2: Anna: “(1)” may be 1 or −1. Write one of them."],
        ["Anna is in two seats; a player can play a game only once."],
    ]
    # Each fault has the line as it was pasted.
    assert [one.pasted for one in page.context["cards"]] == ["5.3.2024;Anna;(1);Ben;0", "5.3.2024;Anna;1;Anna;0", ""]
    assert '<pre class="pasted">5.3.2024;Anna;1;Anna;0</pre>' in page.content.decode()
    assert page.context["why"] == "2 games need checking."
    # The count leads to the first fault; the key that waits for them covers nothing.
    body = page.content.decode()
    assert body.count('href="#fault"') == 3 and body.count('id="fault"') == 1
    assert re.search(r'class="btn big"\s+name="_record"\s+disabled', body)
    # Names that are all players' are a line.
    assert "2 names are known" in body
    assert "names are known" not in shown(olga, "5.3.2024;Anna;1;Bem;0").content.decode()
    refused = press(olga, page, _record="")
    assert "2 games need checking. Nothing was recorded." in refused.content.decode()
    assert Game.objects.count() == 0
    for one in page.context["cards"][:2]:
        page = press(olga, page, leave=one.sheet.game.key)
    assert states(page) == ["new", "out", "out"]
    assert states(press(olga, page, take=page.context["cards"][1].sheet.game.key)) == ["bad", "new", "out"]
    press(olga, page, _record="")
    assert Game.objects.count() == 1


def test_questions_about_names_are_linked_and_the_next_one_follows_an_answer(olga: Client) -> None:
    text = "Annna;1;Benn;0"
    asked = olga.post(PASTE, {"text": text}).content.decode()
    assert '<a href="#who">1</a>' in asked and asked.count('id="who"') == 1
    assert re.search(r'id="who" tabindex="-1"\s*>', asked)
    answered = olga.post(PASTE, {"text": text, "who": ["annna", "benn"], "pick": "0:anna"}).content.decode()
    assert '<a href="#who">1</a>' in answered
    assert re.search(r'id="who" tabindex="-1" autofocus\s*>\s*<input type="hidden" name="who" value="benn">', answered)


def test_a_total_that_is_missed_says_what_was_perhaps_meant(olga: Client) -> None:
    adopt_rule(league_of().pk, "barbu", {"demand_total": "yes", "total": 0}, date(2024, 1, 1), username="test")
    page = shown(olga, "5.3.2024;Anna;110;Ben;-25;Cleo;10;Dan;-59")
    (one,) = page.context["cards"]
    assert (one.sheet.excess, one.sheet.suggestion) == (36, "Did you mean Dan −95?")
    assert one.sheet.refusals == ["The scores must sum to 0, but sum to 36."]


def test_11_06_is_asked_about(olga: Client) -> None:
    page = shown(olga, "05/03/2024;Anna;1;Ben;0")
    assert states(page) == ["bad"]
    assert "Choose which comes first, day or month" in page.context["cards"][0].sheet.refusals[0]
    assert '<select id="order" name="order">' in page.content.decode()
    page = press(olga, page, order="day")
    assert (states(page), page.context["cards"][0].sheet.game.day.isoformat()) == (["new"], "2024-03-05")


@long_way
def test_columns_can_be_named_otherwise(olga: Client) -> None:
    page = shown(olga, "5.3.2024;7;Anna;1\n5.3.2024;7;Ben;0")
    assert [column.role for column in page.context["columns"]] == ["day", "game", "player", "score"]
    page = olga.post(PASTE, {**fields(page), "role-1": "score", "role-3": ""})
    assert [line.seat.score for line in page.context["cards"][0].sheet.seats] == [7, 7]
    page = olga.post(PASTE, {**fields(page), "role-2": "nonsense"})
    assert page.context["columns"][2].role == "player"
    page = olga.post(PASTE, {**fields(page), "role-2": ""})
    assert (
        page.context["why"] == "No column contains names. Choose the column below, or write the names above the scores."
    )


def test_a_text_that_changed_since_it_was_shown_is_shown_again(olga: Client) -> None:
    league = league_of()
    page = shown(olga, EVENING)
    changed = olga.post(PASTE, {**fields(page), "text": EVENING.replace("Ben;0", "Ben;1"), "_record": ""})
    assert "so nothing was saved" in changed.content.decode()
    record(league, sheet(("anna", "ben"), (1, 0), played_at=datetime(2024, 3, 5, 20, tzinfo=UTC)))
    again = press(olga, page, _record="")
    assert "so nothing was saved" in again.content.decode()
    assert states(again) == ["new", "known"]
    assert Game.objects.count() == 1


def test_a_file_is_read_like_a_text_and_stays_in_the_box(olga: Client) -> None:
    page = shown(olga, "", file=SimpleUploadedFile("evening.csv", EVENING.encode("utf-16")))
    assert states(page) == ["new", "new"]
    press(olga, page, _record="")
    assert Game.objects.count() == 2


def test_a_file_that_is_none_is_refused_and_the_text_stays(olga: Client) -> None:
    for content, why in (
        (b"a\0b", "it contains NUL characters"),
        (b"a;1\n" * 500_001, "The file is larger than 2,000,000 bytes."),
        (b"a;1\n" * 10_001, "These are 10,001 lines; a paste can have at most 10,000."),
    ):
        page = shown(olga, "", file=SimpleUploadedFile("evening.csv", content))
        assert page.status_code == 200
        assert why in page.content.decode()


def test_a_text_longer_than_any_form_is_told_the_way_to_go(olga: Client) -> None:
    page = shown(olga, "x" * 2_600_000)
    assert page.status_code == 400
    assert "More than 2,500,000 bytes of text were sent. Go back and upload it as a file." in page.content.decode()


def test_a_long_paste_is_a_workers(olga: Client) -> None:
    with patch.object(paste_record, "MAX_IMMEDIATE_SEATS", 3):
        page = shown(olga, EVENING)
        assert page.context["long"]
        page = press(olga, page, _record="")
    assert "it is being recorded in the background" in page_messages(page)
    assert page.redirect_chain == [("/admin/leagues/club/jobs/", 302)]
    job = Job.objects.get()
    assert Game.objects.count() == 0
    run_requested_job(job.pk)
    job.refresh_from_db()
    assert (job.state, Game.objects.count(), Rating.objects.count()) == (Job.State.DONE, 2, 4)
    assert list(Result.objects.order_by("game__number", "seat").values_list("score", flat=True)) == [1, 0, 0.5, 0.5]


@long_way
def test_a_recorder_takes_no_closed_month_back(olga: Client) -> None:
    league = change_league(league_of().pk, {"closing": "by_hand"})
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month"), username="test")
    press(olga, shown(olga, EVENING), _record="")
    close_period(league.pk, "month", "2024-03", username="test")
    page = shown(olga, "6.3.2024;Anna;1;Ben;0")
    assert [period.key for period in page.context["closed"]] == ["2024-03"]
    (lately,) = page.context["lately"]
    rita = sign_in_member("rita", "recorder", league)
    page = rita.post(f"{PASTE}{lately.key}/undo/", follow=True)
    assert "is closed" in page_messages(page)
    assert league.games.filter(voided_at=None).count() == 2


def test_a_place_system_reads_places(olga: Client) -> None:
    adopt_rule(league_of().pk, "durak", {}, date(2024, 1, 1), username="test")
    page = shown(olga, "Date;Anna;Ben;Cleo;Dan\n5.3.2024;1;2;3;4")
    assert states(page) == ["new"]
    press(olga, page, _record="")
    assert "".join(Result.objects.order_by("place").values_list("player__handle", flat=True)) == "annabencleodan"


def test_a_program_that_imitates_the_name_of_a_pastes_game_is_no_part_of_it(olga: Client) -> None:
    league = league_of()
    press(olga, shown(olga, EVENING), _record="")
    (lately,) = olga.get(PASTE).context["lately"]
    record(league, sheet(("anna", "ben"), (1, 0), external_id=f"paste-{lately.key}-0123456789abcdef"))
    (lately,) = olga.get(PASTE).context["lately"]
    assert lately.games == 2
    olga.post(f"{PASTE}{lately.key}/undo/")
    assert list(league.games.filter(voided_at=None).values_list("number", flat=True)) == [3]
    assert olga.get(PASTE).context["lately"] == []


@long_way
@pytest.mark.parametrize("long", [False, True])
def test_two_pastes_are_taken_back_each_by_itself(olga: Client, long: bool) -> None:
    league = league_of()
    with patch.object(paste_record, "MAX_IMMEDIATE_SEATS", 3 if long else 100):
        for text in (EVENING, EVENING.replace("5.3.", "6.3.")):
            page = press(olga, shown(olga, text), _record="")
            assert ("it is being recorded in the background" in page_messages(page)) == long
            for job in Job.objects.filter(ended_at=None):
                run_requested_job(job.pk)
    first, second = sorted(olga.get(PASTE).context["lately"], key=lambda one: one.first_played_at)
    assert (first.games, second.games) == (2, 2)
    # A game that was corrected since is no part of its paste.
    correct_game(league.pk, 3, sheet(("cleo", "dan"), (1, 0)), reason="misread", username="olga")
    assert "1 pasted game was voided" in page_messages(olga.post(f"{PASTE}{second.key}/undo/", follow=True))
    counting = list(league.games.filter(voided_at=None).order_by("number").values_list("number", flat=True))
    assert counting == [1, 2, 5]
    assert "2 pasted games were voided" in page_messages(olga.post(f"{PASTE}{first.key}/undo/", follow=True))
    assert PasteBatch.objects.count() == 2


def test_a_paste_that_was_refused_leaves_no_batch(olga: Client) -> None:
    page = shown(olga, EVENING)
    with patch("league.apps.imports.services.paste_record.import_and_rate_later", side_effect=Refused("No.")):
        press(olga, page, _record="")
    assert not PasteBatch.objects.exists()


class Counting(deque[int]):
    """Numbers of games that count how often they are looked at."""

    looks = 0

    def popleft(self) -> int:
        """Take the first."""
        Counting.looks += 1
        return super().popleft()


def test_a_thousand_known_games_are_each_looked_at_once_or_twice() -> None:
    """Each stands under its day and the evening before; the sheets of a long paste ask for each once."""
    day, looked = date(2024, 3, 5), dict[Likeness, list[int]]()
    lines: list[frozenset[tuple[str, float | None, int | None]]] = [
        frozenset({(f"player-{number % 50}", float(number), None)}) for number in range(1_000)
    ]
    for number, results in enumerate(lines):
        for shift in (0, 1):
            looked[day - timedelta(days=shift), results, frozenset()] = [number]
    recorded = RecordedGames(looked)
    recorded.unclaimed = {key: Counting(numbers) for key, numbers in recorded.unclaimed.items()}
    found = [recorded.claim((day, results, frozenset())) for results in lines]
    assert found == list(range(1_000))
    assert [recorded.claim((day - timedelta(days=1), results, frozenset())) for results in lines] == [None] * 1_000
    assert Counting.looks == 2_000
