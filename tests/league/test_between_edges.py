"""What moves ratings between games, at its edges: files, what-if, boards of the past, bounds, merges, odd calendars."""

from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from random import Random
from typing import Any

import pytest

from league.errors import Refused
from league.models import GamelessChange, League, RatingChange
from league.selectors.ladders.touches import last_touch
from league.selectors.leaderboard.listing import listing_of
from league.selectors.leaderboard.past import leaderboard_at
from league.services.imports.run import ImportOptions, import_games
from league.services.leagues.leagues import adopt_rule, change_league, create_league
from league.services.players.merges import merge_players, unmerge_player
from league.services.players.players import add_player
from league.services.recording.adjusting import Points, adjust, void_adjustment
from league.services.recording.game_input import NewGame
from league.services.recording.games import void_game
from league.services.recording.what_if import what_if
from league.services.replay.background import long_replay
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.builders import FOUR, make_league, player_of, ratings, record, sheet
from tests.helpers.ladder_builders import clock, duel, make_ladder, period, utc
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.season_books import SEASON, START, check_books, play_any_game, work_out_books

pytestmark = pytest.mark.django_db


def seasonal(**settings: Any) -> League:
    """Return a league of Elo with K 20 and two seasons a year."""
    league = make_league(parameters={"k": 20}, **settings)
    adopt_rule(league.pk, "elo", {"k": 20}, date(2024, 1, 1), SEASON, by="test")
    return League.objects.get(pk=league.pk)


def file_of(games: int) -> BytesIO:
    """Return so many games from 5 March on, five hours apart, as CSV."""
    random, lines = Random(3), ["game_id,played_at,player,score"]
    for number in range(games):
        at = (datetime(2024, 3, 5, tzinfo=UTC) + timedelta(hours=5 * number)).isoformat()
        pair, scores = random.sample(FOUR, 2), random.choice([(1, 0), (0, 1), (1, 1)])
        lines += [f"g{number},{at},{player},{score}" for player, score in zip(pair, scores, strict=True)]
    return BytesIO("\n".join(lines).encode())


@pytest.mark.parametrize("rating", ["inline", "later", "after"])
@pytest.mark.parametrize("inline", [0, 500])
def test_an_import_opens_a_season_however_it_is_rated(settings: Any, rating: Any, inline: int) -> None:
    league = seasonal()
    record(league, duel("anna", "ben", "2024-02-02"))
    record(league, duel("cleo", "ben", "2024-02-03"))
    settings.RUNGS_INLINE_GAMES = inline
    import_games(league.pk, file_of(40), ImportOptions(by="test", media="csv", rating=rating))
    if League.objects.get(pk=league.pk).stale_from is not None:
        long_replay(league.pk)
    check_books(league)
    assert verify_league(league.pk).differences == []


def same_as_recorded(league: League, new: NewGame) -> None:
    """Hold what-if of a game to what recording it does, to the bit."""
    told = [list(map(float, rated.change)) for _, rated in what_if(League.objects.get(pk=league.pk), new).outcomes]
    made = RatingChange.objects.filter(game=record(league, new), step=1).order_by("seat")
    assert told == [list(made.values_list("change", flat=True))]


@pytest.mark.parametrize(("adjusted", "played"), [("2024-03-02", "2024-03-05"), ("2024-02-20", "2024-02-10")])
def test_what_if_moves_in_the_order_in_which_recording_does(adjusted: str, played: str) -> None:
    league = seasonal()
    record(league, duel("anna", "ben", "2024-02-01"))
    adjust(league.pk, player_of("anna"), Points(-100, "Late.", utc(adjusted)), by="test")
    same_as_recorded(league, duel("anna", "ben", played))


@pytest.mark.parametrize("seed", range(3))
def test_boards_of_the_past_are_what_the_facts_gave_then(seed: int) -> None:
    random, league = Random(seed), seasonal()
    for _ in range(14):
        play_any_game(league, random, random.randrange(0, 600) + random.randrange(3) / 4)
    for _ in range(10):
        points = Points(float(random.randrange(1, 60)), "Why.", START + timedelta(days=random.randrange(620)))
        try:
            adjust(league.pk, player_of(random.choice(FOUR)), points, by="test")
        except Refused:
            continue
    league.refresh_from_db()
    for days in range(0, 640, 7):
        moment = START + timedelta(days=days)
        found = {row.handle: row.rating for row in leaderboard_at(league, listing_of(league, moment), moment)}
        assert found == pytest.approx(work_out_books(league, moment).ratings, abs=1e-9), moment


def test_no_adjustment_leaves_the_bounds_of_a_system_whatever_is_voided() -> None:
    league = make_league("serpentine", players=("anna", "ben"))
    record(league, sheet(["anna", "ben"], [30, 10], played_at=utc("2024-02-01")))
    record(league, sheet(["anna", "ben"], [30, 10], played_at=utc("2024-02-09")))
    with pytest.raises(Refused, match="from 100 to 9999"):
        adjust(league.pk, player_of("anna"), Points(-5000, "Early.", utc("2024-02-02")), by="test")
    adjust(league.pk, player_of("anna"), Points(5000, "Up.", utc("2024-02-02")), by="test")
    adjust(league.pk, player_of("anna"), Points(-6000, "Down.", utc("2024-02-03")), by="test")
    void_adjustment(league.pk, 1, reason="No.", by="test")
    assert GamelessChange.objects.get(number=2).after == 100.0
    assert ratings(league)["anna"] >= 100.0
    assert verify_league(league.pk).differences == []
    adjust(league.pk, player_of("anna"), Points(100, "Up again."), by="test")
    with pytest.raises(Refused, match="from 100 to 9999"):
        adjust(league.pk, player_of("ben"), Points(-2000, "Out."), by="test")


@pytest.mark.parametrize("back", [False, True])
def test_a_merge_that_waits_for_its_replay_is_not_wrong(settings: Any, back: bool) -> None:
    league = make_league(parameters={"k": 20})
    only = record(league, duel("anna", "cleo", "2024-04-01"))
    record(league, duel("ben", "cleo", "2024-04-02"))
    adjust(league.pk, player_of("anna"), Points(-100, "Late.", utc("2024-04-05")), by="test")
    record(league, duel("ben", "cleo", "2024-04-12"))
    void_game(league.pk, only.number, reason="Wrong.", by="test")
    if back:
        merge_players(player_of("anna"), player_of("ben"), by="test")
    settings.RUNGS_INLINE_GAMES = 0
    if back:
        unmerge_player(player_of("anna"), by="test")
    else:
        merge_players(player_of("anna"), player_of("ben"), by="test")
    verdict = verify_league(league.pk)
    assert (verdict.differences, verdict.waits) == ([], True)
    long_replay(league.pk)
    assert verify_league(league.pk).differences == []


def test_a_day_that_a_zone_left_out_begins_no_second_season() -> None:
    league = make_league(parameters={"k": 20}, time_zone="Pacific/Apia")
    adopt_rule(league.pk, "elo", {"k": 20}, date(2000, 1, 1), {"days": ["12-30", "12-31"], "pull": 0.5}, by="test")
    record(league, duel("anna", "ben", "2011-12-01"))
    record(league, duel("anna", "ben", "2012-02-01"))
    # Samoa went from 29 December straight to the 31st.
    assert [line.change for line in GamelessChange.objects.filter(player=player_of("anna"))] == [-5.0]
    assert verify_league(league.pk).differences == []


def test_an_adjustment_of_today_does_not_hold_back_the_months_before() -> None:
    with clock(utc("2024-04-20")):
        league = make_league(close_after_hours=48)
        make_ladder(league, "month", "points", "month")
        record(league, duel("anna", "ben", "2024-04-02"))
        record(league, duel("anna", "ben", "2024-04-10"))
    with clock(utc("2024-05-02")):
        adjust(league.pk, player_of("anna"), Points(-5, "Late."), by="olga")
    assert last_touch(league, period(league, "2024-04")) < utc("2024-05-01")
    with clock(utc("2024-05-03")):
        adjust(league.pk, player_of("anna"), Points(-5, "Late.", utc("2024-04-05")), by="olga")
    assert last_touch(league, period(league, "2024-04")) >= utc("2024-05-03")


def test_an_adjustment_that_a_change_of_zone_left_before_the_first_rule_is_restored_and_moves_nobody() -> None:
    league = create_league("club", "Club", system="elo", from_date=date(2024, 4, 1), by="test")
    for handle in ("anna", "ben"):
        add_player(handle, handle.title())
    first = datetime(2024, 4, 1, 0, 30, tzinfo=UTC)
    early = record(league, sheet(["anna", "ben"], [1, 0], played_at=first))
    adjust(league.pk, player_of("anna"), Points(5, "Early.", first + timedelta(minutes=30)), by="test")
    void_game(league.pk, early.number, reason="Wrong.", by="test")
    change_league(league.pk, {"time_zone": "America/New_York"})
    again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="test").league
    assert verify_league(again.pk).differences == []
    assert not GamelessChange.objects.exists()
