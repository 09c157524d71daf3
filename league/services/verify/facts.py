"""Facts beside games under ``verify``: settings, rules, starts, merges, ladders, editions, decisions, void marks."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Subquery

from league.calendar import start_of_day
from league.chain import canonical, instant
from league.errors import UnknownZone
from league.models import Decision, Edition, Game, InitialRating, LadderRule, League, LogEntry, Merge, Player, Result
from league.models.declared import SETTINGS
from league.said import Said, phrase
from league.selectors.rules import rules_of
from league.services.log import entries
from league.services.players.merges import BY_ITSELF
from league.services.verify.between import adjusted, adjustment_name, adjustment_void_name, voided
from league.services.verify.findings import Findings
from league.services.verify.games import missing, shown, unlike, untold
from league.services.verify.log_replay import Logged, LoggedFacts
from league.services.verify.names import (
    decision_name,
    edition_name,
    ladder_name,
    ranking_name,
    redacted_name,
    rule_name,
    void_name,
)

Members = Mapping[str, Any]
#: Before 1970 two machines may have other local mean times for one zone: their tables of zones are made so or so.
EPOCH, LOCAL_TIMES = 1970, timedelta(hours=1)
#: An entry bears the time at which its league was locked; what it says of is dated when it is written, soon after.
WRITING = timedelta(minutes=1)


class HeldFacts:
    """The facts of a league, and what its log says of them."""

    def __init__(
        self, league: League, logged: LoggedFacts, findings: Findings, restored: Collection[str] | None
    ) -> None:
        self.league, self.logged, self.findings, self.restored = league, logged, findings, restored

    def compare(self) -> None:
        """Compare everything."""
        for check in (
            self.settings, self.rules, self.players, self.inactive, self.forgotten, self.starts, self.merges,
            self.adjustments, self.voids, self.order_keys, self.ladders, self.editions, self.redactions,
            self.decisions, self.heads,
        ):  # fmt: skip
            check()

    def note(self, what: str, which: Any, position: int, sentences: Iterator[Said]) -> None:
        """Note sentences about a fact."""
        for sentence in sentences:
            self.findings.add(what, which, position, sentence)

    def keyed(
        self, what: str, stands: Mapping[Any, Members], logged: Mapping[Any, Logged], name: Callable[[Any], Said]
    ) -> None:
        """Compare facts by their keys: which there are, and what the log says of each."""
        for key, members in stands.items():
            entry = logged.get(key)
            if entry is None:
                self.findings.add(what, key, 0, untold(name(key)))
                continue
            said = {**entry.values, "by": entry.by, "at": entry.at}
            compared = {member: value for member, value in members.items() if member in said}
            self.note(what, key, entry.position, unlike(name(key), compared, said, entry.position))
        for key, entry in logged.items():
            if key not in stands:
                self.findings.add(what, key, entry.position, missing(name(key), entry.position))

    def made(self, what: str, which: Any, name: Said, moment: datetime, logged: Mapping[Any, Logged]) -> None:
        """Compare when a fact was made with the time of the entry that says so."""
        entry = logged.get(which)
        if entry is not None and abs(moment - datetime.fromisoformat(entry.at)) > WRITING:
            sentence = phrase(
                "{fact} has created_at {at}; by the log it was made at {other}.",
                fact=name,
                at=instant(moment),
                other=entry.at,
            )
            self.findings.add(what, which, entry.position, sentence)

    def settings(self) -> None:
        """Compare the league's settings; one that the log never says has its first value."""
        league, logged = self.league, self.logged
        fresh = League()
        said = {name: logged.settings.get(name, getattr(fresh, name)) for name in SETTINGS}
        stands = {name: getattr(league, name) for name in SETTINGS}
        said["slug"], stands["slug"] = logged.settings.get("slug"), league.slug
        said["created_at"], stands["created_at"] = logged.created_at, instant(league.created_at)
        for name, value in stands.items():
            if canonical(value) != canonical(said[name]):
                sentence = phrase(
                    "The league has {member} {value}; its log says {other}.",
                    member=name,
                    value=shown(value),
                    other=shown(said[name]),
                )
                self.findings.add("the league", name, 0, sentence)

    def rules(self) -> None:
        """Compare the rules, and the instants at which they begin by the league's zone."""
        rules = rules_of(self.league)
        stands = {}
        for rule in rules:
            members = entries.of_rule(rule)
            stands[members["from"]] = {**members, "season": rule.season, "by": rule.created_by}
            self.made("rules", members["from"], rule_name(rule.from_date), rule.created_at, self.logged.rules)
        self.keyed("rules", stands, self.logged.rules, rule_name)
        for rule in rules:
            try:
                begins = start_of_day(rule.from_date, self.league.time_zone)
            except (UnknownZone, ValueError):
                return
            if abs(rule.starts_at - begins) > (timedelta(0) if rule.from_date.year >= EPOCH else LOCAL_TIMES):
                sentence = phrase(
                    "The rule from {day} has starts_at {at}; in {zone} that day begins at {begins}.",
                    day=rule.from_date,
                    at=instant(rule.starts_at),
                    zone=self.league.time_zone,
                    begins=instant(begins),
                )
                self.findings.add("rules", rule.from_date.isoformat(), 0, sentence)

    def players(self) -> None:
        """Look whether everybody is there who was added for this league's games."""
        logged = self.logged.players
        missing = set(logged)
        handles = sorted(logged)
        for start in range(0, len(handles), 500):
            found = Player.objects.filter(handle__in=handles[start : start + 500])
            missing.difference_update(found.values_list("handle", flat=True))
        for handle in sorted(missing):
            sentence = phrase(
                "The player {player} is missing: entry {entry} of the log added them.",
                player=handle,
                entry=logged[handle],
            )
            self.findings.add("players", handle, logged[handle], sentence)

    def inactive(self) -> None:
        """Compare who is inactive."""
        stands = set(self.league.inactive.values_list("player__handle", flat=True))
        logged = {handle: position for handle, (position, active) in self.logged.active.items() if not active}
        for handle in sorted(stands ^ logged.keys()):
            position = self.logged.active.get(handle, (0, True))[0]
            if handle in stands:
                sentence = phrase(
                    "The player {player} is inactive; by the league's log they are active.", player=handle
                )
            else:
                sentence = phrase(
                    "The player {player} is active; by the league's log they are inactive.", player=handle
                )
            self.findings.add("players", handle, position, sentence)

    def forgotten(self) -> None:
        """Compare who was erased: of those who played here, the log says each."""
        erased = Player.objects.exclude(erased_at=None)
        played = Result.objects.filter(game__league=self.league, player__in=erased).order_by()
        stands = set(played.values_list("player__handle", flat=True))
        logged = self.logged.forgotten
        standing = set(erased.values_list("handle", flat=True))
        for handle in sorted((stands - logged.keys()) | (logged.keys() - standing)):
            if handle in logged:
                sentence = phrase(
                    "The player {player} was not erased; the league's log tells they were.", player=handle
                )
            else:
                sentence = phrase(
                    "The player {player} was erased; the league's log tells nothing of that.", player=handle
                )
            self.findings.add("players", handle, logged.get(handle, 0), sentence)

    def starts(self) -> None:
        """Compare the initial ratings, and for whom they count."""
        rows = InitialRating.objects.filter(league=self.league).order_by("player__handle")
        stands = {
            recorded_as or player: {"rating": rating, "player": player, "recorded_as": recorded_as}
            for player, recorded_as, rating in rows.values_list("player__handle", "recorded_as__handle", "rating")
        }
        logged = {
            start.recorded_as or start.player: Logged(
                start.position, "", "", {name: getattr(start, name) for name in ("rating", "player", "recorded_as")}
            )
            for start in self.logged.starts
        }
        self.keyed("starts", stands, logged, lambda handle: phrase("The initial rating of {player}", player=handle))

    def adjustments(self) -> None:
        """Compare the adjustments, and which of them are void."""
        self.keyed("adjustments", adjusted(self.league), self.logged.adjustments, adjustment_name)
        self.keyed("void adjustments", voided(self.league), self.logged.adjustment_voids, adjustment_void_name)

    def merges(self) -> None:
        """Compare the merges of which the log says the last turn.

        Who wrote one, and when, is this site's own where the league was made again of an export since: then of
        everybody, while that is done of those who were here before.
        """
        last = 0 if self.restored is not None else max(self.logged.restored_at, default=0)
        turns = {player: turns[-1] for player, turns in self.logged.turns.items()}
        found = Player.objects.filter(handle__in=list(turns)).select_related("merged_into")
        there = {player.handle: player for player in found}
        force = Merge.objects.filter(undone_at=None, player__in=there.values()).select_related("into", "player")
        merges = {merge.player.handle: merge for merge in force}
        for handle, (position, into) in turns.items():
            player, merge = there.get(handle), merges.get(handle)
            stands = {
                "merged_into": None if player is None or player.merged_into is None else player.merged_into.handle,
                "into": merge and merge.into.handle,
            }
            said: dict[str, Any] = {"merged_into": into, "into": into}
            entry = self.logged.merges.get(handle)
            own = entry is not None and entry.position > last and handle not in (self.restored or ())
            if merge is not None and entry is not None and own and entry.by != BY_ITSELF:
                stands |= {"at": instant(merge.at), "by": merge.by}
                said |= {"at": entry.at, "by": entry.by}
            self.note(
                "merges",
                handle,
                position,
                unlike(phrase("The merge of {player}", player=handle), stands, said, position),
            )
        self.ended_merges(last)
        for handle, into in self.merged_untold(turns):
            sentence = phrase(
                "The player {player} is merged into {into}; the league's log says nothing of that.",
                player=handle,
                into=into,
            )
            self.findings.add("merges", handle, 0, sentence)

    def ended_merges(self, last: int) -> None:
        """Compare the merges that were taken back. No export tells those: the ones up to its entry are not here."""
        logged = [(begun, end) for begun, end in self.logged.ended if begun.position > last and self.restored is None]
        ended = Merge.objects.filter(
            undone_at__isnull=False, player__handle__in=[end.values["player"] for _, end in logged]
        )
        there = [
            {
                "player": player,
                "into": into,
                "at": (instant(at), undone_at and instant(undone_at)),
                "by": (by, undone_by),
            }
            for player, into, at, by, undone_at, undone_by in ended.values_list(
                "player__handle", "into__handle", "at", "by", "undone_at", "undone_by"
            )
        ]
        for begun, end in logged:
            said = {**end.values, "at": (begun.at, end.at), "by": (begun.by, end.by)}
            if said not in there and begun.by != BY_ITSELF:
                player, position = end.values["player"], end.position
                sentence = phrase(
                    "The merge of {player} that entry {entry} of the log takes back does not stand as the log says it.",
                    player=player,
                    entry=position,
                )
                self.findings.add("merges", player, position, sentence)

    def merged_untold(self, handles_named: Collection[str]) -> list[tuple[str, str]]:
        """Return who is merged into whom and has results here all the same, although no log says that they are.

        Where another league's log does, a game was on its way here while that was done: the sweep gathers it.
        """
        force = Merge.objects.filter(undone_at=None, player=OuterRef("pk")).values("into")[:1]
        merged = Player.objects.annotate(row=Subquery(force)).exclude(row=None, merged_into=None)
        lines = Result.objects.filter(game__league=self.league, player=OuterRef("pk"))
        found = list(merged.filter(Exists(lines)).order_by("handle"))
        into = Player.objects.in_bulk([row for player in found if (row := player.merged_into_id or player.row)])
        untold = []
        for player in found:
            other = into[player.merged_into_id or player.row]
            payload = canonical(entries.of_merge(player.opaque, other.opaque))
            said = LogEntry.objects.filter(kind=LogEntry.Kind.PLAYER_MERGED, payload=payload)
            if player.handle not in handles_named and (player.merged_into_id != player.row or not said.exists()):
                untold.append((player.handle, other.handle))
        return untold

    def voids(self) -> None:
        """Compare which games are void, since when, by whom and why."""
        games = Game.objects.filter(league=self.league).exclude(voided_at=None, voided_by="", void_reason="")
        rows = games.order_by("number").values_list("number", "voided_at", "voided_by", "void_reason")
        stands = {
            number: {"at": at and instant(at), "by": by, "reason": reason}
            for number, at, by, reason in rows.iterator(chunk_size=2000)
        }
        self.keyed("void games", stands, self.logged.voids, void_name)

    def order_keys(self) -> None:
        """Compare the places of games among those of the same time."""
        moved = Game.objects.filter(league=self.league).exclude(order_key=F("number"))
        stands = dict(moved.order_by().values_list("number", "order_key"))
        logged = dict(self.logged.own_keys())
        unlike = {number for number in {**stands, **logged} if stands.get(number) != logged.get(number)}
        for number in sorted(unlike):
            key, wanted = stands.get(number, number), logged.get(number, number)
            sentence = phrase(
                "Game {number} has order_key {value}; by the log it has {other}.",
                number=number,
                value=key,
                other=wanted,
            )
            self.findings.add("the order", number, 0, sentence)

    def ladders(self) -> None:
        """Compare the ladders and their rules."""
        ladders = {}
        for ladder in self.league.ladders.order_by("pk"):
            ladders[ladder.slug] = {**entries.of_ladder(ladder), "by": ladder.created_by}
            self.made("ladders", ladder.slug, ladder_name(ladder.slug), ladder.created_at, self.logged.ladders)
        self.keyed("ladders", ladders, self.logged.ladders, ladder_name)
        rules = LadderRule.objects.filter(ladder__league=self.league).select_related("ladder")
        stands = {}
        for rule in rules.order_by("ladder", "from_date"):
            members = entries.of_ladder_rule(rule.ladder.slug, rule)
            key = rule.ladder.slug, members["from"]
            stands[key] = {**members, "by": rule.created_by}
            self.made("rules of ladders", key, ranking_name(key), rule.created_at, self.logged.ladder_rules)
        self.keyed("rules of ladders", stands, self.logged.ladder_rules, ranking_name)

    def editions(self) -> None:
        """Compare which editions there are, and what was published."""
        rows = Edition.objects.filter(ladder__league=self.league).select_related("ladder").defer("document")
        stands = {
            (edition.ladder.slug, edition.key, edition.number): {
                **entries.of_edition(edition.ladder.slug, edition),
                "at": instant(edition.published_at),
                "by": edition.published_by,
            }
            for edition in rows.order_by("pk")
        }
        self.keyed("editions", stands, self.logged.editions, lambda key: edition_name(*key))

    def redactions(self) -> None:
        """Compare which editions were redacted, and what their documents are since."""
        rows = Edition.objects.filter(ladder__league=self.league).exclude(redacted_sha256="")
        stands = {
            (ladder, key, number): {"sha256": sha256}
            for ladder, key, number, sha256 in rows.order_by("pk").values_list(
                "ladder__slug", "key", "number", "redacted_sha256"
            )
        }
        self.keyed("editions", stands, self.logged.redactions, redacted_name)

    def decisions(self) -> None:
        """Compare what was decided about closed periods."""
        rows = Decision.objects.filter(ladder__league=self.league).select_related("ladder")
        stands = {
            decision_key(found): {
                **entries.of_decision(found.ladder.slug, found),
                "by": found.by,
                "digest": found.digest,
            }
            for found in rows.order_by("at", "pk")
        }
        self.keyed("decisions", stands, self.logged.decisions, decision_name)

    def heads(self) -> None:
        """Compare which heads were published, but not here of a league that was made again elsewhere."""
        stands = {head.position: entries.of_head(head) for head in self.league.heads.order_by("position")}
        self.keyed(
            "heads", stands, self.logged.heads, lambda position: phrase("The head at {position}", position=position)
        )


def decision_key(decision: Decision) -> tuple[str, str, int, str, str]:
    """Return what names a decision."""
    return decision.ladder.slug, decision.key, decision.edition, str(decision.kind), instant(decision.at)
