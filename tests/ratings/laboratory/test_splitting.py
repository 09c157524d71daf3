"""Whether splitting games pays: drawn leagues in which it does and does not, and figures by a replay of the parts."""

from dataclasses import replace

import numpy as np
import pytest

from ratings.laboratory.experiments import Candidate, compare
from ratings.laboratory.report import LaboratoryGames
from ratings.laboratory.splitting import judge_split
from ratings.systems.elo import Elo
from ratings.systems.preferans import Preferans
from ratings.systems.serpentine import Serpentine
from tests.ratings.laboratory.games import columns, drawn_league

GAMES, PLAYERS, WARM_UP = 1200, 8, 200


def drawn(strengths: tuple[list[float], list[float]]) -> tuple[LaboratoryGames, np.ndarray]:
    """Return games of two, of two kinds in turn, by the strengths of each kind; and which are of the first."""
    chance = np.random.default_rng(5)
    pairs = np.array([chance.choice(PLAYERS, 2, replace=False) for _ in range(GAMES)])
    kind = np.arange(GAMES) % 2
    power = np.array(strengths)[kind[:, None], pairs]
    wins = chance.random(GAMES) < 1.0 / (1.0 + 10.0 ** ((power[:, 1] - power[:, 0]) / 400.0))
    scores = np.stack([wins, ~wins], axis=1).astype(float)
    games = LaboratoryGames(
        offsets=np.arange(0, 2 * GAMES + 1, 2), players=pairs.ravel(), scores=scores.ravel(),
        places=np.full(2 * GAMES, np.nan), weights=np.ones(GAMES), days=np.arange(GAMES) / 10.0,
        evenings=np.arange(GAMES) // 10, count=PLAYERS,
    )  # fmt: skip
    return games, kind == 0


RISING = [200.0 * number for number in range(PLAYERS)]
FALLING = RISING[::-1]


@pytest.mark.parametrize(
    ("strengths", "better", "words"),
    [((RISING, FALLING), "own", "better than"), ((RISING, RISING), "one", "worse than")],
)
def test_a_split_pays_where_players_are_strong_in_other_games(
    strengths: tuple[list[float], list[float]], better: str, words: str
) -> None:
    games, chosen = drawn(strengths)
    answer = judge_split(Elo(), Elo(), games, chosen, warm_up=WARM_UP)
    assert (answer.better, answer.measure) == (better, "log_loss")
    assert words in str(answer.sentence)
    assert answer.own is not None and answer.one is not None
    assert (answer.own < answer.one) == (better == "own")
    # The same figures as those of the laboratory on the chosen games alone.
    alone = LaboratoryGames(
        offsets=np.arange(0, GAMES + 1, 2),
        players=games.players.reshape(-1, 2)[chosen].ravel(),
        scores=games.scores.reshape(-1, 2)[chosen].ravel(),
        places=np.full(GAMES, np.nan),
        weights=np.ones(GAMES // 2),
        days=games.days[chosen],
        evenings=games.evenings[chosen],
        count=PLAYERS,
    )
    report = compare([Candidate("Elo", Elo())], alone, warm_up=WARM_UP // 2)
    assert report.measured[0].log_loss.value == pytest.approx(answer.own, rel=1e-12)


def test_all_games_are_no_split_and_no_games_no_answer() -> None:
    games, chosen = drawn((RISING, FALLING))
    answer = judge_split(Elo(), Elo(), games, np.ones(GAMES, dtype=bool), warm_up=WARM_UP)
    assert answer.own == answer.one and answer.better == ""
    nothing = judge_split(Elo(), Elo(), games, np.zeros(GAMES, dtype=bool), warm_up=WARM_UP)
    assert (nothing.own, nothing.better) == (None, "") and "None of these games" in str(nothing.sentence)
    few = judge_split(Elo(), Elo(), replace(games, evenings=np.zeros(GAMES, dtype=np.int64)), chosen, warm_up=WARM_UP)
    assert few.better == "" and "Not enough games" in str(few.sentence)


def test_systems_without_probabilities_are_compared_by_order() -> None:
    games = columns(drawn_league(300, seed=3, strength=120.0))
    chosen = np.arange(games.games) % 2 == 0
    answer = judge_split(Serpentine(), Serpentine(), games, chosen, warm_up=50)
    assert answer.measure == "order_accuracy" and "of pairs in the right order" in str(answer.sentence)
    # Without a decided game there is no order either.
    drawn_games = replace(games, scores=np.ones(len(games.scores)))
    nothing = judge_split(Serpentine(), Serpentine(), drawn_games, chosen, warm_up=50)
    assert (nothing.better, nothing.measure, nothing.own, nothing.one) == ("", "", None, None)
    assert "None of these games can be judged" in str(nothing.sentence)


def test_a_system_that_cannot_rate_the_games_is_refused_whichever_of_the_two_it_is() -> None:
    games = columns(drawn_league(300, seed=3))
    chosen = np.arange(games.games) % 2 == 0
    for one, own in ((Elo(), Preferans()), (Preferans(), Elo())):
        answer = judge_split(one, own, games, chosen, warm_up=50)
        assert (answer.better, answer.measure, answer.own, answer.one) == ("", "", None, None)
        assert "300 games have another number" in str(answer.sentence)
