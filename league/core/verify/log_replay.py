"""Replay of a league's log into rows of fact tables, in memory and without the database.

Games are compared while the log is read (``games.py``). Here are only later changes of them: voids and order keys.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from league.core.log_tables import FactTable
from league.core.players.services.merges import SWEEP_AUTHOR
from league.core.text.stored_messages import phrase
from league.models import League, Merge
from league.models.contexts import CONTEXT_LOG
from league.models.facts import GAME_VOID_LOG, START_LOG
from league.models.fields import FIELD_LOG
from league.models.ladders import LADDER_LOG
from league.models.merges import MERGE_RECORD
from league.models.record import DECISION_LOG

#: The kinds of entries that record a game.
RECORDED, CORRECTED, RESTORED = "game.recorded", "game.corrected", "game.restored"
#: The kinds of entries that record a decision, and the kind of the decision.
DECISIONS = {"period.reopened": "reopen", "period.carried": "carry"}
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

    declared: Sequence[FactTable]
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

    def __post_init__(self) -> None:
        self.by_kind: defaultdict[str, list[FactTable]] = defaultdict(list)
        for table in self.declared:
            for kind in table.kinds:
                self.by_kind[kind].append(table)

    def apply(self, kind: str, position: int, at: str, by: str, payload: Payload) -> LoggedGame | None:
        """Apply an entry; return the game that it records, if any.

        Unknown kinds change no compared fact. Raises PAYLOAD_ERRORS if a payload lacks the members of its kind.
        """
        common = {"at": at, "created_at": at, "by": by, "log_position": position}
        row = LoggedRow(position, {**payload, **common})
        if kind in HANDLERS:
            game: LoggedGame | None = HANDLERS[kind](self, row)
            return game
        for table in self.by_kind[kind]:
            if table.member:
                self.apply_rows(table, row)
            else:
                self.put_row(table, row)
        return None

    def apply_rows(self, table: FactTable, row: LoggedRow) -> None:
        """Apply the removed and changed rows of a table, which an entry has whole in a member of its payload."""
        for number in row.values.get("removed", {}).get(table.member, ()):
            self.tables[table.title].pop(table.make_key({**row.values, table.key[-1][0]: number}), None)
        rows = row.values.get(table.member, ())
        for values in [rows] if isinstance(rows, dict) else rows:
            self.put_row(table, LoggedRow(row.position, values))

    def put_row(self, table: FactTable, row: LoggedRow) -> None:
        """Add a row to its table, or replace the one with the same key."""
        row.values = {**table.defaults, **row.values}
        self.tables[table.title][table.make_key(row.values)] = row

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
        for table in self.declared:
            if table.of_site:
                self.tables[table.title].clear()

    def apply_withdrawal(self, row: LoggedRow) -> None:
        """Apply the withdrawal of a rule that was not yet in force."""
        self.tables["rules"].pop(row.values["from"], None)

    def apply_start(self, row: LoggedRow) -> None:
        """Apply the first or a changed initial rating of a player."""
        player = row.values["player"]
        player_values = next((values for values in self.find_rows("player", player) if "rating" in values), row.values)
        row.values["recorded_as"] = player_values.get("recorded_as")
        self.put_row(START_LOG, row)

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
            self.put_row(ENDED_MERGE_LOG, LoggedRow(row.position, merge_row.values | ended))
        for values in self.find_rows("recorded_as", player):
            values |= {"player": player, "recorded_as": None}

    def apply_replacement(self, row: LoggedRow) -> LoggedGame:
        """Apply a correction or restoration: its game has the order key of the replaced one."""
        voided = row.values.get("voided", row.values["number"])
        if voided is not None:
            self.put_row(GAME_VOID_LOG, LoggedRow(row.position, {**row.values, "number": voided}))
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
        self.put_row(LADDER_LOG, LoggedRow(row.position, {**row.values, **creation}))

    def apply_changed_context(self, row: LoggedRow) -> None:
        """Apply a changed context; author and time of its creation do not change."""
        context_values = self.tables[CONTEXT_LOG.title].get(row.values["context"], row).values
        creation = {name: context_values[name] for name in ("created_at", "by")}
        self.put_row(CONTEXT_LOG, LoggedRow(row.position, {**row.values, **creation}))

    def apply_removed_context(self, row: LoggedRow) -> None:
        """Apply the removal of a context."""
        self.tables[CONTEXT_LOG.title].pop(row.values["context"], None)

    def apply_changed_field(self, row: LoggedRow) -> None:
        """Apply a changed field; author and time of its declaration do not change."""
        field_values = self.tables[FIELD_LOG.title].get(row.values["key"], row).values
        creation = {name: field_values[name] for name in ("created_at", "by")}
        self.put_row(FIELD_LOG, LoggedRow(row.position, {**row.values, **creation}))

    def apply_decision(self, row: LoggedRow, decision: str) -> None:
        """Apply a decision of a kind."""
        self.put_row(DECISION_LOG, LoggedRow(row.position, {**row.values, "decision": decision}))

    def _apply_erased_text(self, row: LoggedRow) -> None:
        self.erased.add(int(row.values["position"]))


def read_ended_merges(league: League, log: LogReplay) -> Iterator[tuple[Any, Payload]]:
    """Read the ended merges that are in the log."""
    logged = log.tables[ENDED_MERGE_LOG.title]
    ended = Merge.objects.filter(undone_at__isnull=False, player__handle__in={key[0] for key in logged})
    names = ("player", "into", "at", "by", "undone_at", "undone_by")
    rows = (MERGE_RECORD.serialize(merge, names) for merge in ended.select_related("player", "into"))
    return ((key, row) for row in rows if (key := ENDED_MERGE_LOG.make_key(row)) in logged)


ENDED_MERGE_LOG = FactTable(
    "ended merges",
    read_ended_merges,
    lambda player, into, at: phrase("The ended merge of {player}", player=player),
    key="player into at",
    under="merges",
    of_site=True,
)
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
    "context.changed": LogReplay.apply_changed_context,
    "context.removed": LogReplay.apply_removed_context,
    "field.changed": LogReplay.apply_changed_field,
    "ladder.created": LogReplay.apply_ladder,
    "ladder.changed": LogReplay.apply_ladder,
    "period.reopened": partial(LogReplay.apply_decision, decision="reopen"),
    "period.carried": partial(LogReplay.apply_decision, decision="carry"),
    "text.erased": LogReplay._apply_erased_text,
}
