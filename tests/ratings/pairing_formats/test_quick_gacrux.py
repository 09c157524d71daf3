"""The quick weights of edges against gacrux's own: rounds of drawn competitions are paired alike."""

import importlib
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from ratings.contract.competition import CompetitionData, RoundData
from ratings.contract.pairing_format import CannotPair, PairingProposal, PairingRequest
from ratings.pairing_formats import staged_matching, swiss
from ratings.pairing_formats.minimum_matching import EdgeList, find_minimum_matching
from ratings.pairing_formats.quick_gacrux import load_engine
from tests.helpers.tiers import mark_slow
from tests.ratings.pairing_formats.drawn_rounds import build_entries, draw_result


def load_own_engine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return gacrux's module with its own weights; only its matching is the compiled one, which has its own test."""
    module = importlib.import_module("gacrux.pairingdutch")
    monkeypatch.setattr(module, "nx", SimpleNamespace(Graph=EdgeList, min_weight_matching=find_minimum_matching))
    # Gacrux itself never ends early, and does not say who is left.
    monkeypatch.setattr(module.pairing_dutch, "ended_early", False, raising=False)
    monkeypatch.setattr(module.pairing_dutch, "find_leftover", lambda engine: [], raising=False)
    return module


def set_up(module: Any, tournament: dict[str, Any], number: int) -> Any:
    """Return what an engine knows before the first bracket: entries, edges in their order, and who can be paired."""
    engine = module.pairing_dutch(tournament, number, {"experimental": [], "verbose": 0})
    engine.checkonly, engine.optimize = False, True
    engine.crosstable = engine.get_crosstable([], False, 0)
    engine.competitors, engine.opponents = engine.crosstable.init_engine(
        tournament, number, engine.nummeets, engine.topcolor, engine.rank
    )
    engine.levels = len(engine.crosstable.levels())
    nodes, edges = engine.list_nodes(engine.competitors), engine.list_edges(engine.opponents)
    hamilton = engine.compute_hamilton(nodes, edges)
    return engine.competitors, engine.opponents, edges, hamilton, engine.pablevel


def pair_by(engine: Any, request: PairingRequest, monkeypatch: pytest.MonkeyPatch) -> PairingProposal | str:
    """Return the proposal of an engine, or why it has none."""
    monkeypatch.setattr(swiss, "load_engine", lambda: engine)
    try:
        return swiss.Swiss().pair(request)
    except CannotPair as error:
        return str(error)


@pytest.mark.parametrize("seed", mark_slow(range(60), "One rule; some are compared quickly.", but=[2, 5]))
def test_drawn_rounds_are_paired_as_by_gacruxs_own_weights(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Stages as in large brackets.
    monkeypatch.setattr(staged_matching, "SMALL", 4)
    monkeypatch.setattr(staged_matching, "STEP", 2)
    random, own = Random(seed), load_own_engine(monkeypatch)
    count, last = random.randint(5, 40), random.randint(3, 9)
    forbidden = {frozenset(random.sample(range(1, count + 1), 2)) for _ in range(random.choice([0, count // 3]))}
    rounds: list[RoundData] = []
    for number in range(1, last + 1):
        byes = {entry: "half_bye" for entry in range(1, count + 1) if random.random() < 0.05}
        request = PairingRequest(
            CompetitionData(build_entries(count), tuple(rounds), planned_rounds=last),
            number,
            frozenset({count} if random.random() < 0.3 else ()),
            byes,  # type: ignore[arg-type]  # one of the kinds
            frozenset(forbidden),
            seed,
        )
        expected = pair_by(own, request, monkeypatch)
        proposal = pair_by(load_engine(), request, monkeypatch)
        assert proposal == expected, number
        if isinstance(proposal, str):
            return

        rounds.append(RoundData(number, tuple(draw_result(random, fixture, 0.04) for fixture in proposal.fixtures)))


@pytest.mark.parametrize("seed", mark_slow(range(30), "One rule; some are compared quickly.", but=[3, 4]))
def test_the_edges_and_what_can_be_paired_are_as_in_gacrux(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random, own = Random(seed), load_own_engine(monkeypatch)
    count = random.randint(3, 30)
    forbidden = frozenset(frozenset(random.sample(range(1, count + 1), 2)) for _ in range(random.choice([0, count])))
    rounds: list[RoundData] = []
    for number in range(1, 8):
        competition = CompetitionData(build_entries(count), tuple(rounds), planned_rounds=7)
        absent = frozenset(entry for entry in range(1, count + 1) if random.random() < 0.05)
        request = PairingRequest(competition, number, absent, {}, forbidden, seed)
        numbers = list(range(count + 1))
        here, there = (
            set_up(module, swiss._build_tournament(request, "w", numbers, {}), number)
            for module in (load_engine(), own)
        )
        assert here == there
        try:
            proposal = swiss.Swiss().pair(request)
        except CannotPair:
            return
        rounds.append(RoundData(number, tuple(draw_result(random, fixture, 0.04) for fixture in proposal.fixtures)))
