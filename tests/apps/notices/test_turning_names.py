"""Names written from right to left: isolated in text for people, bare in machine-readable formats."""

import json
import re
from datetime import timedelta

import pytest
from django.test import Client

from league.apps.notices.models import Notice
from league.apps.notices.services.render import render_notice
from league.models import League, LogEntry, Player
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.notice_builders import club, evening, told

pytestmark = pytest.mark.django_db

DAVID, MUHAMMAD = "\u05d3\u05d5\u05d3 \u05db\u05d4\u05df", "\u0645\u062d\u0645\u062f"
#: As a line of text has them: FSI, the name, PDI (UAX #9).
APART, OTHER = f"\u2068{DAVID}\u2069", f"\u2068{MUHAMMAD}\u2069"


@pytest.fixture
def league() -> League:
    """Return a league with a duel and three games, with both names written from right to left."""
    league = make_league("elo")
    Player.objects.filter(handle="anna").update(name=DAVID)
    Player.objects.filter(handle="ben").update(name=MUHAMMAD)
    for day in range(3):
        record(league, sheet(("anna", "ben"), scores=(21, 15), played_at=EVENING + timedelta(days=day)))
    return league


def response_text(client: Client, path: str) -> str:
    """Return the body of a response."""
    answer = client.get(f"/leagues/club/{path}")
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_titles_labels_and_feeds_isolate_names(league: League, client: Client) -> None:
    text = f"{APART} – {OTHER} 21–15"
    game = response_text(client, "games/1/")
    assert f"<title>{text} · Club · Rungs</title>" in game
    heading = game.partition('<h1 class="duel">')[2].partition("</h1>")[0]
    assert re.findall(r"<a[^>]*>(.*?)</a>", heading) == [DAVID, MUHAMMAD], (
        "each in a link, which is isolated by the style"
    )
    assert f"{OTHER} " in game, "the sentence that says why"
    assert f"<title>{text}</title>" in response_text(client, "games.atom")
    assert f": {text}<" in response_text(client, "games.atom")
    assert f'aria-label="Rating of {APART}' in response_text(client, "players/anna/")
    assert f"<title>{APART} in Club · Rungs</title>" in response_text(client, "players/anna/")


def test_machine_readable_formats_have_bare_names(league: League, client: Client) -> None:
    paths = ("players/anna/?table=games&format=json", "games/1/?table=results&format=csv",
             "what-if/?p=anna&p=ben&table=outcomes&format=json", "?table=board&format=csv")  # fmt: skip
    files = [response_text(client, path) for path in paths]
    files += [client.get(f"/api/v1/leagues/club/{path}/").content.decode() for path in ("games", "leaderboard", "log")]
    assert any(DAVID in file or json.dumps(DAVID)[1:-1] in file for file in files)
    for file in files:
        assert not {"\u2068", "\u2069"} & set(file)
        assert "\\u2068" not in file
    assert not any(
        "\u2068" in json.dumps(one, ensure_ascii=False) for one in LogEntry.objects.values_list("payload", flat=True)
    )


def test_names_from_left_to_right_stay_as_they_are(league: League, client: Client) -> None:
    record(league, sheet(("cleo", "dan"), scores=(3, 1)))
    assert "<title>Cleo – Dan 3–1 · Club · Rungs</title>" in response_text(client, "games/4/")


def test_notices_isolate_names() -> None:
    league = club()
    Player.objects.filter(handle="anna").update(name=DAVID)
    evening(league)
    assert told(league) == [("notice.evening", "2024-03-05")]
    text = render_notice(Notice.objects.get(), league).text
    assert f"{APART} " in text
    assert text.count(DAVID) == text.count(APART)
