"""A result is corrected where it stands: keys or a filled sheet, a preview with the consequences, Undo."""

import html
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client

from league.apps.competitions.models import Competition, Fixture
from league.apps.competitions.public.context import CompetitionPage
from league.apps.competitions.services.competitions import finish_competition
from league.core.accounts.services.members import set_member
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import FOUR, make_league, record, sheet
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db
ONE = "/admin/leagues/club/competitions/cup/"


def open_club(role: str = "arbiter", system: str = "elo", **settings: object) -> tuple[League, Client]:
    """Return a club whose cup has a played first round, and the browser of a member."""
    league = make_league(system, **{"game": "Chess", **settings})  # type: ignore[arg-type]  # any setting
    run_competition(league, FOUR, "swiss", rounds=3)
    play_round(league, 1, (1, 0), (1, 0))
    User.objects.create_user("arno")
    set_member(league.pk, "arno", role)
    browser = Client()
    browser.force_login(User.objects.get(username="arno"))
    return league, browser


def read_form(page: str, containing: str) -> dict[str, str]:
    """Return the fields of the form of a page that contains a text."""
    (form,) = (part for part in re.findall(r"<form.*?</form>", page, re.DOTALL) if f'name="{containing}"' in part)
    inputs = [dict(re.findall(r'([a-z]+)="([^"]*)"', tag)) for tag in re.findall(r"<input[^>]*>", form)]
    named = [one for one in inputs if "name" in one and one.get("type") != "checkbox"]
    fields = {one["name"]: html.unescape(one.get("value", "")) for one in named}
    fields.pop("csrfmiddlewaretoken", None)
    return fields


def read_results(league: League, round_number: int = 1) -> list[tuple[str, list[int]]]:
    """Return the status and the places of each fixture of a round."""
    fixtures = loaded_cup(league).list_fixtures(round_number)
    return [(one.status, [seat.place for seat in one.data.seats]) for one in fixtures]


def list_notes(league: League) -> list[str]:
    """Return what pages say beside the results of the first round."""
    page = CompetitionPage(loaded_cup(league))
    return [line.note for line in page.build_lines(page.loaded.list_fixtures(1))]


def test_every_way_to_change_a_game_names_its_fixture() -> None:
    """Competition, round and table are on the sheet, the preview and the void of a game, and lead to its fixture."""
    league, browser = open_club()
    number = Fixture.objects.get(number=1).game.number  # type: ignore[union-attr]  # was played
    title = Competition.objects.get().title
    words = " · ".join(f'<span class="nowrap">{word}</span>' for word in (title, "Round 1", "Table 1"))
    named = f'<a href="{ONE}fixtures/1/">{words}</a>'
    for page in ("correct", "void"):
        assert named in browser.get(f"/admin/leagues/club/games/{number}/{page}/").content.decode()
    assert named in browser.post(f"{ONE}fixtures/1/", {"correct": "1", "quick": "0-1"}).content.decode()
    alone = record(league, sheet(("anna", "ben"), (1, 0))).number
    assert "Table" not in browser.get(f"/admin/leagues/club/games/{alone}/void/").content.decode()


def confirm(browser: Client, address: str, page: str, **more: str) -> str:
    """Confirm a preview, and return the page after it."""
    fields = {**read_form(page, "_commit"), **more, "_commit": "yes"}
    answer = browser.post(address, fields, follow=True)
    assert answer.redirect_chain[-1][0] == f"{ONE}?round=1#f1"
    return str(answer.content.decode())


@long_way
def test_a_key_corrects_a_result_and_undo_takes_it_back() -> None:
    league, browser = open_club()
    page = browser.get(ONE).content.decode()
    assert page.count('name="correct"') == 2
    # The recorded result cannot be chosen again.
    assert re.search(r'value="1-0"[^>]*disabled', page)
    preview = browser.post(f"{ONE}fixtures/1/", {"correct": "1", "quick": "0-1"}).content.decode()
    assert "Nothing has been saved yet." in preview
    assert "points 1 → 0" in preview
    assert "points 0 → 1" in preview
    assert "was paired with the old result" not in preview
    assert Game.objects.filter(voided_at=None).count() == 2
    after = confirm(browser, f"{ONE}fixtures/1/", preview)
    assert read_results(league)[0] == ("played", [2, 1])
    assert Game.objects.get(replaces__number=1).kind == "played"
    undo = read_form(after, "_commit")
    assert undo["back"] == f"{ONE}?round=1#f1"
    answer = browser.post("/admin/leagues/club/games/1/restore/", {**undo, "_commit": "yes"}, follow=True)
    assert answer.redirect_chain[-1][0] == f"{ONE}?round=1#f1"
    assert read_results(league)[0] == ("played", [1, 2])
    assert verify_league(league.pk).state == "is right"


@long_way
def test_the_preview_names_later_rounds_and_then_asks_for_a_reason() -> None:
    league, browser = open_club()
    play_round(league, 2, (1, 0))
    preview = browser.post(f"{ONE}fixtures/1/", {"correct": "1", "quick": "draw"}).content.decode()
    assert "Round 2 was paired with the old result; its pairing stays." in preview
    fields = {**read_form(preview, "_commit"), "_commit": "yes"}
    assert "Give a reason" in browser.post(f"{ONE}fixtures/1/", fields).content.decode()
    assert read_results(league)[0] == ("played", [1, 2])
    confirm(browser, f"{ONE}fixtures/1/", preview, reason="Both signed a draw.")
    assert read_results(league)[0] == ("played", [1, 1])
    # Pages mention it if others can have read the old result.
    assert list_notes(league) == ["", ""]
    first = Game.objects.get(number=1)
    Game.objects.filter(pk=first.pk).update(recorded_at=first.recorded_at - timedelta(minutes=11))
    assert sorted(list_notes(league)) == ["", "corrected"]


def test_a_finished_competition_names_its_final_standings() -> None:
    league, browser = open_club()
    Competition.objects.update(rounds=1)
    finish_competition(league.pk, "cup", by="arbiter")
    preview = browser.post(f"{ONE}fixtures/1/", {"correct": "1", "quick": "0-1"}).content.decode()
    assert "The final standings were published with the old result." in preview


@pytest.mark.parametrize("quick", ["1-0", "half-0"])
def test_a_mistapped_key_is_undone_at_once(quick: str) -> None:
    league, browser = open_club()
    fixture = play_one_more(league)
    page = browser.post(f"{ONE}fixtures/{fixture}/", {"quick": quick}, follow=True).content.decode()
    undo = read_form(page, "_commit")
    number = Game.objects.order_by("-number").values_list("number", flat=True)[0]
    browser.post(f"/admin/leagues/club/games/{number}/void/", {**undo, "_commit": "yes"}, follow=True)
    assert next(one for one in loaded_cup(league).fixtures if one.number == fixture).status == "planned"


def play_one_more(league: League) -> int:
    """Publish round 2; return the number of a fixture without a result."""
    play_round(league, 2)
    return Fixture.objects.filter(round__number=2).order_by("number")[0].number


def test_decisions_of_the_arbiter_are_keys_for_arbiters_only() -> None:
    league, browser = open_club("recorder")
    fixture = play_one_more(league)
    assert 'value="0-0"' not in browser.get(f"{ONE}fixtures/{fixture}/").content.decode()
    assert browser.post(f"{ONE}fixtures/{fixture}/", {"quick": "0-0"}).status_code == 403
    set_member(league.pk, "arno", "arbiter")
    assert 'value="0-0"' in browser.get(f"{ONE}fixtures/{fixture}/").content.decode()
    browser.post(f"{ONE}fixtures/{fixture}/", {"quick": "0-0"})
    assert Game.objects.get(number=3).kind == "friendly"
    form = {"_points": "1", "points_1": "0.25", "points_2": "", "points_reason": "Phone."}
    browser.post(f"{ONE}fixtures/{fixture}/", form)
    assert [seat.points for seat in Fixture.objects.get(number=fixture).seats.order_by("seat")] == ["1/4", ""]


def test_a_game_with_scores_is_corrected_on_its_sheet_filled_in() -> None:
    league, browser = open_club(system="elo", game="Pool", parameters={"margin": "logarithm"})
    page = browser.get(f"{ONE}fixtures/1/").content.decode()
    fields = read_form(page, "seats-TOTAL_FORMS")
    assert (fields["seats-0-score"], fields["seats-1-score"]) == ("1", "0")
    assert "seats-0-place" not in fields
    sheet = {**fields, "seats-0-score": "3", "seats-1-score": "5"}
    preview = browser.post(f"{ONE}fixtures/1/", sheet).content.decode()
    confirm(browser, f"{ONE}fixtures/1/", preview)
    assert read_results(league)[0] == ("played", [2, 1])


def test_a_correction_from_the_games_names_the_consequences_as_that_from_the_round_does() -> None:
    league, browser = open_club()
    play_round(league, 2, (1, 0))
    number = Fixture.objects.get(number=1).game.number  # type: ignore[union-attr]  # was played
    address = f"/admin/leagues/club/games/{number}/correct/"
    fields = read_form(browser.get(address).content.decode(), "seats-TOTAL_FORMS")
    first = "seats-0-place" if "seats-0-place" in fields else "seats-0-score"
    second = first.replace("0", "1")
    swapped = {**fields, first: fields[second], second: fields[first]}
    pages = [
        browser.post(address, swapped).content.decode(),
        browser.post(f"{ONE}fixtures/1/", {"correct": "1", "quick": "0-1"}).content.decode(),
    ]
    named = [re.search(r'id="co".*?</ul>', page, re.DOTALL) for page in pages]
    assert named[0] is not None and named[1] is not None
    assert named[0][0] == named[1][0]
    assert "Round 2 was paired with the old result; its pairing stays." in named[0][0]
    # A note changes nothing in the competition.
    noted = browser.post(address, {**fields, "note": "Blitz."}).content.decode()
    assert "Nothing has been saved yet." in noted and 'id="co"' not in noted


@long_way
def test_a_voided_and_a_restored_game_name_the_consequences_for_competition_and_ladders() -> None:
    league, browser = open_club()
    play_round(league, 2, (1, 0))
    game = Fixture.objects.get(number=1).game
    assert game is not None
    address = f"/admin/leagues/club/games/{game.number}/"
    winner = loaded_cup(league).name(
        next(one.entry for one in loaded_cup(league).fixtures[0].data.seats if one.place == 1)
    )
    page = html.unescape(browser.post(f"{address}void/").content.decode())
    assert "Round 1: the game has no result any more." in page
    assert "Round 2 was paired with the old result; its pairing stays." in page
    assert re.search(rf"{winner}: (rank \d → \d, )?points \d → \d(?!\.)", page)
    # Before the key that voids it.
    assert page.index("has no result any more") < page.index('name="_commit"')
    form = {**read_form(page, "_shown"), "reason": "Not played.", "_commit": "yes"}
    browser.post(f"{address}void/", form)
    assert loaded_cup(league).fixtures[0].status == "planned"
    page = html.unescape(browser.post(f"{address}restore/").content.decode())
    assert "Round 1: the game has its result again." in page
    assert "Round 2 was paired without this result; its pairing stays." in page
    assert "Ranks change in" in page or "No rank of a ladder changes." in page
