"""Verification of a league: compares facts with the log, derived data with a replay, and editions with their hashes.

It reads one snapshot without the league's lock and writes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from league.core.db.isolation import long_snapshot
from league.core.errors import NotFound
from league.core.jobs.services.progress import Progress, ignore_progress
from league.core.replay.services.history import build_at_or_after_condition
from league.core.text.stored_messages import StoredMessage, phrase, phrase_many
from league.core.verify.contexts import find_context_problems
from league.core.verify.editions import find_edition_problems, find_period_time_problems
from league.core.verify.fields import find_value_problems
from league.core.verify.findings import PAYLOAD_ERRORS
from league.core.verify.heads import Anchor, find_anchor_problems, find_head_problems
from league.core.verify.history import find_history_problems, find_rating_problems
from league.core.verify.ladders import (
    VerifiedPeriods,
    find_doubtful_periods,
    find_ladder_problems,
    find_standing_problems,
)
from league.core.verify.league_data import VerifiedLeague, read_verified_league
from league.core.verify.log import LogComparison
from league.core.verify.people import find_spelling_problems
from league.core.verify.stale import find_due_position, find_mark_problems
from league.models import Edition, Game, League, Period, Standing

#: The steps reported as progress, besides one step per period.
STAGES = ("the log", "reading and computing", "the history", "the ratings", "the periods", "the editions")
#: Exceptions raised by facts that no rating system or ladder method accepts.
COMPUTING_ERRORS = (*PAYLOAD_ERRORS, ArithmeticError)


@dataclass
class Verdict:
    """The number of compared objects, and a message for each difference.

    ``notes`` list what was not compared, such as results that wait for a replay.
    """

    games: int = 0
    rows: int = 0
    editions: int = 0
    entries: int = 0
    """Entries of the log."""
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    waits: bool = False
    """Whether a pending replay will change results; these results were not compared."""

    @property
    def state(self) -> str:
        """Return the outcome; "is right" only if everything was compared."""
        return "differs" if self.differences else "waits for a replay" if self.waits else "is right"


def verify_league(league_id: int, progress: Progress = ignore_progress, anchors: Sequence[Anchor] = ()) -> Verdict:
    """Compare the facts of a league with its log, and derived data with a full replay.

    ``anchors`` are positions and hashes that the log must have. Raises NotFound if there is no such league.
    """
    with long_snapshot():
        league = League.objects.filter(pk=league_id).first()
        if league is None:
            raise NotFound(_("There is no such league."))
        # Messages contain texts of the rating systems, which must be in English.
        with translation.override(settings.LANGUAGE_CODE):
            return VerifyRun(league, progress, anchors).run()


class VerifyRun:
    """A running verification."""

    def __init__(self, league: League, progress: Progress, anchors: Sequence[Anchor]) -> None:
        self.league, self.progress, self.anchors, self.steps_done = league, progress, anchors, 0
        self.verdict = Verdict()
        #: Keys of the periods that differ because a worker has not ranked them yet.
        self.unranked: set[int] = set()
        self.total = len(STAGES) + Period.objects.filter(league=league).count()

    def step(self, name: str) -> None:
        """Report the step that begins now."""
        self.progress(name, self.steps_done, self.total)
        self.steps_done += 1

    def run(self) -> Verdict:
        """Compare everything, beginning with the log."""
        self.step(STAGES[0])
        trusted = self.compare_log()
        self.step(STAGES[1])
        try:
            data = read_verified_league(self.league, trusted=trusted)
        except COMPUTING_ERRORS as error:
            self.verdict.differences.append(
                phrase("The history cannot be computed from the stored facts ({error}).", error=_describe_error(error))
            )
        else:
            self.compare_data(data)
            self.verdict.differences += find_context_problems(self.league, trusted=trusted)
        self.step(STAGES[-1])
        self.compare_editions()
        self.progress("done", self.total, self.total)
        return self.verdict

    def compare_log(self) -> bool:
        """Check the log's hash chain and compare the facts with it; return whether there are no differences."""
        self.verdict.entries = self.league.log_length
        comparison = LogComparison(self.league)
        comparison.run()
        heads = [*find_anchor_problems(self.league, self.anchors), *find_head_problems(self.league)]
        differences = [*comparison.messages(), *heads]
        self.verdict.differences += differences
        if comparison.broken:
            self.verdict.notes.append(phrase("The facts were not compared with the log, which cannot be read."))
        return not differences

    def compare_data(self, data: VerifiedLeague) -> None:
        """Compare derived data with values computed from the facts."""
        verdict = self.verdict
        verdict.games = len(data.log.games)
        verdict.differences += [
            *find_mark_problems(data),
            *find_spelling_problems(data),
            *find_value_problems(self.league),
        ]
        marked_from, data.stale_from = data.stale_from, find_due_position(data)
        differences = self.compare_history(data, self.step)
        verdict.differences += differences
        verdict.rows = len(data.stored) + data.ratings
        verdict.rows += Period.objects.filter(league=self.league).count()
        verdict.rows += Standing.objects.filter(league=self.league).count()
        if marked_from is not None:
            self.note_pending_replay(data, differences)
        if self.unranked:
            verdict.waits, count = True, len(self.unranked)
            note = phrase_many(
                "{count} period is about to be ranked, so its standings were not compared.",
                "{count} periods are about to be ranked, so their standings were not compared.",
                count,
                count=count,
            )
            verdict.notes.append(note)

    def note_pending_replay(self, data: VerifiedLeague, differences: Sequence[StoredMessage]) -> None:
        """Add a note about a pending replay: whether it will change anything."""
        if data.stale_from is None:
            self.verdict.notes.append(
                phrase("A recalculation is due, but the history is complete: everything was compared.")
            )
            return
        first_game = _describe_first_pending_game(data)
        data.stale_from, data.wrong_from = None, None
        self.verdict.waits = bool(set(self.compare_history(data, lambda name: None)) - set(differences))
        if self.verdict.waits:
            note = phrase("A recalculation from {begins} is due; later results were not compared.", begins=first_game)
        else:
            note = phrase("A recalculation from {begins} is due, but will change nothing.", begins=first_game)
        self.verdict.notes.append(note)

    def compare_history(self, data: VerifiedLeague, step: Callable[[str], None]) -> list[StoredMessage]:
        """Return the differences that no pending replay explains."""
        differences: list[StoredMessage] = []
        for name, check in zip(STAGES[2:], (find_history_problems, find_rating_problems), strict=False):
            step(name)
            differences += check(data)
        step(STAGES[-2])
        try:
            return [*differences, *self.compare_periods(data, step)]
        except COMPUTING_ERRORS as error:
            return [
                *differences,
                phrase(
                    "The standings cannot be computed from the stored ladders ({error}).", error=_describe_error(error)
                ),
            ]

    def compare_periods(self, data: VerifiedLeague, step: Callable[[str], None]) -> list[StoredMessage]:
        """Compare the periods whose rating history does not differ."""
        periods = VerifiedPeriods.read(self.league)
        differences = list(find_ladder_problems(data, periods))
        skipped = 0
        doubtful = find_doubtful_periods(data, periods)
        for period in periods.known:
            step(f"{period.ladder.slug}, {period.key}")
            if data.depends_on_difference(period.ends_at):
                skipped += 1
            elif period.pk in doubtful and not data.waits_at(period.ends_at):
                problems = list(find_standing_problems(data, periods, period))
                if problems and data.is_ranked_later(period):
                    self.unranked.add(period.pk)
                else:
                    differences += problems
        if skipped:
            differences.append(
                phrase_many(
                    "The standings of {count} period were not compared, because the history they depend on differs.",
                    "The standings of {count} periods were not compared, because the history they depend on differs.",
                    skipped,
                    count=skipped,
                )
            )
        return differences

    def compare_editions(self) -> None:
        """Compare every edition with its hash and its period."""
        editions = Edition.objects.filter(league=self.league).select_related("ladder")
        for edition in editions.iterator(chunk_size=100):
            self.verdict.editions += 1
            self.verdict.differences += find_edition_problems(edition)
        self.verdict.differences += find_period_time_problems(self.league, editions.defer("document"))


def _describe_error(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _describe_first_pending_game(data: VerifiedLeague) -> StoredMessage:
    assert data.stale_from is not None, "the league has a stale mark"
    pending = Game.objects.filter(build_at_or_after_condition(data.stale_from, "played_at"), league=data.league)
    first = pending.order_by("played_at", "order_key", "number").values_list("number", "played_at").first()
    played_at = data.stale_from[0] if first is None else first[1]
    when = f"{played_at.astimezone(UTC):%Y-%m-%d %H:%M}"
    if first is None:
        return phrase("the end ({when} UTC)", when=when)
    return phrase("game {number} ({when} UTC)", number=first[0], when=when)
