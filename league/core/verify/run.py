"""``verify``: facts held to the log, everything derived recomputed and compared bit for bit; editions and hashes.

One state of the league's data is read without the league's lock: readers and recorders are not disturbed,
and nothing is written, whatever is found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from league.core.db.isolation import long_snapshot
from league.core.errors import NotFound
from league.core.jobs.services.progress import Progress, silent
from league.core.replay.services.history import at_or_after
from league.core.text.stored_messages import Said, phrase, phrase_many
from league.core.verify.editions import edition_problems, series_problems
from league.core.verify.findings import UNREADABLE
from league.core.verify.heads import Anchor, anchor_problems, head_problems
from league.core.verify.history import history_problems, rating_problems
from league.core.verify.ladders import VerifiedPeriods, doubtful, ladder_problems, state_problems
from league.core.verify.league_data import VerifiedLeague, read_books
from league.core.verify.log import LogComparison
from league.core.verify.people import spelling_problems
from league.core.verify.stale import due_from, mark_problems
from league.models import Edition, Game, League, Period, Standing

#: What is done before the periods are looked at, and after.
STAGES = ("the log", "reading and computing", "the history", "the ratings", "the periods", "the editions")
#: What is raised by facts that no system or method takes.
UNCOMPUTABLE = (*UNREADABLE, ArithmeticError)


@dataclass
class Verdict:
    """What was compared, and every difference as a sentence; none: the books are right.

    All are English as text (``league.core.text.stored_messages``). ``notes`` say what was left aside: what waits for a
    replay is not wrong,
    but no player can say that it is right.
    """

    games: int = 0
    rows: int = 0
    editions: int = 0
    entries: int = 0
    """Of the log."""
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    waits: bool = False
    """Whether a replay is due that will change what stands: until it is done, that part is not verified."""

    @property
    def state(self) -> str:
        """What to say of the league's data: "is right" only where all of them were compared."""
        return "differs" if self.differences else "waits for a replay" if self.waits else "is right"


def verify_league(league_id: int, progress: Progress = silent, anchors: Sequence[Anchor] = ()) -> Verdict:
    """Hold the facts of a league to its log, and everything derived to a replay from nothing; writes nothing.

    ``anchors`` are positions and hashes that the log must have. Raises NotFound if there is no such league.
    """
    with long_snapshot():
        league = League.objects.filter(pk=league_id).first()
        if league is None:
            raise NotFound(_("There is no such league."))
        # What a system says of itself is in the sentences in English, too.
        with translation.override(settings.LANGUAGE_CODE):
            return VerifyRun(league, progress, anchors).run()


class VerifyRun:
    """One verification on its way: the steps done, and what was found."""

    def __init__(self, league: League, progress: Progress, anchors: Sequence[Anchor]) -> None:
        self.league, self.progress, self.anchors, self.done = league, progress, anchors, 0
        self.verdict = Verdict()
        #: The keys of the periods that a worker is about to rank, and which differ.
        self.unranked: set[int] = set()
        self.total = len(STAGES) + Period.objects.filter(league=league).count()

    def step(self, what: str) -> None:
        """Tell what begins now."""
        self.progress(what, self.done, self.total)
        self.done += 1

    def run(self) -> Verdict:
        """Look at everything, the log first: all else follows from it."""
        self.step(STAGES[0])
        trusted = self.look_at_log()
        self.step(STAGES[1])
        try:
            books = read_books(self.league, trusted=trusted)
        except UNCOMPUTABLE as error:
            self.verdict.differences.append(
                phrase("The history cannot be computed from the stored facts ({error}).", error=named(error))
            )
        else:
            self.look_at_books(books)
        self.step(STAGES[-1])
        self.look_at_editions()
        self.progress("done", self.total, self.total)
        return self.verdict

    def look_at_log(self) -> bool:
        """Check the chain of the log, and hold the facts to it; returns whether all is right."""
        self.verdict.entries = self.league.log_length
        comparison = LogComparison(self.league)
        comparison.run()
        heads = [*anchor_problems(self.league, self.anchors), *head_problems(self.league)]
        found = [*comparison.sentences(), *heads]
        self.verdict.differences += found
        if comparison.broken:
            self.verdict.notes.append(phrase("The facts were not compared with the log, which cannot be read."))
        return not found

    def look_at_books(self, books: VerifiedLeague) -> None:
        """Compare what is in the league's data with what the facts give."""
        verdict = self.verdict
        verdict.games = len(books.log.games)
        verdict.differences += [*mark_problems(books), *spelling_problems(books)]
        was_stale, books.stale_from = books.stale_from, due_from(books)
        found = self.compared(books, self.step)
        verdict.differences += found
        verdict.rows = len(books.stored) + books.ratings
        verdict.rows += Period.objects.filter(league=self.league).count()
        verdict.rows += Standing.objects.filter(league=self.league).count()
        if was_stale is not None:
            self.look_beyond(books, found)
        if self.unranked:
            verdict.waits, count = True, len(self.unranked)
            note = phrase_many(
                "{count} period is about to be ranked, so its standings were not compared.",
                "{count} periods are about to be ranked, so their standings were not compared.",
                count,
                count=count,
            )
            verdict.notes.append(note)

    def look_beyond(self, books: VerifiedLeague, found: Sequence[Said]) -> None:
        """Say of a replay that is due, and whether it will change anything."""
        if books.stale_from is None:
            self.verdict.notes.append(
                phrase("A recalculation is due, but the history is complete: everything was compared.")
            )
            return
        begins = pending_words(books)
        books.stale_from, books.wrong_from = None, None
        self.verdict.waits = bool(set(self.compared(books, lambda what: None)) - set(found))
        if self.verdict.waits:
            note = phrase("A recalculation from {begins} is due; later results were not compared.", begins=begins)
        else:
            note = phrase("A recalculation from {begins} is due, but will change nothing.", begins=begins)
        self.verdict.notes.append(note)

    def compared(self, books: VerifiedLeague, step: Callable[[str], None]) -> list[Said]:
        """Return what differs before what waits for a replay."""
        found: list[Said] = []
        for what, check in zip(STAGES[2:], (history_problems, rating_problems), strict=False):
            step(what)
            found += check(books)
        step(STAGES[-2])
        try:
            return [*found, *self.periods_compared(books, step)]
        except UNCOMPUTABLE as error:
            return [
                *found,
                phrase("The standings cannot be computed from the stored ladders ({error}).", error=named(error)),
            ]

    def periods_compared(self, books: VerifiedLeague, step: Callable[[str], None]) -> list[Said]:
        """Compare periods and standings where the history that they rest on is right."""
        periods = VerifiedPeriods.read(self.league)
        found = list(ladder_problems(books, periods))
        left = 0
        doubt = doubtful(books, periods)
        for period in periods.known:
            step(f"{period.ladder.slug}, {period.key}")
            if books.rests_on_wrong(period.ends_at):
                left += 1
            elif period.pk in doubt and not books.waits_at(period.ends_at):
                problems = list(state_problems(books, periods, period))
                if problems and books.ranked_later(period):
                    self.unranked.add(period.pk)
                else:
                    found += problems
        if left:
            found.append(
                phrase_many(
                    "The standings of {count} period were not compared, because the history they depend on differs.",
                    "The standings of {count} periods were not compared, because the history they depend on differs.",
                    left,
                    count=left,
                )
            )
        return found

    def look_at_editions(self) -> None:
        """Compare every edition with its hash, and the editions of a period among each other."""
        editions = Edition.objects.filter(league=self.league).select_related("ladder")
        for edition in editions.iterator(chunk_size=100):
            self.verdict.editions += 1
            self.verdict.differences += edition_problems(edition)
        self.verdict.differences += series_problems(self.league, editions.defer("document"))


def named(error: Exception) -> str:
    """Say what an error is."""
    return f"{type(error).__name__}: {error}"


def pending_words(books: VerifiedLeague) -> Said:
    """Name the first game that waits for a replay, and when it was played."""
    assert books.stale_from is not None, "somebody saw the mark"
    there = Game.objects.filter(at_or_after(books.stale_from, "played_at"), league=books.league)
    first = there.order_by("played_at", "order_key", "number").values_list("number", "played_at").first()
    moment = books.stale_from[0] if first is None else first[1]
    when = f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"
    if first is None:
        return phrase("the end ({when} UTC)", when=when)
    return phrase("game {number} ({when} UTC)", number=first[0], when=when)
