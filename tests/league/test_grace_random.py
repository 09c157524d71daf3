"""Whatever is entered, in whatever order: no period is published before what changed it last is a day old."""

from contextlib import suppress
from datetime import date, datetime, timedelta
from random import Random

import pytest

from league.errors import RungsError
from league.models import Edition, Game, League, Period, Player
from league.selectors.ladders.standings import live_rows
from league.services.ladders.closure import standings_digest
from league.services.ladders.decisions import advance
from league.services.leagues.leagues import adopt_rule
from league.services.players.merges import merge_players, unmerge_player
from league.services.players.players import set_initial_rating
from league.services.recording.game_input import NewGame
from league.services.recording.games import correct_game, restore_game, void_game
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, record
from tests.helpers.ladder_builders import LADDER_KINDS, clock, duel, make_ladder, utc
from tests.helpers.order_builders import move_game
from tests.helpers.tiers import examples

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.uncounted("Drawn acts; what they find is held one by one in test_grace.py and test_grace_past.py."),
]

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PLAYERS = ("anna", "ben", "cleo", "dan", "eve")
ACTS = ("record",) * 6 + ("correct", "void", "restore", "move", "start", "merge", "unmerge", "rule")


def club(zone: str) -> League:
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
            correct_game(league.pk, number, drawn(random), reason="misread", by="olga")
        elif what == "void":
            void_game(league.pk, number, reason="friendly", by="olga")
        elif what == "restore":
            restore_game(league.pk, number, reason="it was played", by="olga")
        elif what == "move":
            move_game(league.pk, number, later=random.random() < 0.5, by="olga")
        elif what == "start":
            set_initial_rating(league.pk, one, float(random.randint(1000, 2000)))
        elif what == "merge":
            merge_players(one, other, by="olga")
        elif what == "unmerge":
            unmerge_player(one, by="olga")
        else:
            adopt_rule(league.pk, "elo", {"k": random.randint(10, 40)}, date(2023, random.randint(1, 4), 15), by="olga")


def rankings() -> dict[tuple[str, str], str]:
    """Return the digest of every period that was not published: what an edition of it would say."""
    published = set(Edition.objects.values_list("ladder", "key"))
    periods = Period.objects.filter(starts_at__lt=utc("2023-05-02")).select_related("ladder", "rule")
    return {
        (one.ladder.slug, one.key): standings_digest(live_rows(one))
        for one in periods
        if (one.ladder_id, one.key) not in published
    }


@pytest.mark.parametrize("seed", range(examples(6)))
def test_no_period_is_published_before_what_changed_it_last_is_a_day_old(seed: int) -> None:
    random = Random(seed)
    league = club(random.choice(["UTC", "Europe/Belgrade", "America/New_York", "Pacific/Auckland"]))
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
