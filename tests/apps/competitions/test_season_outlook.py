"""What is enough in a division: equal to all outcomes of few open games, true of many, and how it is said."""

from fractions import Fraction
from itertools import combinations, product
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from league.apps.competitions.models import Season
from league.apps.competitions.public.season_words import describe_quotas, describe_reach, describe_zone
from league.apps.competitions.selectors import season_outlook
from league.apps.competitions.selectors.season_outlook import Borders, Reach, ZoneNeed, build_race, find_reach
from ratings.contract.competition import (
    CompetitionData,
    EntryData,
    FixtureData,
    Outcome,
    PointsTable,
    RoundData,
    build_fixture,
    build_game,
)
from ratings.standings.possible_ranks import PossibleRanks
from ratings.standings.ranking import rank_standings

OUTCOMES: tuple[Outcome, ...] = ("win", "draw", "loss")
TABLES = (
    PointsTable(),
    PointsTable.from_json({"win": 3, "draw": 1, "loss": 0, "forfeit_win": 3}),
    PointsTable.from_json({"win": 3, "draw": 2, "loss": 1, "forfeit_win": 3, "forfeit_loss": 0}),
)


def build_division(size: int, games: list[FixtureData], table: PointsTable) -> CompetitionData:
    """Return a division of some games."""
    entries = tuple(EntryData(number) for number in range(1, size + 1))
    return CompetitionData(entries, (RoundData(0, tuple(games)),), table, predetermined=True)


def draw_division(random: Random) -> CompetitionData:
    """Return a division of three to five in which up to four games are open, with drawn results."""
    size = random.choice((3, 4, 5))
    pairs = [*combinations(range(1, size + 1), 2)]
    random.shuffle(pairs)
    still_open = min(random.choice((1, 2, 3, 4)), len(pairs) - 1)
    games = [build_fixture(*pair) for pair in pairs[:still_open]]
    games += [build_game(*pair, random.choice(OUTCOMES)) for pair in pairs[still_open:]]
    return build_division(size, games, random.choice(TABLES))


def list_endings(division: CompetitionData) -> list[tuple[dict[int, Fraction], dict[int, Fraction]]]:
    """Return what all entries end with, and what they gain, in each outcome; a game may stay unplayed."""
    table, rows = division.points, rank_standings(division, ("PTS",)).rows
    points = {row.entry: row.points for row in rows}
    pairs = [(one.seats[0].entry, one.seats[1].entry) for one in division.rounds[0].fixtures if one.kind == "planned"]
    results = [
        (table.win, table.loss), (table.draw, table.draw), (table.loss, table.win),
        (table.forfeit_win, table.forfeit_loss), (table.forfeit_loss, table.forfeit_win),
        (table.forfeit_loss, table.forfeit_loss),
    ]  # fmt: skip
    endings = []
    for outcome in product(results, repeat=len(pairs)):
        gained = dict.fromkeys(points, Fraction(0))
        for pair, gains in zip(pairs, outcome, strict=True):
            for entry, gain in zip(pair, gains, strict=True):
                gained[entry] += gain
        endings.append(({entry: points[entry] + gained[entry] for entry in points}, gained))
    return endings


def find_needs(division: CompetitionData, borders: Borders, possible: dict[int, PossibleRanks]) -> dict[int, Any]:
    """Return what the code under test says of each entry."""
    loaded: Any = SimpleNamespace(data=division)
    race = build_race(loaded, rank_standings(division, ("PTS",)))
    return {entry: find_reach(borders, race, entry, ranks).needs for entry, ranks in possible.items()}


def find_ranks(endings: Any) -> dict[int, PossibleRanks]:
    """Return the best and the worst rank; equals are behind for the best, and ahead for the worst."""
    return {
        entry: PossibleRanks(
            min(1 + sum(other > final[entry] for other in final.values()) for final, _gained in endings),
            max(sum(other >= final[entry] for other in final.values()) for final, _gained in endings),
            exact=True,
        )
        for entry in endings[0][0]
    }


def expect_enough(division: CompetitionData, endings: Any, entry: int, last: int) -> Fraction | None:
    """Return the fewest points from played games that are enough in every outcome, None if none are."""
    table = division.points
    games = sum(
        entry in (one.seats[0].entry, one.seats[1].entry) and one.kind == "planned"
        for one in division.rounds[0].fixtures
    )
    totals = {sum(gains) for gains in product((table.win, table.draw, table.loss), repeat=games)}
    for total in sorted(totals) if games else ():
        reached = [final for final, gained in endings if gained[entry] >= total]
        if all(sum(other >= final[entry] for other in final.values()) <= last for final in reached):
            return None if total == table.win * games else Fraction(total)
    return Fraction(-1)


@pytest.mark.parametrize("seed", range(40))
def test_what_is_enough_is_so_in_every_outcome_and_less_is_not(seed: int) -> None:
    division = draw_division(Random(seed))
    size = len(division.entries)
    borders = Borders(up=1, staying=size - 1, is_first=False)
    endings = list_endings(division)
    possible = find_ranks(endings)
    found = find_needs(division, borders, possible)
    for entry, ranks in possible.items():
        expected = {}
        if ranks.best == 1 < ranks.worst:
            expected["up"] = expect_enough(division, endings, entry, 1)
        if ranks.worst == size and ranks.best < size:
            expected["stays"] = expect_enough(division, endings, entry, size - 1)
        wanted = {zone: total for zone, total in expected.items() if total != -1}
        assert {need.zone: need.points for need in found[entry]} == wanted, (seed, entry)


def test_neighbours_are_not_bounded_one_by_one() -> None:
    """Greta 2, Klara 1, Pavel and Nils ½; Klara meets Nils, and Pavel meets Greta: by hand, over all nine outcomes.

    Of Klara and Nils one ends with 1 at most, so that Pavel, with 1½ after a win, is not the last.
    """
    greta, klara, pavel, nils = 1, 2, 3, 4
    games = [
        build_game(greta, klara, "win"), build_game(greta, nils, "win"), build_game(klara, pavel, "win"),
        build_game(pavel, nils, "draw"), build_fixture(klara, nils), build_fixture(pavel, greta),
    ]  # fmt: skip
    division = build_division(4, games, PointsTable())
    borders = Borders(up=1, staying=3, is_first=False)
    half, win = Fraction(1, 2), None
    assert find_needs(division, borders, find_ranks(list_endings(division))) == {
        greta: (ZoneNeed("up", half, 1),),
        klara: (ZoneNeed("stays", half, 1),),
        pavel: (ZoneNeed("stays", win, 1),),
        nils: (ZoneNeed("stays", win, 1),),
    }


@pytest.mark.parametrize("seed", range(20))
def test_too_many_games_are_bounded_and_what_is_said_is_true(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    division = draw_division(Random(seed))
    borders = Borders(up=1, staying=len(division.entries) - 1, is_first=False)
    possible = find_ranks(list_endings(division))
    exact = find_needs(division, borders, possible)
    monkeypatch.setattr(season_outlook, "MAX_ENDINGS", 0)
    highest = Fraction(1000)
    for entry, needs in find_needs(division, borders, possible).items():
        least = {need.zone: need.points for need in exact[entry]}
        for need in needs:
            assert need.zone in least and (need.points or highest) >= (least[need.zone] or highest)


def test_what_one_win_is_enough_for_is_said_to_the_player_and_a_closed_season_in_the_past() -> None:
    reach = Reach("up", "stays", (ZoneNeed("up", None, 1),))
    line: Any = SimpleNamespace(reach=reach, zone="stays", certain=False, drawn=(), player=SimpleNamespace(name="P05"))
    assert describe_reach(line, mine=True) == "You are safe and can still rise. A win is enough to rise."
    several: Any = SimpleNamespace(**{**vars(line), "reach": Reach("up", "stays", (ZoneNeed("up", None, 2),))})
    assert describe_reach(several).endswith("can still rise. Winning all remaining games is enough to rise.")
    lowest: Any = SimpleNamespace(**{**vars(line), "reach": Reach("up", "stays", anybody_falls=False)})
    assert describe_reach(lowest) == "P05 can still rise."
    assert describe_reach(lowest, mine=True) == "You can still rise."
    words = []
    for status in ("running", "closed"):
        for certain in (True, False):
            falling: Any = SimpleNamespace(zone="down", certain=certain, drawn=())
            words.append(describe_zone(falling, Season(status=status)))
    assert words == ["falls", "would fall", "fell", "would fall"]


def test_two_who_are_equal_at_a_border_are_told_that_a_lot_decides() -> None:
    """Until it is drawn, no place of the two says who falls."""
    words, sentences = [], []
    drawn_zones = ("stays", "down", "down")
    for zone in drawn_zones[:2]:
        reach, player = Reach("stays", "down"), SimpleNamespace(name="Ann")
        line: Any = SimpleNamespace(reach=reach, zone=zone, certain=False, drawn=drawn_zones, player=player)
        words.append(describe_zone(line, Season(status="running")))
        sentences.append(describe_reach(line, mine=True))
        drawn: Any = SimpleNamespace(**{**vars(line), "certain": True})
        words.append(describe_zone(drawn, Season(status="closed")))
    assert words == ["would fall: 2 of 3, by lot", "stayed", "would fall: 2 of 3, by lot", "fell"]
    assert sentences == ["You can stay or fall."] * 2
    # One rises, one stays, one falls: no zone is named.
    several: Any = SimpleNamespace(zone="up", certain=False, drawn=("up", "stays", "down"))
    assert describe_zone(several, Season(status="running")) == "equal, a lot decides"


def test_a_division_says_how_many_cross_its_borders() -> None:
    def describe(*zones: str) -> str:
        lines: Any = [SimpleNamespace(zone=zone) for zone in zones]
        return describe_quotas(lines)

    assert describe("champion", "stays", "down") == "the first is champion · 1 falls"
    assert describe("up", "up", "play_off", "stays", "play_down", "down", "down") == (
        "2 rise · 1 plays off to rise · 1 plays off to stay · 2 fall"
    )
    assert describe("up", "stays", "stays") == "1 rises · nobody falls"
    # A season of one division has no borders.
    assert describe("champion", "stays") == ""
