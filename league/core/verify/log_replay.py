"""Replay of a league's log into rows of fact tables, in memory and without the database.

Games are compared while the log is read (``games.py``). Here are only later changes of them: voids and order keys.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from league.core.players.services.merges import SWEEP_AUTHOR

#: The kinds of entries that record a game.
RECORDED, CORRECTED, RESTORED = "game.recorded", "game.corrected", "game.restored"
#: The kinds of entries that record a decision, and the kind of the decision.
DECISIONS = {"period.reopened": "reopen", "period.carried": "carry"}
EDITION = ("ladder", "period", "edition")
#: The members that form the key of a row, by tables. The key of a start is the player it was first recorded for.
KEYS: dict[str, tuple[str, ...]] = {
    "rules": ("from",), "ended merges": ("player", "into", "at"), "adjustments": ("number",),
    "void adjustments": ("number",), "void games": ("number",), "ladders": ("ladder",),
    "rules of ladders": ("ladder", "from"), "editions": EDITION, "redacted editions": EDITION,
    "decisions": (*EDITION, "decision", "at"), "heads": ("position",), "links": ("link",), "revoked links": ("link",),
    "reports": ("report",), "competitions": ("competition",), "entries of competitions": ("competition", "entry"),
    "rounds of competitions": ("competition", "round"), "fixtures": ("fixture",),
    "final standings": ("competition", "edition"), "files of competitions": ("competition",),
}  # fmt: skip
#: The tables for which the payloads of entries are rows without conversion.
ROWS = {
    "rule.adopted": "rules", "adjustment.made": "adjustments", "adjustment.voided": "void adjustments",
    "game.voided": "void games", CORRECTED: "void games", "ladder.rule_adopted": "rules of ladders",
    "edition.published": "editions", "edition.redacted": "redacted editions", "head.published": "heads",
    "link.made": "links", "link.reworded": "links", "link.revoked": "revoked links",
    **dict.fromkeys(DECISIONS, "decisions"),
}  # fmt: skip
#: Lists of rows in the entries of competitions, and their tables.
COMPETITION_TABLES = {
    "entries": "entries of competitions", "rounds": "rounds of competitions", "fixtures": "fixtures",
}  # fmt: skip
#: Single rows in them, and their tables; a deleted file has an empty hash.
COMPETITION_ROWS = {"settings": "competitions", "standings": "final standings", "file": "files of competitions"}
#: What rows lack that a public export brought.
LEFT_OUT_OF_ROWS: dict[str, Any] = {"not_against": []}
#: What the kinds of entries of competitions begin with.
COMPETITION_KINDS = ("competition.", "entry.", "round.", "fixture.")
#: The tables whose rows are not restored from an export.
SITE_TABLES = ("heads", "links", "revoked links", "reports", "ended merges")
Payload = dict[str, Any]


@dataclass
class LoggedRow:
    """The values of a row according to the log, and the position of its last entry (0: several entries)."""

    position: int
    values: Payload


@dataclass(frozen=True)
class LoggedGame:
    """A game that an entry recorded; ``payload`` is text or parsed."""

    position: int
    at: str
    by: str
    payload: Any
    replaces: int | None = None


@dataclass
class LogReplay:
    """The rows of each table according to the applied entries."""

    restored: Collection[str] | None = None
    """During a restore: the handles of the players who were here before."""
    tables: defaultdict[str, dict[Any, LoggedRow]] = field(default_factory=lambda: defaultdict(dict))
    order_keys: dict[int, int] = field(default_factory=dict)
    """The order keys of games, if not their numbers."""
    sharing: dict[int, set[int]] = field(default_factory=dict)
    """Order key -> the games with it, if not only the game with that number."""
    restored_at: int = 0
    """The position of the last restore."""
    gaps_until: int = 0
    """The position of the last restore from a public export, whose entries may have hidden members."""
    erased: set[int] = field(default_factory=set)
    """The positions of the entries whose texts were erased."""

    def apply(self, kind: str, position: int, at: str, by: str, payload: Payload) -> LoggedGame | None:
        """Apply an entry; return the game that it records, if any.

        Unknown kinds change no compared fact. Raises PAYLOAD_ERRORS if a payload lacks the members of its kind.
        """
        # Entries omit an empty season, the default start, and an empty digest.
        left_out: Payload = {"decision": DECISIONS.get(kind), "season": {}, "start": "replayed", "digest": ""}
        common = {"at": at, "created_at": at, "by": by, "log_position": position}
        row = LoggedRow(position, {**left_out, **payload, **common})
        table = "reports" if kind.startswith("report.") else ROWS.get(kind)
        if table is not None:
            self.put_row(table, row)
        if kind.startswith(COMPETITION_KINDS):
            self.apply_competition(row)
        handler = HANDLERS.get(kind)
        return None if handler is None else handler(self, row)

    def put_row(self, table: str, row: LoggedRow) -> None:
        """Add a row to its table, or replace the one with the same key."""
        self.tables[table][make_row_key(table, row.values)] = row

    def _apply_created(self, row: LoggedRow) -> None:
        self.tables["the league"][None] = LoggedRow(0, row.values)

    def apply_settings(self, row: LoggedRow) -> None:
        """Apply changed settings of the league."""
        settings = self.tables["the league"][None].values
        settings |= {**row.values, "created_at": settings["created_at"]}

    def apply_league_restored(self, row: LoggedRow) -> None:
        """Apply a restore from an export, possibly under another slug."""
        self.tables["the league"][None].values["slug"] = row.values["slug"]
        self.restored_at = row.position
        self.gaps_until = row.position if row.values.get("public") else self.gaps_until
        for table in SITE_TABLES:
            self.tables[table].clear()

    def apply_withdrawal(self, row: LoggedRow) -> None:
        """Apply the withdrawal of a rule that was not yet in force."""
        self.tables["rules"].pop(row.values["from"], None)

    def apply_start(self, row: LoggedRow) -> None:
        """Apply the first or a changed initial rating of a player."""
        player = row.values["player"]
        player_values = next((values for values in self.find_rows("player", player) if "rating" in values), row.values)
        self.put_row("starts", LoggedRow(row.position, {**row.values, "recorded_as": player_values.get("recorded_as")}))

    def apply_player(self, row: LoggedRow) -> None:
        """Apply a new or changed player; only ``active`` can change."""
        self._change_player(row, {name: bool(row.values[name]) for name in ("active",) if name in row.values})

    def _apply_erasing(self, row: LoggedRow) -> None:
        self._change_player(row, {"erased": True})

    def _change_player(self, row: LoggedRow, change: Payload) -> None:
        fresh = {"active": True, "erased": False}
        player_row = self.tables["players"].setdefault(row.values["player"], LoggedRow(row.position, fresh))
        player_row.values |= change
        player_row.position = row.position if change else player_row.position

    def find_rows(self, member: str, player: str) -> Iterator[Payload]:
        """Yield the initial ratings and adjustments with a player in ``member``."""
        rows = [*self.tables["starts"].values(), *self.tables["adjustments"].values()]
        return (row.values for row in rows if row.values.get(member) == player)

    def apply_merge(self, row: LoggedRow) -> None:
        """Apply a merge; an entry that repeats it for a late game does not change its time."""
        player, survivor = row.values["player"], row.values["into"]
        merge_row = self.tables["merges"].get(player)
        if merge_row is None or merge_row.values["into"] != survivor:
            self.tables["merges"][player] = LoggedRow(row.position, {**row.values, "merged_into": survivor})
        for values in self.find_rows("player", player):
            values |= {"player": survivor, "recorded_as": player}

    def apply_unmerge(self, row: LoggedRow) -> None:
        """Apply the end of a merge; merges that began before the last restore are not compared."""
        player, row_values = row.values["player"], row.values
        merge_row = self.tables["merges"].get(player)
        self.tables["merges"][player] = LoggedRow(row.position, {"into": None, "merged_into": None})
        if (
            merge_row is not None
            and self.restored_at < merge_row.position
            and merge_row.values.get("by") not in (None, SWEEP_AUTHOR)
        ):
            ended = {"undone_at": row_values["at"], "undone_by": row_values["by"]}
            self.put_row("ended merges", LoggedRow(row.position, merge_row.values | ended))
        for values in self.find_rows("recorded_as", player):
            values |= {"player": player, "recorded_as": None}

    def apply_replacement(self, row: LoggedRow) -> LoggedGame:
        """Apply a correction or restoration: its game has the order key of the replaced one."""
        if row.values.get("voided") is not None:
            self.put_row("void games", LoggedRow(row.position, {**row.values, "number": row.values["voided"]}))
        replaced, number = int(row.values["number"]), int(row.values["game"]["number"])
        key = self.order_keys.get(replaced, replaced)
        self.order_keys[number] = key
        self.sharing.setdefault(key, {key}).add(number)
        return LoggedGame(row.position, row.values["at"], row.values["by"], row.values["game"], replaced)

    def apply_exchange(self, row: LoggedRow) -> None:
        """Apply the exchange of the order keys of two games, and of all games that share these keys."""
        first_key, second_key = (self.order_keys.get(int(number), int(number)) for number in row.values["games"])
        first, second = self.sharing.get(first_key, {first_key}), self.sharing.get(second_key, {second_key})
        self.sharing[first_key], self.sharing[second_key] = second, first
        for key in (first_key, second_key):
            for number in self.sharing[key]:
                self.order_keys[number] = key

    def apply_ladder(self, row: LoggedRow) -> None:
        """Apply a new or changed ladder; author and time of its creation do not change."""
        slug = row.values["ladder"]
        ladder_values = self.tables["ladders"].get(slug, row).values
        creation = {name: ladder_values[name] for name in ("created_at", "by")}
        self.put_row("ladders", LoggedRow(row.position, {**row.values, **creation}))

    def apply_competition(self, row: LoggedRow) -> None:
        """Apply the removed and changed rows of a competition, which an entry has whole."""
        slug = row.values["competition"]
        for name, numbers in row.values.get("removed", {}).items():
            for number in numbers:
                key = number if name == "fixtures" else (slug, number)
                self.tables[COMPETITION_TABLES[name]].pop(key, None)
        for name, table in COMPETITION_TABLES.items():
            for values in row.values.get(name, ()):
                self.put_row(table, LoggedRow(row.position, {**LEFT_OUT_OF_ROWS, **values}))
        for name, table in COMPETITION_ROWS.items():
            if name in row.values:
                self.put_row(table, LoggedRow(row.position, row.values[name]))
        if not row.values.get("file", {}).get("sha256", "-"):
            self.tables[COMPETITION_ROWS["file"]].pop(slug)

    def _apply_erased_text(self, row: LoggedRow) -> None:
        self.erased.add(int(row.values["position"]))


def make_row_key(table: str, members: Payload) -> Any:
    """Return the key of a row: one value or a tuple."""
    if table == "starts":
        return members["recorded_as"] or members["player"]
    key = tuple(members[name] for name in KEYS[table])
    return key if len(key) > 1 else key[0]


HANDLERS: dict[str, Callable[[LogReplay, LoggedRow], Any]] = {
    "league.created": LogReplay._apply_created,
    "league.changed": LogReplay.apply_settings,
    "league.restored": LogReplay.apply_league_restored,
    "rule.withdrawn": LogReplay.apply_withdrawal,
    "initial_rating.set": LogReplay.apply_start,
    "player.created": LogReplay.apply_player,
    "player.changed": LogReplay.apply_player,
    "player.merged": LogReplay.apply_merge,
    "player.unmerged": LogReplay.apply_unmerge,
    "player.erased": LogReplay._apply_erasing,
    CORRECTED: LogReplay.apply_replacement,
    RESTORED: LogReplay.apply_replacement,
    "games.moved": LogReplay.apply_exchange,
    "ladder.created": LogReplay.apply_ladder,
    "ladder.changed": LogReplay.apply_ladder,
    "text.erased": LogReplay._apply_erased_text,
}
