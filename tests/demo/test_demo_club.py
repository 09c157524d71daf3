"""The demo's club: a competition in every state on the day on which somebody looks, over the API and on pages."""

from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client

from league.apps.reports.models import Report
from league.core.accounts.services.members import set_member
from league.core.jobs.services.progress import ignore_progress
from league.demo.leagues import DEMOS, load_demo
from league.models import Game, League
from tests.helpers.ladder_builders import clock

#: Half past two in the afternoon of a Friday in Amsterdam.
NOW = datetime(2026, 7, 17, 12, 30, tzinfo=UTC)
API, PAGES = "/api/v1/leagues/games-club/", "/leagues/games-club/"
STATUS = {"club-championship": "finished", "cup": "running", "tables-of-four": "running", "swiss": "running",
          "next-month": "open"}  # fmt: skip
#: Those that belong to seasons: boxes of two months, and three evenings of a series.
PARTS_OF_SEASONS = {
    **{f"boxes-{level}": "finished" for level in (1, 2, 3)}, **{f"boxes-2-{level}": "running" for level in (1, 2, 3)},
    **{f"evening-{event}": "finished" for event in (1, 2, 3)},
}  # fmt: skip
PARTS = ("", "entries/", "fixtures/", "cross-table/", "rules/", "wall/", "entries/1/")
#: Drawn once from the seed and written down: rank, name, points, and what decides against the next one.
CHAMPIONSHIP = [
    (1, "Greta Fontaine", 6.0, None),
    (2, "Dario Ivanova", 4.5, "DE"),
    (3, "Elena Petrov", 4.5, "DE"),
    (4, "Jonas Conti", 4.5, None),
    (5, "Hugo Moreau", 3.5, None),
    (6, "Ines Takács", 2.0, None),
    (7, "Klara Jansen", 1.5, "DE"),
    (8, "Felix Weiss", 1.5, None),
]


def ask(client: Client, path: str) -> Any:
    """Return what the API answers, the rows of a list."""
    answer = client.get(API + path)
    assert answer.status_code == 200, path
    return answer.json().get("results", answer.json())


@pytest.mark.slow("Makes the club of a day; other tests make the demo and read its pages.")
@pytest.mark.django_db
def test_the_club_shows_everything_on_the_day_on_which_somebody_looks(
    client: Client, settings: LazySettings, tmp_path: Path
) -> None:
    settings.VAR = tmp_path
    with clock(NOW):
        loaded = load_demo(DEMOS[0], ignore_progress)
        assert loaded.notes[-2].startswith("5 competitions: 1 finished, 3 running, 1 open for entries")
        assert loaded.notes[-1].startswith("2 seasons: boxes in their second month")
        found = {one["slug"]: one["status"] for one in ask(client, "competitions/?limit=50")}
        assert found == STATUS | PARTS_OF_SEASONS
        check_championship(client)
        check_swiss(client)
        check_cup_and_tables(client)
        check_seasons(client)
        check_pages(client)
    assert [rule["system"] for rule in ask(client, "rules/")] == ["elo", "glicko2"]
    assert Game.objects.latest("played_at").played_at < NOW


def check_championship(client: Client) -> None:
    """Compare the finished round robin with the draw, and its ties with sums of the games between the tied."""
    standings = ask(client, "competitions/club-championship/standings/")
    shown = [(row["rank"], row["entry"]["name"], row["points"], row["decided_by"]) for row in standings]
    assert shown == CHAMPIONSHIP
    fixtures = ask(client, "competitions/club-championship/fixtures/?limit=100")
    assert len(fixtures) == 8 * 7 // 2
    for _, group in groupby(standings, lambda row: row["points"]):
        tied = {row["entry"]["number"]: row for row in group}
        among = [one["results"] for one in fixtures if set(one["entries"]) <= set(tied)]
        for number, row in tied.items() if len(tied) > 1 else ():
            points = sum(seat["points"] for results in among for seat in results if seat["entry"] == number)
            assert row["tie_breaks"]["DE"] == points
    (edition,) = ask(client, "competitions/club-championship/editions/")
    assert edition["number"] == 1


def check_swiss(client: Client) -> None:
    """Look for the fourth of five rounds in play, and two reports that wait."""
    rounds = ask(client, "competitions/swiss/rounds/")
    assert [one["status"] for one in rounds] == ["published"] * 4
    states = [[fixture["status"] for fixture in one["fixtures"]] for one in rounds]
    assert states == [["played"] * 6] * 3 + [["played"] * 2 + ["planned"] * 4]
    assert datetime.fromisoformat(rounds[3]["starts"]) == NOW - timedelta(minutes=90)
    waiting = Report.objects.filter(state=Report.State.WAITING)
    numbers = {report.sheet["fixture"] for report in waiting}
    assert numbers == {fixture["id"] for fixture in rounds[3]["fixtures"][2:4]}


def check_cup_and_tables(client: Client) -> None:
    """Look for half a bracket, and for tables of four, of which the third evening is to come."""
    cup = [(one["round"], one["status"]) for one in ask(client, "competitions/cup/fixtures/")]
    assert cup == [(1, "played")] * 4 + [(2, "played"), (2, "planned")]
    tables = ask(client, "competitions/tables-of-four/fixtures/")
    assert {len(one["entries"]) for one in tables} == {4}
    assert [one["status"] for one in tables] == ["played"] * 6 + ["planned"] * 3
    assert 'class="bracket' in client.get(f"{PAGES}competitions/cup/").content.decode()


def check_seasons(client: Client) -> None:
    """Look for boxes that follow others, with games to come, and for a series after three of four evenings."""
    seasons = {one["slug"]: (one["status"], one["previous"]) for one in ask(client, "seasons/")}
    assert seasons == {"boxes": ("closed", None), "boxes-2": ("running", "boxes"), "series": ("open", None)}
    first, second = (ask(client, f"seasons/{slug}/standings/")["divisions"] for slug in ("boxes", "boxes-2"))
    (risen,) = (row["player"] for row in first[1]["results"] if row["zone"] == "up")
    assert risen in [row["player"] for row in second[0]["results"]]
    assert [[row["played"] for row in one["results"]] for one in second] == [[2] * 4] * 3
    series = ask(client, "seasons/series/standings/")
    assert [one["status"] for one in series["events"]] == ["finished"] * 3 and len(series["series"]) > 8
    for slug, words in (("boxes-2", "What can still happen"), ("series", "After 3 of 4 events.")):
        assert words in " ".join(client.get(f"{PAGES}seasons/{slug}/").content.decode().split())


def check_pages(client: Client) -> None:
    """Open every page of the competitions, and of the reports."""
    for path in (*(f"competitions/{slug}/{part}" for slug in STATUS for part in PARTS), "competitions/", "wall/"):
        assert client.get(PAGES + path).status_code == 200, path
    assert client.get(f"{PAGES}competitions/swiss/rounds/4/").status_code == 200
    client.force_login(User.objects.create_user("olga", is_staff=True))
    set_member(League.objects.get().pk, "olga", "owner")
    page = client.get("/admin/leagues/games-club/reports/").content.decode()
    assert all(f"/reports/{report}/" in page for report in Report.objects.values_list("pk", flat=True))
