"""What everyone who sees a league may read of its competitions, in its log and its exports."""

from collections.abc import Collection
from datetime import datetime
from functools import cached_property
from typing import Any

from league.apps.competitions.models import HIDDEN
from league.apps.competitions.selectors.competitions import list_competitions
from league.apps.competitions.selectors.seasons import list_seasons
from league.core.log.chain import METADATA, Payload
from league.models import League

#: Table -> its members for arbiters only: who must not meet whom, what is known of people (under the names of exports
#: and of the log), what lots are drawn from, and results that do not count yet.
HIDDEN_MEMBERS = {"settings": ("seed",), "entries": (*HIDDEN, METADATA), "fixtures": ("entered",)}
#: A random member of each entry, so that nobody finds by trial what is hidden in an entry with a known hash.
SALT = "salt"


def hide_row(table: str, row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the log or of an export without what only arbiters see."""
    return {name: value for name, value in row.items() if name not in HIDDEN_MEMBERS.get(table, ())}


class CompetitionAudience:
    """Judges log entries of competitions by what is visible now: see ``league.core.log.selectors.audience``."""

    def __init__(self, league: League) -> None:
        self.league = league

    @cached_property
    def rounds(self) -> dict[tuple[str, int | None], datetime | None]:
        """Slug and number of each published round -> when it was made; with number None the visible competitions."""
        rows = list_competitions(self.league).order_by().values_list(
            "slug", "round_rows__number", "round_rows__made_at", "round_rows__published_at"
        )  # fmt: skip
        found: dict[tuple[str, int | None], datetime | None] = {}
        for slug, number, made_at, published_at in rows:
            found[slug, None] = None
            if published_at is not None:
                found[slug, number] = made_at
        return found

    def hide_members(self, at: datetime, payload: Payload) -> tuple[Payload, Collection[str]] | None:
        """Return an entry without its hidden members; None for drafts. A round is hidden until it is published."""
        if "season" in payload:
            return self._hide_season(payload)
        if "hall" in payload:
            # The address of a hall is for arbiters: it has drafts, rounds that are not published, and planned fixtures.
            return None
        # The entry of a draft has no member in a league that was restored from what everyone may read.
        slug = payload.get("competition", "")
        if (slug, None) not in self.rounds:
            return None
        lists = {name: payload[name] for name in ("rounds", "fixtures") if name in payload}
        seen: Payload = {
            name: [row for row in rows if self._shows_round(slug, row["round"], at)] for name, rows in lists.items()
        }
        if seen != lists:
            # Of a round that is not published, nothing but its kind is shown, with visible fixtures that it changed.
            seen = {name: [hide_row(name, row) for row in rows] for name, rows in seen.items() if rows}
            return {"competition": slug, **seen}, payload.keys() - {"competition", *seen}
        shown = {name: value for name, value in payload.items() if name != SALT}
        if "settings" in shown:
            shown["settings"] = hide_row("settings", shown["settings"])
        for name in ("entries", "fixtures"):
            if name in shown:
                shown[name] = [hide_row(name, row) for row in shown[name]]
        # That is the name of exports.
        hidden = {name for table, names in HIDDEN_MEMBERS.items() if table in shown for name in names} - {"about"}
        if not any("entered" in row for row in payload.get("fixtures", ())):
            hidden -= {"entered"}
        return (shown, hidden | {SALT}) if hidden else (payload, ())

    def _hide_season(self, payload: Payload) -> tuple[Payload, Collection[str]] | None:
        """Return an entry of a season without its salt; None for drafts."""
        return (payload, ()) if payload["season"] in self.seasons else None

    @cached_property
    def seasons(self) -> set[str]:
        """The slugs of the visible seasons."""
        return set(list_seasons(self.league).values_list("slug", flat=True))

    def _shows_round(self, slug: str, number: int | None, at: datetime) -> bool:
        """Return whether everyone sees a round. An earlier entry is about one that was undone and had its number."""
        made_at = self.rounds.get((slug, number))
        return number is None or (made_at is not None and made_at <= at)

    def describe_state(self) -> object:
        """Return the visible competitions, rounds and seasons."""
        return sorted(self.rounds.items(), key=str), sorted(self.seasons)
