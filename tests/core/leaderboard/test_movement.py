"""Who stood where before the last evening: as the whole board of that moment says, worked out from a few lines."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from league.core.db.bounded_cache import cache
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game, void_game
from league.core.leaderboard.selectors import movement
from league.core.leaderboard.selectors.current_board import build_listing, load_current_board
from league.core.leaderboard.selectors.movement import load_ranks_before
from league.core.leaderboard.selectors.past import compute_leaderboard_at
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.players import change_player
from league.core.rules.selectors.rules import load_rules
from league.models import Game, Inactive, League, Player, RatingChange
from league.web.public.selectors.front import load_last_evening
from tests.helpers.builders import EVENING, make_league, record, sheet
from tests.helpers.ladder_builders import clock
from tests.helpers.tiers import long_way, mark_slow

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("dropped_weng_lin")]
NAMES = tuple(f"p{number}" for number in range(14))


def as_whole(league: League, at: Any) -> dict[str, int]:
    """Return handle -> rank before a moment as the board of that moment, worked out in whole, has it.

    Counted here: who is marked as inactive now is left out on both sides.
    """
    gone = set(Inactive.objects.filter(league=league).values_list("player__handle", flat=True))
    rows = [row for row in compute_leaderboard_at(league, build_listing(league, at), at) if row.handle not in gone]
    return {row.handle: 1 + sum(other.score > row.score for other in rows) for row in rows}


def as_told(league: League, at: Any) -> dict[str, int] | None:
    """Return handle -> rank before a moment as the page has it; None where it says nothing."""
    league.refresh_from_db()
    before = load_ranks_before(league, load_current_board(league), at, load_rules(league))
    if before is None:
        return None
    ranks = {player.handle: before.rank_of(player.pk) for player in Player.objects.all()}
    return {handle: rank for handle, rank in ranks.items() if rank is not None}


def seasons(system: str, draw: random.Random, **settings: Any) -> League:
    """Return a league of random evenings with late games, void ones, corrections, newcomers and people who leave."""
    parameters = {"zero_sum": "league"} if system == "barbu" else None
    league = make_league(system, NAMES, parameters=parameters, **settings)
    games = 0
    for evening in range(7):
        known = NAMES[: 6 + evening]
        for _ in range(draw.randint(1, 5)):
            at = EVENING + timedelta(days=7 * evening, minutes=draw.randrange(300))
            record(league, drawn(system, draw, known, at))
            games += 1
    void_game(league.pk, draw.randint(1, games), reason="A friendly.", username="olga")
    void = Game.objects.filter(league=league, voided_at__isnull=False).values_list("number", flat=True)
    number = max(set(range(1, games + 1)) - set(void))
    new = drawn(system, draw, NAMES, EVENING + timedelta(days=7 * draw.randrange(7)))
    correct_game(league.pk, number, new, reason="Typed wrong.", username="olga")
    Inactive.objects.create(league=league, player=draw.choice(list(Player.objects.filter(handle__in=NAMES[:4]))))
    return league


def drawn(system: str, draw: random.Random, names: Sequence[str], at: datetime) -> NewGame:
    """Return a game of people who are drawn, often a draw."""
    if system == "elo":
        return sheet(draw.sample(names, 2), draw.choice([(2, 1), (1, 1)]), played_at=at)
    if system == "barbu":
        return sheet(draw.sample(names, 4), draw.choice([(60, -20, 0, -40), (30, 30, -30, -30)]), played_at=at)
    places = draw.choice([(1, 2, 3, 4), (1, 1, 3, 4)]) if system == "dropped_weng_lin" else (1, 2, 3, 4)
    return sheet(draw.sample(names, 4), places=places, played_at=at)


SYSTEMS = ("elo", "barbu", "dropped_weng_lin", "durak")


@long_way
@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(
    "drawn_by",
    mark_slow(
        [f"{system} {seed}" for system in SYSTEMS for seed in range(3)], "Other draws.",
        but=("elo 0", "barbu 1", "dropped_weng_lin 2", "durak 1"),
    ),
)  # fmt: skip
def test_the_ranks_before_an_evening_are_those_of_the_whole_board_then(drawn_by: str) -> None:
    system, seed = drawn_by.split()
    inactive_after = 20 if seed != "0" else None
    league = seasons(system, random.Random(drawn_by), min_games=int(seed) + 1, inactive_after_days=inactive_after)
    evening = load_last_evening(league, load_rules(league))
    assert evening is not None
    moments = [evening.starts_at, *(EVENING + timedelta(days=7 * week, hours=-3) for week in range(7))]
    told = {at: as_told(league, at) for at in moments}
    assert told == {at: as_whole(league, at) for at in moments}
    assert any(len(set(ranks.values())) > 1 for ranks in told.values() if ranks)
    assert told[moments[1]] == {}, "before the first game nobody is on a board"


@long_way
def test_a_change_of_rule_and_whole_leagues_are_worked_out_by_the_rule_of_then(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random("rules")
    league = seasons("durak", draw, min_games=1)
    adopt_rule(league.pk, "durak", {"evidence_penalty": 400}, (EVENING + timedelta(days=30)).date(), username="olga")
    moments = [EVENING + timedelta(days=7 * week, hours=-3) for week in range(1, 7)]
    assert {at: as_told(league, at) for at in moments} == {at: as_whole(league, at) for at in moments}
    cache.clear()
    monkeypatch.setattr(movement, "MAX_PEOPLE_RECOMPUTED", 3)
    # On the thirtieth day everybody's score became another one; since then those of who plays do.
    for at in moments[:5]:
        assert as_told(league, at) is None
    assert as_told(league, moments[5]) == as_whole(league, moments[5]) != {}


@pytest.mark.parametrize("system", mark_slow(["elo", "durak", "dropped_weng_lin"], "Other systems.", but=["durak"]))
def test_a_rule_that_is_coming_or_long_in_force_moves_nobody(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(movement, "MAX_PEOPLE_RECOMPUTED", 0)
    league = seasons(system, random.Random(f"coming {system}"))
    moments = [EVENING + timedelta(days=7 * week, hours=-3) for week in range(7)]
    told = {at: as_told(league, at) for at in moments}
    adopt_rule(league.pk, system, {}, timezone.now().date() + timedelta(days=9), username="olga")
    cache.clear()
    assert {at: as_told(league, at) for at in moments} == told == {at: as_whole(league, at) for at in moments}


def test_the_pool_of_a_rule_before_is_in_the_scores_of_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league("barbu", NAMES, parameters={"zero_sum": "league"})
    draw = random.Random("pool")
    for week in range(3):
        at = EVENING + timedelta(days=7 * week)
        for minutes in range(0, 60, 10):
            record(league, drawn("barbu", draw, NAMES[: 9 + week], at + timedelta(minutes=minutes)))
        if week == 0:
            adopt_rule(league.pk, "barbu", {"zero_sum": "table"}, (at + timedelta(days=3)).date(), username="olga")
    assert len({row.shift for row in RatingChange.objects.filter(league=league)}) > 1
    moments = [EVENING + timedelta(days=days) for days in (3, 10)]
    assert {at: as_told(league, at) for at in moments} == {at: as_whole(league, at) for at in moments}
    cache.clear()
    monkeypatch.setattr(movement, "MAX_PEOPLE_RECOMPUTED", 0)
    assert as_told(league, moments[0]) is None
    assert as_told(league, moments[1]) == as_whole(league, moments[1]) != {}


def test_where_too_many_play_or_a_replay_is_due_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    for minutes in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=minutes))
    monkeypatch.setattr(movement, "MAX_LINES", 5)
    assert as_told(league, EVENING) is None
    cache.clear()
    monkeypatch.setattr(movement, "MAX_LINES", 6)
    assert as_told(league, EVENING) == {}
    League.objects.filter(pk=league.pk).update(stale_from=EVENING)
    assert as_told(league, EVENING) is None


def test_ranks_are_stored_until_the_league_changes(django_assert_num_queries: Any) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("ben", "anna"), (1, 0), played_at=EVENING + timedelta(days=7)))
    at = EVENING + timedelta(days=6)
    assert as_told(league, at) == {"anna": 1, "ben": 2}
    board, rules = load_current_board(league), load_rules(league)
    with django_assert_num_queries(0):
        assert load_ranks_before(league, board, at, rules) is not None
    change_player(Player.objects.get(handle="anna"), name="Anna again")
    board = load_current_board(league)
    assert load_ranks_before(league, board, at, rules) is not None
    change_player(Player.objects.get(handle="ben"), active=False)
    assert as_told(league, at) == as_whole(league, at) == {"anna": 1}


def test_the_board_shows_medals_movement_gaps_and_small_lines(client: Client) -> None:
    league = make_league(players=("anna", "ben", "cleo", "dan", "eve"), min_games=2)
    for week in range(3):
        at = EVENING + timedelta(days=7 * week)
        record(league, sheet(("anna", "ben"), (1, 0), played_at=at))
        record(league, sheet(("cleo", "dan"), (1, 0), played_at=at + timedelta(minutes=5)))
    later = EVENING + timedelta(days=21)
    record(league, sheet(("ben", "anna"), (1, 0), played_at=later))
    for minutes in range(1, 4):
        record(league, sheet(("ben", "anna"), (1, 0), played_at=later + timedelta(minutes=minutes)))
    record(league, sheet(("eve", "dan"), (1, 0), played_at=later + timedelta(hours=1)))
    page = " ".join(client.get("/leagues/club/").content.decode().split())
    rows = [row for row in page.split("<tr") if 'scope="row"' in row]
    now = {
        row.handle: row for row in compute_leaderboard_at(league, build_listing(league, timezone.now()), timezone.now())
    }
    then = as_whole(league, later.replace(hour=6, minute=0))
    assert len(rows) == 5
    assert set(then) == {"anna", "ben", "cleo", "dan"}
    for place, (handle, row) in enumerate(now.items()):
        shown = rows[place]
        assert f"/players/{handle}/" in shown
        assert f'class="medal m{row.rank}">{row.rank}<' in shown if row.rank <= 3 else f">{row.rank}</td>" in shown
        moved = then[handle] - row.rank
        words = {0: "same rank"}.get(moved, f'title="{"Up" if moved > 0 else "Down"} {abs(moved)} on')
        assert words in shown
        assert ('class="spark"' in shown) == (row.games >= 5)
        assert (f'title="{row.games} games">–</span>' in shown) == (2 <= row.games < 5)
    assert "provisional, 1 of 2</span>" in rows[4]
    assert "≈ " in rows[4]
    assert any("Up 2" in row or "Down 2" in row or "Up 1" in row for row in rows)


@pytest.mark.parametrize(("since", "days"), [("week", 7), ("month", 30)])
def test_movement_is_counted_since_a_week_or_a_month_ago(client: Client, since: str, days: int) -> None:
    now = datetime(2024, 5, 15, 12, tzinfo=UTC)
    league = make_league(time_zone="Asia/Tokyo", inactive_after_days=120)
    # 8 May and 15 April begin in Tokyo at 15:00 by universal time of the day before.
    border = datetime(2024, 5, 8, tzinfo=UTC) if days == 7 else datetime(2024, 4, 15, tzinfo=UTC)
    border -= timedelta(hours=9)
    record(league, sheet(("anna", "ben"), (1, 0), played_at=border - timedelta(days=40)))
    record(league, sheet(("cleo", "anna"), (0.5, 0.5), played_at=border - timedelta(minutes=1)))
    for minutes in range(5):
        record(league, sheet(("ben", "anna"), (1, 0), played_at=border + timedelta(minutes=minutes)))
    record(league, sheet(("dan", "cleo"), (0, 1), played_at=now - timedelta(hours=1)))
    with clock(now):
        then = as_whole(league, border)
        page = " ".join(client.get(f"/leagues/club/?since={since}").content.decode().split())
        usual = client.get("/leagues/club/").content.decode()
        order = {row.handle: row.rank for row in compute_leaderboard_at(league, build_listing(league, now), now)}
    rows = {row.split("/players/")[1].split("/")[0]: row for row in page.split("<tr") if 'scope="row"' in row}
    assert then == {"anna": 1, "cleo": 2, "ben": 3}
    for handle, rank in order.items():
        moved = then[handle] - rank if handle in then else None
        words = {None: ">new</span>", 0: "same rank"}.get(
            moved, f'{abs(moved or 0)}<span class="sr"> {"up" if (moved or 0) > 0 else "down"}</span>'
        )
        assert words in rows[handle]
    assert order["ben"] == 1
    day = "Wednesday 8 May" if days == 7 else "Monday 15 April"
    assert f"Rank changes since the start of {day}." in page
    assert f'href="?since={since}#board" aria-current="true"' in page
    assert f"compared/?from={border + timedelta(hours=9):%Y-%m-%d}" in page
    assert "with rank changes on the last day of play" not in page
    assert "with rank changes on the last day of play" in usual


def test_where_too_much_was_played_the_days_are_to_be_compared(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    for minutes in range(3):
        record(league, sheet(("anna", "ben"), (1, 0), played_at=timezone.now() - timedelta(days=2, minutes=minutes)))
    monkeypatch.setattr(movement, "MAX_LINES", 5)
    page = client.get("/leagues/club/?since=week&sort=games").content.decode()
    assert "to show here; compare two days instead." in page
    assert 'class="move"' not in page
    assert 'href="?sort=games&amp;since=month#board"' in page
    assert "Show rank changes since" in client.get("/leagues/club/?since=week").content.decode()
    assert "than is counted here" not in client.get("/leagues/club/?since=year").content.decode()
