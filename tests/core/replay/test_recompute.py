"""A second, plain implementation of what SYSTEMS.md says, against every figure of standings and editions.

Nothing here uses ratings/ or the selectors: games are read from the facts, months are told by zoneinfo.
"""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from league.apps.imports.services.run import ImportOptions, import_parsed_games
from league.core.games.services.game_files import ReadFile, ReadGame
from league.core.games.services.game_input import NewGame
from league.core.games.services.record import correct_game, void_game
from league.core.ladders.services.decisions import advance
from league.core.ladders.services.ladders import RankingRule, change_ranking
from league.core.leagues.services.leagues import adopt_rule, create_league
from league.demo.simulator import iter_barbu_games
from league.models import Edition, Game, League, Player, Standing
from tests.helpers.builders import record
from tests.helpers.ladder_builders import make_ladder

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.uncounted("A second implementation of years of games; each line has tests of its own."),
]

PARIS = ZoneInfo("Europe/Paris")
FAR = datetime(2031, 1, 1, tzinfo=UTC)
#: From, strength ("j": running mean, else the half-life), scores through erf, who shares: SYSTEMS.md, section 2.
REGIMES = (
    (date(2004, 1, 1), "j", False, "nobody"),
    (date(2004, 5, 1), 20, True, "nobody"),
    (date(2005, 4, 1), 100, False, "everybody"),
    (date(2005, 6, 1), 100, False, "everybody"),
    (date(2013, 1, 1), 100, False, "table"),
)
TODAY = ((date(1800, 1, 1), 100, False, "table"),)


@dataclass
class Entry:
    """One line of the second history."""

    when: datetime
    player: str
    score: float
    adjusted: float
    games: int
    table: list[float]
    ratings: dict[str, float]
    """Everybody's rating after the game."""


@dataclass
class Strengths:
    """Ratings and games so far."""

    rating: dict[str, float] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)


def read_games(league: League) -> list[tuple[datetime, list[tuple[str, Any]]]]:
    """Return the games that count, in the order (played_at, number)."""
    rows = Game.objects.filter(league=league).order_by("played_at", "number").prefetch_related("results__player")
    return [
        (game.played_at, [(one.player.handle, one.score) for one in sorted(game.results.all(), key=lambda r: r.seat)])
        for game in rows
        if game.kind == "played" and game.voided_at is None
    ]


def barbu(league: League, regimes: Any) -> list[Entry]:
    """Rate all games as the table of regimes says."""
    now, history = Strengths(), []
    for when, lines in read_games(league):
        day = when.astimezone(ZoneInfo(league.time_zone)).date()
        regime = [one for one in regimes if one[0] <= day][-1]
        history += barbu_game(now, when, lines, regime)
    return history


def barbu_game(now: Strengths, when: datetime, lines: list[tuple[str, float]], regime: Any) -> list[Entry]:
    """Rate one game; every sum uses the ratings before it."""
    _, strength, through_erf, shares = regime
    counts = {player: now.games.get(player, 0) for player, _ in lines}
    ratings = {player: now.rating.get(player, 0.0) for player, _ in lines}
    damped = {player: ratings[player] * min(counts[player], 5) / 5 for player in ratings}
    star, ladder = {}, {}
    for player, score in lines:
        opponents = sum(damped[other] for other in damped if other != player) / 3
        counted = 400 * math.erf(score / 400) if through_erf else score
        ladder[player] = (counted if score > 0 else score) + opponents
        n, old, adjusted = counts[player] + 1, ratings[player], counted + opponents
        if strength == "j":
            star[player] = ((n - 1) * old + 1.04 * adjusted) / (n + 1.04 - 1)
        else:
            k = 0.5 ** (1 / strength)
            star[player] = (k * old * (1 - k ** (n - 1)) + (1 - k) * adjusted) / (1 - k**n)
    gained = sum(star[player] - ratings[player] for player in star)
    for player, n in counts.items():
        now.rating[player], now.games[player] = star[player], n + 1
    sharers = {"nobody": [], "table": list(star), "everybody": list(now.games)}[shares]
    for player in sharers:
        now.rating[player] -= gained / len(sharers)
    after, scores = dict(now.rating), [score for _, score in lines]
    return [Entry(when, name, score, ladder[name], counts[name] + 1, scores, after) for name, score in lines]


def key_of(cadence: str, day: date) -> str:
    """Return how a period is named."""
    year, week, _ = day.isocalendar()
    return {
        "week": f"{year}-W{week:02}",
        "month": f"{day.year}-{day.month:02}",
        "quarter": f"{day.year}-Q{(day.month + 2) // 3}",
        "year": f"{day.year}",
        "all_time": "all",
    }[cadence]


def erf_mean(lines: list[Entry], factor: str, last: Entry) -> tuple[Any, ...]:
    """Return (score, values, games, why not) of the monthly ladder."""
    g = len(lines)
    mean = math.fsum(line.adjusted for line in lines) / g
    times = {"erf": math.erf(g / 20), "sqrt_2005": g**0.5 / (4 * 0.05 ** (-1 / g)), "none": 1.0}[factor]
    return mean * times + 1000, [mean, times], g, ""


def zester(lines: list[Entry], _: str, last: Entry) -> tuple[Any, ...]:
    """Return the mean of the best ten scores, ten games to qualify."""
    best = sorted((line.score for line in lines), reverse=True)[:10]
    why = "" if len(lines) >= 10 else f"{len(lines)} of 10 games played; {10 - len(lines)} to go."
    return math.fsum(best) / len(best), [best[0], best[-1], len(best)], len(lines), why


def points(lines: list[Entry], _: str, last: Entry) -> tuple[Any, ...]:
    """Return the points table: alone at the top 1, there with others ½."""
    tops = [line.table.count(line.score) if line.score == max(line.table) else 0 for line in lines]
    wins, draws = tops.count(1), sum(top > 1 for top in tops)
    total = wins + draws / 2
    scores = math.fsum(line.score for line in lines)
    return total, [wins, draws, len(lines) - wins - draws, scores, total / len(lines)], len(lines), ""


def rating_score(lines: list[Entry], _: str, last: Entry) -> tuple[Any, ...]:
    """Return the unrounded rating after the last game of the period, less the penalty."""
    rating, penalty = last.ratings[lines[0].player], 180 / math.sqrt(lines[-1].games)
    return rating - penalty, [rating, penalty, lines[-1].games], len(lines), ""


#: slug -> cadence, how it is computed here, and the indexes of the values that decide between equal scores.
LADDERS: dict[str, tuple[str, Any, tuple[int, ...], str, dict[str, Any]]] = {
    "month": ("month", erf_mean, (), "erf_mean", {}),
    "quarter": ("quarter", erf_mean, (), "erf_mean", {}),
    "year": ("year", erf_mean, (), "erf_mean", {}),
    "zester": ("year", zester, (0,), "best_scores", {}),
    "points": ("month", points, (0, 3), "points", {}),
    "strength": ("week", rating_score, (0,), "rating_score", {"rounding": "none"}),
    "ever": ("all_time", points, (0, 3), "points", {}),
}

#: The keys of the figures beside the score, in the order in which they are computed here.
COLUMNS = {
    erf_mean: ("mean", "factor"),
    zester: ("best", "last", "counted"),
    points: ("wins", "draws", "losses", "sum", "mean"),
    rating_score: ("rating", "penalty", "counted"),
}


def factor_on(key: str, dated: bool) -> str:
    """Return the ladder's factor in force when a month began."""
    if not dated or key >= "2005-06":
        return "erf"
    return "sqrt_2005" if key >= "2005-04" else "none"


def expected(history: list[Entry], slug: str, zone: ZoneInfo, dated: bool) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Return period -> player -> (score, values, games, why not) of one ladder."""
    cadence, method, *_ = LADDERS[slug]
    periods: dict[str, list[Entry]] = {}
    for entry in history:
        periods.setdefault(key_of(cadence, entry.when.astimezone(zone).date()), []).append(entry)
    tallies: dict[str, dict[str, tuple[Any, ...]]] = {}
    for key, entries in periods.items():
        players = {entry.player for entry in entries}
        factor = factor_on(key, dated)
        tallies[key] = {
            name: method([one for one in entries if one.player == name], factor, entries[-1]) for name in players
        }
    return tallies


def near(one: Any, other: Any) -> bool:
    """Tell whether two figures are the same but for the order of float sums."""
    return other is not None and abs(one - other) <= 1e-9


def check_standings(league: League, slug: str, tallies: dict[str, dict[str, tuple[Any, ...]]]) -> int:
    """Compare every figure of every standing of a ladder; returns how many rows."""
    rows = Standing.objects.filter(period__ladder__league=league, period__ladder__slug=slug).select_related(
        "period", "player"
    )
    stored = {(row.period.key, row.player.handle): row for row in rows}
    assert stored.keys() == {(key, player) for key, players in tallies.items() for player in players}
    for (key, player), row in stored.items():
        score, values, games, why_not = tallies[key][player]
        assert near(score, row.score), (slug, key, player, score, row.score)
        for index, value in enumerate(values, start=1):
            assert near(value, getattr(row, f"value_{index}")), (slug, key, player, index)
        assert (row.games, row.why_not) == (games, why_not)
        assert all(getattr(row, f"value_{index}") is None for index in range(len(values) + 1, 7))
    return len(stored)


def ranking(slug: str, tallies: dict[str, tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return (rank, player, *tally) best first; who is not qualified comes last and has no rank."""
    chain = LADDERS[slug][2]

    def level(player: str) -> tuple[float, ...]:
        score, values, *_ = tallies[player]
        return tuple(-round(figure, 9) for figure in (score, *(values[index] for index in chain)))

    order = sorted(tallies, key=lambda player: (bool(tallies[player][3]), level(player), player))
    good = [player for player in order if not tallies[player][3]]
    ranks = {player: 1 + sum(level(other) < level(player) for other in good) for player in good}
    return [(ranks.get(player), player, *tallies[player]) for player in order]


def check_editions(league: League, slug: str, tallies: dict[str, dict[str, tuple[Any, ...]]]) -> int:
    """Compare every line of every edition of a ladder; returns how many."""
    names = dict(Player.objects.values_list("handle", "name"))
    editions = Edition.objects.filter(ladder__league=league, ladder__slug=slug)
    assert {one.key for one in editions} == ({*tallies} if LADDERS[slug][0] != "all_time" else set())
    lines = 0
    for edition in editions:
        told = json.loads(edition.document)["standings"]
        wanted = ranking(slug, tallies[edition.key])
        assert [(one["rank"], one["player"], one["name"]) for one in told] == [
            (rank, player, names[player]) for rank, player, *_ in wanted
        ]
        for one, (_, _, score, values, games, why_not) in zip(told, wanted, strict=True):
            assert near(score, one["score"])
            columns = COLUMNS[LADDERS[slug][1]]
            assert sorted(one["columns"]) == sorted(columns)
            assert all(near(value, one["columns"][key]) for key, value in zip(columns, values, strict=True))
            assert (one["games"], one["why_not"], one["qualified"]) == (games, why_not, not why_not)
        assert [one["player"] for one in edition.winners] == [one["player"] for one in told if one["rank"] == 1]
        lines += len(told)
    return lines


def check(league: League, regimes: Any, slugs: Iterator[str] | list[str], dated: bool = False) -> tuple[int, int]:
    """Compare everything of some ladders; returns how many standings and edition lines were compared."""
    history, zone = barbu(league, regimes), ZoneInfo(league.time_zone)
    tallies = {slug: expected(history, slug, zone, dated) for slug in slugs}
    standings = sum(check_standings(league, slug, tallies[slug]) for slug in tallies)
    return standings, sum(check_editions(league, slug, tallies[slug]) for slug in tallies)


def scattered(count: int, random: Random) -> list[NewGame]:
    """Return simulated games at all hours of all days, some of them at the edges of months, in a random order."""
    games = []
    for new in iter_barbu_games(count, datetime(2026, 7, 17, tzinfo=UTC)):
        assert new.played_at is not None
        when = new.played_at - timedelta(hours=random.randrange(24 * 14), minutes=random.randrange(60))
        if random.random() < 0.1:
            first = when.astimezone(PARIS).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
            when = first.astimezone(UTC) - timedelta(microseconds=random.choice((0, 1)))
        games.append(replace(new, played_at=when))
    random.shuffle(games)
    return games


def import_all(league: League, games: list[NewGame]) -> None:
    """Record games in one import."""
    import_parsed_games(
        league.pk, ReadFile([ReadGame(new, ()) for new in games], ()), ImportOptions(by="test", create_players=True)
    )


def stir(league: League, late: list[NewGame], random: Random) -> None:
    """Record games late and out of order, with voids and corrections between."""
    for new in late:
        record(league, new)
        numbers = list(Game.objects.filter(league=league, voided_at=None).values_list("number", flat=True))
        if random.random() < 0.3:
            void_game(league.pk, random.choice(numbers), reason="a friendly", username="test")
        elif random.random() < 0.4:
            number = random.choice(numbers)
            seats = [replace(line, score=(line.score or 0) + 5 * random.randrange(-9, 9)) for line in new.results]
            correct_game(league.pk, number, NewGame(seats), reason="misread", username="test")


def test_every_figure_of_a_barbu_league_is_what_a_second_implementation_says() -> None:
    random = Random(11)
    league = create_league("paris", "Paris", system="barbu", settings={"time_zone": "Europe/Paris"})
    for slug, (cadence, _, _, method, parameters) in LADDERS.items():
        make_ladder(league, slug, method, cadence, **parameters)
    games = scattered(30, random)
    import_all(league, games[:-10])
    stir(league, games[-10:], random)
    assert check(league, TODAY, ["ever"]) == (24, 0)
    advance(league.pk, FAR)
    standings, lines = check(league, TODAY, list(LADDERS))
    assert (standings - 24, standings > 1000) == (lines, True)


@pytest.mark.slow("Ten years of games; each regime's sums are held by tests/ratings/test_barbu.py.")
def test_the_five_published_regimes_from_2004_to_2014() -> None:
    random = Random(5)
    regimes: tuple[dict[str, Any], ...] = (
        {"strength": "running_mean_j", "zero_sum": "none"},
        {"half_life": 20, "score_transform": "erf_400", "zero_sum": "none"},
        {"zero_sum": "league"},
        {"zero_sum": "league"},
        {},
    )
    league = create_league(
        "barbu", "Barbu", system="barbu", parameters=regimes[0], from_date=date(2004, 1, 1),
        settings={"time_zone": "Europe/Paris"},
    )  # fmt: skip
    for (day, *_), parameters in list(zip(REGIMES, regimes, strict=True))[1:]:
        adopt_rule(league.pk, "barbu", parameters, day, username="test")
    make_ladder(league, "month", "erf_mean", "month", from_date=date(2004, 1, 1), factor="none")
    for day, factor in ((date(2005, 4, 1), "sqrt_2005"), (date(2005, 6, 1), "erf")):
        change_ranking(league.pk, "month", RankingRule("erf_mean", "month", {"factor": factor}, day), username="test")
    make_ladder(league, "strength", "rating_score", "week", rounding="none")
    games = scattered(100, random)
    eleven_years = (datetime(2014, 12, 31, 22, tzinfo=UTC) - datetime(2004, 1, 1, tzinfo=UTC)).total_seconds()
    games = [replace(new, played_at=moment(random.random() * eleven_years)) for new in games]
    import_all(league, games[:-5])
    stir(league, games[-5:], random)
    advance(league.pk, FAR)
    standings, lines = check(league, REGIMES, ["month", "strength"], dated=True)
    assert (standings == lines, standings > 1500) == (True, True)
    factors = {
        one.key: json.loads(one.document)["parameters"]["factor"]
        for one in Edition.objects.filter(ladder__slug="month")
    }
    assert {key: factors[key] for key in ("2004-01", "2005-03", "2005-04", "2005-05", "2005-06", "2014-12")} == {
        "2004-01": "none", "2005-03": "none", "2005-04": "sqrt_2005", "2005-05": "sqrt_2005", "2005-06": "erf",
        "2014-12": "erf",
    }  # fmt: skip


def moment(seconds: float) -> datetime:
    """Return an instant so long after the first regime began in Paris."""
    return datetime(2003, 12, 31, 23, tzinfo=UTC) + timedelta(seconds=seconds)
