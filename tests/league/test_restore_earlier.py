"""Exports of earlier versions restore: what their logs did not say yet is taken, and the log says so from then on.

The file is written line by line as the version before this one wrote it (commit da896ee): no ``closing`` of the
league, no ``order_key`` of games, rules with the parameters that differ from the defaults, and ``active`` of a player
of whom no entry says so: then it was one word for the whole site.
"""

import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from django.core.management import call_command

from league.errors import Invalid
from league.models import Inactive, League
from league.services.transfer.restore import restore_league
from league.services.verify.run import verify_league
from tests.helpers.builders import make_league, record, said
from tests.helpers.ladder_builders import duel
from tests.helpers.restore_builders import edited, export_of, lines_file, sealed_file

pytestmark = pytest.mark.django_db

AT = "2024-03-01T18:00:00.000000Z"
GAME = {
    "number": 1, "played_at": "2024-03-10T00:00:00.000000Z", "kind": "played", "external_id": None, "details": {},
    "note": "",
}  # fmt: skip
PEOPLE = (("anna", True), ("ben", False), ("cleo", False))


def entries() -> list[dict[str, Any]]:
    """Return the log as that version wrote it: that Ben was made inactive it says without saying which."""
    league = {
        "slug": "club", "title": "Club", "game": "", "description": "", "time_zone": "UTC", "visibility": "public",
        "min_games": 1, "inactive_after_days": None, "close_after_hours": 24,
    }  # fmt: skip
    seats = [{"player": "anna", "score": 1, "place": None}, {"player": "ben", "score": 0, "place": None}]
    said: list[tuple[str, dict[str, Any]]] = [
        ("league.created", league),
        ("rule.adopted", {"from": "1800-01-01", "system": "elo", "parameters": {"k": 32}}),
        ("initial_rating.set", {"player": "cleo", "rating": 1600}),
        ("game.recorded", {**GAME, "results": seats}),
        ("player.changed", {"player": "ben", "given": ["active"]}),
    ]
    found, previous = [], "0" * 64
    for position, (kind, payload) in enumerate(said, start=1):
        entry: dict[str, Any] = {
            "at": AT, "by": "olga", "kind": kind, "payload": payload, "position": position, "previous": previous,
        }  # fmt: skip
        previous = hashlib.sha256(rfc8785.dumps(entry)).hexdigest()
        found.append({**entry, "sha256": previous})
    return found


def earlier() -> list[str]:
    """Return the lines of an export of that version."""
    made = {"created_at": AT, "created_by": "olga"}
    seat = {"recorded_as": None, "place": None}
    lines: list[tuple[str, dict[str, Any]]] = [
        ("header", {"format": "rungs-export", "version": 1, "exported_at": AT, "aliases": True}),
        ("league", {
            "slug": "club", "title": "Club", "game": "", "description": "", "time_zone": "UTC", "visibility": "public",
            "min_games": 1, "inactive_after_days": None, "close_after_hours": 24, "created_at": AT, "last_number": 1,
            "log_length": 5,
        }),
        ("rule", {
            "from_date": "1800-01-01", "starts_at": "1800-01-01T00:00:00.000000Z", "system": "elo",
            "parameters": {"k": 32}, **made,
        }),
        *(("player", {
            "handle": handle, "name": handle.title(), "active": active, "created_at": AT, "aliases": [], "merge": None,
        }) for handle, active in PEOPLE),
        ("initial_rating", {"player": "cleo", "recorded_as": None, "rating": 1600.0}),
        ("game", {
            **GAME, "recorded_at": AT, "recorded_by": "olga", "voided_at": None, "voided_by": "", "void_reason": "",
            "replaces": None, "results": [
                {"seat": 1, "player": "anna", **seat, "score": 1.0}, {"seat": 2, "player": "ben", **seat, "score": 0.0},
            ],
        }),
        *(("entry", {"entry": entry}) for entry in entries()),
    ]  # fmt: skip
    return [json.dumps({"type": kind, **values}) for kind, values in lines]


def left() -> list[tuple[str, str]]:
    """Return who is inactive where."""
    return list(
        Inactive.objects.order_by("league__slug", "player__handle").values_list("league__slug", "player__handle")
    )


def test_an_export_of_before_restores_with_the_inactive_of_whom_its_log_does_not_say() -> None:
    done = restore_league(sealed_file(earlier()), by="operator")
    assert left() == [("club", "ben"), ("club", "cleo")]
    assert done.unsaid == ["ben", "cleo"]
    told = list(done.league.log.filter(position__gt=5).order_by("position"))
    assert [(entry.kind, entry.by) for entry in told] == [
        ("log.carried", ""), ("league.restored", "operator"), ("player.changed", "operator"),
        ("player.changed", "operator"),
    ]  # fmt: skip
    assert said(told[0]) == {"entries": 5, "sha256": json.loads(earlier()[-1])["entry"]["sha256"]}
    assert [said(entry) for entry in told][2:] == [
        {"player": handle, "given": ["active"], "active": False} for handle in ("ben", "cleo")
    ]
    verdict = verify_league(done.league.pk)
    assert (verdict.state, verdict.differences) == ("is right", [])
    again = restore_league(lines_file(export_of(done.league)), slug="again", by="operator")
    assert (again.unsaid, left()[:2]) == ([], [("again", "ben"), ("again", "cleo")])
    assert verify_league(again.league.pk).differences == []


def test_the_command_says_whose_state_it_took_without_the_log(tmp_path: Path) -> None:
    file = tmp_path / "club.ndjson"
    file.write_bytes(sealed_file(earlier()).getvalue())
    out = StringIO()
    call_command("restore", str(file), stdout=out)
    assert "an earlier version" in out.getvalue()
    assert "ben, cleo" in out.getvalue()


def test_who_is_inactive_behind_the_log_of_a_restored_league_is_found() -> None:
    league = restore_league(sealed_file(earlier()), by="operator").league
    Inactive.objects.create(league=league, player_id=league.games.get().results.get(seat=1).player_id)
    sentence = "The player anna is inactive; by the league's log they are active."
    assert verify_league(league.pk).differences == [sentence]
    with pytest.raises(Invalid, match=r"the log of this file says otherwise\. The player anna is inactive"):
        restore_league(lines_file(export_of(league)), slug="again", by="operator")


def test_an_export_of_now_is_refused_where_its_log_does_not_say_who_is_inactive() -> None:
    league = make_league()
    record(league, duel("anna", "ben", "2024-03-10"))
    lines = export_of(league)
    place = next(place for place, line in enumerate(lines) if '"handle":"ben"' in line)
    planted = edited("player", 1, active=False)(lines)
    assert json.loads(planted[place])["active"] is False
    with pytest.raises(Invalid) as refused:
        restore_league(sealed_file(planted), slug="copy", by="operator")
    assert refused.value.detail.startswith(f"Nothing was restored. Line {place + 1}: the log of this file says")
    assert "The player ben is inactive; by the league's log they are active." in refused.value.detail
    assert not League.objects.filter(slug="copy").exists()
