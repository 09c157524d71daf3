"""Initial ratings, the order of games of one time, and merges on a league's desk: each shown first, written once."""

import re
from typing import Any

import pytest
from django.test import Client

from league.core.games.services.game_order import order_games
from league.core.players.services.merges import merge_players
from league.core.verify.run import verify_league
from league.models import InitialRating, League, LogEntry, Membership, Player
from tests.helpers.builders import make_league, ratings, record, rename, sheet
from tests.helpers.desk_client import ONCE_KEY, page_messages, page_text, sign_in_member
from tests.helpers.ladder_builders import close, duel, make_ladder, tables
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

DESK = "/admin/leagues/club/"
STARTS, GAMES, PLAYERS = f"{DESK}starts/", f"{DESK}games/", f"{DESK}people/players/"


@long_way
def test_a_start_is_tried_and_then_set_once(olga: Client) -> None:
    league = make_league(players=("anna", "ben", "eva"))
    record(league, duel("anna", "ben", "2024-03-05"))
    assert "None." in page_text(olga.get(STARTS))
    # Of who has not played nothing moves.
    idle = olga.post(STARTS, {"player": "eva", "initial_rating": "1900"})
    assert "No rating and no ladder changes." in page_text(idle)
    assert olga.get(STARTS, {"player": "anna"}).context["form"]["player"].value() == "anna"
    before = tables("RequestKey")
    page = olga.post(STARTS, {"player": "anna", "initial_rating": "1900"})
    assert tables("RequestKey") == before
    tried = page.context["tried"]
    # Elo, K 20 of a game of two: 1900 was expected to win against 1500 by 1 / (1 + 10 ** (-400 / 400)).
    assert [(one.player, round(one.after, 9)) for one in tried.movers] == [
        ("anna", round(1900 + 20 * (1 - 10 / 11), 9)),
        ("ben", round(1500 - 20 * (1 - 10 / 11), 9)),
    ]
    sent = {"player": "Anna", "initial_rating": "1900,0", "_commit": "1", "once": ONCE_KEY}
    assert page_messages(olga.post(STARTS, sent, follow=True)) == "Anna starts at 1900."
    assert InitialRating.objects.get().rating == 1900
    assert round(ratings(league)["anna"], 9) == round(1900 + 20 / 11, 9)
    assert "already been submitted with other contents" in page_text(
        olga.post(STARTS, {**sent, "initial_rating": "1800"})
    )
    assert "Anna anna 1900" in page_text(olga.get(STARTS))
    assert verify_league(league.pk).differences == []


def test_a_start_that_cannot_be_is_refused_at_its_field(olga: Client) -> None:
    make_league()
    for player, rating, said in (
        ("", "1500", "Choose a player."),
        ("anna", "", "Enter the initial rating."),
        ("nobody", "1500", "New players are added with their first game"),
        ("anna", "1e9", "allows ratings from"),
        ("anna", "x", "Nothing was set."),
        ("anna", "1,234", "is ambiguous: write"),
        ("an\0na", "1500", "Null characters are not allowed."),
    ):
        for key in ("_try", "_commit"):
            page = olga.post(STARTS, {"player": player, "initial_rating": rating, key: "1"})
            assert said in page_text(page)
            assert page.context["form"]["initial_rating"].value() == rating
    assert not InitialRating.objects.exists()


def test_a_start_says_which_closed_periods_ask_then(olga: Client) -> None:
    league = make_league()
    make_ladder(league, method="rating_score", evidence_penalty=0)
    record(league, duel("anna", "ben", "2024-03-05"))
    close(league, "2024-03")
    page = olga.post(STARTS, {"player": "anna", "initial_rating": "1900"})
    assert "1 closed period will no longer match its edition: March 2024 of Month." in page_text(page)
    done = olga.post(STARTS, {"player": "anna", "initial_rating": "1900", "_commit": "1"}, follow=True)
    assert "One closed period of Club now differs" in page_messages(done)
    assert f'href="{DESK}decisions/"' in done.content.decode()


def namesakes() -> League:
    """Return a league in which two players are called Vera Novak."""
    league = make_league(players=("anna", "ben", "vera.n", "vera.novak"))
    rename("Vera Novak", "vera.n", "vera.novak")
    record(league, sheet(("vera.n", "vera.novak"), (1, 0)))
    return league


def test_players_of_one_name_are_told_apart_by_their_handles(olga: Client) -> None:
    record(namesakes(), sheet(("anna", "ben"), (1, 0)))
    for address in (STARTS, f"{PLAYERS}anna/merge/"):
        shown = re.findall(r'<option value="([^"]+)">([^<]*)</option>', olga.get(address).content.decode())
        assert [one for one in shown if "Vera" in one[1]] == [
            ("vera.n", "Vera Novak (vera.n)"), ("vera.novak", "Vera Novak (vera.novak)"),
        ]  # fmt: skip
        assert ("Ben", "") in shown


def test_a_name_that_two_bear_is_refused_with_their_handles_and_a_handle_is_taken(olga: Client) -> None:
    league = namesakes()
    page = olga.post(STARTS, {"player": "Vera Novak", "initial_rating": "1900"})
    assert "“Vera Novak” is the name of 2 players: vera.n, vera.novak. Enter the handle." in page_text(page)
    assert "aria-invalid" in page.content.decode()
    page = olga.post(STARTS, {"player": "vera.novak", "initial_rating": "1900"})
    assert "Vera Novak (vera.novak) will start at 1900." in page_text(page)
    olga.post(STARTS, {"player": "vera.novak", "initial_rating": "1900", "_commit": "1"})
    start = InitialRating.objects.get()
    assert (start.league_id, start.player.handle) == (league.pk, "vera.novak")
    page = olga.post(f"{PLAYERS}vera.n/merge/", {"into": "Vera Novak"})
    assert "is the name of 2 players" in page_text(page)


def evening() -> League:
    """Return a league with three games of one time, and one later."""
    league = make_league()
    for first, second in (("anna", "ben"), ("ben", "cleo"), ("cleo", "dan")):
        record(league, sheet((first, second), (1, 0)))
    record(league, sheet(("anna", "cleo"), (1, 0), minutes=30))
    return league


def order_of(league: League) -> list[int]:
    """Return the numbers of the games in the order in which they are rated."""
    return list(league.games.filter(voided_at=None).order_by("played_at", "order_key").values_list("number", flat=True))


def shown(page: Any) -> list[int]:
    """Return the numbers in the order of a page."""
    return [one.number for one, *_ in page.context["lines"]]


def test_games_of_one_time_lead_to_their_order(olga: Client) -> None:
    evening()
    page = olga.get(GAMES).content.decode()
    assert re.findall(r"games/(\d)/order/", page) == ["3", "2", "1"]
    lone = olga.get(f"{GAMES}4/order/", follow=True)
    assert "Game 4 is the only counted game at its time" in page_messages(lone)
    assert olga.get(f"{GAMES}9/order/").status_code == 404


def test_an_order_is_arranged_tried_and_written(olga: Client) -> None:
    league = evening()
    address = f"{GAMES}2/order/"
    page = olga.get(address)
    assert shown(page) == [1, 2, 3]
    assert "This is the current order." in page_text(page)
    page = olga.post(address, {"order": ["1", "2", "3"], "_up": "3"})
    assert shown(page) == [1, 3, 2]
    page = olga.post(address, {"order": ["1", "3", "2"], "_down": "1"})
    assert shown(page) == [3, 1, 2]
    assert shown(olga.post(address, {"order": ["3", "1", "2"], "_up": "3"})) == [3, 1, 2]
    assert order_of(league) == [1, 2, 3, 4]
    before = tables("RequestKey")
    tried = olga.post(address, {"order": ["3", "1", "2"], "_try": "1"})
    assert tables("RequestKey") == before
    # All four games are rated anew: the later one follows from those of the time before it.
    assert "4 games will be rated again." in page_text(tried)
    sent = {"order": ["3", "1", "2"], "_commit": "1", "seen": tried.context["seen"], "once": tried.context["once"]}
    done = olga.post(address, sent, follow=True)
    assert page_messages(done).startswith("The 3 games are now in this order.")
    assert order_of(league) == [3, 1, 2, 4]
    fresh = make_league(slug="fresh")
    for first, second in (("cleo", "dan"), ("anna", "ben"), ("ben", "cleo")):
        record(fresh, sheet((first, second), (1, 0)))
    record(fresh, sheet(("anna", "cleo"), (1, 0), minutes=30))
    assert ratings(league) == ratings(fresh)
    assert verify_league(league.pk).differences == []
    back = re.findall(r'href="([^"]+)">the earlier order', done.content.decode())
    assert shown(olga.get(back[0].replace("&amp;", "&"))) == [1, 2, 3]


def test_more_games_of_one_time_than_a_form_may_have_fields_are_put_in_order(olga: Client, settings: Any) -> None:
    """Of the thousand fields that a form may have, the order takes one, with script and without."""
    league = make_league()
    for _ in range(9):
        record(league, sheet(("anna", "ben"), (1, 0)))
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 8
    address = f"{GAMES}1/order/"
    page = olga.get(address)
    text = page.content.decode()
    form = text[text.index('id="order">') : text.index("</form>", text.index('id="order">'))]
    sent = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))
    assert sent["order"] == "1,2,3,4,5,6,7,8,9"
    page = olga.post(address, {**sent, "_down": "1"})
    assert shown(page) == [2, 1, *range(3, 10)]
    sent["order"] = page.context["order"]
    page = olga.post(address, {**sent, "_try": "1"})
    assert "9 games will be rated again." in page_text(page)
    done = olga.post(address, {**sent, "seen": page.context["seen"], "_commit": "1"}, follow=True)
    assert page_messages(done).startswith("The 9 games are now in this order.")
    assert order_of(league) == [2, 1, *range(3, 10)]
    assert shown(olga.get(f"{address}?before=1")) == list(range(1, 10))


def test_an_order_of_books_that_moved_is_shown_anew(olga: Client) -> None:
    league = evening()
    address = f"{GAMES}1/order/"
    tried = olga.post(address, {"order": ["3", "1", "2"], "_try": "1"})
    record(league, sheet(("dan", "ben"), (1, 0)))
    sent = {"order": ["3", "1", "2"], "_commit": "1", "seen": tried.context["seen"], "once": tried.context["once"]}
    page = olga.post(address, sent)
    assert "has changed since you opened this page, so nothing was saved" in page_text(page)
    assert shown(page) == [3, 1, 2, 5]
    assert order_of(league) == [1, 2, 3, 5, 4]
    shown_now = {"_shown": page.context["mark"], "seen": page.context["seen"], "order": page.context["order"]}
    assert olga.post(address, {**shown_now, "_commit": "1"}).status_code == 302
    assert order_of(league) == [3, 1, 2, 5, 4]


def test_odd_orders_are_put_right(olga: Client) -> None:
    league = evening()
    for order in ([], ["x"], ["99", "1"], ["1", "1", "2"], ["9" * 40], ["²"]):
        page = olga.post(f"{GAMES}1/order/", {"order": order, "_up": "zz", "_down": "77"})
        assert sorted(shown(page)) == [1, 2, 3], order
    assert order_of(league) == [1, 2, 3, 4]


def test_an_order_takes_as_few_moves_as_it_can_and_is_refused_for_other_games() -> None:
    league = evening()
    assert order_games(league.pk, [1, 2, 3], username="olga") == 0
    assert order_games(league.pk, [3, 2, 1], username="olga") == 1
    assert order_of(league) == [3, 2, 1, 4]
    assert LogEntry.objects.filter(kind="games.moved").count() == 1
    for numbers in ([1, 2], [1, 2, 3, 4], []):
        with pytest.raises(Exception, match="Other games now count at this time"):
            order_games(league.pk, numbers, username="olga")
    assert verify_league(league.pk).differences == []


def test_a_recorder_orders_what_is_not_closed() -> None:
    league = evening()
    make_ladder(league)
    rita = sign_in_member("rita", Membership.Role.RECORDER, league)
    tried = rita.post(f"{GAMES}1/order/", {"order": ["2", "1", "3"], "_try": "1"})
    sent = {"order": ["2", "1", "3"], "_commit": "1", "seen": tried.context["seen"], "once": tried.context["once"]}
    assert rita.post(f"{GAMES}1/order/", sent).status_code == 302
    assert order_of(league) == [2, 1, 3, 4]
    close(league, "2024-03")
    page = rita.post(f"{GAMES}1/order/", {**sent, "order": ["1", "2", "3"], "once": ONCE_KEY})
    assert "organiser" in page_text(page)
    assert order_of(league) == [2, 1, 3, 4]


@long_way
def test_a_merge_is_shown_for_every_league_and_done_once(olga: Client) -> None:
    league = evening()
    other = make_league(slug="other")
    record(other, sheet(("dan", "ben"), (1, 0)))
    address = f"{PLAYERS}dan/merge/"
    assert "Merge Dan into …" in page_text(olga.get(address))
    assert olga.get(address, {"into": "anna"}).context["form"]["into"].value() == "anna"
    before = tables("RequestKey")
    page = olga.post(address, {"into": "Anna"})
    assert [one.league.slug for one in page.context["tried"]] == ["club", "other"]
    assert "Merge Dan into Anna" in page_text(page)
    assert tables("RequestKey") == before
    sent = {"into": "Anna", "_commit": "1", "once": ONCE_KEY}
    done = olga.post(address, sent, follow=True)
    assert done.redirect_chain == [(f"{PLAYERS}anna/", 302)]
    assert page_messages(done) == "Dan (dan) was merged into Anna."
    assert sorted(ratings(league)) == ["anna", "ben", "cleo"]
    assert olga.get(address).status_code == 404
    assert verify_league(league.pk).differences == []


def test_a_merge_that_cannot_be_is_refused(olga: Client) -> None:
    evening()
    for into, said in (
        ("", "Choose the player to merge into."),
        ("nobody", "No player is called “nobody”."),
        ("cleo", "game 3"),
        ("dan", ""),
    ):
        text = page_text(olga.post(f"{PLAYERS}dan/merge/", {"into": into, "_commit": "1"}))
        assert "Nothing was merged." in text
        assert said.lower() in text.lower()
    assert Player.objects.filter(merged_into=None).count() == 4


@long_way
def test_a_merge_is_taken_back_after_a_look(olga: Client) -> None:
    league = evening()
    stood = ratings(league)
    merge_players(Player.objects.get(handle="dan"), Player.objects.get(handle="anna"), username="olga")
    address = f"{PLAYERS}dan/unmerge/"
    assert address in olga.get(f"{PLAYERS}anna/").content.decode()
    page = olga.get(address)
    assert "Undo the merge of Dan and Anna?" in page_text(page)
    assert page.context["tried"] is None
    page = olga.post(address)
    assert [one.league.slug for one in page.context["tried"]] == ["club"]
    assert Player.objects.get(handle="dan").merged_into is not None
    done = olga.post(address, {"_commit": "1", "once": ONCE_KEY}, follow=True)
    assert page_messages(done) == "Dan (dan) is no longer merged into Anna."
    assert ratings(league) == stood
    assert olga.get(address).status_code == 404


def test_who_does_not_organise_all_their_leagues_merges_nobody() -> None:
    league = evening()
    other = make_league(slug="other", visibility="private")
    record(other, sheet(("dan", "ben"), (1, 0)))
    omar = sign_in_member("omar", Membership.Role.ORGANISER, league)
    before = tables("RequestKey")
    page = omar.post(f"{PLAYERS}dan/merge/", {"into": "anna", "_commit": "1", "once": ONCE_KEY})
    assert "Nothing was merged." in page_text(page)
    assert "Other" not in page_text(page)
    assert Player.objects.get(handle="dan").merged_into is None
    assert tables("RequestKey") == before
