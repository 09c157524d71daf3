"""Results of fixtures: by fixture, by players alone, in batches and files; forfeits, deadlines and corrections."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from io import BytesIO
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from league.apps.competitions.models import Competition
from league.apps.competitions.services.competitions import cancel_competition
from league.apps.competitions.services.fixtures import change_fixture
from league.apps.competitions.services.results import forfeit_fixture, record_result
from league.apps.competitions.services.rounds import NewFixture, add_fixtures
from league.apps.imports.services.run import ImportOptions, import_games
from league.core.errors import BadFile, Conflict, Invalid, Refused
from league.core.games.services.batches import record_together
from league.core.games.services.game_input import NewGame, NewResult
from league.core.games.services.record import correct_game, record_game, void_game
from league.core.players.services.merges import merge_players
from league.core.players.services.players import add_player
from league.core.verify.run import verify_league
from league.models import Game, League
from league.web.public.game_titles import load_unrated_titles
from tests.helpers.builders import FOUR, all_said, league_of, make_league, player_of, ratings, record, sheet
from tests.helpers.running_competitions import loaded_cup, run_competition, scores
from tests.helpers.shared import built_once

pytestmark = [pytest.mark.usefixtures("built"), pytest.mark.django_db]


def club_with_fixtures() -> None:
    """Found a club with free fixtures: 1 and 2 are Anna's and Ben's, 3 is Cleo's and Dan's; another club has none."""
    league = make_league()
    run_competition(league, ("anna", "ben", "cleo", "dan"), "free", tie_breaks=["WIN"])
    add_fixtures(league.pk, "cup", [NewFixture([1, 2], 1), NewFixture([2, 1], 2), NewFixture([3, 4], 1)], by="arbiter")
    make_league(slug="other")


built = built_once(club_with_fixtures)


def game(*players: str, result: tuple[float, ...] = (1, 0), **more: Any) -> NewGame:
    return NewGame([NewResult(name, score) for name, score in zip(players, result, strict=True)], **more)


def states(league: League) -> dict[int, tuple[str, int | None]]:
    """Return fixture -> its status and the game that counts."""
    return {one.number: (one.status, one.game and one.game.number) for one in loaded_cup(league).fixtures}


def test_a_result_is_a_rated_game_of_the_fixture() -> None:
    league = league_of()
    recorded = record_result(league.pk, 2, scores(1, 0), by="arbiter")
    assert (recorded.created, recorded.fixture, recorded.game.number) == (True, 2, 1)
    # Fixture 2 has Ben first.
    assert ratings(league) == {"ben": 1510.0, "anna": 1490.0}
    assert states(league) == {1: ("planned", None), 2: ("played", 1), 3: ("planned", None)}
    kind, said = all_said(league)[-1]
    assert (kind, said["game"], said["fixtures"][0]["fixture"], said["fixtures"][0]["game"]) == (
        "fixture.played", 1, 2, 1,
    )  # fmt: skip
    assert verify_league(league.pk).state == "is right"


def test_a_second_result_is_a_conflict_that_names_the_game() -> None:
    league = league_of()
    record_result(league.pk, 1, scores(1, 0), by="arbiter")
    with pytest.raises(Conflict, match=r"Fixture 1 already has a result: game 1\. Correct that game instead.") as error:
        record_result(league.pk, 1, scores(0, 1), by="arbiter")
    assert error.value.members == {"game": 1}
    with pytest.raises(Conflict, match="game 1"):
        forfeit_fixture(league.pk, 1, [1], "late", by="arbiter")
    assert Game.objects.count() == 1


def test_a_result_needs_a_line_for_each_seat() -> None:
    with pytest.raises(Invalid, match="Fixture 1 has 2 seats"):
        record_result(league_of().pk, 1, scores(1, 0, 0), by="arbiter")


def test_a_repeated_result_with_the_same_external_id_is_the_same_game() -> None:
    league = league_of()
    first = record_result(league.pk, 1, scores(1, 0, external_id="a"), by="arbiter")
    again = record_result(league.pk, 1, scores(1, 0, external_id="a"), by="arbiter")
    assert (first.game, again.created) == (again.game, False)


def test_a_game_of_the_players_of_an_open_fixture_is_attached_to_the_earliest_one() -> None:
    league = league_of()
    recorded = [record_game(league.pk, game("ben", "anna"), by="pad").fixture for _ in range(3)]
    # The first round comes first, whoever has White; the third game is for no fixture.
    assert recorded == [1, 2, None]
    assert record_game(league.pk, game("anna", "cleo"), by="pad").fixture is None
    seats = next(one for one in loaded_cup(league).fixtures if one.number == 1).data.seats
    assert [(seat.entry, seat.place) for seat in seats] == [(1, 2), (2, 1)]
    assert verify_league(league.pk).state == "is right"


def test_a_game_that_names_a_fixture_is_for_that_one_or_refused() -> None:
    league = league_of()
    assert record_game(league.pk, game("anna", "ben", fixture=2), by="pad").fixture == 2
    for new, message in (
        (game("anna", "cleo", fixture=1), "Seat 2: Cleo is not in fixture 1."),
        (game("anna", "ben", fixture=9), "has no fixture 9"),
        (game("anna", fixture=1, kind="zero_bye", result=(0,)), "A bye is no result"),
    ):
        with pytest.raises(Refused, match=message):
            record_game(league.pk, new, by="pad")
    with pytest.raises(Conflict, match="Fixture 2 already has a result: game 1"):
        record_game(league.pk, game("anna", "ben", fixture=2), by="pad")
    with pytest.raises(Refused, match="The league Other has no fixture 1"):
        record_game(league_of("other").pk, game("anna", "ben", fixture=1), by="pad")
    assert Game.objects.count() == 1


def test_games_sent_together_are_attached_each_to_a_fixture_of_its_own() -> None:
    league = league_of()
    outcomes = record_together(
        league.pk,
        [game("anna", "ben"), game("anna", "ben"), game("anna", "ben"), game("cleo", "dan", fixture=1),
         game("cleo", "dan", fixture=3)],
        username="pad",
    )  # fmt: skip
    assert states(league) == {1: ("played", 1), 2: ("played", 2), 3: ("played", 4)}
    assert isinstance(outcomes[3], Conflict)
    assert outcomes[3].problems[0].pointer == "/fixture"
    assert verify_league(league.pk).state == "is right"


CSV = b"game_id,played_at,player,score,fixture\n1,2024-03-05,dan,1,%s\n1,2024-03-05,cleo,0,%s\n" \
      b"2,2024-03-06,anna,1,\n2,2024-03-06,cleo,0,\n3,2024-03-06,anna,1,\n3,2024-03-06,ben,0,\n"  # fmt: skip


def test_games_of_a_file_are_attached_by_players_and_by_number() -> None:
    league = league_of()
    import_games(league.pk, BytesIO(CSV % (b"3", b"3")), ImportOptions("file"))
    assert states(league) == {1: ("played", 3), 2: ("planned", None), 3: ("played", 1)}
    assert verify_league(league.pk).state == "is right"


def test_a_file_whose_game_is_not_of_its_fixture_is_refused_with_the_line() -> None:
    league = league_of()
    with pytest.raises(BadFile) as error:
        import_games(league.pk, BytesIO(CSV % (b"1", b"1")), ImportOptions("file"))
    assert [(problem.line, problem.code) for problem in error.value.problems] == [
        (2, "other_player"),
        (3, "other_player"),
    ]
    ndjson = (
        b'{"played_at":"2024-03-05","fixture":"3","results":[{"player":"anna","score":1},{"player":"ben","score":0}]}'
    )
    with pytest.raises(BadFile, match="the fixture must be a whole number"):
        import_games(league.pk, BytesIO(ndjson), ImportOptions("file", media="ndjson"))
    assert not Game.objects.exists()


def test_the_games_of_an_unrated_competition_are_friendly_however_they_come() -> None:
    league = league_of()
    Competition.objects.update(rated=False)
    record_game(league.pk, game("anna", "ben", external_id="a"), by="pad")
    record_together(league.pk, [game("anna", "ben")], username="pad")
    assert record_game(league.pk, game("anna", "ben", external_id="a"), by="pad").created is False
    correct_game(league.pk, 1, game("anna", "ben", result=(0, 1)), reason="Typing error", username="organiser")
    forfeit_fixture(league.pk, 3, [4], "illness", by="arbiter")
    correct_game(league.pk, 4, game("cleo", "dan"), reason="He came", username="organiser")
    kinds = dict(Game.objects.values_list("number", "kind"))
    assert kinds == {1: "friendly", 2: "friendly", 3: "friendly", 4: "forfeit", 5: "friendly"}
    assert ratings(league) == {}


def test_a_result_without_scores_and_places_is_refused_and_leaves_the_fixture_open() -> None:
    """Of an unrated competition, too: recorded by the fixture, by its players, in a batch, a file and a correction."""
    league = league_of()
    Competition.objects.update(rated=False)
    none: Any = (None, None)
    empty, message = game("anna", "ben", result=none), "The result is missing: enter the scores or the places."
    friendly = replace(empty, kind="friendly", fixture=1)
    header = "game_id,played_at,player,score,place,kind,fixture\n"
    lines = "".join(f"g1,2026-01-02T18:00:00Z,{player},,,friendly,1\n" for player in ("anna", "ben"))
    attempts: list[Callable[[], object]] = [
        lambda: record_result(league.pk, 1, NewGame([NewResult(""), NewResult("")]), by="arbiter"),
        lambda: record_game(league.pk, empty, by="pad"),
        lambda: record_game(league.pk, friendly, by="pad"),
    ]
    for record_empty in attempts:
        with pytest.raises(Refused) as refused:
            record_empty()
        assert message in str(refused.value)
    assert message in str(record_together(league.pk, [friendly], username="api"))
    with pytest.raises(BadFile) as bad:
        import_games(league.pk, BytesIO((header + lines).encode()), ImportOptions("file"))
    assert message in str(bad.value.problems)
    assert states(league)[1] == ("planned", None) and not Game.objects.exists()
    # A friendly that names no fixture may lack them, and is no result.
    for fixture in (None, 0):
        assert record_game(league.pk, replace(friendly, fixture=fixture), by="pad").fixture is None
    assert states(league)[1] == ("planned", None)


@pytest.mark.parametrize("fixture", [None, 0, 1])
@pytest.mark.parametrize("kind", ["played", "friendly"])
@pytest.mark.parametrize("runs", [True, False])
def test_a_correction_leaves_no_fixture_without_a_result(fixture: int | None, kind: str, runs: bool) -> None:
    league = league_of()
    Competition.objects.update(rated=False)
    recorded = record_game(league.pk, game("anna", "ben"), by="pad").game
    if not runs:
        League.objects.filter(pk=league.pk).update(attaches_games=False)
    none: Any = (None, None)
    empty = replace(game("anna", "ben", result=none), kind=kind, fixture=fixture)
    with pytest.raises(Refused) as refused:
        correct_game(league.pk, recorded.number, empty, reason="wrong", username="olga")
    assert "The result is missing: enter the scores or the places." in str(refused.value)
    assert states(league)[1] == ("played", recorded.number)


def test_pages_name_the_competition_because_of_which_a_game_is_unrated(django_assert_num_queries: Any) -> None:
    league = league_of()
    Competition.objects.update(rated=False)
    record_game(league.pk, game("anna", "ben"), by="pad")
    record_game(league.pk, game("cleo", "ben", kind="friendly"), by="pad")
    games = list(Game.objects.order_by("number"))
    with django_assert_num_queries(1):
        titles = load_unrated_titles(league, games)
    assert titles == {games[0].order_key: "Cup"}
    marks = r'class="tag"\s*>([^<]*)</span>(?:\s*<span class="soft purpose">([^<]*)<)?'
    page = Client().get("/leagues/club/games/").content.decode()
    # The newest comes first. A friendly that the organiser recorded belongs to no competition.
    assert re.findall(marks, page) == [("Friendly", ""), ("unrated", "Cup")]
    assert re.findall(r'<span class="sr">([^<]*?),\s*</span>', page) == ["Friendly: Cleo – Ben 1–0", "Anna – Ben 1–0"]
    notice = re.compile(r'<p class="notice gap">([^<]*)</p>')
    pages = [Client().get(f"/leagues/club/games/{number}/").content.decode() for number in (1, 2)]
    assert [notice.findall(page) for page in pages] == [
        ["The games of Cup are not rated."],
        ["Only played games are rated; this one is a friendly."],
    ]
    Competition.objects.update(rated=True)
    assert load_unrated_titles(league, games) == {}
    # The list names the competition of a rated game as well.
    page = Client().get("/leagues/club/games/").content.decode()
    assert re.findall(r'class="soft purpose">([^<]*)<', page) == ["Cup"]


def test_pages_name_the_competition_of_a_game_when_none_is_running_any_more() -> None:
    league = league_of()
    assert league_of().has_attached_games
    record_game(league.pk, game("anna", "ben"), by="pad")
    cancel_competition(league.pk, "cup", reason="Too few players.", by="olga")
    # As in a league of the release before.
    League.objects.update(has_attached_games=False)
    import_module("league.apps.competitions.migrations.0025_attached_games").mark_leagues(apps, None)
    assert (league_of().attaches_games, league_of().has_attached_games) == (False, True)
    page = Client().get("/leagues/club/games/").content.decode()
    assert re.findall(r'class="soft purpose">([^<]*)<', page) == ["Cup"]
    assert (
        '<a href="/leagues/club/competitions/cup/">Cup</a>' in Client().get("/leagues/club/games/1/").content.decode()
    )


def test_a_friendly_is_no_game_of_a_rated_competition_unless_it_says_so() -> None:
    league = league_of()
    assert record_game(league.pk, game("anna", "ben", kind="friendly"), by="pad").fixture is None
    assert record_game(league.pk, game("anna", "ben", kind="friendly", fixture=1), by="pad").fixture == 1


def test_forfeits_are_unrated_games_with_their_reason() -> None:
    league = league_of()
    forfeit_fixture(league.pk, 1, [2], "no_show", by="arbiter")
    forfeit_fixture(league.pk, 3, [3, 4], "by_arbiter", by="arbiter")
    by_number = {one.number: one for one in loaded_cup(league).fixtures}
    assert [(seat.place, float(seat.score or 0)) for seat in by_number[1].data.seats] == [(1, 1), (2, 0)]
    assert [(seat.place, float(seat.score or 0)) for seat in by_number[3].data.seats] == [(2, 0), (2, 0)]
    assert [(one.status, one.data.kind, one.forfeit) for one in (by_number[1], by_number[3])] == [
        ("forfeited", "forfeit", "no_show"), ("forfeited", "forfeit", "by_arbiter"),
    ]  # fmt: skip
    assert ratings(league) == {}
    assert [kind for kind, _ in all_said(league)][-3:] == ["fixture.forfeited", "game.recorded", "fixture.forfeited"]
    assert verify_league(league.pk).state == "is right"


def test_a_forfeit_needs_losers_of_the_fixture_and_a_known_reason() -> None:
    league = league_of()
    for losers, reason, message in (
        ([], "late", "Name the entries"),
        ([3], "late", "Entry 3 is not in fixture 1"),
        ([1], "tired", "The reason of a forfeit is one of: no_show"),
    ):
        with pytest.raises(Invalid, match=message):
            forfeit_fixture(league.pk, 1, losers, reason, by="arbiter")
    assert not Game.objects.exists()


def test_a_forfeit_corrected_to_a_played_game_is_rated_and_a_void_game_leaves_the_fixture_open() -> None:
    league = league_of()
    forfeit_fixture(league.pk, 1, [2], "late", by="arbiter")
    correct_game(league.pk, 1, game("anna", "ben"), reason="He came", username="organiser")
    assert states(league)[1] == ("played", 2)
    assert ratings(league) == {"anna": 1510.0, "ben": 1490.0}
    void_game(league.pk, 2, reason="Wrong", username="organiser")
    assert states(league)[1] == ("planned", None)
    record_result(league.pk, 1, scores(0, 1), by="arbiter")
    assert states(league)[1] == ("played", 3)
    assert verify_league(league.pk).state == "is right"


def test_a_game_corrected_to_other_players_is_no_result() -> None:
    league = league_of()
    record_result(league.pk, 1, scores(1, 0), by="arbiter")
    correct_game(league.pk, 1, game("cleo", "dan"), reason="Others", username="organiser")
    assert states(league)[1] == ("planned", 2)
    assert record_result(league.pk, 1, scores(1, 0), by="arbiter").fixture == 1
    assert states(league)[1] == ("played", 3)


def test_a_fixture_whose_game_was_corrected_to_other_players_takes_the_next_game_of_its_own() -> None:
    league = league_of()
    assert record_game(league.pk, game("anna", "ben"), by="pad").fixture == 1
    correct_game(league.pk, 1, game("cleo", "dan"), reason="Others", username="organiser")
    assert record_game(league.pk, game("anna", "ben"), by="pad").fixture == 1
    assert states(league)[1] == ("played", 3)


def test_after_a_judged_deadline_no_result_is_taken_until_it_is_moved() -> None:
    league = league_of()
    Competition.objects.update(deadline_action="forfeit")
    change_fixture(league.pk, 1, {"deadline": timezone.now() - timedelta(days=1)}, by="arbiter")
    assert states(league)[1] == ("forfeited", None)
    with pytest.raises(Refused, match=r"The deadline of fixture 1 was .*: move the deadline first"):
        record_result(league.pk, 1, scores(1, 0), by="arbiter")
    # A game of the same players is for their next fixture.
    assert record_game(league.pk, game("anna", "ben"), by="pad").fixture == 2
    change_fixture(league.pk, 1, {"deadline": timezone.now() + timedelta(days=1)}, by="arbiter")
    assert record_result(league.pk, 1, scores(1, 0), by="arbiter").fixture == 1


def test_a_deadline_without_consequence_does_not_refuse_results() -> None:
    league = league_of()
    change_fixture(league.pk, 1, {"deadline": timezone.now() - timedelta(days=1)}, by="arbiter")
    assert record_result(league.pk, 1, scores(1, 0), by="arbiter").fixture == 1


def test_a_merged_player_plays_on_for_the_entry() -> None:
    league = league_of()
    merge_players(player_of("anna"), add_player("eve", "Eve"), username="organiser")
    assert record_game(league.pk, game("eve", "ben"), by="pad").fixture == 1
    assert record_result(league.pk, 2, scores(1, 0), by="arbiter").fixture == 2
    assert [lines.player.handle for lines in Game.objects.get(number=2).results.order_by("seat")] == ["ben", "eve"]
    assert states(league)[2] == ("played", 2)


def test_games_of_a_league_without_a_running_competition_cause_no_query_about_fixtures() -> None:
    other = league_of("other")
    with CaptureQueriesContext(connection) as queries:
        record_game(other.pk, game("anna", "ben"), by="pad")
        record_together(other.pk, [game("anna", "ben")], username="pad")
    assert not [query["sql"] for query in queries if "competitions_" in query["sql"]]


def test_sides_play_a_fixture_with_partners_and_one_result_each() -> None:
    league = make_league(slug="teams")
    run_competition(league, (("anna", "ben"), ("cleo", "dan")), "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 2]), NewFixture([2, 1])], by="arbiter")
    recorded = record_result(league.pk, 1, scores(1, 0), by="arbiter")
    lines = recorded.game.results.order_by("seat").values_list("player__handle", "side", "score")
    assert list(lines) == [("anna", 1, 1.0), ("ben", 1, 1.0), ("cleo", 2, 0.0), ("dan", 2, 0.0)]
    mixed = NewGame([NewResult(name, score, side=side) for name, side, score in
                     (("anna", 1, 1), ("cleo", 1, 1), ("ben", 2, 0), ("dan", 2, 0))])  # fmt: skip
    assert record_game(league.pk, mixed, by="pad").fixture is None
    with pytest.raises(Refused, match="The sides of the game are not those of fixture 2"):
        record_game(league.pk, replace(mixed, fixture=2), by="pad")
    assert verify_league(league.pk).state == "is right"


def test_a_game_that_is_corrected_to_the_players_of_a_fixture_is_its_result() -> None:
    """First it names a guest, who is in no fixture."""
    league = make_league(players=(*FOUR, "gus"), slug="guests")
    run_competition(league, FOUR, "free")
    add_fixtures(league.pk, "cup", [NewFixture([1, 4], 1), NewFixture([4, 1], 2)], by="arbiter")
    typed = record(league, sheet(("anna", "gus"), (1, 0)))
    correct_game(league.pk, typed.number, sheet(("anna", "dan"), (1, 0)), reason="It was Dan.", username="olga")
    fixture = loaded_cup(league).list_fixtures(1)[0]
    assert (fixture.entries, fixture.status) == ((1, 4), "played")
    assert fixture.game is not None
    assert fixture.game.number == 2
    # It stays the result of that fixture: a correction cannot name another one.
    with pytest.raises(Conflict, match=r"Game 2 is the result of fixture 1\. Void it, and record another for 2\."):
        correct_game(league.pk, 2, sheet(("anna", "dan"), (0, 1), fixture=2), reason="The second.", username="olga")
    forfeit = sheet(("anna", "dan"), (0, 1), kind="forfeit", fixture=1)
    correct_game(league.pk, 2, forfeit, reason="Anna did not come.", username="olga")
    fixture = loaded_cup(league).list_fixtures(1)[0]
    assert (fixture.status, fixture.forfeit, [seat.place for seat in fixture.data.seats]) == (
        "forfeited", "other", [2, 1],
    )  # fmt: skip
    correct_game(league.pk, 3, sheet(("anna", "dan"), (1, 0)), reason="She did.", username="olga")
    fixture = loaded_cup(league).list_fixtures(1)[0]
    assert (fixture.status, fixture.forfeit) == ("played", "")
    assert verify_league(league.pk).state == "is right"
