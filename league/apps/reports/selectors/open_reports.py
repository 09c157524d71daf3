"""Reports that wait for someone, as an export for organisers tells them: by the handles that people bear now."""

from collections.abc import Iterable, Iterator
from typing import Any

from league.apps.reports.models import Report
from league.core.text.names import key_of
from league.models import Alias, League, Player


def sitting(league: League) -> set[int]:
    """Return the keys of everyone whom the open reports of a league name."""
    reports = open_ones(league)
    return {player.pk for player in table_at(reports).values()} | {survivor(one.entered_by).pk for one in reports}


def open_ones(league: League) -> list[Report]:
    """Return the reports that wait, the earliest first; a league has at most a few hundred."""
    found = Report.objects.filter(league=league, state__in=Report.OPEN).select_related("entered_by__merged_into")
    return list(found.order_by("entered_at", "pk"))


def survivor(player: Player) -> Player:
    """Return who someone is; of who was merged, who they turned out to be."""
    return player.merged_into or player


def table_at(reports: Iterable[Report]) -> dict[str, Player]:
    """Return key of a handle -> who that is now, for everyone on the sheets and in the answers."""
    said = [line["player"] for one in reports for line in (*one.sheet["results"], *one.answers)]
    known = Alias.objects.filter(key__in={key_of(handle) for handle in said}).select_related("player__merged_into")
    return {alias.key: survivor(alias.player) for alias in known}


def serialize_open_reports(league: League) -> Iterator[dict[str, Any]]:
    """Yield what an export says of each report that waits: no link, no key and no seal, which stay at their site."""
    reports = open_ones(league)
    table = table_at(reports)

    def named(line: dict[str, Any]) -> dict[str, Any]:
        found = table.get(key_of(line["player"]))
        return {**line, "player": line["player"] if found is None else found.handle}

    for one in reports:
        yield {
            "state": one.state,
            "sheet": {**one.sheet, "results": [named(line) for line in one.sheet["results"]]},
            "played_at": one.played_at,
            "entered_by": survivor(one.entered_by).handle,
            "entered_at": one.entered_at,
            "due_at": one.due_at,
            "answers": [
                {name: named(said)[name] for name in ("player", "at", "right", "reason")} for said in one.answers
            ],
            "reason": one.reason,
        }
