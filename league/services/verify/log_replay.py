"""What a league's log alone says of its books: entries replayed into facts, in memory. No database is asked.

Games themselves are not kept here: they are compared while the log is read (``verify_games.py``). What later
entries change of them is: who voided them, their order keys, and for whom their lines count.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

#: The kinds of entries by which a game comes into the books.
RECORDED, CORRECTED, RESTORED = "game.recorded", "game.corrected", "game.restored"
#: How the kinds of decisions are called in the log, and what they are.
DECISIONS = {"period.reopened": "reopen", "period.carried": "carry"}
#: The kinds of entries that say how a report stands.
REPORTS = (
    "report.entered", "report.answered", "report.disputed", "report.confirmed", "report.refused", "report.overdue",
    "report.lapsed", "report.withdrawn", "report.twin", "report.reworded",
)  # fmt: skip
Payload = dict[str, Any]


@dataclass(frozen=True)
class Logged:
    """What an entry says of a fact."""

    position: int
    at: str
    by: str
    values: Payload


@dataclass(frozen=True)
class LoggedGame:
    """A game that an entry brought into the books; ``payload``: what it says of it, canonical JSON or parsed."""

    position: int
    at: str
    by: str
    payload: str | Payload
    replaces: int | None = None


@dataclass
class LoggedStart:
    """An initial rating: for whom it counts, and whom it named where that one was merged into the player."""

    player: str
    recorded_as: str | None
    rating: Any
    position: int


@dataclass
class LoggedFacts:
    """What stands in the books by the entries that were taken, in their order."""

    settings: Payload = field(default_factory=dict)
    created_at: str | None = None
    rules: dict[str, Logged] = field(default_factory=dict)
    """By their first days."""
    starts: list[LoggedStart] = field(default_factory=list)
    adjustments: dict[int, Logged] = field(default_factory=dict)
    adjustment_voids: dict[int, Logged] = field(default_factory=dict)
    players: dict[str, int] = field(default_factory=dict)
    """Who was added for a game -> the entry's position."""
    merges: dict[str, Logged] = field(default_factory=dict)
    """The merges in force by the players who were merged."""
    ended: list[tuple[Logged, Logged]] = field(default_factory=list)
    """The merges that were taken back: the entries of both."""
    turns: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    """Player -> positions at which that one was merged into somebody, or (None) was no more."""
    voids: dict[int, Logged] = field(default_factory=dict)
    order_keys: dict[int, int] = field(default_factory=dict)
    """Of the games whose key is not their own number."""
    sharing: dict[int, set[int]] = field(default_factory=dict)
    """Order key -> the games that bear it, where these are not just the game of that number."""
    ladders: dict[str, Logged] = field(default_factory=dict)
    ladder_rules: dict[tuple[str, str], Logged] = field(default_factory=dict)
    editions: dict[tuple[str, str, int], Logged] = field(default_factory=dict)
    redactions: dict[tuple[str, str, int], Logged] = field(default_factory=dict)
    """What was said last of an edition that was redacted."""
    decisions: dict[tuple[str, str, int, str, str], Logged] = field(default_factory=dict)
    heads: dict[int, Logged] = field(default_factory=dict)
    """By the positions that they name; those of an export are those of another site."""
    links: dict[str, Logged] = field(default_factory=dict)
    """The links by which players report games, as they were made; those of an export stayed at another site."""
    revoked: dict[str, Logged] = field(default_factory=dict)
    reports: dict[str, Logged] = field(default_factory=dict)
    """What the log says last of each report."""
    restored_at: list[int] = field(default_factory=list)
    """The positions at which the league was made again of an export."""
    erased: set[int] = field(default_factory=set)
    """The positions of the entries whose texts were erased."""
    active: dict[str, tuple[int, bool]] = field(default_factory=dict)
    """Who became inactive or active again last, and where the log says so."""
    forgotten: dict[str, int] = field(default_factory=dict)
    """Who was erased, and where the log says so."""

    def take(self, kind: str, entry: Logged) -> LoggedGame | None:
        """Take an entry; returns the game that it brings into the books, if any.

        Kinds that are not known change no fact that is compared. Raises LookupError, TypeError, ValueError or
        AttributeError where the entry does not say what one of its kind says.
        """
        taken = TAKEN.get(kind)
        return None if taken is None else taken(self, entry)

    def take_created(self, entry: Logged) -> None:
        """Take the league's beginning."""
        self.created_at = entry.at
        self.settings.update(entry.values)

    def take_settings(self, entry: Logged) -> None:
        """Take settings that were changed."""
        self.settings.update(entry.values)

    def take_league_restored(self, entry: Logged) -> None:
        """Take that the league was made again of an export, maybe under another slug."""
        self.settings["slug"] = entry.values["slug"]
        self.restored_at.append(entry.position)
        for of_the_site in (self.heads, self.links, self.revoked, self.reports):
            of_the_site.clear()

    def take_rule(self, entry: Logged) -> None:
        """Take a rule; one without seasons says nothing of them."""
        said = {"season": {}, **entry.values}
        self.rules[said["from"]] = Logged(entry.position, entry.at, entry.by, said)

    def take_withdrawal(self, entry: Logged) -> None:
        """Take that a rule was taken back before it was in force."""
        self.rules.pop(entry.values["from"], None)

    def take_start(self, entry: Logged) -> None:
        """Take an initial rating: another one of the player's, or the first."""
        player, rating = entry.values["player"], entry.values["rating"]
        for start in self.starts:
            if start.player == player:
                start.rating, start.position = rating, entry.position
                return
        self.starts.append(LoggedStart(player, None, rating, entry.position))

    def take_adjustment(self, entry: Logged) -> None:
        """Take points that a player was given or lost beside the games."""
        said = {**entry.values, "recorded_as": None}
        self.adjustments[int(said["number"])] = Logged(entry.position, entry.at, entry.by, said)

    def take_adjustment_void(self, entry: Logged) -> None:
        """Take that an adjustment is void."""
        self.adjustment_voids[int(entry.values["number"])] = entry

    def adjustments_of(self, name: str, player: str) -> Iterator[dict[str, Any]]:
        """Yield what is said of the adjustments that name a player so."""
        return (one.values for one in self.adjustments.values() if one.values[name] == player)

    def take_change(self, entry: Logged) -> None:
        """Take whether a player is active; what else was changed of them the log does not say."""
        if "active" in entry.values:
            self.active[entry.values["player"]] = entry.position, bool(entry.values["active"])

    def take_player(self, entry: Logged) -> None:
        """Take that a player was added."""
        self.players.setdefault(entry.values["player"], entry.position)

    def take_merge(self, entry: Logged) -> None:
        """Take a merge: what names the player counts for the other one. Told again of a stray, it keeps its time."""
        player, into = entry.values["player"], entry.values["into"]
        known = self.merges.get(player)
        if known is None or known.values["into"] != into:
            self.merges[player] = entry
        self.turns.setdefault(player, []).append((entry.position, into))
        for start in self.starts:
            if start.player == player:
                start.player, start.recorded_as = into, player
        for said in self.adjustments_of("player", player):
            said |= {"player": into, "recorded_as": player}

    def take_unmerge(self, entry: Logged) -> None:
        """Take the end of a merge."""
        player = entry.values["player"]
        begun = self.merges.pop(player, None)
        if begun is not None:
            self.ended.append((begun, entry))
        self.turns.setdefault(player, []).append((entry.position, None))
        for start in self.starts:
            if start.recorded_as == player:
                start.player, start.recorded_as = player, None
        for said in self.adjustments_of("recorded_as", player):
            said |= {"player": player, "recorded_as": None}

    def take_game(self, entry: Logged) -> LoggedGame:
        """Take a recorded game."""
        return LoggedGame(entry.position, entry.at, entry.by, entry.values)

    def take_correction(self, entry: Logged) -> LoggedGame:
        """Take a game that was voided and replaced."""
        self.take_void(entry)
        return self.replacing(entry)

    def take_restoration(self, entry: Logged) -> LoggedGame:
        """Take that a void game counts again as a new one; what counted in its place is void."""
        voided = entry.values["voided"]
        if voided is not None:
            self.voids[int(voided)] = entry
        return self.replacing(entry)

    def replacing(self, entry: Logged) -> LoggedGame:
        """Take the game that an entry puts in the place of another one: it inherits that one's order key."""
        replaced, number = int(entry.values["number"]), int(entry.values["game"]["number"])
        key = self.order_keys.get(replaced, replaced)
        self.order_keys[number] = key
        self.sharing.setdefault(key, {key}).add(number)
        return LoggedGame(entry.position, entry.at, entry.by, entry.values["game"], replaced)

    def take_void(self, entry: Logged) -> None:
        """Take that a game is void."""
        self.voids[int(entry.values["number"])] = entry

    def take_exchange(self, entry: Logged) -> None:
        """Take that two games, with all that share their order keys, exchanged these."""
        one, other = (self.order_keys.get(int(number), int(number)) for number in entry.values["games"])
        first, second = self.sharing.get(one, {one}), self.sharing.get(other, {other})
        self.sharing[one], self.sharing[other] = second, first
        for key in (one, other):
            for number in self.sharing[key]:
                self.order_keys[number] = key

    def take_ladder(self, entry: Logged) -> None:
        """Take a ladder as it was made, or changed later; who made it, and when, stays."""
        slug = entry.values["ladder"]
        made = self.ladders.get(slug, entry)
        self.ladders[slug] = Logged(entry.position, made.at, made.by, entry.values)

    def take_ladder_rule(self, entry: Logged) -> None:
        """Take a ladder's rule."""
        self.ladder_rules[entry.values["ladder"], entry.values["from"]] = entry

    def take_edition(self, entry: Logged) -> None:
        """Take a published period."""
        self.editions[entry.values["ladder"], entry.values["period"], entry.values["edition"]] = entry

    def take_redaction(self, entry: Logged) -> None:
        """Take that an edition was redacted: its reason may be gone with the name that stood in it."""
        key = entry.values["ladder"], entry.values["period"], entry.values["edition"]
        self.redactions[key] = entry

    def take_decision(self, kind: str, entry: Logged) -> None:
        """Take a decision about a closed period."""
        values = entry.values
        self.decisions[values["ladder"], values["period"], values["edition"], kind, entry.at] = entry

    def take_head(self, entry: Logged) -> None:
        """Take that a head was published."""
        self.heads[int(entry.values["position"])] = entry

    def take_link(self, entry: Logged) -> None:
        """Take that a link was made by which games are reported."""
        self.links[entry.values["link"]] = entry

    def take_revocation(self, entry: Logged) -> None:
        """Take that a link was revoked."""
        self.revoked[entry.values["link"]] = entry

    def take_report(self, entry: Logged) -> None:
        """Take how a report stands since."""
        self.reports[entry.values["report"]] = entry

    def take_erased_text(self, entry: Logged) -> None:
        """Take that the texts of an entry were erased."""
        self.erased.add(int(entry.values["position"]))

    def take_forgetting(self, entry: Logged) -> None:
        """Take that a person was erased."""
        self.forgotten[entry.values["player"]] = entry.position

    def own_keys(self) -> Iterator[tuple[int, int]]:
        """Yield number and order key of the games whose key is not their own number."""
        return ((number, key) for number, key in self.order_keys.items() if number != key)


def decision(kind: str) -> Callable[[LoggedFacts, Logged], None]:
    """Return what takes decisions of a kind."""
    return lambda facts, entry: facts.take_decision(kind, entry)


TAKEN: dict[str, Callable[[LoggedFacts, Logged], LoggedGame | None]] = {
    "league.created": LoggedFacts.take_created,
    "league.changed": LoggedFacts.take_settings,
    "league.restored": LoggedFacts.take_league_restored,
    "rule.adopted": LoggedFacts.take_rule,
    "rule.withdrawn": LoggedFacts.take_withdrawal,
    "initial_rating.set": LoggedFacts.take_start,
    "adjustment.made": LoggedFacts.take_adjustment,
    "adjustment.voided": LoggedFacts.take_adjustment_void,
    "player.created": LoggedFacts.take_player,
    "player.changed": LoggedFacts.take_change,
    "player.merged": LoggedFacts.take_merge,
    "player.unmerged": LoggedFacts.take_unmerge,
    RECORDED: LoggedFacts.take_game,
    CORRECTED: LoggedFacts.take_correction,
    RESTORED: LoggedFacts.take_restoration,
    "game.voided": LoggedFacts.take_void,
    "games.moved": LoggedFacts.take_exchange,
    "ladder.created": LoggedFacts.take_ladder,
    "ladder.changed": LoggedFacts.take_ladder,
    "ladder.rule_adopted": LoggedFacts.take_ladder_rule,
    "edition.published": LoggedFacts.take_edition,
    "head.published": LoggedFacts.take_head,
    "text.erased": LoggedFacts.take_erased_text,
    "player.erased": LoggedFacts.take_forgetting,
    "edition.redacted": LoggedFacts.take_redaction,
    "link.made": LoggedFacts.take_link,
    "link.reworded": LoggedFacts.take_link,
    "link.revoked": LoggedFacts.take_revocation,
    **dict.fromkeys(REPORTS, LoggedFacts.take_report),
    **{name: decision(kind) for name, kind in DECISIONS.items()},
}
