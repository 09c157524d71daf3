"""Forgetting a person: name, handle and spellings go, wherever they stand; every figure stays.

The logs need no change: they name people by opaque handles only, which lead to a number from then on. What repeats a
name or a handle is rewritten: reports, answers that are kept for repeated requests, jobs, and editions. An edition's
document was published and hashed as it was, so it is redacted: the hash that it was published with stays beside it, the
new one is in the log. Figures, ranks and the order of everything in time are the same after it.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils.translation import gettext as _

from league.core.capabilities import load_declared
from league.core.errors import Conflict
from league.core.ladders.selectors.standings import live_rows, winners_of
from league.core.ladders.services.closure import editions_by_period, standings_digest
from league.core.ladders.services.decisions import carry_unchanged
from league.core.log.chain import canonical
from league.core.log.services import entries
from league.core.log.services.erase_texts import erase_texts
from league.core.players.erasers import leagues_naming
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.accounts import acts_naming, alive
from league.core.players.selectors.aliases import anonymous_name, with_merged, words_of
from league.core.players.services.affected_leagues import Permission, leagues_of, refuse_grown, with_leagues
from league.core.players.services.merges import locked
from league.core.text.names import key_of
from league.models import (
    Alias,
    Edition,
    ExternalId,
    Invitation,
    Job,
    League,
    LogEntry,
    LogText,
    Period,
    Player,
    RequestKey,
)

Kind = LogEntry.Kind
#: Maximum number of entries looked up at once.
LOOKUP_BATCH = 500


@dataclass
class ErasureResult:
    """What was done: how the player is called now, and in how many places something stood."""

    player: Player
    leagues: int
    editions: int = 0
    texts: int = 0
    places: dict[str, int] = field(default_factory=dict)


def erase_player(
    player: Player,
    *,
    by: str,
    allow: Permission | None = None,
    texts: bool = True,
    parts: bool = False,
) -> ErasureResult:
    """Forget who a player is, and who was merged into them: a number is all that is left. It cannot be taken back.

    ``texts``: every note and reason in which one of their names stands goes, too; ``parts``: also where only a part of
    a name stands, which may be another player's. ``allow`` sees all leagues whose books name them, and may raise.
    Raises Conflict if they were merged into another one, or are erased already.
    """

    def work(leagues: dict[int, League], now: datetime) -> ErasureResult:
        people = locked(*with_merged(player))
        refuse_grown(leagues, leagues_of_each(people))
        if allow is not None:
            allow(leagues.values())
        erased = people[0]
        if erased.erased_at is not None:
            raise Conflict(_("The personal data of {player} has already been deleted.").format(player=erased.name))
        if erased.merged_into is not None:
            sentence = _("{player} was merged into {into}; delete the data of that player to delete both.")
            raise Conflict(sentence.format(player=erased.name, into=erased.merged_into.name))
        words = words_of(people, parts=texts and parts, whole=texts)
        return Erasure(people, leagues, now, by, words).run(texts=texts)

    return with_leagues(lambda: leagues_of_each(with_merged(player)), work)


def leagues_of_each(people: Sequence[Player]) -> set[int]:
    """Return the ids of the leagues whose books name someone of these, or in which a capability names them."""
    found = set(League.objects.filter(leagues_naming(people)).order_by().values_list("pk", flat=True))
    for player in people:
        found |= leagues_of(player) | leagues_of(player, merged=True)
        found |= set(player.inactive_in.values_list("league", flat=True))
    return found


class Erasure:
    """One person on their way out of the league's data; all their leagues are locked."""

    def __init__(
        self, people: list[Player], leagues: Mapping[int, League], now: datetime, by: str, words: NameWords
    ) -> None:
        self.people, self.leagues, self.now, self.by, self.words = people, leagues, now, by, words
        self.done = ErasureResult(people[0], len(leagues))

    def run(self, *, texts: bool) -> ErasureResult:
        """Do it, the log's entries before the names go."""
        settled = {pk: self.settled(league) for pk, league in self.leagues.items()}
        for league in self.leagues.values():
            if texts:
                self.erase_texts(league)
        self.rename()
        for pk, league in self.leagues.items():
            for eraser in load_declared("erasers"):
                eraser.erase(self, league)
            self.redact_editions(league, texts=texts)
            self.keep_closed(league, settled[pk])
            self.forget_jobs(league)
            for player in self.people:
                entries.append(league, self.now, self.by, Kind.PLAYER_ERASED, {"player": player.opaque})
        self.forget_answers()
        self.forget_desk()
        return self.done

    def erase_texts(self, league: League) -> None:
        """Erase the notes and reasons that name them."""
        there = LogText.objects.filter(league=league, erased_at=None)
        positions = sorted({row.position for row in there.iterator() if self.words.written.name_in(row.text)})
        for start in range(0, len(positions), LOOKUP_BATCH):
            few = positions[start : start + LOOKUP_BATCH]
            found = list(league.log.filter(position__in=few).order_by("position"))
            erase_texts(league, found, self.now, self.by)
            self.done.texts += len(found)

    def rename(self) -> None:
        """Give them a number for a name."""
        ExternalId.objects.filter(player__in=self.people).delete()
        Alias.objects.filter(
            Q(player__in=self.people) & (Q(recorded_as=None) | Q(recorded_as__in=self.people))
        ).delete()
        for player in self.people:
            player.handle = self.words.handles[player.handle]
            player.name = anonymous_name(player.handle)
            player.metadata = {}
            player.erased_at = self.now
            player.save(update_fields=["handle", "name", "metadata", "erased_at"])
            original = None if player.merged_into_id is None else player
            Alias.objects.create(
                player=self.people[0], text=player.handle, key=key_of(player.handle), recorded_as=original
            )
        self.done.player = self.people[0]

    def redact_editions(self, league: League, *, texts: bool) -> None:
        """Take their names out of editions; the hash that was published stays, the new one goes into the log.

        A reason that names them is gone where texts are, as it is beside the log.
        """
        for edition in Edition.objects.filter(league=league).select_related("ladder").order_by("pk").iterator():
            document = json.loads(edition.document)
            rows = [self.redacted(row) for row in document["standings"]]
            reason = self.words.of_note(document["reason"]) if texts else document["reason"]
            if rows == document["standings"] and reason == document["reason"]:
                continue
            text = canonical({**document, "standings": rows, "reason": reason})
            sha256 = hashlib.sha256(text.encode()).hexdigest()
            Edition.objects.filter(pk=edition.pk).update(
                document=text,
                reason=reason,
                winners=winners_of(rows),
                standings_sha256=standings_digest(rows),
                redacted_sha256=sha256,
            )
            payload = {
                "ladder": edition.ladder.slug, "period": edition.key, "edition": edition.number, "sha256": sha256,
            }  # fmt: skip
            entries.append(league, self.now, self.by, Kind.EDITION_REDACTED, payload)
            self.done.editions += 1

    def redacted(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a line of a ranking without their names."""
        if row["player"] not in self.words.handles:
            return row
        handle = self.words.handles[row["player"]]
        player = next(one for one in self.people if one.handle == handle)
        return {**row, "player": handle, "name": player.name}

    def settled(self, league: League) -> set[int]:
        """Return the periods that are closed and await no decision."""
        periods = Period.objects.filter(league=league, closed=True, awaits=False)
        return set(periods.values_list("pk", flat=True))

    def keep_closed(self, league: League, settled: Collection[int]) -> None:
        """Let periods that were settled be so: people of one rank stand in the order of their handles."""
        periods = list(Period.objects.filter(pk__in=settled).select_related("ladder", "rule"))
        series = editions_by_period(periods)
        for period in periods:
            edition = series[period.ladder_id, period.key]
            if edition.redacted_sha256:
                carry_unchanged(league, period, edition, self.now, self.by, standings_digest(live_rows(period)))

    def forget_jobs(self, league: League) -> None:
        """Take their names out of jobs and out of notes of invitations."""
        # A dry run of a merge is of one league, and names people of all leagues concerned.
        jobs = Job.objects.filter(Q(league=league) | Q(kind=Job.Kind.DRY_RUN))
        for job in jobs:
            if job.league_id != league.pk and league.pk not in job.arguments["leagues"]:
                continue
            before = job.arguments, job.result, job.problem
            job.arguments, job.result, job.problem = map(self.words.within, before)
            if before != (job.arguments, job.result, job.problem):
                job.save(update_fields=["arguments", "result", "problem"])
                self.count("jobs")
        for invitation in Invitation.objects.filter(league=league).exclude(note=""):
            if self.words.written.name_in(invitation.note):
                invitation.note = ""
                invitation.save(update_fields=["note"])

    def forget_answers(self) -> None:
        """Take their names out of the answers that are kept for requests that are sent again."""
        for kept in RequestKey.objects.exclude(body="").iterator():
            try:
                body = json.loads(kept.body)
            except ValueError:
                continue
            changed, headers = self.words.within(body), self.words.within(kept.headers)
            if (changed, headers) != (body, kept.headers):
                text = json.dumps(changed, ensure_ascii=False)
                RequestKey.objects.filter(pk=kept.pk).update(body=text, headers=headers)
                self.count("answers")

    def forget_desk(self) -> None:
        """Take their names out of the site's own log of its desk, and out of what browsers are still to be told."""
        for act in acts_naming(self.words):
            act.object_repr, act.change_message = self.words.of(act.object_repr), self.words.of(act.change_message)
            act.save(update_fields=["object_repr", "change_message"])
            self.count("acts at the desk")
        for session in alive().iterator():
            said = session.get_decoded()
            told = said.pop("_messages", None)
            if told is not None and self.words.written.name_in(str(told)):
                session.session_data = Session.objects.encode(said)
                session.save(update_fields=["session_data"])

    def count(self, what: str) -> None:
        """Count a place in which they stood."""
        self.done.places[what] = self.done.places.get(what, 0) + 1
