"""Byes that are confirmed, entries that are expelled or played too little, lots, and adjourned games."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from league.apps.competitions.models import Competition, Entry
from league.apps.competitions.organiser.next_step import find_current_round, find_next_step
from league.apps.competitions.selectors.exporting import export_report
from league.apps.competitions.selectors.standings import compute_standings
from league.apps.competitions.selectors.summaries import find_current_rounds
from league.apps.competitions.services.competitions import change_competition, finish_competition
from league.apps.competitions.services.entries import NewEntry, add_entries, change_entry, withdraw_entry
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.regulations import ConfirmationNeeded
from league.apps.competitions.services.results import record_result
from league.apps.competitions.services.rounds import make_all_rounds, make_round, publish_round
from league.core.errors import Invalid, Refused
from league.core.games.services.record import record_game
from league.core.locking import run_with_league_lock
from league.core.verify.run import verify_league
from league.models import League
from ratings.standings.left_out import draw_lots
from ratings.standings.ranking import rank_standings
from tests.helpers.api_client import Api
from tests.helpers.builders import FOUR, make_league, sheet
from tests.helpers.desk_client import form_fields, page_text, sign_in_member
from tests.helpers.running_competitions import loaded_cup, run_competition, scores
from tests.helpers.shared import built_once
from tests.helpers.tiers import long_way
from tests.ratings.tie_breaks.drawn_tournaments import draw_round_robin

HALF, FULL, ZERO = ({"kind": kind} for kind in ("half_bye", "full_bye", "zero_bye"))
CUP = "leagues/club/competitions/cup/"
DESK = "/admin/leagues/club/competitions/cup/"


def build_clubs() -> None:
    """Start a Swiss system in one league and a round robin in another, both of four and under the regulations."""
    league = make_league(players=FOUR, game="Chess")
    run_competition(league, FOUR, rounds=3, regulations=True, parameters={"first_colour": "white"})
    league = make_league(players=FOUR, slug="round", game="Chess")
    cup = run_competition(league, FOUR, "round_robin", rounds=3, regulations=True)
    run_with_league_lock(league.pk, lambda league, now: make_all_rounds(league, now, cup, "olga"))


built = built_once(build_clubs)
pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def find(slug: str = "club") -> League:
    return League.objects.get(slug=slug)


def give(*byes: tuple[int, Mapping[str, str]], confirmed: tuple[str, ...] = ()) -> Entry:
    given = [{"round": number, **bye} for number, bye in byes]
    return change_entry(find().pk, "cup", 1, {"byes": given}, by="olga", confirmed=confirmed)


def warned(error: pytest.ExceptionInfo[ConfirmationNeeded]) -> list[tuple[str, int]]:
    return [(one.code, one.level) for one in error.value.warnings]


def test_a_second_half_point_bye_and_each_full_point_bye_are_confirmed() -> None:
    give((1, HALF))
    for byes, wanted in (
        ([(1, HALF), (2, HALF)], [("second_half_bye", 3)]),
        ([(1, HALF), (2, FULL)], [("full_bye", 2)]),
    ):
        with pytest.raises(ConfirmationNeeded) as needed:
            give(*byes)
        assert warned(needed) == wanted
    assert Entry.objects.get(number=1, league=find()).byes == [{"round": 1, **HALF}]
    give((1, HALF), (2, HALF), (3, FULL), confirmed=("second_half_bye", "full_bye"))
    # What it has is not asked for again.
    give((1, HALF), (2, ZERO), (3, FULL))
    late = NewEntry(["nina"], byes=[{"round": 2, **FULL}])
    with pytest.raises(ConfirmationNeeded):
        add_entries(find().pk, "cup", [late], by="olga", create_players=True)
    Competition.objects.update(regulations=False)
    give((1, HALF), (2, HALF), (3, HALF))


def test_an_entry_that_may_have_no_bye_with_points_gets_none() -> None:
    api = Api("organise")
    assert api.patch(f"{CUP}entries/1/", {"no_byes": True}).json()["no_byes"] is True
    for bye in (HALF, FULL):
        with pytest.raises(Invalid) as invalid:
            give((2, bye), confirmed=("full_bye",))
        assert [(one.pointer, one.code) for one in invalid.value.problems] == [("/byes/0/kind", "no_points")]
    assert give((2, ZERO)).byes == [{"round": 2, **ZERO}]
    answer = api.patch(f"{CUP}entries/2/", {"no_byes": True, "byes": [{"round": 2, "kind": "half_bye"}]})
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "no_points")
    assert api.patch(f"{CUP}entries/1/", {"no_byes": 1}).status_code == 400


def test_the_desk_confirms_a_bye_and_marks_an_entry() -> None:
    browser = sign_in_member("olga", "arbiter", find())
    fields = form_fields(browser.get(f"{DESK}entries/1/").context["form"], new_bye="2 full_bye", no_byes="")
    assert "deprecated" in page_text(browser.post(f"{DESK}entries/1/", fields))
    assert browser.post(f"{DESK}entries/1/", {**fields, "confirm": "full_bye"}).status_code == 302
    assert Entry.objects.get(number=1, league=find()).byes == [{"round": 2, **FULL}]


def test_an_expelled_entry_withdraws_and_is_left_out_of_the_ranks() -> None:
    league = find()
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    for number in (1, 2):
        record_result(league.pk, number, scores(1, 0), by="olga")
    before = {row.entry: row for row in compute_standings(loaded_cup(league)).rows}
    answer = Api("organise").patch(f"{CUP}entries/1/", {"expelled": True}).json()
    assert (answer["status"], answer["withdrawn_after"], answer["expelled"]) == ("withdrawn", 1, True)
    rows = Api().get(f"{CUP}standings/").json()["results"]
    assert [(row["rank"], row["entry"]["number"], row["points"], row["left_out"]) for row in rows] == [
        (1, 4, 1.0, None), (2, 2, 0.0, None), (2, 3, 0.0, None), (4, 1, 1.0, "expelled"),
    ]  # fmt: skip
    assert before[1].rank == 1
    page = Api().client.get("/leagues/club/competitions/cup/")
    assert "expelled" in page_text(page)
    report = export_report(loaded_cup(league)).decode().splitlines()
    ranks = [line[84:89].strip() for line in report if line.startswith("001")]
    assert ranks == ["", "2", "2", "1"]
    assert verify_league(league.pk).state == "is right"


def play_round_robin(league: League, *, without: int) -> None:
    """Let White win all games but those of an entry after its first."""
    played = 0
    for fixture in loaded_cup(league).fixtures:
        if without in fixture.entries:
            played += 1
            if played > 1:
                continue
        record_result(league.pk, fixture.number, scores(1, 0), by="olga")


def test_games_of_who_leaves_a_round_robin_before_half_of_them_do_not_count() -> None:
    league = find("round")
    play_round_robin(league, without=4)
    (opponent,) = [
        next(entry for entry in one.entries if entry != 4)
        for one in loaded_cup(league).fixtures if 4 in one.entries and one.status == "played"
    ]  # fmt: skip
    with_all = {row.entry: row.points for row in compute_standings(loaded_cup(league)).rows}
    withdraw_entry(league.pk, "cup", 4, by="olga")
    rows = compute_standings(loaded_cup(league)).rows
    assert [(row.entry, row.left_out) for row in rows][-1] == (4, "few_games")
    # Two games of each of the others are left, and nobody has a point of those with 4.
    assert sum(row.points for row in rows[:-1]) == 3
    assert {row.rank for row in rows[:-1]} <= {1, 2, 3}
    assert with_all[opponent] - {row.entry: row.points for row in rows}[opponent] in (0, 1)
    Competition.objects.update(regulations=False)
    assert not any(row.left_out for row in compute_standings(loaded_cup(league)).rows)


def test_who_played_half_of_the_games_stays_in_the_ranks() -> None:
    league = find("round")
    for fixture in [one for one in loaded_cup(league).fixtures if 4 in one.entries][:2]:
        record_result(league.pk, fixture.number, scores(1, 0), by="olga")
    withdraw_entry(league.pk, "cup", 4, by="olga")
    assert not any(row.left_out for row in compute_standings(loaded_cup(league)).rows)


def test_lots_separate_all_ties_and_a_second_draw_gives_the_same() -> None:
    random = Random(5)
    orders = set()
    for _time in range(20):
        standings = rank_standings(draw_round_robin(random), ["WIN"])
        first, again = (draw_lots(standings, 7).rows for _draw in range(2))
        assert first == again
        assert [row.rank for row in first] == list(range(1, len(first) + 1))
        ranks = {row.entry: row.rank for row in standings.rows}
        assert [ranks[row.entry] for row in first] == sorted(ranks.values())
        orders.add(tuple(row.entry for row in draw_lots(standings, 8).rows) == tuple(row.entry for row in first))
    assert orders == {True, False}


def test_lots_can_be_drawn_at_the_end_and_the_seed_is_shown_then() -> None:
    league = find("round")
    for fixture in loaded_cup(league).fixtures:
        record_result(league.pk, fixture.number, scores(0.5, 0.5), by="olga")
    assert {row.rank for row in compute_standings(loaded_cup(league)).rows} == {1}
    change_competition(league.pk, "cup", {"lots": True}, by="olga")
    rows = compute_standings(loaded_cup(league)).rows
    assert [(row.rank, row.decided_by) for row in rows] == [(1, "LOT"), (2, "LOT"), (3, "LOT"), (4, "")]
    rules = "/leagues/round/competitions/cup/rules/"
    assert "from the seed 7" not in page_text(Api().client.get(rules))
    finish_competition(league.pk, "cup", by="olga")
    assert "from the seed 7" in page_text(Api().client.get(rules))
    with pytest.raises(Refused):
        change_competition(league.pk, "cup", {"lots": False}, by="olga")


def test_those_who_are_tied_are_ranked_by_what_the_arbiter_typed() -> None:
    browser = sign_in_member("olga", "arbiter", find())
    assert "by_hand" not in browser.get(f"{DESK}entries/3/").context["form"].fields
    league = make_league(players=FOUR, slug="typed", game="Chess")
    found = run_competition(league, FOUR, "round_robin", rounds=3, regulations=True, tie_breaks=["HAND"])
    run_with_league_lock(league.pk, lambda league, now: make_all_rounds(league, now, found, "olga"))
    for fixture in loaded_cup(league).fixtures:
        record_result(league.pk, fixture.number, scores(0.5, 0.5), by="olga")
    browser, desk = sign_in_member("vera", "arbiter", league), "/admin/leagues/typed/competitions/cup/"
    api, cup = Api("organise"), "leagues/typed/competitions/cup/"
    assert api.patch(f"{cup}entries/2/", {"by_hand": "12.5"}).json()["by_hand"] == "12.5"
    fields = form_fields(browser.get(f"{desk}entries/3/").context["form"], by_hand="13,25")
    assert browser.post(f"{desk}entries/3/", fields).status_code == 302
    for wrong in ("first", "1/2", "1e3", "٣", "-"):
        answer = api.patch(f"{cup}entries/1/", {"by_hand": wrong})
        assert (answer.status_code, [(one["pointer"], one["code"]) for one in answer.json()["errors"]]) == (
            400, [("/by_hand", "invalid")],
        )  # fmt: skip
    ranks = [(row.entry, row.rank) for row in compute_standings(loaded_cup(league)).rows]
    assert ranks == [(3, 1), (2, 2), (1, 3), (4, 3)]
    api.patch(f"{cup}entries/4/", {"by_hand": "-3"})
    reverse = compute_standings(loaded_cup(league), tie_breaks=["HAND/R"]).rows
    assert [row.entry for row in reverse] == [4, 2, 3, 1]
    assert "OTHER_HAND" in export_report(loaded_cup(league)).decode()
    assert verify_league(league.pk).state == "is right"


def test_a_round_of_chess960_begins_from_one_position_everywhere() -> None:
    league = make_league(players=FOUR, slug="random", game="Chess")
    run_competition(league, FOUR, rounds=3, regulations=True, chess960=True)
    publish_round(league.pk, "cup", make_round(league.pk, "cup", by="olga").number, by="olga")
    shown = Api().get("leagues/random/competitions/cup/rounds/1/").json()["start_position"]
    # SHA-256 of “7:start position:1” by sha256sum, modulo 960 by awk; the pieces of 900 by hand: bishops on b and c, …
    assert shown == {"number": 900, "pieces": "RBBKQRNN"}
    sentence = f"Chess960: games begin from position {shown['number']}, {shown['pieces']} from a to h."
    browser = sign_in_member("olga", "arbiter", league)
    desk = "/admin/leagues/random/competitions/cup/"
    for page in ("/leagues/random/competitions/cup/rounds/1/", desk, f"{desk}print/pairings/"):
        assert sentence in page_text(browser.get(page))
    assert Api().get("leagues/club/competitions/cup/").json()["chess960"] is False
    answer = Api("organise").patch("leagues/random/competitions/cup/", {"chess960": False})
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/chess960")
    assert verify_league(league.pk).state == "is right"


def test_a_document_for_arbiters_keeps_what_was_drawn_by_lot() -> None:
    league = make_league(players=FOUR, slug="random", game="Chess")
    run_competition(league, FOUR, rounds=3, chess960=True, lots=True)
    publish_round(league.pk, "cup", make_round(league.pk, "cup", by="olga").number, by="olga")
    cup, api = "leagues/random/competitions/cup/", Api("organise")
    document = api.get(f"{cup}export/?format=json").json()
    assert document["competition"]["seed"] == 7
    assert "seed" not in Api().get(f"{cup}export/?format=json").json()["competition"]
    document["competition"] |= {"title": "Copy"}
    copy = api.post("leagues/random/competitions/import/", document).json()["slug"]
    shown = api.get(f"leagues/random/competitions/{copy}/rounds/1/").json()["start_position"]
    assert shown == {"number": 900, "pieces": "RBBKQRNN"}
    for seed in (-1, 1 << 53, "7", True):
        document["competition"] |= {"title": "Other", "seed": seed}
        answer = api.post("leagues/random/competitions/import/", document)
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/competition/seed")
    assert verify_league(league.pk).state == "is right"


@pytest.mark.parametrize("typed", ["abc", "1e9", "٣", "1/0", "-", "9" * 21])
def test_a_document_with_a_value_by_hand_that_is_no_number_is_refused(typed: str) -> None:
    league = make_league(players=FOUR, slug="typed")
    run_competition(league, FOUR, rounds=3, tie_breaks=["HAND"])
    api = Api("organise")
    document = api.get("leagues/typed/competitions/cup/export/?format=json").json()
    document["competition"] |= {"title": "Copy"}
    document["entries"][1]["by_hand"] = typed
    answer = api.post("leagues/typed/competitions/import/", document)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (400, "/entries/1/by_hand")


def adjourn_first() -> Any:
    """Adjourn a game of round 1, end the other one, and make the next rounds; returns the fixture."""
    league = find()
    make_round(league.pk, "cup", by="olga")
    publish_round(league.pk, "cup", 1, by="olga")
    first, second = loaded_cup(league).list_fixtures(1)
    change_fixture(league.pk, first.number, {"adjourned": True}, by="olga")
    record_result(league.pk, second.number, scores(1, 0), by="olga")
    return first


def test_there_is_no_report_while_a_game_is_adjourned() -> None:
    first = adjourn_first()
    with pytest.raises(Refused) as refused:
        export_report(loaded_cup(find()))
    assert [(one.pointer, one.code) for one in refused.value.problems] == [
        (f"/fixtures/{first.number}", "adjourned_game")
    ]
    record_result(find().pk, first.number, scores(0.5, 0.5), by="olga")
    assert b"### Adjournment @ Round 1: " in export_report(loaded_cup(find()))


def test_an_adjourned_game_that_is_no_draw_is_confirmed_wherever_it_is_entered() -> None:
    first = adjourn_first()
    address = f"{CUP}fixtures/{first.number}/result/"
    api = Api("organise")
    won = {"results": [{"score": 1}, {"score": 0}]}
    answer = api.post(address, won)
    assert (answer.status_code, [one["code"] for one in answer.json()["errors"]]) == (409, ["no_draw"])
    names = tuple(FOUR[entry - 1] for entry in first.entries)
    with pytest.raises(ConfirmationNeeded):
        record_game(find().pk, sheet(names, (1, 0)), by="pad")
    browser = sign_in_member("olga", "arbiter", find())
    page = browser.post(f"{DESK}fixtures/{first.number}/", {"quick": "1-0"})
    assert "as if it were a draw" in page_text(page)
    assert api.post(address, {**won, "confirm": ["no_draw"]}).status_code == 201
    assert loaded_cup(find()).list_fixtures(1)[0].status == "played"


def test_an_older_adjourned_game_is_named_before_the_next_round_is_paired() -> None:
    adjourn_first()
    api = Api("organise")
    assert api.post(f"{CUP}rounds/", {}).status_code == 201
    publish_round(find().pk, "cup", 2, by="olga")
    for fixture in loaded_cup(find()).list_fixtures(2):
        record_result(find().pk, fixture.number, scores(1, 0), by="olga")
    answer = api.post(f"{CUP}rounds/", {})
    assert (answer.status_code, answer.json()["level"]) == (409, 2)
    assert api.post(f"{CUP}rounds/", {"confirm": ["older_adjourned"]}).status_code == 201


@long_way
def test_the_next_step_is_the_next_round_while_a_game_is_adjourned() -> None:
    first, api = adjourn_first(), Api("organise")
    loaded = loaded_cup(find())
    step = find_next_step(loaded)
    assert (step.action, step.number, step.sentence) == (
        "pair", 2, "1 game is adjourned, and a draw for the pairing."
    )  # fmt: skip
    for number in (2, 3):
        assert api.post(f"{CUP}rounds/", {"confirm": ["older_adjourned"]}).status_code == 201
        publish_round(find().pk, "cup", number, by="olga")
        loaded = loaded_cup(find())
        assert (find_next_step(loaded).action, find_current_round(loaded)) == ("", number)
        shown: Any = find_current_rounds(Competition.objects.filter(slug="cup", league=find())).get()
        assert shown.current_round == number
        for fixture in loaded.list_fixtures(number):
            record_result(find().pk, fixture.number, scores(1, 0), by="olga")
    # No round is to come: the adjourned game is what is missing.
    loaded = loaded_cup(find())
    assert (find_next_step(loaded).action, find_current_round(loaded)) == ("", first.round)
    record_result(find().pk, first.number, scores(0.5, 0.5), by="olga")
    assert find_next_step(loaded_cup(find())).action == "finish"
