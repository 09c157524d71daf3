"""What a check of a tournament report found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ratings.texts import say


@dataclass(frozen=True, order=True)
class TournamentFinding:
    """A difference or a note. ``round`` and ``line`` from 1; 0 is none.

    ``code``: of what differs, stable. ``differs``: whether the file is wrong by the rules; else it is a note.
    """

    round: int
    line: int
    code: str
    sentence: str
    differs: bool = True

    def locate(self) -> str:
        """Return the sentence with its round and line."""
        where = [
            *([say("Round {round}", round=self.round)] if self.round else []),
            *([say("Line {line}", line=self.line)] if self.line else []),
        ]
        return f"{', '.join(where)}: {self.sentence}" if where else self.sentence


@dataclass(frozen=True)
class TournamentCheck:
    """The findings, with the numbers of rounds and places that were compared. ``readable``: else nothing was."""

    findings: tuple[TournamentFinding, ...]
    rounds: int = 0
    places: int = 0
    readable: bool = True

    @property
    def differences(self) -> Sequence[TournamentFinding]:
        """What does not follow from the rules."""
        return [found for found in self.findings if found.differs]

    def list_lines(self) -> Iterator[str]:
        """Yield the report, a line each."""
        for found in self.findings:
            yield found.locate() if found.differs else say("Note. {sentence}", sentence=found.locate())
        if self.readable:
            yield say(
                "Checked: {rounds} rounds, {places} places. Differences: {count}.",
                rounds=self.rounds,
                places=self.places,
                count=len(self.differences),
            )
        else:
            yield say("The file cannot be checked before these lines are corrected.")
