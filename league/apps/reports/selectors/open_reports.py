"""Open reports for an export, with current handles."""

from collections.abc import Iterable, Iterator
from typing import Any

from league.apps.reports.models import Report
from league.core.text.names import key_of
from league.models import Alias, League, Player


def list_player_ids(league: League) -> set[int]:
    """Return the ids of all players named in the open reports of a league."""
    reports = _load_open_reports(league)
    return {player.pk for player in load_players_by_handle(reports).values()} | {
        resolve_merged(report.entered_by).pk for report in reports
    }


def _load_open_reports(league: League) -> list[Report]:
    reports = Report.objects.filter(league=league, state__in=Report.OPEN).select_related("entered_by__merged_into")
    return list(reports.order_by("entered_at", "pk"))


def resolve_merged(player: Player) -> Player:
    """Return the player that a player was merged into, or the player itself."""
    return player.merged_into or player


def load_players_by_handle(reports: Iterable[Report]) -> dict[str, Player]:
    """Return the current players of all handles on the sheets and in the answers, by handle key."""
    handles = [entry["player"] for report in reports for entry in (*report.sheet["results"], *report.answers)]
    aliases = Alias.objects.filter(key__in={key_of(handle) for handle in handles}).select_related("player__merged_into")
    return {alias.key: resolve_merged(alias.player) for alias in aliases}


def serialize_open_reports(league: League) -> Iterator[dict[str, Any]]:
    """Yield the open reports for an export, without link, key and seal."""
    reports = _load_open_reports(league)
    players = load_players_by_handle(reports)

    def replace_handle(entry: dict[str, Any]) -> dict[str, Any]:
        player = players.get(key_of(entry["player"]))
        return {**entry, "player": entry["player"] if player is None else player.handle}

    for report in reports:
        yield {
            "state": report.state,
            "sheet": {**report.sheet, "results": [replace_handle(entry) for entry in report.sheet["results"]]},
            "played_at": report.played_at,
            "entered_by": resolve_merged(report.entered_by).handle,
            "entered_at": report.entered_at,
            "due_at": report.due_at,
            "answers": [
                {name: replace_handle(answer)[name] for name in ("player", "at", "right", "reason")}
                for answer in report.answers
            ],
            "reason": report.reason,
        }
