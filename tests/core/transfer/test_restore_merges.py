"""Merges survive export and restore, and can be taken back afterwards."""

import json
from contextlib import suppress
from typing import Any

import pytest
from django.db import transaction

from league.core.errors import Invalid
from league.core.games.services.record import void_game
from league.core.ladders.services.decisions import reopen_period
from league.core.players.services.merges import merge_players, unmerge_player
from league.core.players.services.players import change_player
from league.core.transfer.services.restore import restore_league
from league.core.verify.run import verify_league
from league.models import InitialRating, League, Merge, Player, Result
from tests.helpers.builders import derived, make_league, player_of, record
from tests.helpers.ladder_builders import duel, tables
from tests.helpers.restore_builders import Undone, edited, export_of, lines_file, sealed_file
from tests.helpers.verify_builders import build_every_entry

pytestmark = pytest.mark.django_db


def books() -> League:
    """Return a league in which Anna turned out to be Ben; a void game has both."""
    league = make_league(starts={"anna": 1300}, parameters={"k": 20})
    change_player(player_of("anna"), aliases=["Annie"])
    change_player(player_of("ben"), aliases=["Benny"])
    record(league, duel("anna", "ben", "2024-03-05"))
    void_game(league.pk, 1, reason="one person", username="olga")
    record(league, duel("anna", "cleo", "2024-03-06"))
    record(league, duel("ben", "cleo", "2024-03-07"))
    merge_players(player_of("anna"), player_of("ben"), username="olga")
    record(league, duel("annie", "dan", "2024-03-08"))
    return league


def league_state(league: League) -> dict[str, Any]:
    """Return what a merge touches, the tables' own keys left out."""
    names = ("player__handle", "recorded_as__handle")
    return {
        "derived": derived(league),
        "results": list(
            Result.objects.filter(game__league=league).order_by("game__number", "seat").values_list(*names, "score")
        ),
        "starts": list(InitialRating.objects.filter(league=league).values_list(*names, "rating")),
        "aliases": sorted(
            (player.handle, alias.text, alias.recorded_as and alias.recorded_as.handle)
            for player in Player.objects.all()
            for alias in player.aliases.all()
            if player.handle != "dan"
        ),
        "merges": list(Merge.objects.values_list("player__handle", "into__handle", "at", "by", "undone_at")),
    }


def told_and_undone() -> tuple[list[str], dict[str, Any], dict[str, Any]]:
    """Return the export of a league that is not there any more, its picture, and that after the merge's end."""
    try:
        with transaction.atomic():
            league = books()
            lines, before = export_of(league), league_state(league)
            unmerge_player(player_of("anna"), username="otto")
            raise Undone(lines, before, league_state(league))
    except Undone as undone:
        return undone.args[0], undone.args[1], undone.args[2]


def test_a_merge_is_there_again_and_can_be_taken_back() -> None:
    lines, before, after = told_and_undone()
    assert not Player.objects.exists()
    league = restore_league(lines_file(lines), by="operator").league
    assert league_state(league) == before
    assert verify_league(league.pk).differences == []
    assert export_of(league)[2:-2] == lines[2:-1]
    unmerge_player(player_of("anna"), username="otto")
    undone = league_state(league)
    assert [one[:4] for one in undone.pop("merges")] == [one[:4] for one in after.pop("merges")]
    assert undone == after
    assert verify_league(league.pk).differences == []


def test_beside_itself_a_league_follows_the_merge_that_is_there() -> None:
    league = books()
    copy = restore_league(lines_file(export_of(league)), slug="copy", by="operator").league
    assert league_state(copy) == league_state(league)
    assert Merge.objects.count() == 1
    unmerge_player(player_of("anna"), username="otto")
    assert league_state(copy) == league_state(league)
    assert verify_league(copy.pk).differences == []


def test_other_spellings_are_left_out_where_they_are_not_told() -> None:
    lines = export_of(books(), aliases=False)
    players = [json.loads(line) for line in lines if json.loads(line)["type"] == "player"]
    assert [(line["handle"], line["aliases"], line["merge"] and line["merge"]["into"]) for line in players] == [
        ("ben", [], None), ("cleo", [], None), ("dan", [], None), ("anna", [], "ben"),
    ]  # fmt: skip


def test_the_name_of_somebody_who_was_merged_is_told_to_organisers_only() -> None:
    league = books()
    Player.objects.filter(handle="anna").update(name="Anna Before")
    for aliases, name in ((True, "Anna Before"), (False, "anna")):
        lines = map(json.loads, export_of(league, aliases=aliases))
        assert [line["name"] for line in lines if line["type"] == "player" and line["merge"]] == [name]


def refused(lines: list[str], sentence: str) -> None:
    """Hold a restore to its refusal, and to having written nothing."""
    before = tables()
    with pytest.raises(Invalid) as caught:
        restore_league(sealed_file(lines), slug="copy", by="operator", known_players=True)
    assert sentence in caught.value.detail
    assert tables() == before


def test_a_site_that_knows_the_players_otherwise_is_asked_to_agree_first() -> None:
    lines = export_of(books())
    unmerge_player(player_of("anna"), username="otto")
    apart = export_of(League.objects.get())
    refused(lines, "Line 7: the player anna is merged into ben in the file and not merged here; make them the same.")
    void_game(League.objects.get().pk, 4, reason="alone", username="olga")
    merge_players(player_of("cleo"), player_of("dan"), username="olga")
    refused(apart, "the player cleo is not merged in the file and merged into dan here; make them the same.")


def test_a_wrong_merge_in_a_file_is_refused() -> None:
    lines, _, _ = told_and_undone()
    merge = {"into": "zoe", "at": "2024-03-05T00:00:00Z", "by": ""}
    refused(edited("player", 3, merge=merge)(lines), "Line 7: the player “zoe” is not defined above.")
    refused(edited("player", 3, merge=None)(lines), "Line 8: the player “anna” was not merged into “ben”.")
    seats = json.loads(next(line for line in lines if '"number":2,' in line and '"game"' in line))["results"]
    seats[1]["recorded_as"] = "dan"
    refused(edited("game", 1, results=seats)(lines), "Line 10: the player “dan” was not merged into “cleo”.")


def test_a_league_with_merges_is_restored_beside_itself_and_elsewhere_again() -> None:
    league = build_every_entry()
    reopen_period(league.pk, "month", "2024-03", reason="A late sheet.", username="olga")
    merge_players(player_of("dan"), player_of("ben"), username="olga")
    copy = restore_league(lines_file(export_of(league)), slug="copy", by="operator").league
    again = restore_league(lines_file(export_of(copy)), slug="again", by="operator").league
    assert [verify_league(one.pk).differences for one in (league, copy, again)] == [[], [], []]


def test_a_merge_that_a_file_dates_otherwise_than_its_log_is_refused_where_nobody_is_known() -> None:
    lines: list[str] = []
    with suppress(Undone), transaction.atomic():
        lines = export_of(build_every_entry())
        place = next(place for place, line in enumerate(lines) if '"handle":"finn"' in line)
        merge = {**json.loads(lines[place])["merge"], "by": "nobody"}
        lines[place] = json.dumps({**json.loads(lines[place]), "merge": merge})
        # Here the merge of finn is the site's own, whatever a file says of its author.
        assert restore_league(sealed_file(lines), slug="copy", by="operator").league.slug == "copy"
        raise Undone
    assert not Player.objects.exists()
    sentence = f"Line {place + 1}: the log of this file disagrees. The merge of finn has by “nobody”; entry"
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file(lines), by="operator")
    assert sentence in refused.value.detail
