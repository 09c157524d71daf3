"""What a league's log alone says of its facts: entries replayed into rows of tables, in memory. No database is asked.

Games are no rows here: each is compared while the log is read (``games.py``). What later entries change of them is:
who voided them, and their order keys.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from league.core.players.services.merges import BY_ITSELF

#: The kinds of entries that record a game.
RECORDED, CORRECTED, RESTORED = "game.recorded", "game.corrected", "game.restored"
#: The kinds of entries that record a decision, and the kind of the decision.
DECISIONS = {"period.reopened": "reopen", "period.carried": "carry"}
EDITION = ("ladder", "period", "edition")
#: The members that are the key of a row, by tables. That of a start is whom it named at first.
KEYS: dict[str, tuple[str, ...]] = {
    "rules": ("from",), "ended merges": ("player", "into", "at"), "adjustments": ("number",),
    "void adjustments": ("number",), "void games": ("number",), "ladders": ("ladder",),
    "rules of ladders": ("ladder", "from"), "editions": EDITION, "redacted editions": EDITION,
    "decisions": (*EDITION, "decision", "at"), "heads": ("position",), "links": ("link",), "revoked links": ("link",),
    "reports": ("report",),
}  # fmt: skip
#: The kinds of entries that are a row of a table as they stand; so are those of reports.
ROWS = {
    "rule.adopted": "rules", "adjustment.made": "adjustments", "adjustment.voided": "void adjustments",
    "game.voided": "void games", CORRECTED: "void games", "ladder.rule_adopted": "rules of ladders",
    "edition.published": "editions", "edition.redacted": "redacted editions", "head.published": "heads",
    "link.made": "links", "link.reworded": "links", "link.revoked": "revoked links",
    **dict.fromkeys(DECISIONS, "decisions"),
}  # fmt: skip
#: The tables whose rows stay at another site when a league is restored from an export.
OF_THE_SITE = ("heads", "links", "revoked links", "reports", "ended merges")
Payload = dict[str, Any]


@dataclass
class LoggedRow:
    """What the log says of a row, and the position of the entry that says so last; 0: no single entry says it."""

    position: int
    values: Payload


@dataclass(frozen=True)
class LoggedGame:
    """A game that an entry recorded; ``payload``: what the entry says of it, as text or parsed."""

    position: int
    at: str
    by: str
    payload: Any
    replaces: int | None = None


@dataclass
class LogReplay:
    """The rows of each table by the entries that were taken, in their order."""

    restored: Collection[str] | None = None
    """While the league is restored from an export: the handles of the players who were here before."""
    tables: defaultdict[str, dict[Any, LoggedRow]] = field(default_factory=lambda: defaultdict(dict))
    order_keys: dict[int, int] = field(default_factory=dict)
    """Of the games whose key may be another one than their number."""
    sharing: dict[int, set[int]] = field(default_factory=dict)
    """Order key -> the games that have it, if these are not just the game of that number."""
    restored_at: int = 0
    """The last position at which the league was restored from an export."""
    erased: set[int] = field(default_factory=set)
    """The positions of the entries whose texts were erased."""

    def take(self, kind: str, position: int, at: str, by: str, payload: Payload) -> LoggedGame | None:
        """Take an entry; returns the game that it records, if any.

        Kinds that are not known change no fact that is compared. Raises LookupError, TypeError, ValueError or
        AttributeError if the entry does not say what one of its kind says.
        """
        # An entry leaves out a season that a rule has not, a start as usual, and the digest of no ranking.
        left_out: Payload = {"decision": DECISIONS.get(kind), "season": {}, "start": "replayed", "digest": ""}
        own = {"at": at, "created_at": at, "by": by, "log_position": position}
        row = LoggedRow(position, {**left_out, **payload, **own})
        table = "reports" if kind.startswith("report.") else ROWS.get(kind)
        if table is not None:
            self.put(table, row)
        taken = TAKEN.get(kind)
        return None if taken is None else taken(self, row)

    def put(self, table: str, row: LoggedRow) -> None:
        """Put a row into its table, in the place of one with the same key."""
        self.tables[table][key_of(table, row.values)] = row

    def take_created(self, row: LoggedRow) -> None:
        """Take the league's beginning."""
        self.tables["the league"][None] = LoggedRow(0, row.values)

    def take_settings(self, row: LoggedRow) -> None:
        """Take settings that were changed."""
        known = self.tables["the league"][None].values
        known |= {**row.values, "created_at": known["created_at"]}

    def take_league_restored(self, row: LoggedRow) -> None:
        """Take that the league was restored from an export, maybe under another slug."""
        self.tables["the league"][None].values["slug"] = row.values["slug"]
        self.restored_at = row.position
        for table in OF_THE_SITE:
            self.tables[table].clear()

    def take_withdrawal(self, row: LoggedRow) -> None:
        """Take that a rule was withdrawn before it was in force."""
        self.tables["rules"].pop(row.values["from"], None)

    def take_start(self, row: LoggedRow) -> None:
        """Take an initial rating: the first one of a player, or another one."""
        player = row.values["player"]
        known = next((values for values in self.rows_of("player", player) if "rating" in values), row.values)
        self.put("starts", LoggedRow(row.position, {**row.values, "recorded_as": known.get("recorded_as")}))

    def take_player(self, row: LoggedRow) -> None:
        """Take that a player was added or changed; the log says of changes whether the player is active."""
        self.change_player(row, {name: bool(row.values[name]) for name in ("active",) if name in row.values})

    def take_erasing(self, row: LoggedRow) -> None:
        """Take that a player was erased."""
        self.change_player(row, {"erased": True})

    def change_player(self, row: LoggedRow, change: Payload) -> None:
        """Change what the log says of a player."""
        fresh = {"active": True, "erased": False}
        known = self.tables["players"].setdefault(row.values["player"], LoggedRow(row.position, fresh))
        known.values |= change
        known.position = row.position if change else known.position

    def rows_of(self, member: str, player: str) -> Iterator[Payload]:
        """Yield the starts and adjustments that name a player in a member."""
        rows = [*self.tables["starts"].values(), *self.tables["adjustments"].values()]
        return (row.values for row in rows if row.values.get(member) == player)

    def take_merge(self, row: LoggedRow) -> None:
        """Take a merge: what names the player counts for the other one. Told again of a stray, it keeps its time."""
        player, into = row.values["player"], row.values["into"]
        known = self.tables["merges"].get(player)
        if known is None or known.values["into"] != into:
            self.tables["merges"][player] = LoggedRow(row.position, {**row.values, "merged_into": into})
        for values in self.rows_of("player", player):
            values |= {"player": into, "recorded_as": player}

    def take_unmerge(self, row: LoggedRow) -> None:
        """Take the end of a merge; an export has no ended merges, so those that it began are not compared."""
        player, said = row.values["player"], row.values
        begun = self.tables["merges"].get(player)
        self.tables["merges"][player] = LoggedRow(row.position, {"into": None, "merged_into": None})
        if begun is not None and self.restored_at < begun.position and begun.values.get("by") not in (None, BY_ITSELF):
            ended = {"undone_at": said["at"], "undone_by": said["by"]}
            self.put("ended merges", LoggedRow(row.position, begun.values | ended))
        for values in self.rows_of("recorded_as", player):
            values |= {"player": player, "recorded_as": None}

    def take_replacement(self, row: LoggedRow) -> LoggedGame:
        """Take the game that a correction or a restoration records: it has the order key of the one it replaces."""
        if row.values.get("voided") is not None:
            self.put("void games", LoggedRow(row.position, {**row.values, "number": row.values["voided"]}))
        replaced, number = int(row.values["number"]), int(row.values["game"]["number"])
        key = self.order_keys.get(replaced, replaced)
        self.order_keys[number] = key
        self.sharing.setdefault(key, {key}).add(number)
        return LoggedGame(row.position, row.values["at"], row.values["by"], row.values["game"], replaced)

    def take_exchange(self, row: LoggedRow) -> None:
        """Take that two games, with all that share their order keys, exchanged these."""
        one, other = (self.order_keys.get(int(number), int(number)) for number in row.values["games"])
        first, second = self.sharing.get(one, {one}), self.sharing.get(other, {other})
        self.sharing[one], self.sharing[other] = second, first
        for key in (one, other):
            for number in self.sharing[key]:
                self.order_keys[number] = key

    def take_ladder(self, row: LoggedRow) -> None:
        """Take a ladder as it was made, or changed later; who made it, and when, stays."""
        slug = row.values["ladder"]
        made = self.tables["ladders"].get(slug, row).values
        own = {name: made[name] for name in ("created_at", "by")}
        self.put("ladders", LoggedRow(row.position, {**row.values, **own}))

    def take_erased_text(self, row: LoggedRow) -> None:
        """Take that the texts of an entry were erased."""
        self.erased.add(int(row.values["position"]))


def key_of(table: str, members: Payload) -> Any:
    """Return the key of a row: the value of its member, or those of its members."""
    if table == "starts":
        return members["recorded_as"] or members["player"]
    key = tuple(members[name] for name in KEYS[table])
    return key if len(key) > 1 else key[0]


TAKEN: dict[str, Callable[[LogReplay, LoggedRow], Any]] = {
    "league.created": LogReplay.take_created,
    "league.changed": LogReplay.take_settings,
    "league.restored": LogReplay.take_league_restored,
    "rule.withdrawn": LogReplay.take_withdrawal,
    "initial_rating.set": LogReplay.take_start,
    "player.created": LogReplay.take_player,
    "player.changed": LogReplay.take_player,
    "player.merged": LogReplay.take_merge,
    "player.unmerged": LogReplay.take_unmerge,
    "player.erased": LogReplay.take_erasing,
    CORRECTED: LogReplay.take_replacement,
    RESTORED: LogReplay.take_replacement,
    "games.moved": LogReplay.take_exchange,
    "ladder.created": LogReplay.take_ladder,
    "ladder.changed": LogReplay.take_ladder,
    "text.erased": LogReplay.take_erased_text,
}
