"""Hints for norms: the bounds of FIDE's annex 1.7 for 9 games, and each condition by itself."""

from random import Random

import pytest

from ratings.fide.title_norms import (
    NORM_RULES,
    NormEvent,
    NormGame,
    NormHint,
    NormPlayer,
    find_norm,
    is_open_event,
    list_counted_ratings,
    list_norms,
)
from tests.helpers.tiers import examples

GM, IM, WGM, WIM = NORM_RULES
SWISS = NormEvent(9)
#: Annex 1.7, 9 games: half points -> the lowest average for a norm of a GM and of an IM.
ANNEX = {
    14: (2380, 2230), 13: (2434, 2284), 12: (2475, 2325), 11: (2520, 2370), 10: (2557, 2407), 9: (2600, 2450),
    8: (2643, 2493), 7: (2680, 2530),
}  # fmt: skip


def meet(average: int, half_points: int, *, count: int = 9, title: str = "GM") -> list[NormGame]:
    """Return games against equal titled opponents of three federations, the points first."""
    games = []
    for at in range(count):
        points = max(0, min(2, half_points - 2 * at))
        games.append(NormGame(at + 2, average, title, ("GER", "POL", "SRB")[at % 3], points))
    return games


def missing(hint: NormHint) -> list[str]:
    """Return the names of the conditions that do not hold."""
    return [part.name for part in hint.missing]


@pytest.mark.parametrize("half_points", ANNEX)
def test_bounds_of_the_annex(half_points: int) -> None:
    for rule, average in zip((GM, IM), ANNEX[half_points], strict=True):
        assert missing(find_norm(rule, "AUT", meet(average, half_points), SWISS)) == []
        below = missing(find_norm(rule, "AUT", meet(average - 1, half_points), SWISS))
        assert below == (["performance"] if half_points < 14 else ["performance", "average"])


def test_three_points_of_nine_are_too_few_whoever_the_opponents_are() -> None:
    # 33 % of 9 games; 35 % are 3.15, so 3½.
    hint = find_norm(WIM, "AUT", meet(2700, 6), SWISS)
    assert missing(hint) == ["score"]
    assert [(part.found, part.bound) for part in hint.missing] == [(6, 7)]


def test_the_lowest_opponent_alone_is_raised_to_the_floor() -> None:
    games = meet(2500, 12)
    # (7 x 2500 + 2200 + 1400) / 9 = 2344.4; the second unrated one stays at 1400.
    games[3] = games[3]._replace(rating=None)
    games[4] = games[4]._replace(rating=1400)
    parts = {part.name: part.found for part in find_norm(GM, "AUT", games, SWISS).parts}
    assert (parts["average"], parts["performance"]) == (2344, 2344 + 125)
    # (8 x 2500 + 2200) / 9 = 2466.7.
    games[4] = games[4]._replace(rating=2500)
    assert {part.name: part.found for part in find_norm(GM, "AUT", games, SWISS).parts}["average"] == 2467


def test_titles_of_the_opponents() -> None:
    # 9 games: 5 titled, 3 of them as high; CM and WCM are none.
    titles = ["GM", "GM", "GM", "FM", "WFM", "CM", "WCM", "", ""]
    games = [game._replace(title=title) for game, title in zip(meet(2500, 14), titles, strict=True)]
    assert missing(find_norm(GM, "AUT", games, SWISS)) == []
    games[0] = games[0]._replace(title="IM")
    assert missing(find_norm(GM, "AUT", games, SWISS)) == ["high_titles"]
    assert missing(find_norm(IM, "AUT", games, SWISS)) == []
    games[0] = games[0]._replace(title="CM")
    assert missing(find_norm(GM, "AUT", games, SWISS)) == ["titled", "high_titles"]


def test_federations_of_the_opponents() -> None:
    def judge(*federations: str, own: str = "AUT") -> list[str]:
        games = [
            game._replace(federation=federation) for game, federation in zip(meet(2500, 14), federations, strict=True)
        ]
        return missing(find_norm(GM, own, games, SWISS))

    # Of 9: at most 5 of the own, at most 6 of one.
    assert judge(*["AUT"] * 5, *["GER"] * 3, "POL") == []
    assert judge(*["AUT"] * 6, *["GER"] * 2, "POL") == ["own_federation"]
    assert judge(*["GER"] * 6, *["AUT"] * 2, "POL") == []
    assert judge(*["GER"] * 7, "AUT", "POL") == ["one_federation"]
    # FID and no federation are none.
    assert judge(*["FID"] * 7, "GER", "POL") == []
    assert judge(*["AUT"] * 4, *["FID"] * 3, "", "GER") == ["federations"]
    assert judge(*["GER"] * 4, *["POL"] * 5, own="") == ["federations"]


def test_a_norm_needs_nine_games_or_eight_of_nine_rounds_with_one_that_could_not_be_played() -> None:
    games = meet(2500, 14, count=8)
    assert missing(find_norm(GM, "AUT", games, SWISS)) == ["games"]
    assert missing(find_norm(GM, "AUT", games, SWISS, was_unopposed=True)) == []
    assert missing(find_norm(GM, "AUT", games, NormEvent(11), was_unopposed=True)) == ["games"]


def test_later_games_of_a_swiss_may_be_ignored() -> None:
    games = [*meet(2400, 15), NormGame(20, 2400, "GM", "GER", 0), NormGame(21, 2400, "GM", "GER", 0)]
    # 7½ of 9 are 83 %, +273; of 11 they are 68 %, +133.
    hint = find_norm(GM, "AUT", games, NormEvent(11))
    assert (hint.games, hint.is_met) == (9, True)
    assert missing(find_norm(GM, "AUT", games, NormEvent(11, is_predetermined=True))) == ["performance"]


def test_a_double_round_robin_counts_each_opponent_once() -> None:
    event = NormEvent(10, is_predetermined=True, is_double=True, players=6)
    single = [
        NormGame(at, 2500, "GM" if at < 5 else "FM", "GER" if at < 4 else "POL", 2 if at < 5 else 1)
        for at in range(2, 7)
    ]
    games = [*single, *single]
    # 3 of 5 are grandmasters; 3 of the 5 of one federation are as many as allowed.
    assert missing(find_norm(GM, "AUT", games, event)) == []
    two = [game._replace(title="IM") if game.opponent == 2 else game for game in games]
    assert missing(find_norm(GM, "AUT", two, event)) == ["high_titles"]
    assert missing(find_norm(GM, "AUT", games, event._replace(players=5))) == ["players"]


def test_who_may_still_make_which_norm() -> None:
    assert [rule.title for rule in list_norms("", is_woman=False)] == ["GM", "IM"]
    assert [rule.title for rule in list_norms("WIM", is_woman=True)] == ["GM", "IM", "WGM"]
    assert [rule.title for rule in list_norms("IM", is_woman=True)] == ["GM", "WGM"]
    assert list_norms("GM", is_woman=True) == []


def test_a_hint_is_told_when_the_norm_is_close() -> None:
    # 1½ of 3 against 2500 is 2500, 100 below a grandmaster's 2600.
    assert find_norm(GM, "AUT", meet(2500, 3, count=3), SWISS).is_within_reach
    assert not find_norm(GM, "AUT", meet(2499, 3, count=3), SWISS).is_within_reach
    # 2 of 2: too few games. 3 of 3 against a club's players: (2200 + 2 x 1700) / 3 = 1867 is far below 2380.
    assert not find_norm(GM, "AUT", meet(2600, 4, count=2), SWISS).is_within_reach
    assert not find_norm(GM, "AUT", meet(1700, 6, count=3), SWISS).is_within_reach
    # ½ of 3 is 17 %.
    assert not find_norm(GM, "AUT", meet(2900, 1, count=3), SWISS).is_within_reach


def test_more_points_never_take_a_norm_away() -> None:
    random = Random(54)
    for _ in range(examples(200)):
        games = [
            NormGame(
                at,
                random.randint(1900, 2700),
                random.choice(("GM", "IM", "FM", "")),
                random.choice(("AUT", "GER", "POL")),
                random.randint(0, 2),
            )
            for at in range(random.randint(1, 11))
        ]
        rule = random.choice(NORM_RULES)
        event = NormEvent(9, is_predetermined=random.random() < 0.5)
        at = random.randrange(len(games))
        better = [*games[:at], games[at]._replace(half_points=2), *games[at + 1 :]]
        before, after = (find_norm(rule, "AUT", some, event) for some in (games, better))
        assert after.is_met or not before.is_met


def test_points_to_spare_count_as_games() -> None:
    # Annex 1.7, 9 games: against 2475 a grandmaster's norm takes 6 of 9; 7½ are 1½ more, 8 are 2.
    assert [find_norm(GM, "AUT", meet(2475, points), SWISS).spare_points for points in (11, 12, 13, 14, 15, 16)] == [
        0, 0, 0, 1, 1, 2,
    ]  # fmt: skip
    assert find_norm(GM, "AUT", meet(2475, 16), SWISS).counts_as == 11
    assert find_norm(GM, "AUT", meet(2475, 11), SWISS).counts_as == 0
    # 8 games of 9 rounds count as 9; 15 games of a long event as 13.
    assert find_norm(GM, "AUT", meet(2600, 8, count=8), SWISS, was_unopposed=True).counts_as == 9
    long = find_norm(GM, "AUT", meet(2600, 15, count=15), NormEvent(15, is_predetermined=True))
    assert (long.games, long.counts_as) == (15, 13)
    # All 11 games are a norm, too, and count as more than the first nine.
    assert find_norm(GM, "AUT", meet(2700, 12, count=11), NormEvent(11)).counts_as >= 11


def test_a_large_swiss_with_players_from_elsewhere_asks_nothing_of_federations() -> None:
    guests = [NormPlayer(True, "IM" if at < 10 else "", ("GER", "POL", "SRB")[at % 3], at % 2) for at in range(20)]
    assert is_open_event("AUT", guests)
    assert not is_open_event("", guests)
    assert not is_open_event("GER", guests)
    assert not is_open_event("AUT", guests[1:])
    for change in ({"is_rated": False}, {"missed": 2}, {"federation": "FID"}, {"federation": "AUT"}, {"title": "FM"}):
        assert not is_open_event("AUT", [guests[0]._replace(**change), *guests[1:]]), change
    assert not is_open_event("AUT", [one._replace(federation="GER") for one in guests])
    games = [game._replace(federation="AUT") for game in meet(2500, 14)]
    assert missing(find_norm(GM, "AUT", games, SWISS)) == ["federations", "own_federation", "one_federation"]
    assert missing(find_norm(GM, "AUT", games, NormEvent(9, is_open=True))) == []


def test_ratings_as_they_count() -> None:
    games = [
        game._replace(rating=rating) for game, rating in zip(meet(2500, 6, count=3), (None, 2100, 2500), strict=True)
    ]
    assert list_counted_ratings(GM, games) == [2200, 2100, 2500]
    assert list_counted_ratings(WIM, games) == [1850, 2100, 2500]
