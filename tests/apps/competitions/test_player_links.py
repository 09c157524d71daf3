"""Players with their private links: they enter, withdraw, ask for byes, and enter the results of their fixtures."""

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.utils import timezone

from league.apps.competitions.models import Competition, Entry, Fixture
from league.apps.competitions.services.competitions import start_competition
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures, make_round, publish_round
from league.apps.reports.models import Report
from league.core.capabilities import Pages
from league.core.games.services.batches import record_together
from league.core.leagues.services.leagues import change_league
from league.core.verify.run import verify_league
from league.models import Game, League
from tests.helpers.builders import league_of, sheet
from tests.helpers.competition_builders import enter, list_entries, make_competition
from tests.helpers.desk_client import page_text, sign_in_member
from tests.helpers.ladder_builders import clock
from tests.helpers.report_builders import TABLE_PAGE, link_of, report_fields, reported, reporting_club
from tests.helpers.running_competitions import loaded_cup, play_round, run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]
built = built_once(reporting_club)


def act(league: League, handle: str, action: str, **values: Any) -> str:
    """Press a button on a player's page; return the text of the page after it."""
    address = f"/report/{link_of(league, handle)}/"
    answer = Client().post(f"{address}actions/{action}/", {"competition": "cup", **values}, follow=True)
    assert answer.redirect_chain == [(address, 302)]
    return page_text(answer)


def test_players_enter_and_withdraw_and_the_waiting_list_moves_up() -> None:
    league = league_of()
    make_competition(league, max_entries=2, players_enter=True)
    assert "Cup Round robin 0 of 2 places taken" in page_text(Client().get(f"/report/{link_of(league, 'anna')}/"))
    passes_on = "Your place goes to the next player on the waiting list."
    shown = act(league, "anna", "enter")
    assert "You are entered in Cup." in shown and passes_on not in shown
    assert passes_on not in act(league, "ben", "enter")
    shown = act(league, "cleo", "enter")
    assert "Cup is full: you are number 1 on the waiting list." in shown
    assert "2 of 2 places taken You are number 1 on the waiting list." in shown
    # Only who has a place has one to pass on.
    assert passes_on not in shown
    assert passes_on in page_text(Client().get(f"/report/{link_of(league, 'anna')}/"))
    act(league, "cleo", "enter")  # Twice changes nothing.
    assert list_entries() == [(1, "anna", "entered"), (2, "ben", "entered"), (3, "cleo", "waiting")]
    assert "You have withdrawn from Cup." in act(league, "ben", "leave")
    assert list_entries() == [(1, "anna", "entered"), (2, "ben", "withdrawn"), (3, "cleo", "entered")]
    assert Entry.objects.get(number=1).entered_by == "the table"
    assert verify_league(league.pk).state == "is right"


@long_way
def test_players_can_ask_for_byes_until_the_round_is_made() -> None:
    league = league_of()
    make_competition(league, "swiss", rounds=3, players_enter=True)
    enter(league, "anna", "ben", "cleo")
    assert "You have a bye in round 2." in act(league, "anna", "bye", round="2")
    assert Entry.objects.get(number=1).byes == [{"round": 2, "kind": "half_bye"}]
    start_competition(league.pk, "cup", by="olga")
    assert "The bye in round 2 is cancelled: you will play." in act(league, "anna", "bye", round="2", wanted="no")
    own = Entry.objects.get(players__player__handle="anna")
    assert own.byes == []
    refused = act(league, "anna", "bye", round="4")
    assert "Nothing was changed. For round 4 no bye can be requested any more." in refused
    assert "You have withdrawn from Cup." in act(league, "anna", "leave")
    own.refresh_from_db()
    assert (own.status, own.withdrawn_after) == ("withdrawn", 0)


@pytest.mark.parametrize(
    ("settings", "action", "sentence"),
    [
        ({"players_enter": False}, "enter", "Cup takes no entries from players. Ask an organiser."),
        ({"players_enter": True, "sides_of": 2}, "enter", "Cup takes no entries from players. Ask an organiser."),
        ({"players_enter": True}, "leave", "You are not entered in Cup."),
        ({"players_enter": True}, "bye", "Choose a round."),
        ({"players_enter": True, "slug": "other"}, "enter", "The league Club has no competition “cup”."),
        ({"players_enter": True}, "destroy", "This is possible with a player&#x27;s own link only."),
    ],
)
def test_what_players_may_not_do_is_refused_with_a_sentence(
    settings: dict[str, Any], action: str, sentence: str
) -> None:
    league = league_of()
    make_competition(league, **settings)
    assert f"Nothing was changed. {sentence}" in act(league, "anna", action)
    assert not Entry.objects.exists()


def test_after_the_start_of_a_round_robin_players_ask_the_organiser_to_withdraw() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "round_robin", players_enter=True)
    assert "Cup has begun; ask an organiser to withdraw you." in act(league, "anna", "leave")
    assert Entry.objects.get(number=1).status == "entered"


def test_a_tables_link_offers_fixtures_but_no_entries() -> None:
    league = league_of()
    make_competition(league, slug="open", players_enter=True)
    run_competition(league, ("anna", "ben"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    shown = page_text(Client().get(TABLE_PAGE, {"who": "anna"}))
    assert "Your next games Against Ben" in shown
    assert "You are entered" not in shown and "places taken" not in shown
    answer = Client().post(f"{TABLE_PAGE}actions/enter/", {"competition": "open", "who": "anna"}, follow=True)
    assert "This is possible with a player&#x27;s own link only." in page_text(answer)
    assert Entry.objects.filter(competition__slug="open").count() == 0


@pytest.mark.parametrize("count", [1, 3, 4, 10])
def test_the_next_games_are_shown_and_the_later_ones_folded(count: int) -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "free")
    days = [datetime(2030, 3, 1 + day, 19, tzinfo=UTC) for day in Random(count).sample(range(count), count)]
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], starts_at=day) for day in days], by="olga")
    page = Client().get(f"/report/{link_of(league, 'anna')}/").content.decode()
    shown, fold, later = page.partition("Your next games")[2].partition("</section>")[0].partition("<details>")
    found = [re.findall(r"(\d+) Mar 2030", part) for part in (shown, later)]
    expected = [str(day) for day in range(1, count + 1)]
    assert found == [expected[:3], expected[3:]]
    # No fold where nothing comes later; and each game keeps its key.
    assert bool(fold) == (count > 3)
    assert (page.count("Enter the result"), f"{count - 3} later game" in later) == (count, count > 3)


def test_a_fixture_is_reported_with_its_seats_filled_and_confirmed() -> None:
    league = league_of()
    run_competition(league, ("ben", "anna"), "free", venue="Club house")
    thursday = datetime(2030, 3, 7, 19, 30, tzinfo=UTC)
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], table=4, starts_at=thursday)], by="olga")
    anna, ben = Client(), f"/report/{link_of(league, 'ben')}/"
    page = anna.get(f"/report/{link_of(league, 'anna')}/")
    shown = page_text(page).partition("Your next games ")[2]
    assert shown.startswith("Against Ben Thursday, 7 Mar 2030, 19:30 · table 4 · Club house Cup Enter the result")
    (address,) = re.findall(r'class="btn go" href="([^"]+)"', page.content.decode())
    assert address.endswith("?fixture=1&amp;players=ben,anna&amp;who=anna#pad")
    form = anna.get(address.replace("&amp;", "&"))
    assert [seat["player"].value() for seat in form.context["sheet"].formset.forms][:2] == ["ben", "anna"]
    assert '<input type="hidden" name="fixture" value="1">' in form.content.decode()
    assert "Result against Ben Cup · table 4" in page_text(form)
    assert "Result against" not in page_text(page)
    path = address.partition("?")[0]
    sent = anna.post(path, report_fields(("ben", "anna"), (0, 1), fixture="1"), follow=True)
    assert sent.redirect_chain == [(f"{path}?just=1&fixture=1", 302)]
    report = Report.objects.get()
    assert report.sheet["fixture"] == 1
    # What was reported is not asked for again: its sender may change it, the other one answers.
    # It stands once, as a report.
    for browser, link, key, result in (
        (anna, path, "Withdraw it", "won 1–0 against Ben Played"),
        (Client(), ben, "It is right", "Ben 0–1 Anna Played"),
    ):
        waiting = browser.get(link)
        shown = page_text(waiting)
        assert "Your next games" not in shown and "Enter the result" not in shown
        assert shown.count(result) == 1 and key in shown
        # Who answers, and who waits, reads what the game is for, and the one who waits also who won.
        place = r"Your games the last 14 days won 1–0 against Ben Played [^.]* Cup Waiting"
        if browser is not anna:
            place = r"Is this right\? 1 Reported by Anna [^.]*\. Cup Ben 0–1 Anna"
        assert re.search(place, shown)
        assert waiting.content.decode().count(f'id="r{report.pk}"') == 1
    Client().post(f"{ben}{report.pk}/", {"_say": "right"})
    (state,) = loaded_cup(league).fixtures
    assert (state.status, state.game and state.game.number) == ("played", 3)
    assert "Your next games" not in page_text(Client().get(ben))
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize(("asked", "rated"), [({}, False), ({"fixture": "1"}, False), ({"fixture": "1"}, True)])
def test_a_game_of_an_unrated_competition_is_called_unrated(asked: dict[str, Any], rated: bool) -> None:
    """Before it is reported, when it is confirmed, and in the list after that; by its fixture or its players."""
    league = league_of()
    run_competition(league, ("anna", "ben"), "free", rated=rated)
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    anna, ben = (f"/report/{link_of(league, handle)}/" for handle in ("anna", "ben"))
    sent, browser = report_fields(**asked), Client()
    preview = browser.post(f"{anna}change/", sent).json()
    assert (len(preview["seats"]), preview.get("why")) == ((2, None) if rated else (0, "This game is not rated."))
    # As long as there is no result, there is nothing to say.
    assert browser.post(f"{anna}change/", report_fields(scores=("", ""), **asked)).json() == {"seats": [], "made": []}
    shown = page_text(browser.post(anna, sent, follow=True))
    assert shown.count("It counts once another player at the table confirms it.") == 2 and "is rated" not in shown
    answer = page_text(browser.post(f"{ben}{Report.objects.get().pk}/", {"_say": "right"}, follow=True))
    assert ("Confirmed: game 3, not rated." in answer) != rated
    for address in (anna, ben):
        line = r" (\S+) Game 3 · today"
        assert (re.findall(line, page_text(browser.get(address))) == ["unrated"]) != rated


def test_the_pad_shows_no_changes_of_an_unrated_fixture(olga: Client) -> None:
    league = league_of()
    run_competition(league, ("anna", "ben"), "free", rated=False)
    add_fixtures(league.pk, "cup", [NewFixture([1, 2])], by="olga")
    address = "/admin/leagues/club/record/change/"
    answer = olga.post(address, report_fields()).json()
    assert (answer["seats"], answer["why"]) == ([], "This game is not rated.")
    other = olga.post(address, report_fields(("anna", "cleo"))).json()
    assert len(other["seats"]) == 2 and "why" not in other


@long_way
def test_a_report_for_a_played_fixture_or_other_players_is_refused() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben", "cleo"), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2]), NewFixture([1, 3])], by="olga")
    record_result(league.pk, 1, scores(1, 0, played_at=timezone.now() - timedelta(hours=2)), by="olga")
    address = f"/report/{link_of(league, 'anna')}/"
    again = Client().post(address, report_fields(("anna", "ben"), (0, 1), fixture="1"))
    assert again.status_code == 409
    assert "Fixture 1 already has a result: game 3. Correct that game instead." in page_text(again)
    other = Client().post(address, report_fields(("anna", "ben"), (0, 1), fixture="2"))
    assert "Seat 2: Ben is not in fixture 2." in page_text(other)
    assert not Report.objects.exists()


@long_way
def test_the_run_page_shows_a_report_in_its_row_and_a_result_settles_it() -> None:
    league = league_of()
    run_competition(league, ("anna", "ben", "cleo"), "free")
    add_fixtures(league.pk, "cup", [NewFixture(pair) for pair in ([1, 2], [1, 3], [2, 3])], by="olga")
    when = timezone.now() - timedelta(hours=2)

    def tell(number: int, players: tuple[str, str], result: tuple[float, float]) -> Report:
        return reported(link_of(league, players[0]), sheet(players, result, played_at=when, fixture=number))

    first, second = tell(1, ("anna", "ben"), (1, 0)), tell(1, ("ben", "anna"), (1, 0))
    same, batched = tell(2, ("anna", "cleo"), (1, 0)), tell(3, ("ben", "cleo"), (0, 1))
    olga = sign_in_member("olga", "owner", league)
    page = olga.get("/admin/leagues/club/competitions/cup/")
    (row, other) = (page.content.decode().split(f'id="f{number}"')[1].split("</li>")[0] for number in (1, 2))
    assert 'reported <b class="nowrap">1–0</b>.' in row
    assert (row.count('name="_say"'), other.count('name="_say"')) == (1, 1)
    # The page of the fixture has it, too.
    assert (
        'reported <b class="nowrap">1–0</b>.'
        in olga.get("/admin/leagues/club/competitions/cup/fixtures/1/").content.decode()
    )
    told = row.split('class="told"')[1].split("</form>")[0]
    fields = dict(re.findall(r'name="(once|seen|back)" value="([^"]+)"', told))
    answer = olga.post(f"/admin/leagues/club/reports/{first.pk}/", {**fields, "_say": "record"}, follow=True)
    # Back to the round, whose row has the result now and no report.
    assert answer.redirect_chain == [("/admin/leagues/club/competitions/cup/", 302)]
    assert "The report is now game 3." in page_text(answer)
    assert "reported" not in answer.content.decode().split('id="f1"')[1].split("</li>")[0]
    # A result by another face: the report that says the same is that game, the other one is refused with the reason.
    record_result(league.pk, 2, scores(1, 0, played_at=when), by="olga")
    game = sheet(("ben", "cleo"), (1, 0), played_at=when, fixture=3)
    record_together(league.pk, [game], username="olga")
    states = {report.pk: (report.state, report.game and report.game.number) for report in Report.objects.all()}
    assert states == {
        first.pk: ("confirmed", 3),
        second.pk: ("refused", None),
        same.pk: ("confirmed", 4),
        batched.pk: ("refused", None),
    }
    second.refresh_from_db()
    assert second.displayed_reason == "Game 3 has its result already."
    assert "No open reports" in page_text(olga.get("/admin/leagues/club/reports/"))
    assert verify_league(league.pk).state == "is right"


def test_the_seats_of_sides_are_partners() -> None:
    league = league_of()
    run_competition(league, (("anna", "ben"), ("cleo", "dan")), "free")
    add_fixtures(league.pk, "cup", [NewFixture([2, 1])], by="olga")
    page = page_of(league, "dan")
    assert "Against Anna &amp; Ben" in page_text(page)
    assert "?fixture=1&amp;players=cleo,dan,anna,ben&amp;sides=2&amp;who=dan#pad" in page.content.decode()


def page_of(league: League, handle: str) -> Any:
    """Return a player's page."""
    return Client().get(f"/report/{link_of(league, handle)}/")


def test_ones_competitions_stand_in_one_block_with_ones_place() -> None:
    league = league_of()
    make_competition(league, "swiss", slug="open", title="Open", rounds=3, players_enter=True)
    make_competition(league, "swiss", slug="later", title="Later", rounds=3, players_enter=True)
    assert "You are entered in Open." in act(league, "anna", "enter", competition="open")
    run_competition(league, ("anna", "ben", "cleo", "dan"), players_enter=True, rounds=3, title="Cup")
    shown = page_text(page_of(league, "anna"))
    assert shown.count("Your competitions") == 1
    assert "Your competitions Cup Miss a round" in shown
    play_round(league, 1)
    assert "Your competitions Cup : round 1 of 3 in progress Miss a round" in page_text(page_of(league, "anna"))
    won, other = loaded_cup(league).list_fixtures(1)
    for fixture, result in ((won, (1, 0)), (other, (0.5, 0.5))):
        record_result(league.pk, fixture.number, scores(*result), by="olga")
    winner, *level = [player_of_entry(league, number) for number in (won.entries[0], *other.entries)]
    own = page_of(league, winner)
    assert "Cup : round 1 of 3 played Rank 1 of 4 · Points 1.0" in page_text(own)
    assert f'href="/leagues/club/competitions/cup/entries/{won.entries[0]}/"' in own.content.decode()
    public = page_text(Client().get(f"/leagues/club/players/{winner}/"))
    assert "Cup : round 1 of 3 played · Rank 1 of 4 · Points 1.0" in public
    for handle in level:
        shown = page_text(page_of(league, handle))
        assert re.search(r"Cup : round 1 of 3 played Rank [23] of 4 · Points 0\.5", shown)
    # What one has entered is not open to oneself; what others can enter stands by itself.
    shown = page_text(page_of(league, "anna"))
    assert "Open 1 entry You are entered." in shown.partition("Your competitions")[2].partition("Report a game")[0]
    assert "Open for entries Later Swiss system 0 entries Enter" in shown
    assert shown.partition("Open for entries")[2].count("Open ") == 0


def player_of_entry(league: League, number: int) -> str:
    """Return the handle of an entry's player."""
    return Entry.objects.get(league=league, competition__slug="cup", number=number).players.get().player.handle


@pytest.mark.parametrize(
    ("begins", "words"),
    [(timedelta(hours=-2), "open since today, "), (timedelta(hours=2), "Today, "), (timedelta(hours=26), "Tomorrow, "),
     (timedelta(days=3), "Saturday, ")],
)  # fmt: skip
def test_a_next_game_has_its_day_in_words_and_ones_colour(begins: timedelta, words: str) -> None:
    now = datetime(2030, 5, 1, 12, tzinfo=UTC)
    league = league_of()
    run_competition(league, ("anna", "ben"), rounds=1)
    play_round(league, 1)
    Fixture.objects.update(starts_at=now + begins)
    with clock(now):
        pages = [page_text(page_of(league, handle)) for handle in ("anna", "ben")]
    sides = [re.findall(r"· (White|Black) ", page) for page in pages]
    assert sorted(sides) == [["Black"], ["White"]]
    assert all(words in page for page in pages)


def test_a_match_of_a_cup_has_one_name_on_ones_page() -> None:
    """In the next games, above the form and among the competitions; its day has come two days ago."""
    league = league_of()
    run_competition(league, ("anna", "ben", "cleo", "dan"), "knockout")
    make_round(league.pk, "cup", by="olga", starts_at=datetime(2030, 4, 29, 12, tzinfo=UTC))
    publish_round(league.pk, "cup", 1, by="olga")
    with clock(datetime(2030, 5, 1, 12, tzinfo=UTC)):
        page = page_of(league, "anna")
        (address,) = re.findall(r'class="btn go" href="([^"]+)"', page.content.decode())
        form = page_text(Client().get(address.replace("&amp;", "&")))
    shown = page_text(page)
    assert "Cup · Semi-finals Enter the result" in shown and "round 1" not in shown
    assert "Cup · Semi-finals" in form.partition("Result against ")[2]
    assert "Cup : Semi-finals against Dan, open since 29 Apr" in shown


def test_a_game_without_colours_has_none_to_come() -> None:
    league = league_of()
    change_league(league.pk, {"game": "Table tennis"})
    run_competition(league, ("anna", "ben"), rounds=1)
    play_round(league, 1)
    shown = page_text(page_of(league, "anna"))
    assert "Against Ben" in shown and "White" not in shown


def test_without_competitions_the_page_has_no_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    league = league_of()
    make_competition(league, players_enter=True)
    assert "0 entries" in page_text(page_of(league, "anna"))
    monkeypatch.setattr(apps.get_app_config("competitions"), "pages", Pages())
    assert "0 entries" not in page_text(page_of(league, "anna"))
    assert Game.objects.count() == 2
    assert Competition.objects.get().status == "open"
