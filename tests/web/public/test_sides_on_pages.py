"""Sides as people meet them: the pad, a correction, records, titles, what-if pages, ladders and notices.

What is expected is said by hand: Anna and Ben beat Cleo and Dan, everyone at 1500, K 20, so each gains or loses 10.
"""

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.apps.notices.selectors.facts import build_game_facts
from league.apps.notices.services import render
from league.core.games.selectors.games import find_games, load_games
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import void_game
from league.core.ladders.selectors.ladders import load_live_rows
from league.core.players.selectors.head_to_head import load_rivals
from league.core.players.selectors.played_games import build_player_games
from league.core.players.selectors.resolve import find_player
from league.core.players.selectors.tables import load_tables
from league.core.players.selectors.versus import load_versus
from league.core.rules.selectors.rules import load_rules
from league.models import Game, League, Player, Result
from league.web.public.selectors.front import load_last_games
from tests.helpers.builders import EVENING, FOUR, make_league, ratings, record
from tests.helpers.desk_client import PAD, page_text, sheet_fields
from tests.helpers.ladder_builders import make_ladder
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db


def doubles(
    places: Sequence[int | None] = (1, 1, 2, 2), sides: Sequence[int | None] = (1, 1, 2, 2), **more: Any
) -> NewGame:
    """Return a game of the four."""
    lines = zip(FOUR, places, sides, strict=True)
    return NewGame(
        [NewResult(name, None, place, side) for name, place, side in lines], **{"played_at": EVENING, **more}
    )


def club(*games: NewGame) -> League:
    """Return a league in which these games were played."""
    league = make_league("elo", FOUR)
    for game in games:
        record(league, game)
    return league


def filled(scores: Sequence[str], sides: Sequence[str], **more: Any) -> dict[str, Any]:
    """Return a filled-in sheet as a browser sends it."""
    return sheet_fields(*zip(FOUR, scores, sides, strict=True), columns=("player", "score", "side"), **more)


@long_way
def test_the_pad_asks_for_sides_where_somebody_wants_them_or_the_last_game_had_them(olga: Client) -> None:
    league = make_league("elo", FOUR)
    assert "seats-0-side" not in olga.get(PAD).content.decode()
    asked = olga.get(f"{PAD}?sides=1").content.decode()
    assert [f'name="seats-{row}-side" value="{side}"' in asked for row, side in enumerate((1, 1, 2, 2))] == [True] * 4
    record(league, doubles())
    page = olga.get(PAD)
    assert [form["side"].value() for form in page.context["sheet"].formset.forms] == [1, 1, 2, 2]
    more = olga.get(f"{PAD}?players=anna,ben,cleo,dan,eva")
    assert [form["side"].value() for form in more.context["sheet"].formset.forms] == [1, 1, 2, 2, None]
    assert "seats-0-side" not in olga.get(f"{PAD}?sides=0").content.decode()
    make_league("barbu", FOUR, slug="cards")
    assert "side" not in olga.get("/admin/leagues/cards/record/?sides=1").context["columns"]


def test_a_side_writes_its_score_once_and_empty_seats_that_offer_a_side_are_nobody(olga: Client) -> None:
    league = make_league("elo", FOUR)
    sheet = filled(("21", "", "15", ""), ("1", "1", "2", "2"), weight="2")
    sheet |= {"seats-TOTAL_FORMS": 5, "seats-4-player": "", "seats-4-score": "", "seats-4-side": "2"}
    olga.post(PAD, sheet)
    assert list(Result.objects.order_by("seat").values_list("score", "side")) == [(21, 1), (21, 1), (15, 2), (15, 2)]
    assert Game.objects.get().weight == 2.0
    assert ratings(league)["anna"] == 1520.0


def test_two_who_sit_down_where_sides_are_offered_play_against_each_other(olga: Client) -> None:
    league = club(doubles())
    forms = olga.get(PAD).context["sheet"].formset.forms
    sheet: dict[str, Any] = {"seats-TOTAL_FORMS": 4, "seats-INITIAL_FORMS": 4}
    for row, (name, score) in enumerate((("anna", "21"), ("ben", "15"), ("", ""), ("", ""))):
        sheet |= {f"seats-{row}-player": name, f"seats-{row}-score": score}
        sheet[f"seats-{row}-side"] = forms[row]["side"].value()
    assert olga.post(PAD, sheet).status_code == 302
    assert list(Result.objects.filter(game__number=2).values_list("side", flat=True)) == [None, None]
    assert ratings(league)["anna"] == 1520.0


def test_a_sheet_whose_partners_differ_comes_back_with_a_sentence_at_the_seat(olga: Client) -> None:
    make_league("elo", FOUR)
    page = olga.post(PAD, filled(("21", "20", "15", "15"), ("1", "1", "2", "2")))
    assert not Game.objects.exists()
    assert "Seats 1 and 2 are in one team and must have the same score." in page.content.decode()
    page = olga.post(PAD, filled(("21", "21", "15", "15"), ("1", "1", "2", "")))
    assert "Seat 4 has no team" in page.content.decode()


def test_a_correction_keeps_sides_and_weight_and_says_what_changes_of_them(olga: Client) -> None:
    club(doubles(weight=2.0))
    address = "/admin/leagues/club/games/1/correct/"
    page = olga.get(address)
    assert [form["side"].value() for form in page.context["sheet"].formset.forms] == [1, 1, 2, 2]
    assert page.context["form"]["weight"].value() == 2
    data: dict[str, Any] = {"seats-TOTAL_FORMS": 4, "seats-INITIAL_FORMS": 4, "weight": "2", "note": ""}
    for row, name in enumerate(FOUR):
        data |= {f"seats-{row}-player": name, f"seats-{row}-place": ["1", "1", "2", "2"][row]}
        data |= {f"seats-{row}-side": ["1", "1", "2", "2"][row]}
    assert "You have not changed anything in game 1." in olga.post(address, data, follow=True).content.decode()
    swapped = {
        **data,
        "seats-1-side": "2",
        "seats-1-place": "2",
        "seats-2-side": "1",
        "seats-2-place": "1",
        "weight": "1",
    }
    text = olga.post(address, swapped, follow=True).content.decode()
    assert "Anna &amp; Ben – Cleo &amp; Dan" in text
    assert "Anna &amp; Cleo – Ben &amp; Dan" in text


def test_partners_win_together_finish_as_one_and_have_not_met() -> None:
    league = club(doubles(), doubles((1, 1, 1, 1), played_at=EVENING.replace(hour=20)))
    anna, ben, cleo = (find_player(name) for name in ("anna", "ben", "cleo"))
    rules = load_rules(league)
    won, drawn = build_player_games(load_tables(league, anna), anna, rules)
    assert (won.won, won.finish, won.size, drawn.drawn, drawn.won) == (True, 1, 2, True, False)
    (lost, _) = build_player_games(load_tables(league, cleo), cleo, rules)
    assert (lost.finish, lost.size) == (2, 2)
    assert {(one.handle, one.games, one.ahead, one.level) for one in load_rivals(league, anna, rules, 9)} == {
        ("cleo", 2, 1, 1),
        ("dan", 2, 1, 1),
    }
    assert build_player_games(load_tables(league, anna), anna, rules).people.tolist() == [4, 4]
    assert load_versus(league, anna, ben, rules).meetings == []
    assert [one.outcome for one in load_versus(league, anna, cleo, rules).meetings] == [0, 1]


@long_way
def test_pages_say_who_beat_whom(client: Client) -> None:
    league = club(
        doubles(), doubles((1, 1, 1, 1)), doubles((2, 1, 3, 3), (1, 2, 3, 3)), doubles((3, 1, 2, 2), (1, 2, 3, 3))
    )
    texts = [client.get(f"/leagues/club/games/{number}/").content.decode() for number in range(1, 5)]
    assert '<span class="tally">1–0</span>' in texts[0]
    assert "<title>Anna &amp; Ben – Cleo &amp; Dan 1–0 · " in texts[0]
    assert "<title>Anna &amp; Ben – Cleo &amp; Dan ½–½ · " in texts[1]
    assert "<h1>Ben wins</h1>" in texts[2]
    assert '<th scope="col" class="num opt">Team</th>' in texts[0]
    first = load_last_games(league, load_rules(league), 9)[-1]
    assert (first.game.number, first.names, first.as_one) == (1, "Anna, Ben", True)
    for path in ("", "games/", "players/anna/", "players/anna/versus/ben/", "players/anna/versus/cleo/"):
        assert client.get(f"/leagues/club/{path}").status_code == 200
    assert "Cleo , Dan with Ben" in page_text(client.get("/leagues/club/players/anna/"))


def test_three_sides_of_two_are_told_as_sides(client: Client) -> None:
    make_league("elo", (*FOUR, "eva", "finn"))
    league = League.objects.get()
    names, sides, scores = (*FOUR, "eva", "finn"), (1, 1, 2, 2, 3, 3), (30, 30, 20, 20, 10, 10)
    lines = [NewResult(name, score, None, side) for name, side, score in zip(names, sides, scores, strict=True)]
    record(league, NewGame(lines, EVENING))
    text = client.get("/leagues/club/games/1/").content.decode()
    assert "<h1>Anna &amp; Ben win with 30</h1>" in text
    assert "10 ahead of Cleo and Dan." in text


def test_a_notice_has_the_result_of_two_sides_in_one_line() -> None:
    league = club(doubles())
    (view,) = load_games(league, find_games(league))
    facts = build_game_facts(league, view)
    told = render._build_game_context(
        facts, lambda text: str(text.english()) if hasattr(text, "english") else str(text)
    )
    assert (told["won"], told["alone"], told["results"]) == (0, False, "Anna & Ben – Cleo & Dan 1–0")
    level = {"number": 1, "lines": [{"name": "Anna", "score": 1.0, "place": None, "won": False, "winner": True}] * 2}
    assert render._build_game_context(level, str)["alone"] is False


def test_the_ladder_by_points_gives_partners_a_win_each_and_a_draw_to_level_sides() -> None:
    league = club(doubles(), doubles((2, 2, 1, 1)), doubles((1, 1, 1, 1)), doubles((1, 2, 2, 2), (1, 2, 2, 2)))
    ladder = make_ladder(league, method="points")
    period = ladder.periods.get(key="2024-03")
    rows = {row["player"]: row["columns"] for row in load_live_rows(period)}
    told = {name: (row["wins"], row["draws"], row["losses"]) for name, row in rows.items()}
    assert told == {"anna": (2, 1, 1), "ben": (1, 1, 2), "cleo": (1, 1, 2), "dan": (1, 1, 2)}


def test_what_if_pages_ask_who_plays_together_and_an_address_keeps_it(client: Client) -> None:
    club(doubles())
    address = "/leagues/club/what-if/"
    plain = client.get(f"{address}?p=anna&r=&p=ben&r=").content.decode()
    assert 'name="s"' not in plain
    assert 'name="_sides"' in plain
    query = "&".join(f"p={name}&r=&s={side}" for name, side in zip(FOUR, (1, 1, 2, 2), strict=True))
    page = client.get(f"{address}?{query}")
    text = page.content.decode()
    assert "3 outcomes are possible." in text
    assert "Anna &amp; Ben – Cleo &amp; Dan 1–0" in text
    scored = query.replace("r=&s=1", "r=7&s=1").replace("r=&s=2", "r=3&s=2")
    assert "Anna &amp; Ben – Cleo &amp; Dan" in client.get(f"{address}?{scored}").content.decode()
    wrong = client.get(f"{address}?{query.replace('s=2', 's=x', 1)}").content.decode()
    assert 'aria-invalid="true"' in wrong
    game = client.get("/leagues/club/games/1/").content.decode()
    assert "s=1" in game[game.index("what-if/?p=anna") :][:200]


def test_a_league_that_knows_no_sides_asks_for_none(client: Client) -> None:
    make_league("barbu", FOUR)
    text = client.get("/leagues/club/what-if/?s=1&s=2").content.decode()
    assert 'name="s"' not in text
    assert 'name="_sides"' not in text
    assert not Player.objects.filter(results__isnull=False).exists()


def minis(page: str) -> list[str]:
    """Return what stands in the lines of the games of a page."""
    return [
        " ".join(re.sub(r"<[^>]*>", " ", part).split())
        for part in re.findall(r'<p class="mini">(.*?)</p>', unescape(page))
    ]


def test_tonights_games_stand_on_the_desk_by_their_sides_and_with_their_weight(olga: Client) -> None:
    now = timezone.now()
    club(
        doubles((1, 2, 1, 2), (1, 2, 1, 2), played_at=now - timedelta(minutes=2), weight=2.5),
        doubles((1, 2, 3, 4), (None,) * 4, played_at=now - timedelta(minutes=1)),
    )
    page = olga.get("/admin/leagues/club/").content.decode()
    assert minis(page) == ["Anna 1. Ben 2. Cleo 3. Dan 4.", "Anna & Cleo 1–0 Ben & Dan"]
    assert page.count("weight 2.5") == 1
    assert page.count("· weight") == 1


def test_the_list_of_games_on_the_desk_has_partners_together(olga: Client) -> None:
    scores, sides = (21.0, 15.0, 21.0, 15.0), (1, 2, 1, 2)
    lines = [NewResult(name, score, None, side) for name, score, side in zip(FOUR, scores, sides, strict=True)]
    league = club(NewGame(lines, EVENING), doubles((1, 2, 3, 4), (None,) * 4, played_at=EVENING + timedelta(hours=1)))
    alone, together = minis(olga.get("/admin/leagues/club/games/").content.decode())
    # Partners who gain alike have one figure between them.
    assert together == "Anna & Cleo +10.0 21–15 Ben & Dan −10.0"
    assert re.fullmatch(r"Anna 1\. \S+ Ben 2\. \S+ Cleo 3\. \S+ Dan 4\. \S+", alone)
    void_game(league.pk, 1, reason="typed twice", username="olga")
    assert minis(olga.get("/admin/leagues/club/games/").content.decode())[1] == "Anna & Cleo 21–15 Ben & Dan"


def test_partners_who_move_by_other_figures_have_one_each(olga: Client) -> None:
    league = make_league("elo", (*FOUR, "eva"), parameters={"provisional_games": 1, "provisional_k": 40})
    record(league, NewGame([NewResult("anna", None, 1), NewResult("eva", None, 1)], EVENING))
    record(league, doubles(played_at=EVENING + timedelta(hours=1)))
    # A draw of newcomers, then even sides: Anna's K is 20, that of the other three 40.
    together, _first = minis(olga.get("/admin/leagues/club/games/").content.decode())
    assert together == "Anna & Ben +10.0 +20.0 1–0 Cleo & Dan −20.0"


def test_the_order_of_games_of_one_time_says_who_played_together(olga: Client) -> None:
    club(doubles((1, 2, 1, 2), (1, 2, 1, 2)), doubles((1, 2, 3, 4), (None,) * 4))
    page = olga.get("/admin/leagues/club/games/1/order/").content.decode()
    assert minis(page) == ["Anna & Cleo 1–0 Ben & Dan", "Anna 1. Ben 2. Cleo 3. Dan 4."]
