"""Adjustments and season changes in notices of evenings."""

import re
from datetime import date, datetime, timedelta
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.apps.notices.models import Notice
from league.apps.notices.services.render import render_notice
from league.apps.sharing import feed
from league.core.leagues.selectors.adjustments import AdjustmentMove
from league.core.leagues.services.adjustments import AdjustmentData, adjust, void_adjustment
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.log.services.erase_texts import erase_text
from league.core.players.selectors.person import serialize_person
from league.models import GamelessChange, League, LogEntry, Player
from tests.helpers.desk_client import ok_text
from tests.helpers.ladder_builders import clock, utc
from tests.helpers.notice_builders import club, evening, facts, told
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
PENALTY, BONUS = "Left the table.", "Made the tea."


def adjust_at(league: League, who: str, amount: float, reason: str, now: str, at: str = "") -> int:
    """Adjust a rating at a time, effective from then or earlier."""
    with clock(utc(now)):
        player = Player.objects.get(handle=who)
        return adjust(
            league.pk, player, AdjustmentData(amount, reason, utc(at) if at else None), username="olga"
        ).number


def void_at(league: League, number: int, now: str) -> None:
    """Void an adjustment at a time."""
    with clock(utc(now)):
        void_adjustment(league.pk, number, reason="Unjust.", username="olga")


def notice_extras(league: League, day: str, language: str = "en") -> list[str]:
    """Write the notice of an evening; returns its lines between the changes and the games."""
    morning: datetime = utc(f"{day}T06:00") + timedelta(days=1)
    assert told(league, morning) == [("notice.evening", day)]
    league = change_league(league.pk, {"language": language})
    with clock(morning):
        blocks = render_notice(Notice.objects.order_by("-number")[0], league).blocks
    heads = {"en": "Adjustments", "de": "Anpassungen"}
    return [line for block in blocks if heads[language] in block[0] for line in block[1:]]


@long_way
def test_adjustments_are_announced_once_with_the_next_evening() -> None:
    league = club()
    evening(league)
    assert notice_extras(league, "2024-03-05") == []
    # One in the days between, one effective from long ago, one voided before the notice.
    adjust_at(league, "anna", -25, PENALTY, "2024-03-08T12:00")
    adjust_at(league, "ben", 7.5, BONUS, "2024-03-12T18:00", at="2024-03-05T22:00")
    void_at(league, adjust_at(league, "cleo", 3, "A slip.", "2024-03-10T12:00"), "2024-03-10T12:01")
    evening(league, "2024-03-12")
    adjust_at(league, "dan", 1, "After\nmidnight. \u202e@everyone", "2024-03-13T01:00")
    adjust_at(league, "dan", 2, "After six, and so with the next one.", "2024-03-13T06:01")
    assert notice_extras(league, "2024-03-12") == [
        "Adjustment 1: Anna \u221225.0 (Left the table.)",
        "Adjustment 2: Ben +7.5 (Made the tea.)",
        "Adjustment 4: Dan +1.0 (After midnight. @everyone)",  # no markup, and one line
    ]
    void_at(league, 1, "2024-03-14T12:00")
    evening(league, "2024-03-19")
    assert notice_extras(league, "2024-03-19") == [
        "Adjustment 1 is void: Anna +25.0 (Unjust.)",
        "Adjustment 5: Dan +2.0 (After six, and so with the next one.)",
    ]
    evening(league, "2024-03-26")
    assert notice_extras(league, "2024-03-26") == []


def stored_extras(number: int) -> tuple[list[str], list[str]]:
    """Return the reasons of adjustments and the days of new seasons in a notice."""
    facts: Any = Notice.objects.get(number=number).facts
    return [one["reason"] for one in facts["adjustments"]], [one["day"] for one in facts["seasons"]]


def test_evenings_announced_together_have_their_own_adjustments() -> None:
    league = club()
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), {"days": ["03-13"], "pull": 0.5}, username="olga")
    evening(league)
    assert told(league) == [("notice.evening", "2024-03-05")]
    adjust_at(league, "anna", -25, PENALTY, "2024-03-08T12:00")
    evening(league, "2024-03-12")
    adjust_at(league, "ben", 5, BONUS, "2024-03-13T12:00")
    evening(league, "2024-03-13")
    # The turn is within the first one's night, and the second one's games open it.
    assert [day for _, day in told(league, utc("2024-03-14T06:00"))] == ["2024-03-12", "2024-03-13"]
    assert (stored_extras(2), stored_extras(3)) == (([PENALTY], []), ([BONUS], ["2024-03-13"]))


def test_an_early_voided_adjustment_is_announced_as_made_then_as_void() -> None:
    league = club()
    evening(league)
    adjust_at(league, "anna", -25, PENALTY, "2024-03-05T22:00")
    void_at(league, 1, "2024-03-06T06:30")
    assert notice_extras(league, "2024-03-05") == ["Adjustment 1: Anna \u221225.0 (Left the table.)"]
    evening(league, "2024-03-12")
    assert notice_extras(league, "2024-03-12") == ["Adjustment 1 is void: Anna +25.0 (Unjust.)"]


def test_a_season_is_announced_with_its_first_evening() -> None:
    league = club()
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), {"days": ["03-10"], "pull": 0.5}, username="olga")
    evening(league)
    assert notice_extras(league, "2024-03-05") == []
    adjust_at(league, "anna", 30, BONUS, "2024-03-11T12:00")
    evening(league, "2024-03-12")
    # Anna had 1510 and Ben 1490: half of the way to 1500 is 5. Cleo and Dan were at the start and do not move.
    assert notice_extras(league, "2024-03-12", "de") == [
        "Anpassung 1: Anna +30,0 (Made the tea.)",
        "Neue Saison seit Sonntag, 10. März: 2 Personen wurden zum Anfangswert gezogen.",
        "Ben +5,0",
        "Anna \u22125,0",
    ]
    (won,) = [one["change"] for one in facts()["movers"] if one["name"] == "Anna"]
    (score,) = [row["score"] for row in facts()["top"] if row["name"] == "Anna"]
    # 1510 − 5 + 30 = 1535 against 1495: K of 20 times what 40 points less than even are.
    assert won == pytest.approx(20 * (1 - 1 / (1 + 10 ** (-40 / 400))))
    assert score == pytest.approx(1510 - 5 + 30 + won)
    evening(league, "2024-03-19")
    assert notice_extras(league, "2024-03-19") == []


def test_an_erased_reason_disappears_from_notices() -> None:
    league = club()
    evening(league)
    adjust_at(league, "anna", -25, PENALTY, "2024-03-05T22:00")
    adjust_at(league, "ben", 5, BONUS, "2024-03-05T22:01")
    assert notice_extras(league, "2024-03-05")[0] == "Adjustment 1: Anna \u221225.0 (Left the table.)"
    entry = LogEntry.objects.filter(league=league, kind=LogEntry.Kind.ADJUSTMENT_MADE).order_by("position")[0]
    erase_text(league.pk, entry.position, username="olga")
    blocks = render_notice(Notice.objects.get(), league).blocks
    text = [line for block in blocks for line in block]
    assert "Adjustment 1: Anna \u221225.0" in text
    assert "Adjustment 2: Ben +5.0 (Made the tea.)" in text


def page_words(client: Client, path: str) -> str:
    """Return a page as text in one line."""
    return unescape(ok_text(client.get(path)))


def league_in_second_season() -> League:
    """Return a league in its second season, in which Anna was given points after her last game."""
    league = club()
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), {"days": ["03-10"], "pull": 0.5}, username="olga")
    evening(league)
    evening(league, "2024-03-12")
    adjust_at(league, "anna", 30, BONUS, "2024-03-13T12:00")
    adjust_at(league, "anna", -2.5, PENALTY, "2024-03-14T12:00")
    return league


def test_the_player_page_shows_changes_since_the_last_game(client: Client) -> None:
    league_in_second_season()
    text = page_words(client, "/leagues/club/players/anna/")
    assert "in game 3 +30.0 by adjustment 1: Made the tea. \u22122.5 by adjustment 2: Left the table." in text
    assert "by adjustment" not in page_words(client, "/leagues/club/players/ben/")


@long_way
def test_the_wall_shows_a_new_season_once_and_recent_adjustments(client: Client) -> None:
    league = league_in_second_season()
    text = page_words(client, "/leagues/club/wall/")
    lines = ["New season: A new season began: all ratings moved towards the starting rating."]
    lines += ["Anna +30.0 by adjustment 1: Made the tea.", "Anna \u22122.5 by adjustment 2: Left the table."]
    assert all(text.count(line) == 1 for line in lines)
    adjust_at(league, "anna", 1, "Danced.", "2024-03-14T13:00")
    adjust_at(league, "ben", 2, "Sang.", "2024-03-14T14:00")
    text = page_words(client, "/leagues/club/wall/")
    assert re.findall(r"by adjustment (\d)", text) == ["2", "3", "4"]
    assert re.findall(r"by adjustment (\d)", page_words(client, "/leagues/club/wall/?rows=1")) == ["1", "2", "3"]


def test_the_feed_lists_adjustments_and_seasons_by_time(client: Client) -> None:
    league = league_in_second_season()
    void_at(league, adjust_at(league, "ben", 1, "A slip.", "2024-03-14T13:00"), "2024-03-14T14:00")
    text = client.get("/leagues/club/games.atom").content.decode()
    titles = re.findall(r"<title>([^<]+)</title>", text)[1:]
    assert [one for one in titles if "A" in one[:1] and "djust" in one] == ["Adjustment 2", "Adjustment 1"]
    assert titles.index("Adjustment 1") == 1
    assert titles.index("New season") == 4  # after two adjustments and the two games of the evening
    assert "Anna +30.0 (Made the tea.)" in text
    assert "Anna \u22122.5 (Left the table.)" in text
    assert len(set(re.findall(r"<id>([^<]+)</id>", text))) == 1 + 7


@long_way
def test_the_feed_asks_no_more_for_more_adjustments_and_tells_the_last_only(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    league, counts = league_in_second_season(), []
    for number in range(2):
        with CaptureQueriesContext(connection) as question:
            assert client.get("/leagues/club/games.atom").content.count(b"Adjustment ") == 2 + 3 * number
        counts.append(len(question))
        for minute in range(3):
            adjust_at(league, "anna", 1, "Sang.", f"2024-03-14T1{3 + number}:0{minute}")
    assert counts[0] == counts[1]
    monkeypatch.setattr(feed, "MAX_GAMES", 2)
    result = client.get("/leagues/club/games.atom").content.decode()
    assert re.findall(r"<title>(Adjustment \d)</title>", result) == ["Adjustment 8", "Adjustment 7"]


def test_a_reason_that_no_document_may_hold_breaks_no_feed(client: Client) -> None:
    adjust_at(league_in_second_season(), "anna", 1, "Two\x0blines\ufffe & <b>", "2024-03-14T13:00")
    answer = client.get("/leagues/club/games.atom")
    assert answer.status_code == 200
    text = [
        one.text or "" for one in ElementTree.fromstring(answer.content).iter("{http://www.w3.org/2005/Atom}summary")
    ]
    assert "Anna +1.0 (Two lines & <b>)" in unescape(text[0])
    assert "<b>" not in text[0]


def test_what_is_kept_of_a_person_says_what_moved_them() -> None:
    league_in_second_season()
    (found,) = serialize_person(Player.objects.get(handle="anna"))["leagues"]
    assert [(one["cause"], one["change"]) for one in found["moves"]] == [
        ("season", -5.0), ("adjustment", 30.0), ("adjustment", -2.5),
    ]  # fmt: skip


def test_a_change_without_its_adjustment_shows_the_number() -> None:
    # Such a line exists after unmerging players until their ratings are replayed.
    text = [
        render_to_string(
            "web/public/by_move.html", {"move": AdjustmentMove(GamelessChange(number=number), None)}
        ).strip()
        for number in (-1, 0, 3)
    ]
    assert text == ["by the change of rating system", "by the new season", "by adjustment 3"]
