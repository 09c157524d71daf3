"""Deletes the personal data of a player: name, handle and aliases, everywhere. Results and ratings do not change.

The log does not change, as it contains opaque handles only. Rows of apps, stored responses, jobs and editions are
rewritten. A redacted edition keeps the hash that was published; the new hash is in the log.
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
from league.core.ladders.selectors.ladders import list_winners, load_live_rows
from league.core.ladders.services.decisions import carry_unchanged
from league.core.ladders.services.periods import compute_standings_digest, index_editions_by_period
from league.core.log.chain import serialize_canonically
from league.core.log.services import entries
from league.core.log.services.erase_texts import erase_texts
from league.core.players.erasers import build_leagues_condition
from league.core.players.name_redaction import NameWords
from league.core.players.selectors.accounts import find_actions_with_names, find_live_sessions
from league.core.players.selectors.aliases import build_name_words, load_with_merged, make_anonymous_name
from league.core.players.services.affected_leagues import Permission, find_leagues_of, locked_leagues, refuse_unlocked
from league.core.players.services.merges import lock_players
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
    """The erased player, and the number of changed rows by place."""

    player: Player
    leagues: int
    editions: int = 0
    texts: int = 0
    places: dict[str, int] = field(default_factory=dict)


def find_leagues_of_people(players: Sequence[Player]) -> set[int]:
    """Return the ids of the leagues with data of these people, including data of apps."""
    league_ids = set(League.objects.filter(build_leagues_condition(players)).order_by().values_list("pk", flat=True))
    for player in players:
        league_ids |= find_leagues_of(player) | find_leagues_of(player, merged=True)
        league_ids |= set(player.inactive_in.values_list("league", flat=True))
    return league_ids


@locked_leagues(lambda player: find_leagues_of_people(load_with_merged(player)))
def erase_player(
    leagues: dict[int, League],
    now: datetime,
    player: Player,
    *,
    username: str,
    allow: Permission | None = None,
    texts: bool = True,
    parts: bool = False,
) -> ErasureResult:
    """Delete the personal data of a player and of the players merged into them. This cannot be undone.

    ``texts``: also erase every note and reason with one of their names; ``parts``: even with a part of a name, which
    may be another player's. ``allow`` checks all leagues with their data, and may raise.
    Raises Conflict if the player was merged into another one or is already erased.
    """
    players = lock_players(*load_with_merged(player))
    refuse_unlocked(leagues, find_leagues_of_people(players))
    if allow is not None:
        allow(leagues.values())
    erased = players[0]
    if erased.erased_at is not None:
        raise Conflict(_("The personal data of {player} has already been deleted.").format(player=erased.name))
    if erased.merged_into is not None:
        template = _("{player} was merged into {into}; delete the data of that player to delete both.")
        raise Conflict(template.format(player=erased.name, into=erased.merged_into.name))
    name_words = build_name_words(players, parts=texts and parts, whole=texts)
    return Erasure(players, leagues, now, username, name_words).run(texts=texts)


class Erasure:
    """Deletes the personal data of one person, with all their leagues locked."""

    def __init__(
        self, people: list[Player], leagues: Mapping[int, League], now: datetime, by: str, words: NameWords
    ) -> None:
        self.people, self.leagues, self.now, self.by, self.words = people, leagues, now, by, words
        self.result = ErasureResult(people[0], len(leagues))

    def run(self, *, texts: bool) -> ErasureResult:
        """Delete the data; texts go first, while the names are still known."""
        settled = {pk: self._find_settled_periods(league) for pk, league in self.leagues.items()}
        for league in self.leagues.values():
            for eraser in load_declared(lambda app: app.data.eraser):
                eraser.redact_facts(self, league)
            self._erase_fields(league)
            if texts:
                self._erase_texts(league)
        self._replace_names()
        for pk, league in self.leagues.items():
            for eraser in load_declared(lambda app: app.data.eraser):
                eraser.erase(self, league)
            self._redact_editions(league, texts=texts)
            self._keep_periods_closed(league, settled[pk])
            self._redact_jobs(league)
            for player in self.people:
                entries.append(league, self.now, self.by, Kind.PLAYER_ERASED, {"player": player.opaque})
        self._redact_stored_responses()
        self._redact_organiser_log()
        return self.result

    def _erase_fields(self, league: League) -> None:
        """Erase the values of their declared fields."""
        found = Q()
        for player in self.people:
            found |= Q(payload__contains=f'"player":"{player.opaque}"')
        log_entries = list(league.log.filter(found, kind=Kind.PLAYER_FIELDS_SET).order_by("position"))
        texts = LogText.objects.filter(
            league=league, erased_at=None, position__in=[one.position for one in log_entries]
        )
        left = set(texts.values_list("position", flat=True))
        erase_texts(league, [entry for entry in log_entries if entry.position in left], self.now, self.by)

    def _erase_texts(self, league: League) -> None:
        """Erase notes and reasons with their names."""
        texts = LogText.objects.filter(league=league, erased_at=None)
        positions = sorted({row.position for row in texts.iterator() if self.words.written.name_in(row.text)})
        for start in range(0, len(positions), LOOKUP_BATCH):
            batch = positions[start : start + LOOKUP_BATCH]
            log_entries = list(league.log.filter(position__in=batch).order_by("position"))
            erase_texts(league, log_entries, self.now, self.by)
            self.result.texts += len(log_entries)

    def _replace_names(self) -> None:
        """Replace their names and handles by numbers."""
        ExternalId.objects.filter(player__in=self.people).delete()
        Alias.objects.filter(
            Q(player__in=self.people) & (Q(recorded_as=None) | Q(recorded_as__in=self.people))
        ).delete()
        for player in self.people:
            player.handle = self.words.handles[player.handle]
            player.name = make_anonymous_name(player.handle)
            player.metadata = {}
            player.erased_at = self.now
            player.save(update_fields=["handle", "name", "name_key", "metadata", "erased_at"])
            original = None if player.merged_into_id is None else player
            Alias.objects.create(player=self.people[0], text=player.handle, recorded_as=original)
        self.result.player = self.people[0]

    def _redact_editions(self, league: League, *, texts: bool) -> None:
        """Remove their names from editions, and append the new hashes to the log.

        With ``texts``, reasons with their names are erased as well.
        """
        for edition in Edition.objects.filter(league=league).select_related("ladder").order_by("pk").iterator():
            document = json.loads(edition.document)
            rows = [self._redact_row(row) for row in document["standings"]]
            reason = self.words.of_note(document["reason"]) if texts else document["reason"]
            if rows == document["standings"] and reason == document["reason"]:
                continue
            text = serialize_canonically({**document, "standings": rows, "reason": reason})
            sha256 = hashlib.sha256(text.encode()).hexdigest()
            Edition.objects.filter(pk=edition.pk).update(
                document=text,
                reason=reason,
                winners=list_winners(rows),
                standings_sha256=compute_standings_digest(rows),
                redacted_sha256=sha256,
            )
            payload = {
                "ladder": edition.ladder.slug, "period": edition.key, "edition": edition.number, "sha256": sha256,
            }  # fmt: skip
            entries.append(league, self.now, self.by, Kind.EDITION_REDACTED, payload)
            self.result.editions += 1

    def _redact_row(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return a row of a ranking without their names."""
        if row["player"] not in self.words.handles:
            return row
        handle = self.words.handles[row["player"]]
        player = next(candidate for candidate in self.people if candidate.handle == handle)
        return {**row, "player": handle, "name": player.name}

    def _find_settled_periods(self, league: League) -> set[int]:
        """Return the keys of closed periods that await no decision."""
        periods = Period.objects.filter(league=league, closed=True, awaits=False)
        return set(periods.values_list("pk", flat=True))

    def _keep_periods_closed(self, league: League, settled: Collection[int]) -> None:
        """Keep settled periods closed, although new handles may change the order of players who share a rank."""
        periods = list(Period.objects.filter(pk__in=settled).select_related("ladder", "rule"))
        series = index_editions_by_period(periods)
        for period in periods:
            edition = series[period.ladder_id, period.key]
            if edition.redacted_sha256:
                carry_unchanged(
                    league, period, edition, self.now, self.by, compute_standings_digest(load_live_rows(period))
                )

    def _redact_jobs(self, league: League) -> None:
        """Remove their names from jobs and from notes of invitations."""
        # A dry run of a merge belongs to one league, but names people of all affected leagues.
        jobs = Job.objects.filter(Q(league=league) | Q(kind=Job.Kind.DRY_RUN))
        for job in jobs:
            if job.league_id != league.pk and league.pk not in job.arguments["leagues"]:
                continue
            previous = job.arguments, job.result, job.problem
            job.arguments, job.result, job.problem = map(self.words.within, previous)
            if previous != (job.arguments, job.result, job.problem):
                job.save(update_fields=["arguments", "result", "problem"])
                self.count("jobs")
        for invitation in Invitation.objects.filter(league=league).exclude(note=""):
            if self.words.written.name_in(invitation.note):
                invitation.note = ""
                invitation.save(update_fields=["note"])

    def _redact_stored_responses(self) -> None:
        """Remove their names from the responses stored for repeated requests."""
        for stored in RequestKey.objects.exclude(body="").iterator():
            try:
                body = json.loads(stored.body)
            except ValueError:
                continue
            changed, headers = self.words.within(body), self.words.within(stored.headers)
            if (changed, headers) != (body, stored.headers):
                text = json.dumps(changed, ensure_ascii=False)
                RequestKey.objects.filter(pk=stored.pk).update(body=text, headers=headers)
                self.count("answers")

    def _redact_organiser_log(self) -> None:
        """Remove their names from the log of organisers' actions, and from messages not yet shown."""
        for entry in find_actions_with_names(self.words):
            entry.object_repr, entry.change_message = (
                self.words.of(entry.object_repr),
                self.words.of(entry.change_message),
            )
            entry.save(update_fields=["object_repr", "change_message"])
            self.count("acts at the desk")
        for session in find_live_sessions().iterator():
            data = session.get_decoded()
            pending_messages = data.pop("_messages", None)
            if pending_messages is not None and self.words.written.name_in(str(pending_messages)):
                session.session_data = Session.objects.encode(data)
                session.save(update_fields=["session_data"])

    def count(self, place: str) -> None:
        """Count a changed row."""
        self.result.places[place] = self.result.places.get(place, 0) + 1
