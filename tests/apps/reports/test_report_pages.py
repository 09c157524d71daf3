"""The pages of a private link: what they show, what they accept, and what they hide from others."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.reports.models import Report, ReportLink
from league.apps.reports.selectors.reports import compute_mark
from league.apps.reports.services.answering import dispute_report
from league.apps.reports.services.deciding import refuse_report
from league.apps.reports.services.links import make_link
from league.core.fields.services.fields import NewField, declare_field
from league.core.games.services.game_input import NewGame, NewResult
from league.core.leagues.services.leagues import change_league
from league.core.players.services.players import add_player, set_active
from league.core.text.display_formats import format_number, format_signed
from league.models import CacheEntry, Game, League
from league.web.public.qr_codes import QUIET, encode_qr_code
from tests.helpers.builders import league_of, make_league, player_of, ratings, record, sheet
from tests.helpers.desk_client import page_text, sheet_fields
from tests.helpers.report_builders import (
    ENDS,
    TABLE,
    TABLE_PAGE,
    link_of,
    played,
    report_fields,
    reported,
    reporting_club,
)
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]

built = built_once(reporting_club)


def test_a_player_reports_a_game_and_another_confirms_it() -> None:
    league = league_of()
    anna, ben = Client(), Client()
    first, second = f"/report/{link_of(league, 'anna')}/", f"/report/{link_of(league, 'ben')}/"
    shown = page_text(anna.get(first))
    assert "Club Board · Ladders · Games Anna" in shown
    assert "No games with you were reported." in shown
    entered = anna.post(first, report_fields(("Anna", "ben"), ("12,5", "−3")), follow=True)
    assert entered.redirect_chain == [(f"{first}?just=1", 302)]
    reported = "Anna – Ben 12.5 – −3. The game was reported. It counts once another player at the table confirms it."
    assert reported in page_text(entered)
    assert "Waiting for another player at the table." in page_text(entered)
    report = Report.objects.get()
    assert [(line["player"], line["score"]) for line in report.sheet["results"]] == [("anna", 12.5), ("ben", -3.0)]
    question = page_text(ben.get(second))
    assert "Is this right? 1 Reported by Anna" in question
    assert "Anna 12.5 – −3 Ben" in question
    done = ben.post(f"{second}{report.pk}/", {"_say": "right"}, follow=True)
    assert "Confirmed: game 3" in page_text(done)
    assert Game.objects.get(number=3).played_at == report.played_at
    assert 'href="/leagues/club/games/3/#anna"' in anna.get(first).content.decode()
    assert "Is this right?" not in page_text(ben.get(second))


@long_way
def test_a_repeated_form_creates_one_report() -> None:
    league = league_of()
    address, browser = f"/report/{link_of(league, 'anna')}/", Client()
    for _ in range(2):
        answer = browser.post(address, report_fields(), follow=True)
    assert "This game has already been reported: the form was sent twice." in page_text(answer)
    changed = browser.post(address, report_fields(scores=(0, 1)))
    assert changed.status_code == 409
    assert "This game has already been reported, but the form has changed." in page_text(changed)
    browser.post(address, {**report_fields(), "once": "no key", "_another": str(Report.objects.get().pk)})
    assert Report.objects.count() == 2


@long_way
def test_a_second_report_of_a_game_is_questioned() -> None:
    league = league_of()
    anna, ben = (f"/report/{link_of(league, one)}/" for one in ("anna", "ben"))
    browser = Client()
    browser.post(anna, report_fields())
    report = Report.objects.get()
    question = browser.post(ben, report_fields(("ben", "anna"), (0, 1), once="b" * 32))
    assert question.status_code == 409
    assert "Is it the same game? Anna reported a game with the same players and scores" in page_text(question)
    assert 'value="ben"' in question.content.decode(), "what was typed stays"
    again = browser.post(anna, report_fields(once="c" * 32))
    assert "You reported a game with the same players and scores" in page_text(again)
    assert Report.objects.count() == 1
    done = browser.post(f"{ben}{report.pk}/", {"_say": "right", "who": "ben"}, follow=True)
    assert "Confirmed: game 3" in page_text(done)
    late = browser.post(ben, report_fields(once="d" * 32))
    assert "Game 3, with the same players and scores, was recorded" in page_text(late)
    other = browser.post(ben, report_fields(once="d" * 32, _another=str(Game.objects.get(number=3).pk)), follow=True)
    assert "The game was reported." in page_text(other)
    assert (Report.objects.count(), Game.objects.count()) == (2, 3)


@long_way
def test_a_dispute_has_a_reason_and_shows_the_decision() -> None:
    league = league_of()
    report = reported(link_of(league, "anna"))
    ben, browser = f"/report/{link_of(league, 'ben')}/", Client()
    empty = browser.post(f"{ben}{report.pk}/", {"_say": "wrong"}, follow=True)
    assert "Describe what is wrong, for the organiser who decides." in page_text(empty)
    done = browser.post(f"{ben}{report.pk}/", {"_say": "wrong", "reason": "I won <b>it</b>."}, follow=True)
    assert "The organiser was notified that the report is wrong, and will decide." in page_text(done)
    assert "I won &lt;b&gt;it&lt;/b&gt;." in done.content.decode()
    again = browser.post(f"{ben}{report.pk}/", {"_say": "right"}, follow=True)
    assert "You have already answered this report." in page_text(again)
    refuse_report(league.pk, report.pk, reason="A draw.", mark=compute_mark(Report.objects.get()), username="olga")
    assert "Rejected: A draw." in page_text(browser.get(ben))
    late = browser.post(f"{ben}{report.pk}/", {"_say": "wrong", "reason": "x"}, follow=True)
    assert "The organiser was notified" in page_text(late), "the answer that was given is the answer"
    assert Game.objects.count() == 2


@long_way
def test_own_reports_and_other_tables_cannot_be_answered() -> None:
    league = league_of()
    anna, cleo = (f"/report/{link_of(league, one)}/" for one in ("anna", "cleo"))
    report = reported(link_of(league, "ben"))
    own = reported(TABLE, who="anna")
    browser = Client()
    assert "Reported by Anna" not in page_text(browser.get(anna))
    refused = browser.post(f"{anna}{own.pk}/", {"_say": "right"}, follow=True)
    assert "Nothing was recorded. You reported this game" in page_text(refused)
    assert "There is no such report." in page_text(browser.post(f"{cleo}{report.pk}/", {"_say": "right"}, follow=True))
    assert "Ben" not in page_text(browser.get(cleo)).split("Report a game")[0]
    nowhere = browser.post(f"{cleo}5c8e0f4e-9f5e-4a0b-8a53-2b1c1c8d7f21/", {"_say": "right"}, follow=True)
    assert "There is no such report." in page_text(nowhere)
    assert browser.get(f"{cleo}{report.pk}/").status_code == 405


@long_way
def test_a_tables_link_asks_for_the_player() -> None:
    league = league_of()
    browser = Client()
    question = browser.get(TABLE_PAGE).content.decode()
    assert "Who are you?" in question
    assert re.findall(r'class="chip" href="([^"]+)">([^<]+)<', question) == [
        (f"?who={one}", one.title()) for one in ("anna", "ben", "cleo", "dan")
    ]
    page = browser.get(f"{TABLE_PAGE}?who=anna")
    assert "Anna at Table 1" in page_text(page)
    assert 'name="who" value="anna"' in page.content.decode()
    done = browser.post(TABLE_PAGE, report_fields(who="anna"), follow=True)
    assert done.redirect_chain == [(f"{TABLE_PAGE}?who=anna&just=1", 302)]
    report = Report.objects.get()
    browser = Client()
    answered = browser.post(f"{TABLE_PAGE}{report.pk}/", {"_say": "right", "who": "ben"}, follow=True)
    assert answered.redirect_chain == [(f"{TABLE_PAGE}?who=ben", 302)]
    assert Report.objects.get().state == "confirmed"
    for nobody in ("", "zoe", "%00", "Anna"):
        assert "Who are you?" in browser.get(f"{TABLE_PAGE}?who={nobody}").content.decode()
    unsaid = browser.post(f"{TABLE_PAGE}{report.pk}/", {"_say": "right"}, follow=True)
    assert "Choose your name." in page_text(unsaid)
    set_active(league.pk, player_of("dan"), False, username="olga")
    assert "Dan" not in page_text(browser.get(TABLE_PAGE))


def test_a_table_without_players_shows_what_to_do() -> None:
    league = make_league(players=(), slug="empty", reporting="by_link")
    make_link(league.pk, "empty", username="olga", name="Table 1")
    assert "No players yet." in page_text(Client().get("/report/empty/"))
    bare = League.objects.create(slug="bare", title="Bare", reporting="by_link")
    make_link(bare.pk, "bare", username="olga", name="Table 1")
    assert Client().get("/report/bare/").status_code == 409


def test_errors_are_shown_and_input_is_kept() -> None:
    address = f"/report/{link_of(league_of(), 'anna')}/"
    result: list[tuple[dict[str, Any], str]] = [
        (report_fields(("anna", "zoe")), "Seat 2: “zoe” is not an active player of this league."),
        (report_fields(("ben", "cleo")), "Anna is not on this sheet: only players of a game can report it."),
        (report_fields(("anna", "anna")), "Anna is in seats 1 and 2; a player can play a game only once."),
        (report_fields(("anna",), (1,)), "2 or more"),
        (report_fields(scores=("x", 0)), "number"),
        (report_fields(("anna", "ben"), (1, "")), "Elo needs a score for every seat, or a place for every seat."),
        (report_fields(played_at="2020-01-01T20:00"), "Players can report games from the last 14 days."),
        (report_fields(played_at="2020-13-01T20:00"), "valid date"),
        (report_fields(note="a\0b"), "Null characters are not allowed."),
        (report_fields(note="x" * 501), "500"),
        (report_fields(kind="forfeit", scores=(1e300, 0)), "typing error"),
    ]
    for sent, sentence in result:
        answer = Client().post(address, sent)
        page = answer.content.decode()
        assert answer.status_code in (200, 422)
        assert "Nothing was reported." in page
        assert sentence in page
        assert f'value="{sent["seats-0-player"]}"' in page
    assert not Report.objects.exists()


@pytest.mark.slow("Forms that nobody sends; each refusal has a test of its own.")
def test_malformed_forms_create_nothing() -> None:
    league = league_of()
    report = reported(link_of(league, "cleo"), played(("cleo", "dan")))
    address = f"/report/{link_of(league, 'anna')}/"
    forms: list[dict[str, Any]] = [
        {},
        {"seats-TOTAL_FORMS": "x"},
        report_fields(("anna",) * 200, (1,) * 200),
        {"_say": "right"},
        report_fields(who="a\0b"),
        {**report_fields(), "seats-TOTAL_FORMS": "99999999999999999999"},
    ]
    for sent in forms:
        for path in (address, f"{address}{report.pk}/", f"{address}change/", TABLE_PAGE):
            assert Client().post(path, sent).status_code in (200, 302, 400, 422)
        assert Report.objects.count() <= 2
    assert Report.objects.get(pk=report.pk).state == "waiting"


@pytest.mark.parametrize("how", [*ENDS, "unknown"])
def test_an_invalid_link_reveals_nothing(how: str) -> None:
    league = league_of()
    secret = link_of(league, "anna")
    if how == "unknown":
        secret = "nothing"
    else:
        ENDS[how][0](league, ReportLink.objects.get(player=player_of("anna")))
    for answer in (Client().get(f"/report/{secret}/"), Client().post(f"/report/{secret}/", report_fields())):
        assert answer.status_code == (404 if how == "unknown" else 410)
        assert not any(word in answer.content.decode() for word in ("Club", "Anna", "<form"))
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert not Report.objects.exists()


def test_a_link_is_not_leaked() -> None:
    league = league_of()
    for address in (f"/report/{link_of(league, 'anna')}/", TABLE_PAGE, "/report/nothing/"):
        answer = Client().get(address)
        assert "no-store" in answer["Cache-Control"]
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
        assert answer["Referrer-Policy"] == "same-origin"
        own = re.findall(r'(?:href|src)="(https?://[^"]+)"', answer.content.decode())
        assert not own, "nothing of another site is on the page"


def test_guessing_links_is_rate_limited() -> None:
    league = league_of()
    good = f"/report/{link_of(league, 'anna')}/"
    for _ in range(3):
        assert Client().get(good).status_code == 200
    assert CacheEntry.objects.count() == 0
    assert {Client().get(f"/report/{number}/").status_code for number in range(50)} == {404}
    refused = Client().get("/report/another/")
    assert refused.status_code == 429
    page = refused.content.decode()
    assert "<h1>Too many wrong links were opened from your network</h1>" in page
    assert "Try again in an hour." in page
    assert refused["Retry-After"] == "3600"
    assert Client().get(good).status_code == 200, "a club has one address: guessing does not lock its members out"
    assert Client().get("/report/another/", REMOTE_ADDR="198.51.100.7").status_code == 404


@long_way
def test_a_link_into_a_private_league_hides_other_players() -> None:
    opened = league_of()
    closed = make_league(slug="closed", players=(), visibility="private", reporting="by_link")
    add_player("mata", "Mata Hari")
    record(closed, sheet(("anna", "mata"), (1, 0)))
    inside = f"/report/{link_of(closed, 'mata')}/"
    page = Client().get(inside).content.decode()
    assert "Mata Hari" in page
    assert "Closed" in page
    assert "/leagues/closed/" not in page
    assert "Ben" not in page, "who plays elsewhere only is not offered"
    assert "Mata" not in Client().get(f"/report/{link_of(opened, 'anna')}/").content.decode()
    question = (
        Client().post(f"/report/{link_of(opened, 'anna')}/", report_fields(("anna", "Mata Hari"))).content.decode()
    )
    assert "“Mata Hari” is not an active player of this league." in question


def test_worksheets_are_summed_while_they_are_typed() -> None:
    league = make_league("preferans", ("pedja", "marko", "johnny"), slug="cards", reporting="by_link")
    names = ("pedja", "marko", "johnny")
    record(league, sheet(names, (-60, 40, 20), details={"bula": 30}))
    address = f"/report/{link_of(league, 'pedja')}/"
    text = Client().get(address).content.decode()
    assert "Bula" in text and 'name="seats-0-worksheet_middle"' in text and 'name="seats-0-side"' not in text
    papers = zip(names, ((-20, 320, 160), (4, 120, 60), (16, 20, 60)), strict=True)
    sent = report_fields(names, (), details_bula="30") | {
        f"seats-{row}-worksheet_{key}": str(value)
        for row, (_, paper) in enumerate(papers)
        for key, value in zip(("middle", "left", "right"), paper, strict=True)
    }
    created = Client().post(f"{address}change/", sent).json()
    assert [one["score"] for one in created["made"]] != []
    assert Client().get(f"{address}change/").status_code == 405
    Client().post(address, sent)
    report = Report.objects.get()
    assert report.sheet["details"] == {"bula": 30}
    assert report.sheet["results"][0]["worksheet"] == {"middle": -20, "left": 320, "right": 160}


def test_rating_changes_are_previewed_in_public_leagues() -> None:
    league = league_of()
    address = f"/report/{link_of(league, 'anna')}/"
    new = played(("anna", "ben"), (0, 1), hours=0)
    result = Client().post(f"{address}change/", report_fields(scores=(0, 1))).json()
    before = ratings(league)
    record(league, new)
    after = ratings(league)
    assert result == {
        "seats": [
            {"change": format_signed(after[one] - before[one], 1), "after": format_number(after[one], 1)}
            for one in ("anna", "ben")
        ],
        "made": [],
    }
    assert result["seats"][0]["change"].startswith("−"), "a leader who loses loses points"
    stranger = Client().post(f"{address}change/", report_fields(("anna", "zoe"))).json()
    assert "“zoe” is not an active player of this league." in stranger["why"]
    assert stranger["seats"] == []
    assert Client().post(f"{address}change/", report_fields(scores=("x", 0))).json() == {"seats": [], "made": []}
    change_league(league.pk, {"visibility": "private"})
    assert Client().post(f"{address}change/", report_fields()).json() == {"seats": [], "made": []}
    assert not Report.objects.exists()


@long_way
def test_disputed_and_expired_reports_on_the_page() -> None:
    league = league_of()
    anna, cleo = link_of(league, "anna"), link_of(league, "cleo")
    report = reported(anna, played(("anna", "ben", "cleo"), (3, 2, 1)))
    dispute_report(link_of(league, "ben"), report.pk, reason="No")
    page = page_text(Client().get(f"/report/{cleo}/"))
    assert "It is disputed; your answer helps the organiser decide." in page
    done = Client().post(f"/report/{cleo}/{report.pk}/", {"_say": "right"}, follow=True)
    assert "Your answer was saved. An organiser will decide." in page_text(done)
    Report.objects.update(state="lapsed")
    assert "Expired: not confirmed in time." in page_text(Client().get(f"/report/{anna}/"))


@pytest.mark.one_database("No database is asked.")
def test_the_qr_code_has_a_quiet_zone() -> None:
    import segno

    text = "https://club.example/report/" + "x" * 43 + "/"
    code, drawn = encode_qr_code(text), segno.make(text, error="q", micro=False)
    wide, _ = drawn.symbol_size(scale=1, border=QUIET)
    assert code.size == wide
    dark = set()
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", code.path):
        dark |= {(int(x) + step, int(y)) for step in range(int(length))}
    rows = list(drawn.matrix_iter(scale=1, border=QUIET))
    assert dark == {(x, y) for y, row in enumerate(rows) for x, one in enumerate(row) if one}


def test_a_link_asks_for_sides_like_the_organisers_page() -> None:
    league = league_of()
    results = [
        NewResult(name, None, side, side)
        for name, side in zip(["anna", "ben", "cleo", "dan"], (1, 1, 2, 2), strict=True)
    ]
    record(league, NewGame(results, timezone.now()))
    page = Client().get(f"/report/{link_of(league, 'anna')}/")
    assert [form["side"].value() for form in page.context["sheet"].formset.forms] == [1, 1, 2, 2]
    assert 'name="weight"' not in page.content.decode()


def test_a_game_undone_at_the_desk_is_filled_in_there_and_on_no_link_in_the_same_browser(olga: Client) -> None:
    league, desk = league_of(), "/admin/leagues/club/record/"
    olga.post(desk, sheet_fields(("cleo", "1"), ("dan", "0")))
    olga.post("/admin/leagues/club/games/3/undo/")

    def seated(path: str) -> list[str]:
        forms = olga.get(path).context["sheet"].formset.forms
        return [form["player"].value() for form in forms if form["player"].value()]

    for handle in ("anna", "dan"):
        address = f"/report/{link_of(league, handle)}/"
        assert seated(address) == [handle]
        assert seated(f"{address}?undone=3") == [handle]
    assert seated(desk) == ["cleo", "dan"]


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_players_own_games_are_shown_however_they_were_recorded(visibility: str) -> None:
    """Those of the last two weeks; one that was reported by link is shown once."""
    league = league_of()
    change_league(league.pk, {"visibility": visibility}, username="olga")
    record(league, played(("anna", "ben"), (7, 3)))
    record(league, played(("cleo", "dan"), (8, 4)))
    record(league, played(("anna", "dan"), (9, 5), hours=15 * 24))
    record(league, played(("anna", "cleo"), (6, 2), hours=2, kind="friendly"))
    page = Client().get(f"/report/{link_of(league, 'anna')}/")
    shown = page_text(page)
    assert "No games with you were reported." not in shown
    assert [view.game.number for view in page.context["recorded"]] == [3, 6]
    assert ('href="/leagues/club/players/anna/"' in page.content.decode()) == (visibility == "public")


@long_way
def test_a_report_asks_for_declared_fields_and_the_game_has_them(olga: Client) -> None:
    league = league_of()
    declare_field(league.pk, NewField("map", "Map", "game", "choice", ["dust", "nuke"], required=True), username="olga")
    declare_field(league.pk, NewField("hero", "Hero", "seat", "text"), username="olga")
    anna, ben, browser = f"/report/{link_of(league, 'anna')}/", f"/report/{link_of(league, 'ben')}/", Client()
    assert "fields_map" in browser.get(anna).content.decode()
    refused = browser.post(anna, report_fields())
    assert (refused.status_code, Report.objects.count()) == (422, 0) and "fields_map" in refused.content.decode()
    values = {"fields_map": "nuke", "seats-1-fields_hero": "Zed"}
    assert browser.post(anna, {**report_fields(), **values}).status_code == 302
    report = Report.objects.get()
    assert "nuke" in page_text(browser.get(ben))
    amend = olga.get(f"/admin/leagues/club/reports/{report.pk}/amend/").content.decode()
    assert 'value="nuke" selected' in amend and 'value="Zed"' in amend
    browser.post(f"{ben}{report.pk}/", {"_say": "right", "who": "ben"})
    game = Game.objects.latest("number")
    assert (game.details["declared_fields"], game.withheld) == (
        {"game": {"map": "nuke"}},
        {"seats": [{}, {"hero": "Zed"}]},
    )
