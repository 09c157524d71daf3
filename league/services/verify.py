"""``verify``: facts held to the log, everything derived computed anew and compared bit for bit; editions and hashes.

One state of the books is read without the league's lock: readers and recorders are not disturbed,
and nothing is written, whatever is found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from league.errors import NotFound
from league.figures import counted
from league.models import Edition, League, Period, Standing
from league.selectors.snapshot import frozen
from league.services.verify_books import Books, read_books
from league.services.verify_editions import edition_problems, position_problems, series_problems
from league.services.verify_games import UNREADABLE
from league.services.verify_heads import Anchor, anchor_problems, head_problems
from league.services.verify_history import history_problems, rating_problems
from league.services.verify_ladders import Periods, doubtful, ladder_problems, state_problems
from league.services.verify_laws import chain_problems, fact_problems, law_problems, mark_problems
from league.services.verify_log import Holding

#: Notes what is done now, steps done, steps in all.
Progress = Callable[[str, int, int], None]
#: What is done before the periods are looked at, and after.
STAGES = (
    "the log", "reading and computing", "the history", "the ratings", "the chains", "the laws", "the games",
    "the periods", "the editions",
)  # fmt: skip


@dataclass
class Verdict:
    """What was compared, and every difference as a sentence; none: the books are right.

    ``notes`` say what was left aside: the part that waits for a replay is not wrong.
    """

    games: int = 0
    rows: int = 0
    editions: int = 0
    entries: int = 0
    """Of the log."""
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def no_progress(what: str, done: int, total: int) -> None:
    """Tell nobody."""


def verify_league(league_id: int, progress: Progress = no_progress, anchors: Sequence[Anchor] = ()) -> Verdict:
    """Hold the facts of a league to its log, and everything derived to a replay from nothing; writes nothing.

    ``anchors`` are positions and hashes that the log must have. Raises NotFound where there is no such league.
    """
    with frozen():
        league = League.objects.filter(pk=league_id).first()
        if league is None:
            raise NotFound("There is no such league.")
        return Verifying(league, progress, anchors).run()


class Verifying:
    """One verification on its way: the steps done, and what was found."""

    def __init__(self, league: League, progress: Progress, anchors: Sequence[Anchor]) -> None:
        self.league, self.progress, self.anchors, self.done = league, progress, anchors, 0
        self.verdict = Verdict()
        self.total = len(STAGES) + Period.objects.filter(ladder__league=league).count()

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
        except (*UNREADABLE, ArithmeticError) as error:
            sentence = f"The history cannot be computed from the facts as they stand ({type(error).__name__}: {error})."
            self.verdict.differences.append(sentence)
        else:
            self.look_at_books(books)
        self.step(STAGES[-1])
        self.look_at_editions()
        self.progress("done", self.total, self.total)
        return self.verdict

    def look_at_log(self) -> bool:
        """Check the chain of the log, and hold the facts to it; returns whether all is right."""
        self.verdict.entries = self.league.log_length
        holding = Holding(self.league)
        holding.run()
        heads = [*anchor_problems(self.league, self.anchors), *head_problems(self.league)]
        found = [*holding.sentences(), *heads]
        self.verdict.differences += found
        if holding.broken:
            self.verdict.notes.append("The facts were not held to the log: nobody knows what it said.")
        return not found

    def look_at_books(self, books: Books) -> None:
        """Compare what stands in the books with what the facts give."""
        found, verdict = self.verdict.differences, self.verdict
        verdict.games = len(books.log.games)
        if books.mark is not None:
            verdict.notes.append(f"A replay is on its way: {pending_words(books)} was not compared.")
        checks = (history_problems, rating_problems, chain_problems, law_problems, fact_problems)
        for what, check in zip(STAGES[2:], checks, strict=False):
            self.step(what)
            found += check(books)
        found += mark_problems(books)
        verdict.rows = len(books.stored["pk"]) + books.ratings
        self.step(STAGES[-2])
        self.look_at_periods(books)

    def look_at_periods(self, books: Books) -> None:
        """Compare periods and standings where the history that they rest on is right."""
        periods = Periods.read(self.league)
        self.verdict.rows += len(periods.known)
        self.verdict.rows += Standing.objects.filter(period__ladder__league=self.league).count()
        self.verdict.differences += ladder_problems(books, periods)
        left = 0
        doubt = doubtful(books, periods)
        for period in periods.known:
            self.step(f"{period.ladder.slug}, {period.key}")
            if books.rests_on_wrong(period.ends_at):
                left += 1
            elif period.pk in doubt and not books.waits_at(period.ends_at):
                self.verdict.differences += state_problems(books, periods, period)
        if left:
            self.verdict.differences.append(
                f"The standings of {counted(left, 'period')} were not compared: the history that they rest on differs."
            )

    def look_at_editions(self) -> None:
        """Compare every edition with its hash, and the editions of a period among each other."""
        editions = Edition.objects.filter(ladder__league=self.league).select_related("ladder")
        for edition in editions.iterator(chunk_size=100):
            self.verdict.editions += 1
            self.verdict.differences += edition_problems(edition)
        self.verdict.differences += series_problems(self.league, editions.defer("document"))
        self.verdict.differences += position_problems(self.league, editions.defer("document"))


def pending_words(books: Books) -> str:
    """Say what waits for a replay."""
    assert books.mark is not None, "somebody saw the mark"
    moment: datetime = books.mark[0]
    return f"what follows from games since {moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
