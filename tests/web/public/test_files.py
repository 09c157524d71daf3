"""Every table of the public pages is to be had as CSV and as JSON, whole, with the filters of the page."""

import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.html import parse_html
from django.urls import resolve

from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import close_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.leagues import adopt_rule, change_league
from league.core.monitoring.requests import PAGES
from league.models import Player
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.one_database("Files of pages, not books.")]

#: Pages whose tables have no files, and why.
WITHOUT = {
    "problem": "codes of the API, which its own document lists",
    "problems": "codes of the API, which its own document lists",
    "pages:status": "has a test of its own: its figures go on while they are read",
    "pages:wall": "shown on a television; its rows are those of the board",
    "pages:laboratory": "leads to the experiments whose figures it draws",
    "pages:embed": "a frame on another site leads to the page that it is of",
    "pages:embed_ladder": "a frame on another site leads to the page that it is of",
    "pages:embed_player": "a frame on another site leads to the page that it is of",
}
#: Rows that stand in a table and are of another kind than the others: what everybody was moved by, what was expected.
ASIDE = {"pool", "expected"}
#: The table that goes from left to right: its rows are columns.
TURNED = {"curve"}
OF_A_KIND = 3


def elements(node: Any) -> Iterator[Any]:
    """Yield the elements below one, in their order."""
    for child in node.children:
        if not isinstance(child, str):
            yield child
            yield from elements(child)


def tables_of(page: str) -> tuple[list[tuple[int, dict[str, str]]], int]:
    """Return the rows of the tables of each line of files, with its links; and how many tables have no such line.

    A line belongs to the tables above it; that of a board stands above it.
    """
    found, rows, waiting = list[tuple[int, dict[str, str]]](), 0, 0
    ahead, is_picture = dict[str, str](), False
    for one in elements(parse_html(page)):
        if one.name == "table":
            if ahead and waiting:
                found.append((rows, ahead))
                ahead, rows, waiting = {}, 0, 0
            # Pictures made of cells: a calendar of games, and who met whom.
            is_picture = bool({"months", "heat"} & {*(dict(one.attributes).get("class") or "").split()})
            waiting += not is_picture
        elif one.name == "tbody" and not is_picture:
            rows += sum(row.name == "tr" and dict(row.attributes).get("class") not in ASIDE for row in elements(one))
        elif one.name == "p" and "files" in (dict(one.attributes).get("class") or "").split():
            links = {
                "".join(link.children): dict(link.attributes)["href"] for link in elements(one) if link.name == "a"
            }
            if not waiting:
                # The board's links stand before its rows; those of the games are of a list.
                ahead = links if "table=board" in links["CSV"] else ahead
                continue
            found.append((rows, links))
            rows = waiting = 0
    if ahead and waiting:
        found.append((rows, ahead))
        waiting = 0
    return found, waiting


def build() -> None:
    """Make a league of every kind of table: a ladder with a closed period, rules of other days, sheets, newcomers."""
    league = make_league("preferans", ("anna", "ben", "cleo", "dan"), slug="papers", min_games=3)
    create_ladder(league.pk, "month", "Month", RankingRule("best_scores", "month", {}), username="olga")
    for minutes in range(7):
        record(
            league,
            sheet(("anna", "ben", "cleo"), (40 + minutes, -10, -30 - minutes), minutes=minutes, details={"bula": 20}),
        )
    record(league, sheet(("dan", "ben", "cleo"), (40, -10, -30), minutes=60 * 24, details={"bula": 20}))
    void_game(league.pk, 2, reason="oops", username="olga")
    duels = make_league("elo", tuple(f"p{number}" for number in range(12)), slug="duels", parameters={"k": 32})
    for turn in range(60):
        one, two = turn % 12, (turn * 5 + 1) % 12
        if one != two:
            record(duels, sheet((f"p{one}", f"p{two}"), (turn % 3, 1), minutes=turn * 60))
    for cadence in ("month", "all_time"):
        for method in ("fide_performance", "best_scores"):
            create_ladder(
                duels.pk,
                f"{method}-{cadence}".replace("_", "-"),
                method,
                RankingRule(method, cadence, {}),
                username="olga",
            )
    create_ladder(duels.pk, "points", "Points", RankingRule("points", "month", {}), username="olga")
    close_period(duels.pk, "points", "2024-03", username="olga")
    record(duels, sheet(("p1", "p2"), (1, 0), minutes=5))
    adopt_rule(duels.pk, "elo", {"k": 20}, EVENING.date().replace(year=2150), username="olga")
    adopt_rule(duels.pk, "elo", {"k": 24}, EVENING.date().replace(month=6), username="olga")
    many = make_league("durak", tuple("efgh"), slug="many")
    for players in ("efgh", "efg", "ef"):
        record(many, sheet(tuple(players), places=range(1, len(players) + 1), minutes=len(players)))
    table = make_league("barbu", tuple("abcd"), slug="barbu", parameters={"zero_sum": "league"})
    for minutes in range(30):
        record(table, sheet(tuple("abcd"), (30, 10, -10, -30), minutes=minutes))


built = built_once(build)


def crawled(client: Client, first: str) -> Iterator[tuple[str, str]]:
    """Yield the public pages that lead to one another, a few of each kind."""
    waiting, known, kinds = [first], {first}, dict[str, int]()
    while waiting:
        path = waiting.pop(0)
        answer = client.get(path)
        if answer.status_code != 200 or not answer.get("Content-Type", "").startswith("text/html"):
            continue
        page = answer.content.decode()
        yield path, page
        for found in re.findall(r'href="([/?][^"#]*)', page):
            target = urljoin(path, found.replace("&amp;", "&"))
            if target in known or re.match(r"/(static|api|look|desk|accounts)/|.*[?&](lang|format)=", target):
                continue
            match = resolve(target.split("?")[0])
            if match.app_name == "admin":
                continue
            known.add(target)
            asked = sorted(re.findall(r"[?&](\w+)=", target))
            kind = f"{match.view_name} {asked}"
            if kinds.setdefault(kind, 0) < OF_A_KIND:
                kinds[kind] += 1
                waiting.append(target)


#: Beside what pages lead to.
MORE = (
    "/leagues/duels/what-if/?p=p1&r=1&p=p2&r=0", "/leagues/duels/what-if/?p=p1&r=&p=p2&r=",
    "/leagues/duels/?at=2024-03-06", "/leagues/duels/?q=p1", "/leagues/papers/?q=dan", "/leagues/many/players/e/",
    "/leagues/duels/?games=8&sort=-games",
    "/leagues/barbu/games/9/", "/leagues/barbu/players/a/", "/leagues/duels/players/p1/", "/leagues/papers/games/3/",
    "/leagues/duels/ladders/best-scores-month/2024-03/",
    "/ladder-methods/erf_mean/",
    "/leagues/duels/ladders/points/2024-03/", "/leagues/duels/ladders/points/2024-03/changes/",
    "/leagues/duels/compared/?from=2024-03-07", "/leagues/duels/compared/?from=2024-03-07&to=2024-03-08",
    "/leagues/duels/compared/?from=2024-03-06&to=2024-03-07", "/leagues/duels/players/p1/versus/p6/",
)  # fmt: skip


@pytest.mark.slow("Writes every table as every kind of file.")
@pytest.mark.usefixtures("built")
def test_every_table_has_its_files(client: Client) -> None:
    seen, without = set[str](), []
    for path, page in [*crawled(client, "/"), *((path, client.get(path).content.decode()) for path in MORE)]:
        if resolve(path.split("?")[0]).view_name in WITHOUT:
            continue
        tables, waiting = tables_of(page)
        without += [path] if waiting else []
        paged = 'rel="next" href="?page=' in page or "page=" in path
        for rows, links in tables:
            assert sorted(links) == ["CSV", "JSON"], path
            name = "".join(re.findall(r"table=([\w-]+)", links["CSV"])) or "standings"
            seen.add(re.sub(r"\d+", "n", name))
            counted = [rows_of(client, urljoin(path, links[kind]), kind) for kind in ("CSV", "JSON")]
            assert counted[0] == counted[1], (path, name)
            if not paged and name not in TURNED:
                assert counted[0] == rows, (path, name)
            assert counted[0] >= rows or name in TURNED, (path, name)
    assert without == [], "tables without files"
    # No system of ours keeps more than a rating: of "states" test_whole_states tells.
    assert seen - {"worksheets"} | {"worksheets"} == {
        "board", "spread", "entered", "climbed", "fell", "games", "rivals", "seats", "sizes", "meetings", "results",
        "worksheets", "parts", "figures", "pairs", "standings", "race", "curve", "parameters", "examples", "example-n",
        "example-n-figures", "example-n-pairs", "checks", "coming-n", "coming-n-changes", "before-n", "game",
        "champions", "periods", "changes",
        "outcomes", "ladders",
    }  # fmt: skip


def rows_of(client: Client, address: str, kind: str) -> int:
    """Return how many rows a file has."""
    answer = client.get(address)
    assert answer.status_code == 200, address
    assert answer["Content-Type"] == {"CSV": "text/csv; charset=utf-8", "JSON": "application/json"}[kind], address
    assert answer.get("X-Robots-Tag") == "noindex" or address.startswith("/api/v1/")
    if kind == "JSON":
        told = answer.json()
        return len(told["standings"] if "standings" in told else told["results"])
    return len(list(csv.DictReader(io.StringIO(answer.content.decode()))))


def table(client: Client, path: str, name: str, kind: str = "json", **more: Any) -> Any:
    """Return the rows of a table."""
    answer = client.get(path, {"table": name, "format": kind, **more})
    assert answer.status_code == 200
    body = answer.content.decode()
    return json.loads(body)["results"] if kind == "json" else list(csv.DictReader(io.StringIO(body)))


def test_figures_are_whole_in_every_language_names_that_would_run_are_quoted_and_a_query_is_kept(
    client: Client,
) -> None:
    league = make_league("elo", parameters={"k": 31})
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "anna"), (1, 0), minutes=1))
    record(league, sheet(("anna", "dan"), (1, 0), minutes=2))
    Player.objects.filter(handle="cleo").update(name="=1+1")
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    rows = {row["player"]: row for row in table(client, "/leagues/club/", "board", "csv")}
    api = client.get("/api/v1/leagues/club/leaderboard/").json()["results"]
    assert {player: float(row["rating"]) for player, row in rows.items()} == {
        row["player"]: row["rating"] for row in api
    }
    assert (rows["cleo"]["name"], rows["cleo"]["last_game"]) == ("'=1+1", "2024-03-05T19:31:00.000000Z")
    assert "=1+1" in {row["name"] for row in table(client, "/leagues/club/", "board")}
    page = client.get("/leagues/club/?games=2&sort=games&page=1&lang=de").content.decode()
    links = tables_of(page)[0][0][1]
    assert links["CSV"] == "?games=2&sort=games&table=board&format=csv"
    assert [row["player"] for row in client.get(f"/leagues/club/{links['JSON']}").json()["results"]] == ["anna"]
    for query in ("table=none&format=csv", "table=board&format=xml", "format=csv", "table=%00&format=json"):
        assert client.get(f"/leagues/club/?{query}")["Content-Type"].startswith("text/html")
    change_league(league.pk, {"visibility": "private"}, username="olga")
    assert client.get("/leagues/club/?table=board&format=csv").status_code == 404
    client.force_login(User.objects.create_superuser("root"))
    answer = client.get("/leagues/club/?table=board&format=csv")
    assert answer.status_code == 200
    assert "private" in answer["Cache-Control"]


@pytest.mark.slow("A hundred players; shorter tables are held beside it.")
def test_long_boards_and_rankings_are_given_whole(client: Client) -> None:
    league = make_league("elo", tuple(f"p{number:03}" for number in range(120)))
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month", {}), username="olga")
    for number in range(60):
        record(league, sheet((f"p{number:03}", f"p{number + 60:03}"), (number + 1, 0), minutes=number))
    for query in ({}, {"sort": "games"}, {"at": "2024-03-07"}):
        rows = table(client, "/leagues/club/", "board", **query)
        assert len({row["player"] for row in rows}) == 120
    assert [row["rank"] for row in table(client, "/leagues/club/", "board")][:61] == [1] * 60 + [61]
    where = "/leagues/club/ladders/month/2024-03/"
    live = table(client, where, "standings", "csv")
    assert len({row["player"] for row in live}) == 120
    close_period(league.pk, "month", "2024-03", username="olga")
    kept = table(client, where, "standings", "csv", edition=1)
    assert [(row["player"], float(row["score"])) for row in kept] == [
        (row["player"], float(row["score"])) for row in live
    ]
    assert list(table(client, where, "standings", edition=1)[0])[:3] == ["rank", "player", "name"]


def test_data_say_the_same_to_readers_of_every_language(client: Client) -> None:
    league = make_league("elo", min_games=2)
    create_ladder(league.pk, "month", "Month", RankingRule("points", "month", {}), username="olga")
    record(league, sheet(("anna", "ben"), (1, 0)))
    close_period(league.pk, "month", "2024-03", username="olga")
    for path, name in (
        ("/leagues/club/?q=anna", "board"),
        ("/leagues/club/ladders/month/winners/", "champions"),
        ("/systems/elo/", "example-1"),
    ):
        asked = f"{path}{'&' if '?' in path else '?'}table={name}&format="
        for kind in ("csv", "json"):
            bodies = {client.get(asked + kind, HTTP_ACCEPT_LANGUAGE=code).content for code in ("en", "de", "ru")}
            assert bodies == {client.get(f"{asked}{kind}&lang=sr").content}, (path, kind)


def test_meetings_have_what_is_each_ones_below_their_handle(client: Client) -> None:
    league = make_league("elo", parameters={"k": 32})
    record(league, sheet(("anna", "ben"), (1, 0)))
    (row,) = table(client, "/leagues/club/players/anna/versus/ben/", "meetings", "csv")
    assert (row["anna.change"], row["ben.change"], row["outcome"], row["game"]) == ("16.0", "-16.0", "1", "1")
    (row,) = table(client, "/leagues/club/players/ben/versus/anna/", "meetings")
    assert row["ben"] == {"seat": 2, "score": 0.0, "place": None, "change": -16.0, "rating_after": 1484.0}
    assert row["anna"] == {"seat": 1, "score": 1.0, "place": None, "change": 16.0, "rating_after": 1516.0}


def test_how_long_answers_took_is_a_file_too(client: Client) -> None:
    for _ in range(25):
        client.get("/systems/")
    (links,) = (links for _, links in tables_of(client.get("/status/?page=1").content.decode())[0])
    rows = client.get(f"/status/{links['JSON']}").json()["results"]
    assert [row["count"] >= 25 for row in rows if row["asked"] == PAGES] == [True]
    assert rows_of(client, f"/status/{links['CSV']}", "CSV") == len(rows)
