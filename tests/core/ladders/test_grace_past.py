"""A month whose ladder reads ratings waits for the games before it, too; one that adds up its own games does not."""

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from random import Random

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.apps.imports.services.run import ImportOptions, import_parsed_games
from league.core.errors import RungsError
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game, restore_game, void_game
from league.core.ladders.selectors.ladders import load_live_rows
from league.core.ladders.selectors.touches import find_last_touch, find_untouched_periods
from league.core.ladders.services.decisions import advance, close_period
from league.core.ladders.services.periods import compute_standings_digest
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import add_player, set_initial_rating
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Edition, Game, League, Period, Player
from tests.helpers.builders import make_league, record, sheet
from tests.helpers.ladder_builders import (
    LADDER_KINDS,
    RATED_LADDERS,
    clock,
    duel,
    make_ladder,
    period,
    record_as_played,
    state,
    utc,
)
from tests.helpers.order_builders import move_game
from tests.helpers.restore_builders import export_of, sealed_file
from tests.helpers.tiers import examples, long_way, mark_slow

pytestmark = pytest.mark.django_db

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
TICK = timedelta(microseconds=1)


def club(*ladders: str) -> League:
    """Return a league of 2022 with such ladders that have no period."""
    with clock(utc("2022-12-31")):
        league = make_league()
        for slug in ladders or LADDER_KINDS:
            method, parameters = LADDER_KINDS[slug]
            make_ladder(league, slug, method, **parameters)
    Period.objects.filter(ladder__league=league).delete()
    return league


def closed(league: League, now: datetime) -> set[tuple[str, str]]:
    """Run the calendar; return the ladders and keys of the periods that it closed."""
    return {(step.ladder, step.key) for step in advance(league.pk, now) if step.what == "close"}


def merge(one: str, other: str) -> None:
    """Let one player be another."""
    merge_players(Player.objects.get(handle=one), Player.objects.get(handle=other), username="olga")


#: What is done about games of January, which was closed a month ago.
EARLIER: dict[str, Callable[[League], object]] = {
    "a game": lambda league: record(league, duel("cleo", "dan", "2024-01-25")),
    "a game from before all others": lambda league: record(league, duel("cleo", "dan", "2023-05-25")),
    "a void": lambda league: void_game(league.pk, 2, reason="friendly", username="olga"),
    "a correction": lambda league: correct_game(
        league.pk, 1, duel("ben", "anna", "2024-01-10"), reason="misread", username="olga"
    ),
    "a restored game": lambda league: restore_game(league.pk, 4, reason="it was played", username="olga"),
    "games that exchange their places": lambda league: move_game(league.pk, 3, later=False, by="olga"),
    "a file": lambda league: import_parsed_games(
        league.pk, ReadFile([ReadGame(duel("cleo", "ben", "2024-01-26"), ())], ()), ImportOptions(by="olga")
    ),
    "where a player starts": lambda league: set_initial_rating(league.pk, Player.objects.get(handle="cleo"), 1600.0),
    "a merge": lambda league: merge("cleo", "dan"),
    "the end of a merge": lambda league: unmerge_player(Player.objects.get(handle="eve"), username="olga"),
}  # fmt: skip
#: What moves no rating of February, although it is entered later.
ELSEWHERE: dict[str, Callable[[League], object]] = {
    "a game of March": lambda league: record(league, duel("anna", "ben", "2024-03-02")),
    "a forfeit": lambda league: record(league, duel("cleo", "dan", "2024-01-25", kind="forfeit")),
    "a friendly": lambda league: record(league, duel("cleo", "dan", "2024-01-25", kind="friendly")),
    "a bye": lambda league: record(league, sheet(("dan",), (1,), played_at=utc("2024-01-25"), kind="full_bye")),
    "where somebody starts who has not played": lambda league: set_initial_rating(
        league.pk, Player.objects.get(handle="fay"), 1600.0
    ),
    "a rule of March": lambda league: adopt_rule(league.pk, "elo", {"k": 40}, date(2024, 3, 1), username="olga"),
}  # fmt: skip


def february() -> League:
    """Return a league with games in January, which is closed, and one in February, which has ended."""
    league = club()
    with clock(utc("2024-01-01")):
        for handle in ("eve", "fay"):
            add_player(handle, handle.title())
    record_as_played(league, duel("anna", "ben", "2024-01-10"))
    record_as_played(league, duel("anna", "cleo", "2024-01-11"), duel("ben", "anna", "2024-01-11"))
    record_as_played(league, duel("cleo", "anna", "2024-01-12"), duel("eve", "ben", "2024-01-13"))
    with clock(utc("2024-01-14")):
        void_game(league.pk, 4, reason="a friendly", username="olga")
        merge("eve", "dan")
    assert closed(league, utc("2024-02-02")) == {(slug, "2024-01") for slug in LADDER_KINDS}
    record_as_played(league, duel("anna", "ben", "2024-02-10"))
    return league


@long_way
@pytest.mark.sampled(every=3)
@pytest.mark.parametrize(
    "what",
    mark_slow([*EARLIER, *ELSEWHERE], "Touch alike.", but=["a game", "a correction", "a merge"]),
)
def test_what_moves_the_ratings_before_a_month_keeps_ladders_that_read_them_open(what: str) -> None:
    league, when = february(), utc("2024-03-05T12:00")
    touched = set(RATED_LADDERS) if what in EARLIER else set()
    with clock(when):
        {**EARLIER, **ELSEWHERE}[what](league)
    ladders = {slug for slug, key in closed(league, when) if key == "2024-02"}
    assert ladders == set(LADDER_KINDS) - touched
    assert closed(league, when + DAY - TICK) & {(slug, "2024-02") for slug in LADDER_KINDS} == set()
    assert {slug for slug, key in closed(league, when + DAY) if key == "2024-02"} == touched
    due = {edition.ladder.slug: edition.due_at for edition in Edition.objects.filter(key="2024-02")}
    assert due == {slug: when + DAY if slug in touched else utc("2024-03-02") for slug in LADDER_KINDS}


@long_way
def test_a_start_that_a_merge_hands_over_touches_where_the_survivor_played() -> None:
    league, when = february(), utc("2024-03-05T12:00")
    with clock(utc("2024-02-11")):
        set_initial_rating(league.pk, Player.objects.get(handle="fay"), 1900.0)
    with clock(when):
        merge("fay", "anna")
    assert {slug for slug, key in closed(league, when) if key == "2024-02"} & set(RATED_LADDERS) == set()
    assert {slug for slug, key in closed(league, when + DAY) if key == "2024-02"} >= set(RATED_LADDERS)


@long_way
def test_a_month_waits_once_for_a_correction_of_an_old_one_and_not_for_what_is_played_since() -> None:
    league = february()
    with clock(utc("2024-03-01T18:00")):
        correct_game(league.pk, 1, duel("ben", "anna", "2024-01-10"), reason="misread", username="olga")
    for hour in range(18, 18 + 24):
        now = utc("2024-03-01") + hour * HOUR
        assert not closed(league, now) & {(slug, "2024-02") for slug in RATED_LADDERS}
        with clock(now):
            record(league, duel("anna", "ben", now.isoformat()[:19]))
    assert closed(league, utc("2024-03-02T18:00")) == {(slug, "2024-02") for slug in RATED_LADDERS}
    assert all(state(league, "2024-02", slug) == (True, False) for slug in LADDER_KINDS)


def test_a_quarter_is_touched_by_what_lies_within_it_and_before_it() -> None:
    with clock(utc("2023-12-01")):
        league = make_league()
        make_ladder(league, "quarter", "rating_score", "quarter")
    record_as_played(league, duel("anna", "ben", "2024-02-10"))
    with clock(utc("2024-04-01T12:00")):
        record(league, duel("anna", "ben", "2023-12-30"))
    assert closed(league, utc("2024-04-02T12:00") - TICK) == set()
    assert closed(league, utc("2024-04-02T12:00")) == {("quarter", "2023-Q4"), ("quarter", "2024-Q1")}


@pytest.mark.parametrize("slug", ["points", "rating"])
def test_looking_for_what_touched_many_months_takes_no_more_queries_than_for_one(slug: str) -> None:
    league = club(slug)
    record_as_played(league, *(duel("anna", "ben", f"2023-{month:02}-10") for month in range(1, 10)))
    months = list(Period.objects.filter(ladder__league=league).select_related("rule", "ladder"))
    for some in (months[:1], months):
        with CaptureQueriesContext(connection) as queries:
            assert find_untouched_periods(league, some, utc("2024-01-01")) == some
        assert len(queries) == (3 if slug == "points" else 4)


@long_way
def test_a_restored_league_waits_for_the_same_entries() -> None:
    league, when = february(), utc("2024-03-05T12:00")
    with clock(when):
        record(league, duel("cleo", "dan", "2024-01-25"))
    with clock(utc("2024-01-15")):
        restored = restore_league(sealed_file(export_of(league)), slug="copy", by="olga").league
    for one in (league, restored):
        assert {slug for slug, _ in closed(one, when + DAY - TICK)} & set(RATED_LADDERS) == set()
        assert closed(one, when + DAY) >= {(slug, "2024-02") for slug in RATED_LADDERS}


def test_a_month_in_which_nobody_played_goes_away_while_older_ones_are_entered() -> None:
    league = club("points", "rating")
    advance(league.pk, utc("2024-02-10"))
    with clock(utc("2024-03-05")):
        record(league, duel("anna", "ben", "2024-01-20"))
    assert closed(league, utc("2024-03-05T12:00")) == set()
    assert not Period.objects.filter(ladder__league=league, key="2024-02").exists()


@pytest.mark.parametrize(
    ("slug", "said", "public"),
    [("points", "", "."), ("rating", " in this or earlier periods", " in this or earlier periods.")],
)
def test_the_pages_say_whose_entries_a_month_waits_for(client: Client, slug: str, said: str, public: str) -> None:
    league = club(slug)
    with clock(utc("2024-02-05T12:00")):
        record(league, duel("anna", "ben", "2024-01-10"))
    client.force_login(User.objects.create_superuser("olga"))
    with clock(utc("2024-02-05T13:00")):
        desk = client.get(f"/admin/leagues/club/ladders/{slug}/periods/2024-01/").content.decode()
        page = client.get(f"/leagues/club/ladders/{slug}/2024-01/").content.decode()
    assert f"if nothing is entered{said} until then." in desk
    assert f"closes automatically after 24 hours without new entries{public}" in page


def test_the_last_touch_of_a_month_that_reads_ratings_may_lie_before_it_and_a_person_closes_it_all_the_same() -> None:
    league = club("points", "rating")
    record_as_played(league, duel("anna", "ben", "2023-01-10"), duel("cleo", "dan", "2023-02-10"))
    with clock(utc("2023-06-01")):
        set_initial_rating(league.pk, Player.objects.get(handle="anna"), 1600.0)
        assert find_last_touch(league, period(league, "2023-02", "points")) == utc("2023-02-10")
        assert find_last_touch(league, period(league, "2023-02", "rating")) == utc("2023-06-01")
        close_period(league.pk, "rating", "2023-01", username="olga")
        assert close_period(league.pk, "rating", "2023-02", username="olga").number == 1


PLAYERS = ("anna", "ben", "cleo", "dan", "eve")
ACTS = ("record",) * 6 + ("correct", "void", "restore", "move", "start", "merge", "unmerge", "rule")


def quarterly_club(zone: str) -> League:
    """Return a league of 2022 with a ladder of each kind, and one of quarters by ratings."""
    with clock(utc("2022-12-31")):
        league = make_league("elo", PLAYERS, time_zone=zone)
        for slug, (method, parameters) in LADDER_KINDS.items():
            make_ladder(league, slug, method, **parameters)
        make_ladder(league, "quarter", "rating_score", "quarter")
    return league


def drawn(random: Random) -> NewGame:
    """Draw a game of four months, often at the time of another one, at times at the edge of a month."""
    one, other = random.sample(PLAYERS, 2)
    when = random.choice(["2023-01-31T23:30", "2023-02-10", "2023-02-28T22:30", "2023-03-15", "2023-04-20"])
    return duel(one, other, when, kind=random.choice(["played", "played", "played", "friendly"]))


def act(league: League, random: Random, what: str) -> None:
    """Do something to the books, if it can be done."""
    number = random.randint(1, Game.objects.filter(league=league).count() or 1)
    one, other = (Player.objects.get(handle=handle) for handle in random.sample(PLAYERS, 2))
    with suppress(RungsError):
        if what == "record":
            record(league, drawn(random))
        elif what == "correct":
            correct_game(league.pk, number, drawn(random), reason="misread", username="olga")
        elif what == "void":
            void_game(league.pk, number, reason="friendly", username="olga")
        elif what == "restore":
            restore_game(league.pk, number, reason="it was played", username="olga")
        elif what == "move":
            move_game(league.pk, number, later=random.random() < 0.5, by="olga")
        elif what == "start":
            set_initial_rating(league.pk, one, float(random.randint(1000, 2000)))
        elif what == "merge":
            merge_players(one, other, username="olga")
        elif what == "unmerge":
            unmerge_player(one, username="olga")
        else:
            adopt_rule(
                league.pk, "elo", {"k": random.randint(10, 40)}, date(2023, random.randint(1, 4), 15), username="olga"
            )


def rankings() -> dict[tuple[str, str], str]:
    """Return the digest of every period that was not published: what an edition of it would say."""
    published = set(Edition.objects.values_list("ladder", "key"))
    periods = Period.objects.filter(starts_at__lt=utc("2023-05-02")).select_related("ladder", "rule")
    return {
        (one.ladder.slug, one.key): compute_standings_digest(load_live_rows(one))
        for one in periods
        if (one.ladder_id, one.key) not in published
    }


@pytest.mark.slow("Drawn acts; what they find is held one by one above and in test_grace.py.")
@pytest.mark.uncounted("Drawn acts.")
@pytest.mark.parametrize("seed", range(examples(6)))
def test_no_period_is_published_before_what_changed_it_last_is_a_day_old(seed: int) -> None:
    random = Random(seed)
    league = quarterly_club(random.choice(["UTC", "Europe/Belgrade", "America/New_York", "Pacific/Auckland"]))
    now, changed, published = utc("2023-06-01"), dict[tuple[str, str], datetime](), 0
    for _ in range(40):
        before = rankings()
        with clock(now):
            act(league, random, random.choice(ACTS))
        changed |= {key: now for key, digest in rankings().items() if before.get(key) != digest}
        now += random.choice([HOUR, 5 * HOUR, 12 * HOUR, 23 * HOUR])
        steps = [step for step in advance(league.pk, now) if step.what == "close"]
        assert all(changed[step.ladder, step.key] + DAY <= step.due_at <= now for step in steps)
        published += len(steps)
    assert published
    advance(league.pk, now + DAY)
    # Nothing is held for ever: a day after the last entry all that ended is published, or gone where nobody played.
    assert {key for _, key in rankings()} <= {"2023-Q2"}
    assert verify_league(league.pk).differences == []
