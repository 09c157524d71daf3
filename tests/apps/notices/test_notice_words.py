"""Texts of notices in English and German; complete evenings are tested with chats."""

from datetime import timedelta
from typing import Any

import pytest

from league.apps.notices.models import Notice
from league.apps.notices.services.render import (
    NoticeText,
    convert_to_plain_line,
    format_period,
    render_notice,
    render_test_notice,
)
from league.core.ladders.services.decisions import reopen_period
from league.core.leagues.services.leagues import change_league
from league.models import League
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import clock, close, duel, make_ladder, record_as_played, utc
from tests.helpers.notice_builders import MORNING, club, evening, told

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def configure_site(settings: Any) -> None:
    """Set the site's URL."""
    settings.RUNGS_ORIGIN = "https://club.example"


def newest_notice(league: League, language: str = "en") -> NoticeText:
    """Return the newest notice with facts in a language."""
    league = change_league(league.pk, {"language": language})
    return render_notice(Notice.objects.exclude(facts=None).order_by("-number")[0], league)


def lines(words: NoticeText) -> list[str]:
    """Return the title and all blocks as lines, separated by empty lines."""
    return [words.title, "", *words.text.split("\n")]


def test_another_year_is_named_and_one_game_is_singular() -> None:
    league = club()
    record_as_played(league, duel("anna", "ben", "2024-03-05T19:30"))
    told(league)
    with clock(utc("2025-01-01")):
        assert newest_notice(league).title == "Club, Tuesday 5 March 2024: 1 game, 2 players"
        assert newest_notice(league, "de").title == "Club, Dienstag, 5. März 2024: 1 Partie, 2 Personen"


def test_a_new_leader_is_named() -> None:
    league = club()
    evening(league)
    told(league)
    # Dan beats Ben (1490): 20 * (1 - 1/(1 + 10**(-10/400))) = 9.7; then Cleo (1500): about 9.7 more: 1519.4.
    record_as_played(league, duel("dan", "ben", "2024-03-06T19:00"), duel("dan", "cleo", "2024-03-06T20:00"))
    told(league, MORNING + timedelta(days=1))
    with clock(MORNING):
        assert lines(newest_notice(league))[2] == "Dan takes the lead."
        assert lines(newest_notice(league, "de"))[2] == "Dan übernimmt die Spitze."
        assert "Dan +19.4, 2 games" in lines(newest_notice(league))
        assert "Dan +19,4, 2 Partien" in lines(newest_notice(league, "de"))


def test_winners_have_the_best_place_or_score() -> None:
    league = club(players=("anna", "ben", "cleo"))
    record_as_played(
        league,
        sheet(("anna", "ben", "cleo"), None, (2, 1, 2), played_at=utc("2024-03-05T19:00")),
        sheet(("anna", "ben", "cleo"), (12.5, 12.5, -25), played_at=utc("2024-03-05T20:00")),
        sheet(("anna", "ben", "cleo"), (3, 2, 1), (1, 2, 3), played_at=utc("2024-03-05T21:00")),
    )
    told(league)
    english, german = lines(newest_notice(league)), lines(newest_notice(league, "de"))
    assert "Game 1: Ben wins. Anna place 2, Ben place 1, Cleo place 2" in english
    assert "Game 2: Anna and Ben share first place. Anna 12.5, Ben 12.5, Cleo \u221225" in english
    assert "Game 3: Anna wins. Anna 3, Ben 2, Cleo 1" in english
    assert "Partie 3: Anna gewinnt. Anna 3, Ben 2, Cleo 1" in german
    assert any(line.startswith("Partie 2: Anna und Ben ") for line in german)


def test_the_lowest_score_wins_if_the_rule_says_so() -> None:
    league = make_league("preferans", ("anna", "ben", "cleo"), parameters={"winner": "lowest"})
    table = sheet(("anna", "ben", "cleo"), (-300, 100, 200), played_at=utc("2024-03-05T19:00"), details={"bula": 30})
    record_as_played(league, table)
    told(league)
    assert "Game 1: Anna wins. Anna \u2212300, Ben 100, Cleo 200" in lines(newest_notice(league))


def test_long_evenings_are_shortened_with_counts() -> None:
    league = club(players=[f"p{number:02}" for number in range(20)])
    for number in range(27):
        with clock(utc("2024-03-05T19:30")):
            pair = (f"p{number % 20:02}", f"p{(number + 1) % 20:02}")
            record(league, sheet(pair, (1, 0), minutes=number))
    told(league)
    text = lines(newest_notice(league))
    assert text[0].endswith(": 27 games, 20 players")
    assert sum(line.startswith("Game ") for line in text) == 25
    assert text[text.index("Game 25: P04 – P05 1–0") + 1] == "And 2 more games."
    assert "Und noch 2 Partien." in lines(newest_notice(league, "de"))
    gained = text[text.index("Rating changes") + 1 : text.index("Games") - 1]
    assert len(gained) == 16
    assert gained[-1] == "And 5 others in between."
    assert "Und 5 weitere dazwischen." in lines(newest_notice(league, "de"))


def test_a_table_of_twenty_names_twelve() -> None:
    players = [f"p{number:02}" for number in range(20)]
    league = club(players=players)
    record_as_played(league, sheet(players, range(20, 0, -1), played_at=utc("2024-03-05T19:00")))
    told(league)
    (line,) = [line for line in lines(newest_notice(league)) if line.startswith("Game 1: P00 wins. P00 20, P01 19, ")]
    assert line.endswith(", P11 9 and 8 more")


def test_a_closed_month_in_english_and_german() -> None:
    league = club()
    make_ladder(league)
    evening(league)
    with clock(utc("2024-04-02T10:00")):
        close(league, "2024-03")
    told(league, utc("2024-04-02T10:01"))
    english, german = newest_notice(league), newest_notice(league, "de")
    # A win is 1 point, a draw half of one: Anna 1, Cleo and Dan ½, Ben 0.
    assert lines(english) == [
        "Club: March 2024 of Month is closed", "", "Anna wins.", "", "Ranking",
        "1. Anna 1.0", "2. Cleo 0.5", "2. Dan 0.5",
    ]  # fmt: skip
    assert english.link == "https://club.example/leagues/club/ladders/month/2024-03/"
    assert lines(german) == [
        "Club: März 2024 von Month ist abgeschlossen", "", "Anna gewinnt.", "", "Rangfolge",
        "1. Anna 1,0", "2. Cleo 0,5", "2. Dan 0,5",
    ]  # fmt: skip
    with clock(utc("2024-04-03T10:00")):
        reopen_period(league.pk, "month", "2024-03", reason="Late.", username="olga")
        close(league, "2024-03", reason="A sheet\ncame late.")
    told(league, utc("2024-04-03T10:01"))
    assert lines(newest_notice(league))[0] == "Club: March 2024 of Month was published again, edition 2"
    assert "Reason: A sheet came late." in lines(newest_notice(league))
    assert lines(newest_notice(league, "de"))[0] == "Club: März 2024 von Month ist neu veröffentlicht, Ausgabe 2"


def league_with_notice(kind: str, facts: dict[str, Any]) -> League:
    """Return a league with a notice of these facts."""
    league = club()
    Notice.objects.create(league=league, number=1, kind=kind, subject="x", at=MORNING, facts=facts)
    return league


def test_decisions_in_english_and_german() -> None:
    periods = [{"ladder": "Month", "period": key} for key in ("2024-02", "2024-W09", "2024-Q1", "2023")]
    league = league_with_notice("notice.decision_due", {"count": 6, "reports": 0, "periods": periods})
    assert lines(newest_notice(league)) == [
        "Club: 6 decisions are due", "",
        "Games were recorded or changed after they were closed. An organiser must decide whether to keep the editions "
        "or publish new ones.", "",
        "February 2024 of Month", "Week 9, 2024 of Month", "Quarter 1, 2024 of Month", "2023 of Month",
        "and 2 earlier ones",
    ]  # fmt: skip
    assert lines(newest_notice(league, "de")) == [
        "Club: 6 Entscheidungen sind fällig", "",
        "Nach den Abschlüssen wurden Partien eingetragen oder geändert. Wer die Liga organisiert, entscheidet: Die "
        "Ausgaben bleiben, oder neue erscheinen.", "",
        "Februar 2024 von Month", "Woche 9, 2024 von Month", "1. Quartal 2024 von Month", "2023 von Month",
        "und 2 frühere",
    ]  # fmt: skip
    assert newest_notice(league).link == "https://club.example/admin/leagues/club/"
    Notice.objects.update(facts={"count": 1, "reports": 0, "periods": periods[:1]})
    assert newest_notice(league).title == "Club: 1 decision is due"
    assert "after it was closed" in newest_notice(league).text
    Notice.objects.update(facts={"count": 3, "reports": 2, "periods": periods[:1]})
    assert lines(newest_notice(league))[-3:] == [
        "February 2024 of Month", "",
        "2 reported games are disputed, not confirmed in time, or already recorded.",
    ]  # fmt: skip
    Notice.objects.update(facts={"count": 1, "reports": 1, "periods": []})
    assert lines(newest_notice(league, "de")) == [
        "Club: 1 Entscheidung ist fällig", "",
        "1 gemeldete Partie ist bestritten, nicht rechtzeitig bestätigt, oder sie gleicht einer eingetragenen.",
    ]  # fmt: skip
    assert newest_notice(league, "de").title == "Club: 1 Entscheidung ist fällig"


def test_failed_imports_in_english_and_german() -> None:
    facts = {"by": "rita", "line": 3, "problems": 3, "refusal": "Line 3: “much” is no score.\r\nTwice."}
    league = league_with_notice("notice.import_failed", facts)
    assert lines(newest_notice(league)) == [
        "Club: An import failed", "", "A file from rita was rejected. Nothing was saved.",
        "Line 3: “much” is no score. Twice.", "And 2 more problems.",
    ]  # fmt: skip
    assert newest_notice(league).link == "https://club.example/admin/leagues/club/jobs/"
    Notice.objects.update(facts={**facts, "refusal": "", "problems": 1})
    assert lines(newest_notice(league))[3:] == ["Line 3 was rejected; see the job for the reason."]
    assert lines(newest_notice(league, "de"))[2:] == [
        "rita hat eine Datei geschickt. Nichts davon wurde eingetragen.",
        "Zeile 3 wird zurückgewiesen; der Auftrag sagt, warum.",
    ]
    Notice.objects.update(facts={"by": "", "line": None, "refusal": "", "problems": 0})
    assert lines(newest_notice(league))[2:] == ["Nothing from the file was saved.", "See the job for the reason."]
    Notice.objects.update(facts={"by": "", "line": None, "refusal": "x" * 5000, "problems": 0})
    assert lines(newest_notice(league))[3] == "x" * 400 + "…"


def test_a_test_message_without_origin_has_no_link(settings: Any) -> None:
    settings.RUNGS_ORIGIN = ""
    league = club(title="Thursday\nclub", language="de")
    words = render_test_notice(league)
    assert lines(words) == ["Thursday club: Ein Test", "", "Hier kommen Nachrichten dieser Liga an."]
    assert words.link == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Zoë  “½”", "Zoë “½”"),
        ("a\nb\r\n\tc\x00\u2028d", "a b c d"),
        ("evil\u202egnp.exe\u2066", "evilgnp.exe"),
        ("نور‍ ב", "نور‍ ב"),
        ("", ""),
    ],
)
def test_user_texts_stay_in_one_line(text: str, said: str) -> None:
    assert convert_to_plain_line(text) == said


@pytest.mark.parametrize(
    ("key", "title"),
    [("2024-12", "December 2024"), ("2024-W01", "Week 1, 2024"), ("2020-W53", "Week 53, 2020"),
     ("2024-Q4", "Quarter 4, 2024"), ("2024", "2024"), ("all", "All time"),
     ("2024-03-01--2024-05-31", "1 March 2024 to 31 May 2024")],
)  # fmt: skip
def test_periods_are_named_by_their_keys(key: str, title: str) -> None:
    assert format_period(key) == title
