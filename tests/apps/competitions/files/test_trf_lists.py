"""Lines 192, 202 and 212: what a report says of tie-breaks and of the kind of a tournament comes back as it was."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from gacrux.pairingdutch import pairing_dutch
from gacrux.trf2json import trf2json

from league.apps.competitions.files.trf_reading import read_trf
from ratings.contract.competition import CompetitionData, EntryData, RoundData, build_game
from ratings.contract.pairing_format import PairingRequest
from ratings.pairing_formats.round_robin import RoundRobin
from ratings.pairing_formats.swiss import Swiss
from ratings.standings.ranking import rank_standings
from ratings.standings.tie_break_codes import UnknownTieBreak, parse_code
from ratings.trf.building import build_document
from ratings.trf.competition import TrfCompetition, read_competition
from ratings.trf.document import TrfPlayer
from ratings.trf.formats import TrfFormat
from ratings.trf.writing import write_trf
from tests.apps.competitions.files.trf_texts import FIVE
from tests.ratings.pairing_formats.drawn_rounds import build_entries, list_games

#: As a competition stores it -> as FIDE's list has it.
LISTED = {
    "BH/C1": "BH/C1", "DE": "DE", "KS/L+1": "KS/L1", "KS/L2": "KS/L2", "KS/L-1": "KS/L-1", "KS/L60": "OTHER_KS/L60",
    "FIRSTS": "OTHER_FIRSTS", "BEST": "OTHER_BEST", "SCORE": "OTHER_SCORE", "PTS": "PTS", "TPN/R": "TPN/R",
}  # fmt: skip


def write(competition: TrfCompetition) -> str:
    """Return the text of a competition's report."""
    return write_trf(build_document(competition)).decode()


def build_report(data: CompetitionData, found: TrfFormat, **details: object) -> TrfCompetition:
    """Return a competition of a report whose players are named by their numbers."""
    players = tuple(TrfPlayer(entry.number, f"P{entry.number}", rating=entry.rating) for entry in data.entries)
    return TrfCompetition("Cup", data, players, found, **details)  # type: ignore[arg-type]  # members of it


@pytest.mark.parametrize("seed", range(20))
def test_drawn_lists_come_back_with_the_points_at_their_place(seed: int) -> None:
    random = Random(seed)
    codes = random.sample(list(LISTED), random.randint(1, len(LISTED)))
    base = read_competition(read_trf(FIVE.encode()))
    text = write(replace(base, tie_breaks=tuple(codes)))
    again = read_competition(read_trf(text.encode()))
    leading = codes.index("PTS") == 0 if "PTS" in codes else True
    tag, named = ("202", [code for code in codes if code != "PTS"]) if leading else ("212", codes)
    lines = [line for line in text.splitlines() if line[:3] in ("202", "212")]
    assert lines == ([f"{tag} {','.join(LISTED[code] for code in named)}"] if named else [])
    # Both lists order the entries alike.
    wanted, found = (rank_standings(base.data, list(some)).rows for some in (codes, again.tie_breaks))
    assert [(row.rank, row.entry) for row in wanted] == [(row.rank, row.entry) for row in found]


def test_points_that_are_not_first_keep_their_place() -> None:
    for text, codes in (
        ("212 WIN,PTS,BH", ("WIN", "PTS", "BH")),
        ("212 PTS,BH", ("BH",)),
        ("202 PTS,BH", ("BH",)),
        ("202 BH,SB\n212 PTS,SB", ("BH", "SB")),
    ):
        assert read_competition(read_trf(f"{text}\n{FIVE}".encode())).tie_breaks == codes


def test_anothers_own_tie_break_is_none_of_fides() -> None:
    assert parse_code("other_firsts").code == "FIRSTS"
    for code in ("OTHER_BH", "OTHER_KS/L1", "OTHER_DRAW", "OTHER_"):
        with pytest.raises(UnknownTieBreak):
            parse_code(code)


@pytest.mark.parametrize("entries", range(3, 12))
@pytest.mark.parametrize("exchange", ["yes", "no"])
def test_a_double_round_robin_says_whether_its_rounds_are_exchanged(entries: int, exchange: str) -> None:
    pairing_format = RoundRobin(turns="double", exchange=exchange)
    data = CompetitionData(build_entries(entries), (), predetermined=True)
    rounds = []
    for number in range(1, pairing_format.count_rounds(entries) + 1):
        games = [one for one in pairing_format.pair(PairingRequest(data, number)).fixtures if len(one.seats) == 2]
        rounds.append(
            RoundData(number, tuple(build_game(one.seats[0].entry, one.seats[1].entry, "win") for one in games))
        )
    exchanged = exchange == "yes" and entries % 2 == 0
    report = build_report(replace(data, rounds=tuple(rounds)), TrfFormat("round_robin", True, exchange == "yes"))
    text = write(report)
    assert ("192 FIDE_DOUBLEROUNDROBIN" in text, "192 BERGER_DOUBLEROUNDROBIN" in text) == (exchanged, not exchanged)
    # The order of the games shows it without line 192, too; of an odd number there is nothing to see.
    silent = "".join(line + "\n" for line in text.splitlines() if line[:3] != "192")
    found = read_competition(read_trf(silent.encode())).format
    assert (found.key, found.double) == ("round_robin", True)
    assert entries % 2 or found.exchanged == exchanged


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (TrfFormat("swiss"), "FIDE_DUTCH_2026"), (TrfFormat("round_robin"), "FIDE_ROUNDROBIN"),
        (TrfFormat("knockout"), "CUSTOM_KNOCKOUT"), (TrfFormat("double_knockout"), "CUSTOM_KNOCKOUT"),
        (TrfFormat("free"), ""),
    ],
)  # fmt: skip
def test_each_kind_of_tournament_is_one_of_the_list_and_comes_back(found: TrfFormat, code: str) -> None:
    text = write(build_report(CompetitionData(build_entries(4), ()), found))
    assert [line[4:] for line in text.splitlines() if line[:3] == "192"] == [code] * bool(code)
    assert read_competition(read_trf(text.encode())).format == found


@pytest.mark.parametrize("seed", range(6))
def test_decided_games_are_paired_as_the_checker_pairs_them_from_the_file(seed: int) -> None:
    """Drawn rounds with ½–0, 0–½ and 0–0 over the board: results, files and the engine mean the same points."""
    random = Random(seed)
    data = CompetitionData(tuple(EntryData(number, 2400 - number) for number in range(1, 13)), (), planned_rounds=6)
    half, zero = Fraction(1, 2), Fraction(0)
    for number in range(1, 5):
        fixtures = []
        for fixture in Swiss("white").pair(PairingRequest(data, number)).fixtures:
            white, black = (seat.entry for seat in fixture.seats)
            given = random.choice([None, None, None, (half, zero), (zero, half), (zero, zero)])
            game = build_game(white, black, random.choice(["win", "draw", "loss"]) if given is None else "draw")
            seats = zip(game.seats, given or (None, None), strict=True)
            fixtures.append(replace(game, seats=tuple(seat._replace(points=points) for seat, points in seats)))
        data = replace(data, rounds=(*data.rounds, RoundData(number, tuple(fixtures))))
    text = write(build_report(data, TrfFormat("swiss"), first_colour="white"))
    reader = trf2json()
    reader.parse_file(text, False)
    tournament = reader.get_tournament(1)
    for competitor in tournament["competitors"]:
        competitor["present"] = True
    engine = pairing_dutch(tournament, 5, {"experimental": [], "verbose": 0})
    pairs = [pair for bracket in engine.compute_pairing(False) for pair in bracket["pairs"]]
    theirs = sorted((pair["w"], pair["b"]) for pair in pairs)
    assert list_games(Swiss("white").pair(PairingRequest(data, 5))) == theirs
