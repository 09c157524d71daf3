"""Games of a batch that are recorded by columns, against their specification: each of them recorded alone."""

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from rest_framework.exceptions import ValidationError
from rest_framework.renderers import JSONRenderer

from league.api.games.batch import render_line
from league.api.games.inputs import GameInput
from league.api.games.usual import usual_game
from league.errors import Invalid
from league.models import GamelessChange, League, Player, Result, Standing
from league.selectors.permissions import Viewer
from league.services.imports import together
from league.services.imports.together import Rated, record_together
from league.services.ladders.ladders import Ranking, create_ladder
from league.services.leagues.leagues import adopt_rule
from league.services.players.merges import merge_players
from league.services.players.players import add_player
from league.services.recording.adjusting import Points, adjust
from league.services.recording.batch import record_batch
from league.services.recording.game_input import NewGame, NewResult
from league.services.recording.games import Recorded
from league.services.verify.run import verify_league
from league.strict_json import load
from tests.helpers.api_client import Api
from tests.helpers.builders import EVENING, derived, make_league, said
from tests.helpers.tiers import mark_slow

NAMES = ("anna", "ben", "cleo", "dan", "eva", "fritz")
LADDERS = {"elo": "rating_score", "barbu": "erf_mean", "durak": "rating_score", "preferans": "rating_score"}
NOBODY = Viewer()


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
        ]
        return replace(game, **changes[kind])

    for place in chance.sample(range(len(games)), 12):
        games[place] = odd(games[place], chance.randrange(17))
    return games


def club(system: str, slug: str) -> League:
    """Make a league with a ladder of the month."""
    league = make_league(system, NAMES, slug=slug)
    method, chosen = LADDERS.get(system, "points"), {"count": "scores"} if system == "serpentine" else {}
    create_ladder(league.pk, "month", "Month", Ranking(method, "month", chosen), by="test")
    return league


def books(league: League) -> list[Any]:
    """Return all that a league's books say, keys, times of recording and salts left out."""
    facts = ("number", "order_key", "played_at", "kind", "external_id", "details", "note", "recorded_by", "voided_at")
    lines = ("game__number", "seat", "player__handle", "score", "place", "recorded_as__handle")
    tallies = ("period__key", "player__handle", "score", "games", "why_not", "value_1", "value_2")
    entries = [said(entry) for entry in league.log.filter(kind="game_recorded").order_by("position")]
    league.refresh_from_db()
    return [
        list(league.games.order_by("number").values_list(*facts)),
        list(Result.objects.filter(game__league=league).order_by("game__number", "seat").values_list(*lines)),
        list(Standing.objects.filter(period__ladder__league=league).order_by(*tallies[:2]).values_list(*tallies)),
        entries,
        (league.last_number, league.stale_from),
        derived(league),
    ]


def told(outcomes: list[Any]) -> list[Any]:
    """Return what became of games, by number or by what was said."""
    return [
        one.number if isinstance(one, Rated) else (one.game.number, one.created) if isinstance(one, Recorded) else
        (type(one), str(one), one.problems)
        for one in outcomes
    ]  # fmt: skip


def numbered(outcomes: list[Any]) -> list[Any]:
    """Return the same, whichever way a game was recorded."""
    return [(one, True) if isinstance(one, int) else one for one in told(outcomes)]


@pytest.mark.django_db
@pytest.mark.parametrize("system", ["elo", "barbu", "durak", "preferans", "serpentine"])
@pytest.mark.parametrize("odd", mark_slow([False, True], "Plain games only.", but=[True]))
def test_a_batch_by_columns_leaves_the_books_that_its_games_leave_one_by_one(system: str, odd: bool) -> None:
    add_player("annas", "Anna S", ["Annie"])
    one, other = club(system, "one"), club(system, "other")
    merge_players(add_player("gone", "Gone"), Player.objects.get(handle="ben"), by="test")
    first, games = drawn(system, 1), [replace(game, external_id=None) for game in drawn(system, 2)]
    later = [replace(game, played_at=(game.played_at or EVENING) + timedelta(days=90)) for game in games]
    for number, part in enumerate([first, later]):
        sent = with_odd_ones(part, 5 + number) if odd else part
        found, wanted = record_together(one.pk, sent, by="me"), record_batch(other.pk, sent, by="me")
        assert numbered(found) == numbered(wanted)
        if not odd:
            assert all(isinstance(outcome, Rated) for outcome in found)
    assert books(one) == books(other)
    assert verify_league(one.pk).differences == []


def with_events(league: League, seed: int) -> None:
    """Give a league a season that begins among its first games, one among the later ones, and one after them."""
    chance = random.Random(seed)
    days = [f"03-{chance.randrange(8, 19):02}", f"05-{chance.randrange(26, 31)}", "07-04"]
    (rule,) = league.rules.all()
    everybody = {"zero_sum": "league"} if rule.system == "barbu" else {}
    season = {"days": days, "pull": 0.3}
    adopt_rule(league.pk, rule.system, {**rule.parameters, **everybody}, date(2024, 1, 1), season, by="test")


def adjusted(league: League, seed: int) -> None:
    """Give some players points, from the middle of the games on and from after them."""
    chance = random.Random(seed)
    for days in (10, 40.5, 100, 130):
        at, who = EVENING + timedelta(days=days), chance.choice(NAMES)
        adjust(league.pk, Player.objects.get(handle=who), Points(chance.randrange(1, 30), "Why.", at), by="test")


def moves(league: League) -> list[Any]:
    """Return the lines that no game made."""
    lines = GamelessChange.objects.filter(league=league).order_by("at", "number", "player__handle")
    return list(lines.values_list("player__handle", "at", "number", "games", "before", "change", "after"))


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
        found, wanted = record_together(one.pk, part, by="me"), record_batch(other.pk, part, by="me")
        assert numbered(found) == numbered(wanted)
        for league in (one, other):
            adjusted(league, seed)
        assert (books(one), moves(one)) == (books(other), moves(other))
    assert moves(one)
    assert verify_league(one.pk).differences == []


@pytest.mark.django_db
def test_a_batch_between_two_turns_is_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league(players=NAMES)
    runs: list[int] = []
    season = {"days": ["03-10", "03-20"], "pull": 0.5}
    adopt_rule(league.pk, "elo", {}, date(2024, 1, 1), season, by="test")
    recorded = together.Together.record_run

    def noted(self: together.Together, run: Sequence[Any]) -> list[Rated]:
        runs.append(len(run))
        return recorded(self, run)

    monkeypatch.setattr(together.Together, "record_run", noted)
    # One game a day from 5 March on: five before the 10th, then the one that opens the season, nine more; so again.
    games = [replace(game, external_id=None) for game in drawn("elo", 1, 30)]
    record_together(league.pk, games, by="me")
    assert runs == [5, 9, 14]
    assert verify_league(league.pk).differences == []


@pytest.mark.django_db
def test_games_without_a_time_and_without_a_rating_yet_are_the_newest() -> None:
    league, other = make_league(players=NAMES, starts={"anna": 1700.0}), make_league(slug="other", players=NAMES)
    now = [replace(game, played_at=None, external_id=None) for game in drawn("elo", 3, 10)]
    found = record_together(league.pk, now, by="me")
    assert [type(one) for one in found] == [Rated] * 10
    record_batch(other.pk, now, by="me")
    first = next(line for line in derived(league)[0] if line[0] == "anna")
    assert first[7] == 1700.0
    assert next(line[7] for line in derived(other)[0] if line[0] == "anna") == 1500.0
    assert verify_league(league.pk).differences == []


@pytest.mark.django_db
@pytest.mark.parametrize("late", [False, True])
def test_each_line_of_the_answer_is_the_game_as_it_stands(late: bool) -> None:
    league = club("preferans", "club")
    games = drawn("preferans", 4, 20)
    if late:
        games.append(replace(games[0], played_at=EVENING - timedelta(days=2), external_id="late"))
    body = [
        {
            "played_at": (game.played_at or EVENING).isoformat(), "external_id": game.external_id, "note": game.note,
            "details": game.details,
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


TOKENS = (
    "1", "0", "-0.0", "2.0", "2.5", "1e2", "1e300", "-3", "true", "false", "null", '"1"', '""', '" "', "[]", "{}",
    '["a"]', '{"a":1}', '{"a":-0.0}', '{"a":"b"}', '{"a":null}', '{"a":true}', "9" * 30, r'"\u00e9"', r'"\u2028"',
    r'"a\tb"', '"é"', '" anna "', '"2024-03-05"', '"2024-03-05T19:30:00"', '"2024-03-05T19:30:00+14:00"',
    '"9998-01-01T00:00:00Z"', '"0001-12-31T00:00:00Z"', '"20240305T193000Z"', '"2024-W10-2T00:00Z"',
    '"\uff12024-03-05T19:30:00Z"', '"played"', '" played "', '"forfeit"', '"\ufeff"', '"' + "x" * 201 + '"',
    '"' + "x" * 501 + '"', '[{"player": "anna", "score": 1}]', '[{"player": "anna", "worksheet": {"a": 1}}]', "[1]",
    "[" + ",".join(['{"player": "a"}'] * 101) + "]", "{" + ",".join(f'"k{number}": 1' for number in range(101)) + "}",
    '{"worksheet": 1}',
)  # fmt: skip
KEYS = ("external_id", "played_at", "kind", "results", "details", "note", "create_players", "players", "Note")


def strictly(value: Any) -> NewGame | None:
    """Return the game as the serializers read it, None where they refuse it."""
    try:
        return GameInput.game(GameInput().run_validation(value), NOBODY)
    except ValidationError:
        return None


@pytest.mark.parametrize("token", TOKENS)
def test_what_is_read_as_usual_is_what_the_serializers_read(token: str) -> None:
    try:
        strange = load(token)
    except Invalid:
        return
    line = {"player": "anna", "score": 3, "place": None}
    usual = {
        "external_id": "g1", "played_at": "2024-03-05T19:30:00Z", "kind": "played", "results": [line],
        "details": {"bula": 30}, "note": "hm",
    }  # fmt: skip
    assert usual_game(usual, NOBODY) is not None
    values = [strange, [strange]]
    values += [{**usual, key: strange} for key in KEYS] + [{"results": [line], key: strange} for key in KEYS]
    values += [
        {**usual, "results": [{**line, key: strange}]} for key in ("player", "score", "place", "seat", "worksheet")
    ]
    values += [{key: value for key, value in usual.items() if key != left} for left in usual]
    for value in values:
        found = usual_game(value, NOBODY)
        if found is not None:
            wanted = strictly(value)
            assert wanted is not None, value
            assert repr(found) == repr(replace(wanted, kind=str(wanted.kind))), value


def test_a_line_is_written_as_the_framework_writes_it() -> None:
    line = {
        "status": 201,
        "game": {"at": EVENING, "note": 'é\u2028\u2029\\"', "score": 0.1, "none": None, "list": [1, 2.5]},
    }
    assert render_line(line) == JSONRenderer().render(line) + b"\n"


@pytest.mark.django_db
def test_a_few_games_are_recorded_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league(players=NAMES)
    monkeypatch.setattr(together, "FEWEST", 5)
    assert [type(one) for one in record_together(league.pk, drawn("elo", 1, 4), by="me")] == [Recorded] * 4
    assert [type(one) for one in record_together(league.pk, drawn("elo", 2, 5), by="me")] != [Recorded] * 5
