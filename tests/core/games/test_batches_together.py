"""Games of a batch, which are written and rated at once, against their specification: each of them recorded alone."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from league.core.errors import Conflict, Invalid, Refused
from league.core.games.services.batches import New, record_together
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import RecordedGame, record_game
from league.core.ladders.services.decisions import close_period
from league.core.ladders.services.ladders import RankingRule, create_ladder
from league.core.leagues.services.adjustments import AdjustmentData, adjust
from league.core.leagues.services.leagues import adopt_rule
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.core.verify.run import verify_league
from league.models import GamelessChange, League, Player, Result, Standing
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, derived, make_league, said
from tests.helpers.tiers import long_way, mark_slow

NAMES = ("anna", "ben", "cleo", "dan", "eva", "fritz")
LADDERS = {"elo": "rating_score", "barbu": "erf_mean", "durak": "rating_score", "preferans": "rating_score"}


def drawn(system: str, seed: int, count: int = 30) -> list[NewGame]:
    """Return games of a few evenings over two months: mostly usual ones, in order."""
    chance, games = random.Random(seed), []
    for number in range(count):
        size = 3 if system == "preferans" else 4
        names = chance.sample(NAMES, size)
        places = chance.sample(range(1, size + 1), size)
        lines = [
            NewResult(name, place=place) if system == "durak" else NewResult(name, float(10 * (place - 1)))
            for name, place in zip(names, places, strict=True)
        ]
        if system == "barbu":
            lines = [replace(line, score=(line.score or 0.0) - 15.0) for line in lines]
        if system == "preferans":
            lines = [replace(line, score=(line.score or 0.0) - 10.0) for line in lines]
        details: dict[str, Any] = {"bula": chance.choice([30, 2.5, 1e2])} if system == "preferans" else {}
        at = EVENING + timedelta(days=number, minutes=chance.choice([0, 0, 5]))
        note = chance.choice(["", "", "a “note” with\ttab, \\ and \u2028"])
        games.append(NewGame(lines, at, f"x/{number}" if number % 3 else None, details, note=note))
    return games


def with_odd_ones(games: list[NewGame], seed: int) -> list[NewGame]:
    """Return the games with some among them that must be looked at alone."""
    chance, games = random.Random(seed), list(games)

    def odd(game: NewGame, kind: int) -> NewGame:
        lines = list(game.results)
        changes: list[dict[str, Any]] = [
            {"results": [replace(lines[0], player="nobody"), *lines[1:]]},
            {"results": [replace(lines[0], player="newcomer"), *lines[1:]], "create_players": True},
            {"results": [lines[1], *lines[1:]]},
            {"results": [replace(lines[0], player="Annie"), *lines[1:]]},
            {"results": [replace(lines[0], player="gone"), *lines[1:]]},
            {"results": [replace(lines[0], score=1e12, place=None), *lines[1:]]},
            {"results": [replace(lines[0], place=0), *lines[1:]]},
            {"results": [replace(lines[0], place=10**30), *lines[1:]]},
            {"played_at": EVENING + timedelta(days=1)},
            {"played_at": datetime.now(UTC) + timedelta(days=3)},
            {"played_at": datetime(1900, 1, 1, tzinfo=UTC)},
            {"kind": "forfeit"},
            {"external_id": "x/1"},
            {"external_id": "twice"},
            {"external_id": "y" * 300},
            {"note": "n" * 600},
            {"details": {"unknown": 1.0}},
            {"kind": "friendly"},
            {"weight": 2.0},
            {"results": [replace(line, side=1 + seat % 2) for seat, line in enumerate(lines)]},
        ]
        return replace(game, **changes[kind])

    for place in chance.sample(range(len(games)), min(12, len(games) // 2)):
        games[place] = odd(games[place], chance.randrange(20))
    return games


def club(system: str, slug: str) -> League:
    """Make a league with a ladder of the month."""
    league = make_league(system, NAMES, slug=slug)
    method, chosen = LADDERS.get(system, "points"), {"count": "scores"} if system == "serpentine" else {}
    create_ladder(league.pk, "month", "Month", RankingRule(method, "month", chosen), username="test")
    return league


def books(league: League) -> list[Any]:
    """Return all that a league's books say, keys, times of recording and salts left out."""
    facts = ("number", "order_key", "played_at", "kind", "external_id", "details", "note", "recorded_by", "voided_at")
    lines = ("game__number", "seat", "player__handle", "score", "place", "recorded_as__handle")
    tallies = ("period__key", "player__handle", "score", "games", "why_not", "value_1", "value_2")
    entries = [said(entry) for entry in league.log.filter(kind="game.recorded").order_by("position")]
    assert entries
    league.refresh_from_db()
    return [
        list(league.games.order_by("number").values_list(*facts)),
        list(Result.objects.filter(game__league=league).order_by("game__number", "seat").values_list(*lines)),
        list(Standing.objects.filter(period__ladder__league=league).order_by(*tallies[:2]).values_list(*tallies)),
        entries,
        (league.last_number, league.stale_from),
        derived(league),
    ]


def one_by_one(league: League, games: list[NewGame]) -> list[Any]:
    """Record each game alone; returns what became of each."""
    found: list[Any] = []
    for new in games:
        try:
            found.append(record_game(league.pk, new, by="me"))
        except (Invalid, Refused, Conflict) as error:
            found.append(error)
    return found


def told(outcomes: Sequence[Any]) -> list[Any]:
    """Return what became of games: numbers, and whether they are new; or what was said."""
    return [
        (one.game.number, isinstance(one, New) or one.created)
        if isinstance(one, New | RecordedGame)
        else (type(one), str(one), one.problems)
        for one in outcomes
    ]


@long_way
@pytest.mark.django_db
@pytest.mark.engine
@pytest.mark.parametrize("system", mark_slow([*LADDERS, "serpentine"], "Other systems.", but=["durak", "preferans"]))
@pytest.mark.parametrize("odd", mark_slow([False, True], "Plain games only.", but=[True]))
def test_a_batch_leaves_the_books_that_its_games_leave_one_by_one(system: str, odd: bool) -> None:
    add_player("annas", "Anna S", ["Annie"])
    one, other = club(system, "one"), club(system, "other")
    merge_players(add_player("gone", "Gone"), Player.objects.get(handle="ben"), username="test")
    first, games = drawn(system, 1), [replace(game, external_id=None) for game in drawn(system, 2)]
    later = [replace(game, played_at=(game.played_at or EVENING) + timedelta(days=90)) for game in games]
    for number, part in enumerate([first, later]):
        sent = with_odd_ones(part, 5 + number) if odd else part
        assert told(record_together(one.pk, sent, username="me")) == told(one_by_one(other, sent))
    assert books(one) == books(other)
    assert verify_league(one.pk).differences == []


def with_events(league: League, seed: int) -> None:
    """Give a league a season that begins among its first games, one among the later ones, and one after them."""
    chance = random.Random(seed)
    days = [f"03-{chance.randrange(8, 19):02}", f"05-{chance.randrange(26, 31)}", "07-04"]
    (rule,) = league.rules.all()
    everybody = {"zero_sum": "league"} if rule.system == "barbu" else {}
    season = {"days": days, "pull": 0.3}
    adopt_rule(league.pk, rule.system, {**rule.parameters, **everybody}, date(2024, 1, 1), season, username="test")


def adjusted(league: League, seed: int) -> None:
    """Give some players points, from the middle of the games on and from after them."""
    chance = random.Random(seed)
    for days in (10, 40.5, 100, 130):
        at, who = EVENING + timedelta(days=days), chance.choice(NAMES)
        adjust(
            league.pk,
            Player.objects.get(handle=who),
            AdjustmentData(chance.randrange(1, 30), "Why.", at),
            username="test",
        )


def moves(league: League) -> list[Any]:
    """Return the lines that no game made."""
    lines = GamelessChange.objects.filter(league=league).order_by("at", "number", "player__handle")
    return list(lines.values_list("player__handle", "at", "number", "games", "before", "change", "after"))


@long_way
@pytest.mark.django_db
@pytest.mark.parametrize("system", mark_slow(["elo", "barbu", "weng_lin"], "Other systems.", but=["barbu"]))
@pytest.mark.parametrize("seed", mark_slow(range(2), "The other half of the drawn games.", but=[0]))
def test_a_batch_between_seasons_and_adjustments_leaves_the_books_that_its_games_leave_one_by_one(
    system: str, seed: int
) -> None:
    one, other = club(system, "one"), club(system, "other")
    first = drawn(system, seed, 16)
    later = [
        replace(game, played_at=(game.played_at or EVENING) + timedelta(days=80), external_id=None)
        for game in with_odd_ones(drawn(system, seed + 10, 20), seed)
    ]
    for league in (one, other):
        with_events(league, seed)
    for part in (first, later, [replace(game, external_id=None) for game in first[:6]]):
        assert told(record_together(one.pk, part, username="me")) == told(one_by_one(other, part))
        for league in (one, other):
            adjusted(league, seed)
        assert (books(one), moves(one)) == (books(other), moves(other))
    assert moves(one)
    assert verify_league(one.pk).differences == []


def periods(league: League) -> list[Any]:
    """Return whether the periods of a league are closed, and whether they await a decision."""
    return list(league.ladders.get().periods.order_by("key").values_list("key", "closed", "awaits"))


def figures(league: League) -> list[Any]:
    """Return what is derived of a league but the numbers of its games, which differ where the order of sending does."""
    history, current = derived(league)
    return [[line[:1] + line[2:] for line in history], [line[:-1] for line in current], books(league)[2]]


@long_way
@pytest.mark.engine
@pytest.mark.django_db
@pytest.mark.parametrize("system", mark_slow(["barbu", "elo", "durak", "preferans"], "Other systems.", but=["barbu"]))
@pytest.mark.parametrize("seed", mark_slow(range(2), "Other drawn games.", but=[0]))
def test_a_batch_in_any_order_of_time_is_replayed_once(system: str, seed: int) -> None:
    one, other, sorted_by_time = club(system, "one"), club(system, "other"), club(system, "sorted")
    add_player("annas", "Anna S", ["Annie"])
    merge_players(add_player("gone", "Gone"), Player.objects.get(handle="ben"), username="test")
    first = drawn(system, seed)[::2]
    for league in (one, other):
        record_together(league.pk, first, username="me")
        close_period(league.pk, "month", "2024-03", username="test")
    late = [replace(game, external_id=f"late/{number}") for number, game in enumerate(drawn(system, seed + 10)[::2])]
    chance, sent = random.Random(seed), with_odd_ones(late, seed)
    twin = replace(drawn(system, seed + 20, 1)[0], external_id="twin")
    sent += [twin, twin, replace(twin, note="Another one.")]
    chance.shuffle(sent)
    replays = League.objects.get(pk=one.pk).replays
    outcomes = record_together(one.pk, sent, username="me")
    assert told(outcomes) == told(one_by_one(other, sent))
    assert (books(one), periods(one)) == (books(other), periods(other))
    assert ("2024-03", True, True) in periods(one)
    one.refresh_from_db()
    assert one.replays == replays + 1
    recorded = [game for game, outcome in zip(sent, outcomes, strict=True) if isinstance(outcome, New)]
    twins = [(game, type(outcome)) for game, outcome in zip(sent, outcomes, strict=True) if game.external_id == "twin"]
    (earliest, kind), *others = twins
    assert (kind, len(others)) == (New, 2)
    assert [kind for _, kind in others] == [RecordedGame if game == earliest else Conflict for game, _ in others]
    one_by_one(sorted_by_time, sorted([*first, *recorded], key=lambda game: game.played_at or EVENING))
    assert figures(one) == figures(sorted_by_time)
    assert verify_league(one.pk).differences == []


@pytest.mark.django_db
def test_games_without_a_time_and_without_a_rating_yet_are_the_newest() -> None:
    league, other = make_league(players=NAMES, starts={"anna": 1700.0}), make_league(slug="other", players=NAMES)
    now = [replace(game, played_at=None, external_id=None) for game in drawn("elo", 3, 10)]
    assert [type(one) for one in record_together(league.pk, now, username="me")] == [New] * 10
    one_by_one(other, now)
    first = next(line for line in derived(league)[0] if line[0] == "anna")
    assert first[7] == 1700.0
    assert next(line[7] for line in derived(other)[0] if line[0] == "anna") == 1500.0
    assert verify_league(league.pk).differences == []


@long_way
@pytest.mark.django_db
@pytest.mark.parametrize("late", mark_slow([False, True], "The games in order.", but=[True]))
@pytest.mark.parametrize("inline", [5000, 1])
def test_each_line_of_the_answer_is_the_game_as_it_stands(late: bool, inline: int, settings: Any) -> None:
    league = club("preferans", "club")
    record_together(league.pk, drawn("preferans", 5, 3), username="me")
    settings.RUNGS_INLINE_GAMES = inline
    games = [replace(game, external_id=f"g/{number}") for number, game in enumerate(drawn("preferans", 4, 20))]
    games[7] = replace(games[7], kind="friendly")
    if late:
        games.append(replace(games[0], played_at=EVENING - timedelta(days=2), external_id="late"))
        random.Random(4).shuffle(games)
    body = [
        {
            "played_at": (game.played_at or EVENING).isoformat(), "external_id": game.external_id, "note": game.note,
            "details": game.details, "kind": game.kind,
            "results": [{"player": line.player, "score": line.score} for line in game.results],
        }
        for game in games
    ]  # fmt: skip
    api = Api("record", (league,))
    answer = api.post("leagues/club/games/batch/", body)
    lines = [json.loads(line) for line in answer.content.decode().splitlines()]
    assert [line["status"] for line in lines] == [201] * len(games)
    for line in lines:
        assert line["game"] == api.get(f"leagues/club/games/{line['game']['id']}/").data


@pytest.mark.django_db
def test_somebody_whom_the_sender_may_not_see_is_not_there() -> None:
    hidden = make_league(slug="hidden", players=("secret", "other"), visibility="private")
    Api("record", (hidden,), name="own").post(
        "leagues/hidden/games/", {"results": [{"player": "secret", "score": 1}, {"player": "other", "score": 0}]}
    )
    league = make_league(slug="open", players=NAMES)
    pairs = [("anna", "ben"), ("anna", "secret"), ("cleo", "dan"), ("ben", "dan"), ("eva", "anna"), ("ben", "eva")]
    body = [{"results": [{"player": one, "score": 1}, {"player": two, "score": 0}]} for one, two in pairs]
    answer = Api("record", (league,), name="guest").post("leagues/open/games/batch/", body)
    statuses = [json.loads(line)["status"] for line in answer.content.decode().splitlines()]
    assert statuses == [201, 422, 201, 201, 201, 201]
