"""Carrying logs over in the database: what the release before wrote, also beside us, and a carrying that was killed."""

import json
from contextlib import ExitStack
from io import StringIO
from typing import Any
from unittest.mock import patch

import pytest
from django.core.management import call_command

from league import tasks
from league.chain import FIRST, digest, instant, serialize_entry
from league.errors import Conflict
from league.models import League, LogText, Player
from league.services.log import carry_over
from league.services.players.erasing import erase_player
from league.services.players.players import add_player
from league.services.recording.games import void_game
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, player_of, record, said, sheet

pytestmark = pytest.mark.django_db


def as_before() -> Any:
    """Let us write logs as the release before does: with handles and texts in them."""
    stack = ExitStack()
    stack.enter_context(patch("league.services.log.write.seal", lambda payload: (payload, [])))
    stack.enter_context(patch.object(Player, "logged_as", property(lambda player: player.handle)))
    return stack


def of_before(slug: str = "club") -> League:
    """Return a league as the release before made it; its people have no opaque handles."""
    with as_before():
        league = make_league(slug=slug, players=("djura", "ben", "zofia"))
        for number in range(1, 6):
            players = ("djura", "ben") if number % 2 else ("zofia", "djura")
            record(league, sheet(players, (1, 0), minutes=number, note=f"Ђура је био болестан {number}"))
        void_game(league.pk, 2, reason="Żółć", by="olga")
    Player.objects.update(opaque=None)
    league.refresh_from_db()
    return league


def is_chained(league: League) -> bool:
    """Tell whether each entry has the hash that chains it to the one before, up to the league's head."""
    league.refresh_from_db()
    before, count = FIRST, 0
    for entry in league.log.order_by("position"):
        count += 1
        text = serialize_entry(count, instant(entry.at), entry.by, entry.kind, entry.payload, before)
        before = digest(text)
        if (entry.position, entry.sha256) != (count, before):
            return False
    return (league.log_length, league.log_sha256) == (count, before)


def words_in(league: League) -> bool:
    """Tell whether the log itself names somebody, or says what was written."""
    text = "".join(league.log.values_list("payload", flat=True))
    return any(word in text for word in ("djura", "zofia", "Ђура", "Żółć"))


def test_a_sealed_log_has_nothing_to_be_carried() -> None:
    league = make_league()
    record(league, sheet(("anna", "ben"), (1, 0), note='a "player":"x" and {"reason":"y"}', external_id='"note":"z"'))
    void_game(league.pk, 1, reason="no", by="olga")
    assert not carry_over.unsealed(league).exists()
    assert carry_over.carry_over(league.pk) == 0
    assert not league.log.filter(kind="log.carried").exists()


def test_the_sweep_names_players_whom_the_release_before_added() -> None:
    league = of_before()
    lone = add_player("lone", "Ł")
    mine = Player.objects.get(pk=lone.pk).opaque
    assert verify_league(league.pk).differences == []
    tasks.sweep()
    names = list(Player.objects.values_list("opaque", flat=True))
    assert None not in names and len(set(names)) == 4 and mine in names
    # What stands in the log by a handle is told right still.
    assert verify_league(league.pk).differences == []


def test_nobody_is_forgotten_while_a_log_names_them_and_once_it_is_carried_over_they_are() -> None:
    league = make_league(players=("anna", "ben"))
    record(league, sheet(("anna", "ben"), (1, 0), note="sealed"))
    with as_before():
        record(league, sheet(("anna", "ben"), (1, 0), minutes=9, note="Anna, Анна"))
    league.refresh_from_db()
    head = {"entries": league.log_length, "sha256": league.log_sha256}
    with pytest.raises(
        Conflict, match=f"Entry {league.log_length} of the log of club was written by an earlier version"
    ):
        erase_player(player_of("anna"), by="olga")
    assert Player.objects.filter(handle="anna").exists()
    out = StringIO()
    call_command("carry_log", "club", stdout=out)
    call_command("carry_log", stdout=out)
    assert out.getvalue() == "club: 1 entry sealed.\nclub: all is sealed.\n"
    assert said(league.log.get(kind="log.carried")) == head
    assert LogText.objects.filter(text="Anna, Анна").exists()
    assert is_chained(league) and verify_league(league.pk).differences == []
    erase_player(player_of("anna"), by="olga", parts=True)
    assert verify_league(league.pk).differences == []
    text = json.dumps(list(league.log.values_list("payload", flat=True))) + str(
        list(LogText.objects.values_list("text"))
    )
    assert "anna" not in text.casefold()
