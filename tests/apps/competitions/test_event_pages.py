"""A competition's pages as those of an event: its podium, from round to round, its head and its foot."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.organiser.panels import build_home_panel
from league.apps.competitions.public import link_table
from league.apps.competitions.public.podium import PodiumStep
from league.apps.competitions.services.competitions import finish_competition
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.core.games.services.record import correct_game
from league.core.permissions import Viewer
from league.models import League
from tests.helpers.builders import league_of, make_league, sheet
from tests.helpers.competition_builders import make_competition
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
SIX = ("anna", "ben", "cleo", "dan", "eva", "finn")
CUP = "/leagues/club/competitions/cup/"
built = built_once(lambda: make_league(players=SIX, game="Chess"))


def finish(league: League) -> None:
    """Finish the cup, whatever rounds were planned."""
    Competition.objects.update(rounds=loaded_cup(league).data.rounds[-1].number)
    finish_competition(league.pk, "cup", by="arbiter")


def describe(steps: list[PodiumStep]) -> list[tuple[int, str, str, str]]:
    """Return rank, names, points and decision of each step."""
    return [(step.rank, ", ".join(entry.name for entry in step.entries), step.points, step.decided) for step in steps]


def play_by(league: League, total: int, decide: Callable[[int, int], float]) -> None:
    """Play all rounds; the first entry of a game gets what ``decide`` says of the two."""
    for number in range(1, total + 1):
        play_round(league, number)
        for line in loaded_cup(league).list_fixtures(number):
            points = decide(*line.entries)
            record_result(league.pk, line.number, scores(points, 1 - points), by="arbiter")


def test_the_podium_says_on_what_equal_points_were_decided(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "round_robin", tie_breaks=["SB"])
    wins = {(1, 2), (1, 3), (2, 3), (2, 4), (3, 4), (4, 1)}
    play_by(league, 3, lambda one, other: float((one, other) in wins))
    finish(league)
    page = client.get(CUP)
    # Anna has beaten 2 + 1 points and Ben 1 + 1; Dan has beaten Anna with 2 points, Cleo Dan with 1.
    assert describe(page.context["podium"]) == [
        (1, "Anna", "2", "on tie-break: Sonneborn-Berger"),
        (2, "Ben", "2", ""),
        (3, "Dan", "1", "on tie-break: Sonneborn-Berger"),
    ]
    assert "Anna wins with 2 points, on tie-break: Sonneborn-Berger" in page_text(page)
    assert page.content.decode().count('class="plate"') == 1


@pytest.mark.parametrize(
    ("key", "settings"),
    [("swiss", {"rounds": 1}), ("round_robin", {}), ("knockout", {"tie_breaks": ["TPN"]}),
     ("tables", {"tie_breaks": ["SCORE"], "rounds": 1})],
)  # fmt: skip
def test_every_format_names_its_winner(client: Client, key: str, settings: dict[str, Any]) -> None:
    league = league_of()
    run_competition(league, SIX[:4], key, **settings)
    for number in range(1, {"round_robin": 3, "knockout": 2}.get(key, 1) + 1):
        play_round(league, number)
        for line in loaded_cup(league).list_fixtures(number):
            # The lower number wins everywhere.
            record_result(league.pk, line.number, scores(*(9 - entry for entry in line.entries)), by="arbiter")
    finish(league)
    page = client.get(CUP)
    first = page.context["podium"][0]
    assert "Anna" in [entry.name for entry in first.entries]
    assert all(step.points == "" for step in page.context["podium"]) == (key == "knockout")
    assert "Anna" in re.sub(r"<[^>]+>", "", page.content.decode().split('class="plate"')[1].split("</ol>")[0])


def test_fixtures_without_rounds_have_a_winner_too(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:3], "free", tie_breaks=["WIN"])
    add_fixtures(league.pk, "cup", [NewFixture([1, 2]), NewFixture([1, 3])], by="arbiter")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="arbiter")
    finish_competition(league.pk, "cup", by="arbiter")
    assert describe(client.get(CUP).context["podium"]) == [(1, "Anna", "2", ""), (2, "Ben, Cleo", "0", "")]


def test_nobody_stands_on_a_podium_before_the_end_or_without_a_game(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], rounds=1, status=Competition.Status.FINISHED)
    assert not client.get(CUP).context["podium"]
    assert "wins with" not in page_text(client.get(CUP))
    run_competition(league, SIX[:4], rounds=1, slug="open")
    assert not client.get("/leagues/club/competitions/open/").context["podium"]
    Competition.objects.filter(slug="cup").update(status="running")
    play_round(league, 1, (1, 0))
    assert not client.get(CUP).context["podium"]


def list_links(page: Any, label: str) -> list[tuple[str, str]]:
    """Return the address and the text of each link in a navigation of a page."""
    nav = re.search(rf'<nav[^>]*aria-label="{label}".*?</nav>', page.content.decode(), re.DOTALL)
    assert nav
    links = re.findall(r'<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>', nav.group(), re.DOTALL)
    return [(address, re.sub(r"\s+", " ", text).strip()) for address, text in links]


@long_way
def test_one_walks_from_round_to_round(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX, rounds=5)
    assert "stepper" not in client.get(CUP).content.decode()
    play_round(league, 1, (1, 0), (1, 0), (1, 0))
    assert list_links(client.get(CUP), "Rounds") == [(f"{CUP}rounds/1/", "Round 1 of 5")]
    for number in (2, 3):
        play_round(league, number, (1, 0), (1, 0), (1, 0))
    rounds = [(f"{CUP}rounds/{number}/", str(number)) for number in (1, 2, 3)]
    first, second, third = (address for address, _text in rounds)
    assert list_links(client.get(second), "Rounds") == [(first, "‹"), *rounds, (third, "›")]
    assert list_links(client.get(first), "Rounds") == [*rounds, (second, "›")]
    # Elsewhere it begins at the round in play.
    for part in ("", "entries/", "rules/", "cross-table/"):
        assert list_links(client.get(f"{CUP}{part}"), "Rounds") == [(second, "‹"), *rounds], part
    # The pages of a competition are five, however many rounds there are.
    assert len(list_links(client.get(CUP), "Competition")) == 5


def test_the_organisers_key_stands_in_the_head_of_every_page() -> None:
    run_competition(league_of(), SIX, rounds=2)
    play_round(league_of(), 1)
    arbiter = sign_in_member("arno", "arbiter", league_of())
    for part in ("", "rounds/1/", "entries/", "entries/1/", "rules/"):
        page = arbiter.get(f"{CUP}{part}").content.decode()
        assert page.count("/admin/leagues/club/competitions/cup/") == 1, part
        assert page.index("Run this competition") < page.index("<h1>"), part
        assert 'class="row acts"' not in page, part


def test_a_superseded_pairing_is_said_on_the_round_itself(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX, rounds=3)
    play_round(league, 1, (1, 0), (1, 0), (1, 0))
    play_round(league, 2)
    said = "Round 2 stands as it was published. Results before it were corrected since."
    assert said not in page_text(client.get(f"{CUP}rounds/2/"))
    game = Fixture.objects.select_related("game").get(number=1).game
    assert game is not None
    names = [result.player.handle for result in game.results.order_by("seat")]
    correct_game(
        league.pk, game.number, sheet(names, (0, 1), played_at=game.played_at), reason="Misread.", username="anna"
    )
    assert said in page_text(client.get(f"{CUP}rounds/2/"))
    assert said.replace("2", "1") not in page_text(client.get(f"{CUP}rounds/1/"))
    assert "Show the difference" not in page_text(client.get(f"{CUP}rounds/2/"))
    User.objects.filter(username="arno").delete()
    arbiter = sign_in_member("arno", "arbiter", league)
    assert "Show the difference" in page_text(arbiter.get(f"{CUP}rounds/2/"))


def test_names_stand_with_number_title_and_rating(client: Client) -> None:
    league = league_of()
    competition = run_competition(league, SIX[:4], rounds=2, tie_breaks=["BH", "DE"])
    competition.entries.filter(number=1).update(rating=2105, title="FM")
    play_round(league, 1, (1, 0), (0.5, 0.5))
    for part in ("", "rounds/1/"):
        # Once in the pairings, once in the standings.
        assert len(re.findall(r"Anna No. 1 · FM · 2105 ", page_text(client.get(f"{CUP}{part}")))) == 2, part
    assert "Anna leads with 1 point All results are in" in page_text(client.get(CUP))


def test_who_leads_of_equal_points_leads_on_a_tie_break(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "free", tie_breaks=["WIN"])
    add_fixtures(league.pk, "cup", [NewFixture([1, 3]), NewFixture([2, 4]), NewFixture([2, 3])], by="arbiter")
    for number, points in ((1, (1, 0)), (2, (0.5, 0.5)), (3, (0.5, 0.5))):
        record_result(league.pk, number, scores(*points), by="arbiter")
    # Anna and Ben have a point each; Anna won a game, and Ben none.
    page = client.get(CUP)
    assert (page.context["leaders"], page.context["leading"]) == ("Anna", "leads with 1 point, on tie-break: Wins")


def test_ranks_have_medals_only_at_the_end(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], rounds=2, tie_breaks=["BH"])
    play_round(league, 1, (1, 0), (1, 0))
    play_round(league, 2, (1, 0), (0.5, 0.5))
    assert 'class="medal' not in client.get(CUP).content.decode()
    finish_competition(league.pk, "cup", by="arbiter")
    medals = {part: client.get(f"{CUP}{part}").content.decode().count('class="medal') for part in ("", "rounds/1/")}
    assert medals["rounds/1/"] == 0
    assert medals[""] >= 3


def test_who_still_plays_has_neither_kept_nor_lost_a_rank(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "round_robin", tie_breaks=["SB"])
    play_round(league, 1)
    for line in loaded_cup(league).list_fixtures(1):
        # Cleo loses; Dan wins.
        first = float(line.entries[1] in (2, 3))
        record_result(league.pk, line.number, scores(first, 1 - first), by="arbiter")
    play_round(league, 2)
    (line,) = [one for one in loaded_cup(league).list_fixtures(2) if 3 in one.entries]
    points = float(line.entries[0] == 3)
    record_result(league.pk, line.number, scores(points, 1 - points), by="arbiter")
    page = client.get(CUP).content.decode()
    cells = re.findall(r'<td class="move">(.*?)</td>', page, re.DOTALL)
    waiting = [cell for cell in cells if "still playing" in cell]
    assert len(cells) == 4 and len(waiting) == 2
    assert not [cell for cell in waiting if "same rank" in cell or "svg" in cell]


def test_a_match_that_is_not_known_names_whose_winner_it_awaits(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], "knockout", rounds=2, parameters={"third_place": "yes"})
    play_round(league, 1, (1, 0))
    words = page_text(client.get(CUP))
    assert "Final No. 1 Anna winner of Cleo / Ben Third place No. 4 Dan loser of Cleo / Ben " in words


def test_who_has_left_a_bracket_has_the_rank_below_all_who_are_still_in(client: Client) -> None:
    run_competition(league_of(), SIX[:4], "knockout", rounds=2)
    play_round(league_of(), 1, (1, 0))
    lines = client.get(CUP).context["table"].lines
    assert [(line.rank, line.entry.name, line.possible, line.is_certain) for line in lines] == [
        (1, "Anna", "1–2", False),
        (2, "Ben", "1–3", False),
        (2, "Cleo", "1–3", False),
        (4, "Dan", "3", True),
    ]
    pages = {number: page_text(client.get(f"{CUP}entries/{number}/")) for number in (1, 4)}
    assert "Rank 1 of 4 · possible 1–2 " in pages[1]
    assert "Rank 4 of 4 · certain 3 " in pages[4]


def test_before_its_first_result_a_bye_puts_nobody_before_others_in_a_bracket(client: Client) -> None:
    run_competition(league_of(), SIX, "double_knockout")
    play_round(league_of(), 1)
    # The first two to leave share rank 5.
    assert [(line.rank, line.possible) for line in client.get(CUP).context["table"].lines] == [(1, "1–5")] * 6


def test_at_tables_only_what_has_a_value_is_shown(client: Client) -> None:
    league = league_of()
    competition = run_competition(league, SIX[:4], "tables", rounds=2, tie_breaks=["SCORE"], rated=False)
    competition.entries.filter(number=1).update(rating=2105)
    play_round(league, 1, (7, 3, 9, 3))
    play_round(league, 2)
    entry = page_text(client.get(f"{CUP}entries/1/"))
    assert "1 Ben , Cleo , Dan game 1 " in entry
    for absent in ("Performance", "Change", "ARO"):
        assert absent not in entry
    rounds = page_text(client.get(f"{CUP}cross-table/"))
    winner = re.search(r"# Name R1 Points 1 (\w+) No. \d 3 3\.0 2 ", rounds)
    assert winner
    assert "Each round: the points." in rounds
    # The winner stands first on a picture, with the points.
    ((_table, names, plain, points),) = link_table.find_round_table(league, "cup", 1)().rows
    assert (names.split(",")[0], plain.split(",")[0], points) == (winner[1], winner[1].lower(), "3")
    assert names.endswith(" and 2 more")


def test_a_direct_encounter_says_with_whom(client: Client) -> None:
    run_competition(league_of(), SIX[:4], "round_robin", tie_breaks=["DE"])
    # Anna, Ben and Dan have 2, 2 and 2 points less what is said: Anna beats Ben, both beat Cleo, Dan loses to both.
    wins = {(1, 2), (1, 3), (2, 3), (2, 4), (4, 1), (3, 4)}
    play_by(league_of(), 3, lambda one, other: float((one, other) in wins))
    finish(league_of())
    page = client.get(CUP)
    assert [step.decided for step in page.context["podium"]] == [
        "on tie-break: direct encounter with Ben", "", "on tie-break: direct encounter with Dan",
    ]  # fmt: skip
    assert "Last rounds of the first half" not in page_text(client.get(f"{CUP}rules/"))


def test_a_mean_of_ratings_shows_the_ratings_and_their_number(client: Client) -> None:
    competition = run_competition(league_of(), SIX[:4], "round_robin", tie_breaks=["ARO"])
    for number, rating in ((2, 1900), (3, 2000), (4, 2001)):
        competition.entries.filter(number=number).update(rating=rating)
    play_by(league_of(), 3, lambda one, other: 0.5)
    page = page_text(client.get(f"{CUP}entries/1/"))
    # 1900 + 2000 + 2001 are 5901, a third of which is 1967.
    assert page.count(" 2001 ") >= 2 and "sum ÷ 3 1967 " in page
    assert "633.33" not in page


@pytest.mark.parametrize(("points", "codes"), [(0.5, ["SB", "DE"]), (1.0, ["SB"])])
def test_a_column_without_any_value_is_left_out(client: Client, points: float, codes: list[str]) -> None:
    # Direct encounter has a value only for those with equal points.
    league = league_of()
    run_competition(league, SIX[:2], "round_robin", tie_breaks=["SB", "DE"])
    play_by(league, 1, lambda one, other: points)
    page = client.get(CUP)
    assert [column.code for column in page.context["table"].columns] == codes
    assert ("Direct encounter" in page_text(page)) == ("DE" in codes)


def test_each_figure_leads_to_its_sum(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], rounds=2, tie_breaks=["BH"])
    play_round(league, 1, (1, 0), (1, 0))
    page = client.get(CUP).content.decode()
    links = re.findall(r'href="(/leagues/club/competitions/cup/entries/1/\?explain=BH)#values"', page)
    # One in its column, one under the name on a phone.
    assert len(links) == 2
    entry = client.get(links[0]).content.decode()
    assert re.search(r'<section aria-labelledby="values".*?<details class="explained" open>', entry, re.DOTALL)


def test_screen_and_files_are_one_line_and_sharing_is_in_the_band(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:4], rounds=2)
    play_round(league, 1, (1, 0))
    page = client.get(CUP).content.decode()
    (line,) = re.findall(r'<div class="meta away row noprint">.*?</div>', page, re.DOTALL)
    words = " ".join(re.sub(r"<[^>]+>", " ", line).split())
    for name in ("Club screen", "TRF", "CSV", "JSON", "PDF"):
        assert name in words
    # What leads to sharing stands in the band of the league, and nowhere else.
    assert page.count("/leagues/club/share/") == 1
    assert page.count(" away ") == 1


def test_an_entrys_results_stand_from_its_own_side(client: Client) -> None:
    league = league_of()
    run_competition(league, SIX[:2], "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="arbiter")
    record_result(league.pk, 1, scores(3, 1), by="arbiter")
    results = [[row["result"] for row in client.get(f"{CUP}entries/{one}/").context["rounds"]] for one in (1, 2)]
    assert results == [["3–1"], ["1–3"]]


def test_only_ranks_have_medals_in_link_pictures() -> None:
    league = league_of()
    run_competition(league, SIX[:2], "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="arbiter")
    entries = link_table.find_link_table(league, "cup")().is_ranking
    record_result(league.pk, 1, scores(3, 1), by="arbiter")
    standings, rounds = (
        find(league, "cup", *more)().is_ranking
        for find, more in ((link_table.find_link_table, ()), (link_table.find_entry_table, (1,)))
    )
    assert (entries, standings, rounds) == (False, False, False)
    finish_competition(league.pk, "cup", by="arbiter")
    assert link_table.find_link_table(league, "cup")().is_ranking


@pytest.mark.parametrize(
    ("count", "named", "more", "on_phones"), [(1, 1, 0, 0), (2, 2, 0, 0), (4, 4, 0, 3), (5, 3, 2, 4)]
)
def test_the_board_names_what_runs_and_counts_no_single_one(
    client: Client, count: int, named: int, more: int, on_phones: int
) -> None:
    league = league_of()
    for number in range(count):
        run_competition(league, ("anna", "ben"), "free", slug=f"c{number}", title=f"Cup {number}")
    board = client.get("/leagues/club/").content.decode()
    strip = board.partition('aria-label="Running competitions"')[2].partition("</nav>")[0]
    assert len(re.findall(r">Cup \d</a>", strip)) == named
    assert re.findall(r"and (\d+) more competition", strip) == ([str(more)] if more else [])
    # A phone has the first one and a line for the others, so that the board begins on its first screen.
    items = strip.split("<li")[1:]
    narrow = [item for item in items if "onnarrow" in item]
    assert re.findall(r"and (\d+) more", "".join(narrow)) == ([str(on_phones)] if on_phones else [])
    wide = len(items) - len(narrow) - 1 if on_phones else 0
    assert ["onwide" in item for item in items[1:]].count(True) == wide
    assert "onwide" not in items[0]


def test_running_competitions_are_never_crowded_out_of_the_overview() -> None:
    league = league_of()
    run_competition(league, SIX[:2], "free")
    for number in range(4):
        make_competition(league, slug=f"draft-{number}")
    shown = build_home_panel(league, Viewer("olga", "admin")).html
    assert shown.index("competitions/cup/") < shown.index("competitions/draft-")
