"""A restore holds what an export says of the books to the export's own log, and refuses with the line."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import transaction

from league.errors import Invalid
from league.models import Player
from league.services.ladders.decisions import reopen_period
from league.services.players.merges import merge_players
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.builders import player_of
from tests.helpers.ladder_builders import tables
from tests.helpers.restore_builders import Undone, build_everything, edited, export_of, lines_file, sealed_file
from tests.helpers.verify_builders import build_every_entry as merged_books

pytestmark = pytest.mark.django_db

Change = Callable[[list[str]], list[str]]


def result(nth: int, seat: int, **values: Any) -> Change:
    """Return what changes a result of the n-th game."""

    def change(lines: list[str]) -> list[str]:
        games = [json.loads(line) for line in lines if json.loads(line)["type"] == "game"]
        games[nth]["results"][seat - 1].update(values)
        return edited("game", nth, results=games[nth]["results"])(lines)

    return change


def ladder_rule(nth: int, **values: Any) -> Change:
    """Return what changes the n-th rule of the first ladder."""

    def change(lines: list[str]) -> list[str]:
        (ladder, *_) = [json.loads(line) for line in lines if json.loads(line)["type"] == "ladder"]
        ladder["rules"][nth].update(values)
        return edited("ladder", 0, rules=ladder["rules"])(lines)

    return change


def both(*changes: Change) -> Change:
    """Return what makes several changes."""

    def change(lines: list[str]) -> list[str]:
        for one in changes:
            lines = one(lines)
        return lines

    return change


def without_last_game(lines: list[str]) -> list[str]:
    """Leave the last game out, and let the league's line say so."""
    place = max(place for place, line in enumerate(lines) if json.loads(line)["type"] == "game")
    return edited("league", last_number=6)(lines[:place] + lines[place + 1 :])


#: What a file says of the books that its log says otherwise, on which line, and how the sentence begins: the lines of
#: books() are header, league, 2 rules, 4 players, a start, 2 ladders, 7 games. Further below no line is counted.
CONTRADICTIONS: dict[str, tuple[Change, int | None, str]] = {
    "title": (edited("league", title="Moon"), 2, "The league has title “Moon”"),
    "K": (edited("rule", 0, parameters={"k": 24}), 3, "The rule from 1800-01-01"),
    "a rule's instant": (edited("rule", 1, starts_at="2024-04-05T01:00:00.000000Z"), 4, "The rule"),
    "a start": (edited("initial_rating", rating=1800.0), 9, "The initial rating"),
    "a ladder's title": (edited("ladder", title="Moon"), 10, "The ladder month"),
    "a ladder's parameters": (ladder_rule(1, parameters={"win": 2}), 10, "The rule of month from 2024-05-01"),
    "a score": (both(result(2, 1, score=0), result(2, 2, score=1)), 14, "Seat 1"),
    "a void mark": (
        edited("game", 1, voided_at=None, voided_by="", void_reason=""), 13, "The void mark of game 2 is missing",
    ),
    "an order key": (edited("game", 2, order_key=90), 14, "Game 3 has order_key"),
    "a decision": (edited("decision", reason="Why not."), None, "The decision (carry) of"),
    "an edition's author": (edited("edition", published_by="x"), None, "Edition 1 of month"),
    "no last game": (without_last_game, None, "Game 7 is missing: entry"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_file_that_contradicts_its_own_log_is_refused_with_the_line(name: str) -> None:
    lines = export_of(build_everything())
    before = tables()
    change, line, sentence = CONTRADICTIONS[name]
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file(change(lines)), slug="copy", by="operator")
    assert refused.value.detail.startswith(f"Nothing was restored. Line {line or ''}")
    assert f": the log of this file says otherwise. {sentence}" in refused.value.detail
    assert tables() == before


def test_a_league_with_merges_is_restored_beside_itself_and_elsewhere_again() -> None:
    league = merged_books()
    reopen_period(league.pk, "month", "2024-03", reason="A late sheet.", by="olga")
    merge_players(player_of("dan"), player_of("ben"), by="olga")
    copy = restore_league(lines_file(export_of(league)), slug="copy", by="operator").league
    again = restore_league(lines_file(export_of(copy)), slug="again", by="operator").league
    assert [verify_league(one.pk).differences for one in (league, copy, again)] == [[], [], []]


def test_a_merge_that_a_file_dates_otherwise_than_its_log_is_refused_where_nobody_is_known() -> None:
    lines: list[str] = []
    with suppress(Undone), transaction.atomic():
        lines = export_of(merged_books())
        place = next(place for place, line in enumerate(lines) if '"handle":"finn"' in line)
        merge = {**json.loads(lines[place])["merge"], "by": "nobody"}
        lines[place] = json.dumps({**json.loads(lines[place]), "merge": merge})
        # Here the merge of finn is the site's own, whatever a file says of its author.
        assert restore_league(sealed_file(lines), slug="copy", by="operator").league.slug == "copy"
        raise Undone
    assert not Player.objects.exists()
    sentence = f"Line {place + 1}: the log of this file says otherwise. The merge of finn has by “nobody”; entry"
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file(lines), by="operator")
    assert sentence in refused.value.detail
