"""Laws of every tie-break: adding a file to the folder is enough to be tested."""

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from ratings.contract.competition import CompetitionData, EntryData, FixtureData, RoundData, build_game, build_table
from ratings.contract.parameters import ParameterError
from ratings.contract.result_table import tabulate_results
from ratings.contract.tie_break import NOT_FOR_TABLES, TieBreak, TieBreakRules
from ratings.standings.ranking import rank_standings
from ratings.standings.tie_break_codes import (
    MODIFIERS,
    DuplicateCode,
    UnknownTieBreak,
    all_tie_breaks,
    index_by_code,
    normalize_codes,
    parse_code,
    parse_codes,
)
from ratings.texts import ReaderText
from tests.helpers.tiers import examples
from tests.ratings.tie_breaks.drawn_tournaments import draw_round_robin, draw_swiss

TIE_BREAKS = list(all_tie_breaks().values())
#: Every code, and each with every modifier that it takes.
CODES = [
    code
    for tie_break in TIE_BREAKS
    for code in (tie_break.code, *(tie_break.code + MODIFIERS[letter][0] for letter in tie_break.modifiers))
]
#: The codes of the contract.
CONTRACT = [
    *("PTS", "DE", "WIN", "WON", "BPG", "BWG", "PS", "KS", "SB", "BH", "FB", "AOB", "ARO", "TPR", "PTP"),
    *(
        "APRO",
        "APPO",
        "ESB",
        "RTNG",
        "TPN",
        "HAND",
        "SCORE",
        "BEST",
        "FIRSTS",
        "SECONDS",
        "THIRDS",
        "FOURTHS",
        "FIFTHS",
        "SIXTHS",
        "SEVENTHS",
        "REP",
        "STD",
    ),
    *("MPTS", "GPTS", "MPVGP", "EMMSB", "EMGSB", "EGMSB", "EGGSB", "SSSC", "BC", "TBR", "BBE"),
    *("EDE", "EDEBT", "EDEBB", "EDET", "EDEB"),
]
EDITIONS = ("2026-03-01", "2024-08-01", "2023-07-01")

every_code = pytest.mark.parametrize("code", CODES)
every_tie_break = pytest.mark.parametrize("tie_break", TIE_BREAKS, ids=lambda tie_break: tie_break.code)


def draw(seed: int) -> CompetitionData:
    """Draw a Swiss or a round robin in which some games have scores and some entries no rating."""
    random = Random(seed)
    competition = draw_round_robin(random) if seed % 3 == 0 else draw_swiss(random)
    if seed % 2:
        entries = tuple(
            replace(entry, rating=entry.rating if random.random() < 0.9 else None) for entry in competition.entries
        )
        competition = replace(competition, entries=entries)
    return replace(
        competition,
        rounds=tuple(
            RoundData(one_round.number, tuple(with_scores(fixture, random) for fixture in one_round.fixtures))
            for one_round in competition.rounds
        ),
    )


def with_scores(fixture: FixtureData, random: Random) -> FixtureData:
    """Return a game with scores of quarters, where the winner has more."""
    if fixture.kind != "played":
        return fixture
    seats = tuple(
        seat._replace(score=Fraction(2 * (3 - seat.place), 4) + Fraction(random.randint(0, 1), 4))
        for seat in fixture.seats
    )
    return replace(fixture, seats=seats)


def draw_rules(seed: int) -> TieBreakRules:
    """Return rules that vary with the seed."""
    return TieBreakRules(regulations=EDITIONS[seed % 3], unrated=("drop", "skip_game", 1200.5)[seed // 3 % 3])


def test_every_code_of_the_contract_exists() -> None:
    assert sorted(all_tie_breaks()) == sorted(CONTRACT)


@every_tie_break
def test_a_declaration_is_complete_and_translatable(tie_break: TieBreak) -> None:
    assert tie_break.code == tie_break.code.upper()
    texts = [tie_break.title, tie_break.summary]
    texts += [text for ruling in tie_break.rulings for text in (ruling.title, ruling.text)]
    assert all(isinstance(text, ReaderText) and text for text in texts)
    assert tie_break.summary.endswith(".")
    assert tie_break.summary.count(".") == 1
    assert set(tie_break.modifiers) <= MODIFIERS.keys()
    for ruling in tie_break.rulings:
        assert not ruling.parameter or ruling.parameter in TieBreakRules.parameters()


@every_code
def test_the_parts_of_a_value_sum_exactly_to_it_and_a_missing_value_has_its_reason(code: str) -> None:
    for seed in range(examples(30)):
        standings = rank_standings(draw(seed), [code], draw_rules(seed))
        for row in standings.rows:
            found = standings.explain(row.entry)[standings.choices[-1].code]
            assert found.value == row.values[standings.choices[-1].code]
            if found.value is None:
                assert found.reason, (seed, row.entry)
            else:
                assert not found.reason
                assert sum(part.amount for part in found.parts) == found.value
                assert all(part.amount == 0 for part in found.parts if part.left_out is not None)


@every_code
def test_the_order_of_entries_and_fixtures_does_not_matter_and_the_same_input_gives_the_same_output(code: str) -> None:
    for seed in range(examples(20)):
        competition, random = draw(seed), Random(seed)
        rounds = tuple(
            RoundData(one_round.number, tuple(random.sample(one_round.fixtures, len(one_round.fixtures))))
            for one_round in competition.rounds
        )
        entries = tuple(random.sample(competition.entries, len(competition.entries)))
        shuffled = replace(competition, entries=entries, rounds=rounds)
        wanted = rank_standings(competition, [code, "SB", "DE"], draw_rules(seed)).rows
        assert rank_standings(shuffled, [code, "SB", "DE"], draw_rules(seed)).rows == wanted
        assert rank_standings(competition, [code, "SB", "DE"], draw_rules(seed)).rows == wanted


@pytest.mark.parametrize("code", [code for code in CODES if not code.startswith(("BPG", "BWG"))])
def test_colours_matter_only_to_the_games_with_black(code: str) -> None:
    for seed in range(examples(20)):
        competition = draw(seed)
        rounds = tuple(
            RoundData(
                one_round.number,
                tuple(replace(fixture, seats=fixture.seats[::-1]) for fixture in one_round.fixtures),
            )
            for one_round in competition.rounds
        )
        swapped = replace(competition, rounds=rounds)
        assert (
            rank_standings(swapped, [code], draw_rules(seed)).rows
            == rank_standings(competition, [code], draw_rules(seed)).rows
        )


@every_tie_break
def test_tables_of_three_or_more_have_a_value_or_the_reason(tie_break: TieBreak) -> None:
    entries = tuple(EntryData(number, 1500) for number in range(1, 8))
    game = build_table({1: 1, 2: 2, 3: 2, 4: 4}, {1: 120, 2: 40, 3: 40, 4: -200})
    competition = CompetitionData(entries, (RoundData(1, (game, build_game(5, 6, "win", (2, 1)))),))
    standings = rank_standings(competition, [tie_break.code])
    for row in standings.rows:
        found = standings.explain(row.entry)[tie_break.code]
        assert (found.reason == NOT_FOR_TABLES) == (not tie_break.for_tables)


def test_codes_are_parsed_in_any_case_and_with_other_names() -> None:
    choices = parse_codes(["bh/c1", " GE ", "KS/L+1", "ks/l60", "EMGSB/C2/P", "ARO/M2", "TPN/R"])
    assert [choice.code for choice in choices] == ["BH/C1", "REP", "KS/L+1", "KS/L60", "EMGSB/C2/P", "ARO/M2", "TPN/R"]
    assert [choice.options.cut_low for choice in choices] == [1, 0, 0, 0, 2, 2, 0]
    assert (choices[2].options.limit_points, choices[3].options.limit) == (Fraction(1, 2), Fraction(3, 5))
    assert (choices[5].options.cut_high, choices[6].options.reverse) == (2, True)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("XX", "There is no tie-break “XX”; the codes are: AOB, "),
        ("", "There is no tie-break “”"),
        ("BH/C", "BH does not take the modifier “/C”; it takes: /C1, /M1, /P, /F."),
        ("BH/C0", "BH does not take the modifier “/C0”"),
        ("BH/M100", "BH does not take the modifier “/M100”"),
        ("BH/", "BH does not take the modifier “/”"),
        ("BH/L50", "BH does not take the modifier “/L50”"),
        ("KS/L101", "KS does not take the modifier “/L101”; it takes: /L60."),
        ("KS/L0", "KS does not take the modifier “/L0”"),
        ("KS/L05", "KS does not take the modifier “/L05”"),
        ("KS/L+", "KS does not take the modifier “/L+”"),
        ("TPN/R1", "TPN does not take the modifier “/R1”; it takes: /R."),
        ("BH:XP", "There is no tie-break “BH:XP”"),
        ("BH:", "There is no tie-break “BH:”"),
        ("SSSC/K0", "SSSC does not take the modifier “/K0”; it takes: /P, /F, /K4."),
        ("WIN/C1", "WIN does not take the modifier “/C1”; it takes: none."),
    ],
)
def test_an_unknown_code_or_modifier_is_refused_with_what_there_is(code: str, sentence: str) -> None:
    with pytest.raises(UnknownTieBreak) as refused:
        parse_code(code)
    assert str(refused.value).startswith(sentence)


def test_of_a_list_the_known_codes_stay_as_they_are_usually_written() -> None:
    assert normalize_codes(["bh/c1", "LUCK", " SB "]) == ["BH/C1", "SB"]


def test_two_tie_breaks_with_one_code_are_a_mistake() -> None:
    one = all_tie_breaks()["BH"]
    with pytest.raises(DuplicateCode, match="Two tie-breaks have the code “BH”"):
        index_by_code([one, replace(one)])


def test_rules_are_parameters_like_those_of_systems() -> None:
    rules = TieBreakRules.from_json({"regulations": "2024-08-01", "unrated": 1400})
    assert json.loads(json.dumps(rules.to_json())) == {
        "regulations": "2024-08-01",
        "unrated": 1400,
        "perfect_score_bonus": 800,
        "ratings": "first",
    }
    with pytest.raises(ParameterError):
        TieBreakRules.from_json({"regulations": "2022-01-01"})


def test_a_competition_without_entries_or_rounds_has_standings() -> None:
    assert rank_standings(CompetitionData((), ()), ["BH", "KS"]).rows == ()
    alone = CompetitionData((EntryData(1), EntryData(2)), ())
    for code in CODES:
        assert [row.entry for row in rank_standings(alone, [code]).rows] in ([1, 2], [2, 1])
    assert tabulate_results(alone).rounds == 0
