"""What the log tells of merges, of merged players' games, and of the games of files."""

import json
from io import BytesIO
from typing import Any

import pytest
import rfc8785

from league.errors import Busy
from league.models import League
from league.services.imports.run import ImportOptions, import_games
from league.services.players.affected_leagues import Grown, with_leagues
from league.services.players.merges import gather_strays, merge_players, unmerge_player
from league.services.recording.games import correct_game
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, player_of, record, sheet
from tests.helpers.ladder_builders import duel
from tests.helpers.log_reading import last_entry, log_kinds, log_lines

pytestmark = pytest.mark.django_db


def results(league: League) -> Any:
    """Return the results that the last entry tells of."""
    payload = last_entry(league)[2]
    return payload.get("game", payload)["results"]


def test_a_merge_is_told_in_the_leagues_that_it_concerns_and_so_is_its_end() -> None:
    league, other, third = make_league(), make_league(slug="other", starts={"anna": 1500}), make_league(slug="third")
    record(league, duel("anna", "cleo", "2024-03-10"))
    record(third, duel("ben", "cleo", "2024-03-10"))
    merge_players(player_of("anna"), player_of("ben"), by="olga")
    told = {"player": "anna", "into": "ben"}
    assert last_entry(league) == last_entry(other) == ("olga", "player.merged", told)
    unmerge_player(player_of("anna"), by="otto")
    assert last_entry(league) == last_entry(other) == ("otto", "player.unmerged", told)
    assert log_kinds(third) == ["league.created", "rule.adopted", "game.recorded"]
    assert [verify_league(one.pk).differences for one in (league, other, third)] == [[], [], []]


def test_a_game_names_whom_the_sheet_named_beside_the_one_he_is() -> None:
    league = make_league()
    record(league, duel("anna", "cleo", "2024-03-10"))
    merge_players(player_of("anna"), player_of("ben"), by="olga")
    cleo = {"player": "cleo", "score": 0, "place": None}
    record(league, duel("anna", "cleo", "2024-03-11"))
    assert results(league) == [{"player": "ben", "recorded_as": "anna", "score": 1, "place": None}, cleo]
    record(league, duel("ben", "cleo", "2024-03-12"))
    assert results(league) == [{"player": "ben", "score": 1, "place": None}, cleo]
    correct_game(league.pk, 1, duel("ben", "cleo", "2024-03-10"), reason="misread", by="olga")
    assert results(league) == [{"player": "ben", "recorded_as": "anna", "score": 1, "place": None}, cleo]


def test_a_game_that_the_sweep_found_has_its_merge_told() -> None:
    league = make_league()
    merge_players(player_of("anna"), player_of("ben"), by="olga")
    game = record(league, duel("ben", "cleo", "2024-03-05"))
    # As its writer on another connection had read the players before the merge was committed.
    game.results.filter(seat=1).update(player=player_of("anna"))
    gather_strays(league.pk)
    assert last_entry(league) == ("the sweep", "player.merged", {"player": "anna", "into": "ben"})
    before = log_kinds(league)
    gather_strays(league.pk)
    assert log_kinds(league) == before


LINES = [
    {"played_at": "2024-03-05", "note": "“2½” \\ \t\n\x7f", "external_id": "é\\N/\"1",
     "results": [{"player": "anna", "score": 0.5}, {"player": "Zoë", "score": 0.5}]},
    {"played_at": "2024-03-06T10:00:00+05:30",
     "results": [{"player": "ben", "score": 1}, {"player": "cleo", "score": 0}]},
    {"played_at": "2024-03-07", "kind": "full_bye", "results": [{"player": "cleo", "score": 1}]},
]  # fmt: skip


def test_a_file_tells_its_games_as_recording_them_one_by_one_does() -> None:
    league, same = make_league(), make_league(slug="same")
    merge_players(player_of("anna"), player_of("ben"), by="olga")
    data = "\n".join(json.dumps(line) for line in LINES).encode()
    import_games(league.pk, BytesIO(data), ImportOptions(by="import", media="ndjson", create_players=True))
    for line in LINES:
        seats: Any = line["results"]
        more: dict[str, Any] = {name: line[name] for name in ("note", "external_id", "kind") if name in line}
        played_at = league.games.get(number=1 + LINES.index(line)).played_at
        names, scores = [seat["player"] for seat in seats], [seat["score"] for seat in seats]
        record(same, sheet(names, scores, played_at=played_at, **more))
    games = [[payload for kind, _, payload in log_lines(one) if kind == "game.recorded"] for one in (league, same)]
    assert games[0] == games[1]
    assert [rfc8785.dumps(json.loads(payload)).decode() for payload in games[0]] == games[0]
    assert json.loads(games[0][1])["played_at"] == "2024-03-06T04:30:00.000000Z"
    assert json.loads(games[0][0])["results"][0] == {
        "player": "ben", "recorded_as": "anna", "score": 0.5, "place": None,
    }  # fmt: skip
    assert log_kinds(league)[2:] == ["player.created", *["game.recorded"] * 3]
    assert verify_league(league.pk).differences == []


def test_who_enters_leagues_all_the_time_is_left_alone() -> None:
    def work(leagues: Any, now: Any) -> None:
        raise Grown

    with pytest.raises(Busy, match="is entering other leagues right now"):
        with_leagues(lambda: set(), work)
