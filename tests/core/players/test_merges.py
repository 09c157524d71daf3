"""Two players who are one person: merged, told apart again, refused where they cannot be one; who may know of it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from league.core.dispatch import sweep
from league.core.dry_runs.services.run import preview_merge, preview_unmerge
from league.core.errors import Busy, Conflict, Forbidden, Invalid, NotFound, Refused
from league.core.games.services.record import correct_game, void_game
from league.core.jobs.services.progress import ignore_progress
from league.core.ladders.services.decisions import carry_period
from league.core.locking import run_with_league_locks
from league.core.players.selectors.resolve import find_one, find_player
from league.core.players.selectors.search import find_all_players, load_offered_players
from league.core.players.services import affected_leagues
from league.core.players.services.affected_leagues import LeaguesChanged, locked_leagues
from league.core.players.services.merges import (
    find_stray_leagues,
    merge_players,
    reassign_strays,
    refuse_together,
    unmerge_player,
)
from league.core.players.services.players import add_player, change_player, set_active, set_initial_rating
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import Alias, InitialRating, League, Merge, Player, Result
from tests.helpers.api_client import Api
from tests.helpers.builders import derived, make_league, player_of, ratings, record, sheet
from tests.helpers.ladder_builders import (
    close,
    duel,
    facts,
    make_ladder,
    ranking,
    refusal,
    standings,
    state,
    tables,
    utc,
)
from tests.helpers.log_reading import last_entry, log_kinds
from tests.helpers.people_builders import desk, session, two_leagues
from tests.helpers.plans import scanned_tables
from tests.helpers.restore_builders import export_of, lines_file
from tests.helpers.tiers import long_way

pytestmark = pytest.mark.django_db

#: Tables that a merge and its being taken back leave as they were, to the byte; the derived ones have new keys.
FACTS = ("Player", "Alias", "InitialRating", "Game", "Result", "Rule", "Ladder", "LadderRule", "Edition")


def merge(handle: str, into: str) -> Merge:
    """Merge as an organiser would."""
    return merge_players(player_of(handle), player_of(into), username="olga")


def test_two_leagues_are_replayed_and_the_survivor_has_all_games() -> None:
    elo, other = make_league(parameters={"k": 20}), make_league("preferans", slug="tables")
    record(elo, duel("anna", "cleo", "2024-03-05"))
    record(elo, duel("ben", "cleo", "2024-03-06"))
    record(other, sheet(("anna", "cleo", "dan"), (10, -30, 20), details={"bula": 30}))
    assert ratings(elo).keys() == {"anna", "ben", "cleo"}
    done = merge("anna", "ben")
    # Elo, K 20: 1500 beats 1500: +10; then 1510 beats 1490 with 1/(1+10^(-20/400)) = 0.528751… expected.
    assert ratings(elo) == pytest.approx({"ben": 1519.4249787, "cleo": 1480.5750213})
    assert ratings(other).keys() == {"ben", "cleo", "dan"}
    assert (done.player.handle, done.into.handle, done.by, done.undone_at) == ("anna", "ben", "olga", None)
    assert (
        list(Result.objects.filter(recorded_as=player_of("anna")).values_list("player__handle", flat=True))
        == ["ben"] * 2
    )
    assert verify_league(elo.pk).differences == verify_league(other.pk).differences == []


@long_way
def test_unmerging_brings_everything_back_bit_for_bit_and_closed_periods_ask_and_agree_again() -> None:
    league = make_league(starts={"anna": 1300}, parameters={"k": 20})
    make_ladder(league)
    record(league, duel("anna", "cleo", "2024-03-05"))
    record(league, duel("ben", "cleo", "2024-03-06"))
    close(league, "2024-03")
    before, books, ranks = facts(*FACTS), derived(league), standings(league)
    merge("anna", "ben")
    assert derived(league) != books
    assert InitialRating.objects.get().player == player_of("ben")
    assert state(league, "2024-03") == (True, True)
    assert ranking(league, "2024-03")[0] == (1, "ben", 2.0)
    undone = unmerge_player(player_of("anna"), username="olga")
    assert (facts(*FACTS), derived(league), standings(league)) == (before, books, ranks)
    assert (undone.undone_by, undone.undone_at is None) == ("olga", False)
    assert state(league, "2024-03") == (True, False)
    merge("anna", "ben")
    carry_period(league.pk, "month", "2024-03", username="olga")
    assert state(league, "2024-03") == (True, False)
    unmerge_player(player_of("anna"), username="olga")
    assert state(league, "2024-03") == (True, False)


def test_a_start_goes_over_without_a_game_too_and_may_be_set_by_the_old_handle() -> None:
    league = make_league(starts={"anna": 1300})
    merge("anna", "ben")
    assert list(league.initial_ratings.values_list("player__handle", "rating")) == [("ben", 1300.0)]
    assert [(one.slug, diff.ratings) for one, diff in preview_unmerge(player_of("anna"))] == [("club", [])]
    set_initial_rating(league.pk, find_player("anna"), 1234)
    assert list(league.initial_ratings.values_list("player__handle", "rating")) == [("ben", 1234.0)]
    assert Alias.objects.get(key="anna").recorded_as == player_of("anna")


def test_the_old_spellings_lead_to_the_survivor_and_come_back() -> None:
    make_league()
    change_player(player_of("anna"), aliases=["Anna Maria"])
    merge("anna", "ben")
    assert [find_player(text).handle for text in ("anna", "ANNA maria", "ben")] == ["ben"] * 3
    assert find_one("anna maria").original.handle == "anna"
    assert "anna" not in find_all_players().values_list("handle", flat=True)
    assert "anna" not in dict(load_offered_players(League.objects.get()))
    assert [find_player(text).handle for text in ("Anna", "Ben")] == ["ben", "ben"]
    # The survivor's own aliases may be replaced; those that came with the merge stay.
    change_player(player_of("ben"), aliases=["Benny", "anna maria"])
    assert sorted(player_of("ben").aliases.values_list("key", flat=True)) == ["anna", "anna maria", "ben", "benny"]
    unmerge_player(player_of("anna"), username="olga")
    assert [find_player(text).handle for text in ("anna", "anna maria", "benny")] == ["anna", "anna", "ben"]


def test_two_of_one_name_are_one_name_after_the_merge() -> None:
    add_player("anna", "Anna")
    add_player("anna-2", "Anna")
    assert find_player("anna").handle == "anna"
    # A name as written comes before a handle in other letters.
    with pytest.raises(Refused, match="the name of 2 players: anna, anna-2"):
        find_player("Anna")
    add_player("eva", "Eva M.")
    add_player("eva-2", "Eva M.")
    with pytest.raises(Refused, match="the name of 2 players: eva, eva-2"):
        find_player("Eva M.")
    merge("eva-2", "eva")
    assert find_player("Eva M.").handle == "eva"
    assert find_one("Eva M.").recorded_as is None


def test_games_recorded_under_the_old_handle_go_back_with_it() -> None:
    league = make_league()
    record(league, duel("anna", "cleo", "2024-03-05", external_id="a"))
    merge("anna", "ben")
    again = record(league, duel("anna", "cleo", "2024-03-05", external_id="a"))
    assert again.number == 1
    seats = record(league, sheet(("anna", "Zoe"), (1, 0), create_players=True)).results.order_by("seat")
    assert list(seats.values_list("player__handle", "recorded_as__handle")) == [("ben", "anna"), ("Zoe", None)]
    void_game(league.pk, 2, reason="a friendly", username="olga")
    record(league, duel("anna", "dan", "2024-03-06"))
    record(league, duel("ben", "dan", "2024-03-07"))
    # Who corrects a score names nobody else.
    correct_game(league.pk, 1, duel("cleo", "ben", "2024-03-05"), reason="misread", username="olga")
    assert set(ratings(league)) == {"ben", "cleo", "dan"}
    unmerge_player(player_of("anna"), username="olga")
    lines = Result.objects.order_by("game__number", "seat").values_list("game__number", "player__handle")
    assert list(lines) == [
        (1, "anna"), (1, "cleo"), (2, "anna"), (2, "Zoe"), (3, "anna"), (3, "dan"), (4, "ben"), (4, "dan"),
        (5, "cleo"), (5, "anna"),
    ]  # fmt: skip
    assert verify_league(league.pk).differences == []


def test_who_sat_together_is_not_one_person() -> None:
    league, other = make_league(), make_league(slug="other")
    for number in range(12):
        record(league, sheet(("anna", "ben"), (1, 0), minutes=number))
    error = refusal(lambda: merge("anna", "ben"), Refused, "Club, games 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more")
    assert [(one.pointer, one.code) for one in error.problems] == [("/into", "same_game")]
    record(other, sheet(("cleo", "dan"), (1, 0)))
    refusal(lambda: merge("dan", "cleo"), Refused, "both play in Other, game 1: they are two people")


@pytest.mark.one_database("the plan is SQLite's")
def test_games_of_both_are_found_by_the_lines_of_one() -> None:
    record(make_league(), sheet(("anna", "ben"), (1, 0)))
    anna, ben, cleo = map(player_of, ("anna", "ben", "cleo"))
    assert scanned_tables(lambda: refuse_together(anna, cleo)) == set()

    def refused() -> None:
        with pytest.raises(Refused):
            refuse_together(anna, ben)

    assert scanned_tables(refused) == set()


def test_a_void_game_of_both_is_no_obstacle_and_stays_as_it_was() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("anna", "cleo", "2024-03-06"))
    void_game(league.pk, 1, reason="one person", username="olga")
    merge("anna", "ben")
    assert list(Result.objects.filter(game__number=1).order_by("seat").values_list("player__handle", flat=True)) == [
        "anna",
        "ben",
    ]
    assert ratings(league).keys() == {"ben", "cleo"}
    assert find_stray_leagues() == []


def test_a_merge_where_both_sat_in_a_void_game_only_is_taken_back_in_the_log_too() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-05"))
    record(league, duel("cleo", "ben", "2024-03-06"))
    void_game(league.pk, 1, reason="A friendly.", username="olga")
    merge("anna", "ben")
    assert verify_league(league.pk).differences == []
    unmerge_player(player_of("anna"), username="olga")
    assert verify_league(league.pk).differences == []


def test_who_may_not_is_stopped_before_anything_is_written() -> None:
    league = make_league()
    record(league, duel("anna", "cleo", "2024-03-05"))
    seen: list[list[str]] = []

    def never(leagues: Any) -> None:
        seen.append([one.slug for one in leagues])
        raise Forbidden("No.")

    refusal(lambda: merge_players(player_of("anna"), player_of("ben"), username="x", allow=never), Forbidden, "No")
    merge("anna", "ben")
    refusal(lambda: unmerge_player(player_of("anna"), username="x", allow=never), Forbidden, "No")
    assert seen == [["club"], ["club"]]


@long_way
def test_a_dry_run_tells_what_merging_does_and_writes_nothing() -> None:
    league, other = make_league(parameters={"k": 20}), make_league(slug="another")
    make_ladder(league)
    record(league, duel("anna", "cleo", "2024-03-05"))
    record(league, duel("ben", "dan", "2024-03-06"))
    record(other, duel("anna", "dan", "2024-04-06"))
    close(league, "2024-03")
    ways: tuple[tuple[Callable[[], object], Callable[[], Any]], ...] = (
        (
            lambda: merge("anna", "ben"),
            lambda: preview_merge(player_of("anna"), player_of("ben"), progress=ignore_progress),
        ),
        (
            lambda: unmerge_player(player_of("anna"), username="olga"),
            lambda: preview_unmerge(player_of("anna"), progress=ignore_progress),
        ),
    )
    for act, preview in ways:
        before = tables()
        with override_settings(RUNGS_INLINE_GAMES=0):
            diffs = {one.slug: diff for one, diff in preview()}
        assert tables() == before
        assert [(slug, diff.games_replayed) for slug, diff in diffs.items()] == [("another", 1), ("club", 2)]
        assert [(one.key, one.closed) for one in diffs["club"].periods] == [("2024-03", True)]
        old = {one.slug: ratings(one) for one in (league, other)}
        act()
        for one in (league, other):
            new = ratings(one)
            pairs = {name: (old[one.slug].get(name), new.get(name)) for name in old[one.slug].keys() | new.keys()}
            moved = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
            assert {line.player: (line.before, line.after) for line in diffs[one.slug].ratings} == moved
    with pytest.raises(Invalid):
        preview_merge(player_of("anna"), player_of("anna"))


def test_a_game_that_was_on_its_way_is_found_by_the_sweep() -> None:
    league = make_league()
    game = record(league, duel("anna", "cleo", "2024-03-05"))
    merge("anna", "ben")
    # As its writer on another connection had read the players before the merge was committed.
    game.results.filter(seat=1).update(player=player_of("anna"), recorded_as=None)
    assert find_stray_leagues() == [league.pk]
    assert reassign_strays(league.pk) == 1
    line = game.results.get(seat=1)
    assert (line.player, line.recorded_as) == (player_of("ben"), player_of("anna"))
    assert last_entry(league) == ("the sweep", "player.merged", {"player": "anna", "into": "ben"})
    assert verify_league(league.pk).differences == []
    assert (reassign_strays(league.pk), find_stray_leagues()) == (0, [])


def test_a_league_entered_between_look_and_lock_is_locked_the_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    record(league, duel("anna", "cleo", "2024-03-05"))
    tries: list[set[int]] = []

    def lock_late(leagues: set[int], operation: Any) -> Any:
        tries.append(leagues)
        return run_with_league_locks(set() if len(tries) == 1 else leagues, operation)

    monkeypatch.setattr(affected_leagues, "run_with_league_locks", lock_late)
    with override_settings(RUNGS_INLINE_GAMES=0):
        merge("anna", "ben")
    assert tries == [{league.pk}, {league.pk}]
    league.refresh_from_db()
    assert league.stale_from == utc("2024-03-05"), "a merge of many games is left to Celery"
    sweep.run_due_replay(league.pk)
    assert ratings(league).keys() == {"ben", "cleo"}


def test_what_cannot_be_is_refused_and_names_the_way() -> None:
    make_league(starts={"cleo": 1300, "dan": 1400})
    refusal(lambda: merge("anna", "anna"), Invalid, "Anna .anna. cannot be merged into themselves")
    refusal(lambda: merge("cleo", "dan"), Refused, "both have an initial rating in Club")
    refusal(
        lambda: unmerge_player(player_of("anna"), username="olga"),
        Conflict,
        "Anna .anna. is not merged into another player.$",
    )
    with pytest.raises(NotFound, match="No player is called “zoe”"):
        find_one("zoe")
    merge("anna", "ben")
    refusal(
        lambda: change_player(player_of("anna"), name="X"), Conflict, "was merged into Ben .ben.; choose that player"
    )
    words = "These players were merged into ben: anna; choose one of them"
    refusal(lambda: unmerge_player(player_of("ben"), username="olga"), Conflict, words)
    assert find_one("ben").original.handle == "ben"
    # There is no chain of merges.
    refusal(lambda: merge("anna", "cleo"), Conflict, "was already merged into Ben .ben.. Unmerge anna first")
    refusal(lambda: merge("cleo", "anna"), Conflict, "was already merged into Ben .ben.. Merge into ben instead")
    refusal(
        lambda: merge("ben", "cleo"), Conflict, "These players were merged into Ben .ben.: anna. Unmerge them first"
    )
    merge("cleo", "ben")
    unmerge_player(player_of("anna"), username="olga")
    assert find_player("cleo").handle == "ben"


def test_a_merge_is_told_in_the_leagues_that_it_concerns_and_so_is_its_end() -> None:
    league, other, third = make_league(), make_league(slug="other", starts={"anna": 1500}), make_league(slug="third")
    record(league, duel("anna", "cleo", "2024-03-10"))
    record(third, duel("ben", "cleo", "2024-03-10"))
    merge_players(player_of("anna"), player_of("ben"), username="olga")
    told = {"player": "anna", "into": "ben"}
    assert last_entry(league) == last_entry(other) == ("olga", "player.merged", told)
    unmerge_player(player_of("anna"), username="otto")
    assert last_entry(league) == last_entry(other) == ("otto", "player.unmerged", told)
    assert log_kinds(third) == ["league.created", "rule.adopted", "game.recorded"]
    assert [verify_league(one.pk).differences for one in (league, other, third)] == [[], [], []]


def test_a_game_names_whom_the_sheet_named_beside_the_one_he_is() -> None:
    league = make_league()

    def told() -> Any:
        payload = last_entry(league)[2]
        return payload.get("game", payload)["results"]

    record(league, duel("anna", "cleo", "2024-03-10"))
    merge_players(player_of("anna"), player_of("ben"), username="olga")
    cleo = {"player": "cleo", "score": 0, "place": None}
    record(league, duel("anna", "cleo", "2024-03-11"))
    assert told() == [{"player": "ben", "recorded_as": "anna", "score": 1, "place": None}, cleo]
    record(league, duel("ben", "cleo", "2024-03-12"))
    assert told() == [{"player": "ben", "score": 1, "place": None}, cleo]
    correct_game(league.pk, 1, duel("ben", "cleo", "2024-03-10"), reason="misread", username="olga")
    assert told() == [{"player": "ben", "recorded_as": "anna", "score": 1, "place": None}, cleo]


def test_who_enters_leagues_all_the_time_is_left_alone() -> None:
    @locked_leagues(lambda player: set())
    def work(leagues: Any, now: Any, player: Player) -> None:
        raise LeaguesChanged

    with pytest.raises(Busy, match="is joining other leagues right now"):
        work(Player(handle="anna"))


def test_who_was_inactive_while_a_merge_stood_is_exported_and_restored() -> None:
    league = make_league()
    add_player("annie")
    record(league, sheet(("annie", "ben"), (1, 0)))
    merge_players(player_of("annie"), player_of("anna"), username="olga")
    set_active(league.pk, player_of("anna"), False, username="olga")
    unmerge_player(player_of("annie"), username="olga")
    assert verify_league(league.pk).differences == []
    again = restore_league(lines_file(export_of(league)), slug="again", known_players=True, by="olga").league
    assert verify_league(again.pk).differences == []


@pytest.mark.parametrize("planted", ["pointer", "row", "both"])
def test_a_planted_merge_is_found(planted: str) -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0)))
    record(league, sheet(("cleo", "dan"), (1, 0), minutes=1))
    if planted != "row":
        Player.objects.filter(handle="cleo").update(merged_into=player_of("ben"))
    if planted != "pointer":
        Merge.objects.create(player=player_of("cleo"), into=player_of("ben"), at=timezone.now(), by="nobody")
    # The pointer alone hands over no spelling, as a merge does.
    left = ["The handle cleo does not belong to its player."] if planted != "row" else []
    sentence = "The player cleo is merged into ben, but that is not in the league's log."
    assert verify_league(league.pk).differences == [sentence, *left]


@long_way
def test_who_never_played_and_was_merged_leads_nobody_to_a_person_of_a_private_league() -> None:
    two_leagues()
    add_player("dup", "Double")
    assert session("olga-recorder").get("players/dup/").status_code == 200
    merge_players(player_of("dup"), player_of("mata"), username="carl")
    for api in (session("olga-recorder"), session("olga-organiser")):
        assert api.get("players/dup/").status_code == 404
        assert api.get("leagues/open/players/dup/").status_code == 404
        sent = {"results": [{"player": "dup", "score": 1}, {"player": "ben", "score": 0}]}
        assert api.post("leagues/open/games/", sent).status_code == 422
    for answer in (
        session("olga-organiser").post("players/newcomer/merge/", {"into": "dup"}),
        desk("olga-recorder").get("/admin/league/player/"),
        desk("olga-recorder").get(f"/admin/league/player/{player_of('dup').pk}/change/"),
    ):
        assert "Mata" not in answer.content.decode()
    assert session("carl-organiser").get("players/dup/").json()["handle"] == "mata"
    assert session("carl-organiser").post("players/dup/unmerge/", {}).status_code == 200


def api_club() -> League:
    """Return a league in which Anna and Ben are one person, with a closed period."""
    league = make_league(parameters={"k": 20})
    make_ladder(league)
    record(league, duel("anna", "cleo", "2024-03-05"))
    record(league, duel("ben", "dan", "2024-03-06"))
    close(league, "2024-03")
    return league


@long_way
def test_a_merge_by_the_api_its_dry_run_and_its_way_back() -> None:
    league = api_club()
    api = Api("organise")
    before = tables()
    diff = api.post("players/anna/merge/?dry_run=true", {"into": "ben"}).data["leagues"]
    assert {**tables(), "Token": []} == {**before, "Token": []}
    assert [(one["league"], one["games_replayed"], one["closed_periods"]) for one in diff] == [
        ("club", 2, [{"ladder": "month", "period": "2024-03"}])
    ]
    assert (diff[0]["ratings"][0]["player"], diff[0]["ratings"][0]["after"]) == ("anna", None)
    done = api.post("players/ANNA/merge/", {"into": "Ben"})
    told = [done.data[name] for name in ("player", "into", "by")]
    assert (done.status_code, told) == (200, ["anna", "ben", "server-7"])
    assert {one["player"]: one["after"] for one in diff[0]["ratings"] if one["after"] is not None}.items() <= (
        ratings(league).items()
    )
    survivor = api.get("players/anna/").data
    assert (survivor["handle"], survivor["aliases"]) == ("ben", ["anna"])
    assert api.get("leagues/club/players/anna/").data["games"] == 2
    assert [one["handle"] for one in api.get("players/").data["results"]] == ["ben", "cleo", "dan"]
    assert len(api.get("leagues/club/decisions/").data["results"]) == 1
    # Who reads a player and sends the aliases back changes nothing.
    assert api.patch("players/ben/", {"aliases": survivor["aliases"]}).data["aliases"] == ["anna"]
    back = api.post("players/anna/unmerge/?dry_run=true", {}).data["leagues"]
    assert [one["games_replayed"] for one in back] == [2]
    undone = api.post("players/anna/unmerge/", {})
    assert (undone.status_code, undone.data["undone_by"]) == (200, "server-7")
    assert api.get("players/anna/").data["handle"] == "anna"
    assert api.get("leagues/club/decisions/").data["results"] == []


def test_the_api_refuses_with_pointers() -> None:
    api_club()
    api = Api("organise")
    refused: list[tuple[str, dict[str, Any], int, list[str]]] = [
        ("players/anna/merge/", {"into": "zoe"}, 422, ["/into"]),
        ("players/zoe/merge/", {"into": "anna"}, 404, []),
        ("players/anna/merge/", {"into": "anna"}, 400, ["/into"]),
        ("players/anna/merge/", {}, 400, ["/into"]),
        ("players/anna/merge/", {"into": "cleo"}, 422, ["/into"]),
        ("players/anna/unmerge/", {}, 409, []),
        ("players/anna/unmerge/", {"into": "ben"}, 400, ["/into"]),
        ("players/anna/merge/?dry=1", {"into": "ben"}, 400, ["?dry"]),
    ]
    for path, body, status, pointers in refused:
        answer = api.post(path, body)
        assert (answer.status_code, [one["pointer"] for one in answer.data["errors"]]) == (status, pointers), path
    assert not Merge.objects.exists()
