"""Reading a tournament report file: text to a document, or every faulty line."""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import date

from ratings.trf.checking import check_document
from ratings.trf.days import read_days
from ratings.trf.document import TrfDocument, TrfLine, TrfPlayer
from ratings.trf.formats import is_team_event
from ratings.trf.points import check_points
from ratings.trf.problems import ERRORS, TrfFaults, TrfProblemCollector
from ratings.trf.records import IN_COLUMNS, PARSERS, REPEATED, parse_nothing
from ratings.trf.teams import check_team_lines, list_bye_rounds

MAX_COLUMNS = 2000
LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
#: Federations and extensions have three letters. Their lines are kept.
LETTERS = re.compile(r"[A-Z]{3}", re.ASCII)
#: What programs leave at the ends of lines and files.
DIRT = " \t\v\f\x1a\xa0\ufeff"
#: Lines whose numbers are those of teams in an event of teams: ``trf.teams`` reads some, the others have no effect.
OF_TEAMS = frozenset(("240", "XXZ", "250", "XXA", "260", "XXP", "299"))
READ_AS_TEAMS = frozenset(("240", "299"))
WITHOUT_EFFECT = frozenset(("013", "310"))
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def read_text(
    text: str, encoding: str = "utf-8", mark: bytes = b"", *, starts: date | None = None, with_days: bool = True
) -> TrfDocument:
    """Return the document of a file's text; raises TrfFaults with all faulty lines.

    ``encoding``, ``mark``: those of the file. ``starts``: the first day, if the user states it. ``with_days``:
    otherwise no days are read.
    """
    # The last match is the empty text after the last line end.
    lines = [match for match in LINE.finditer(text) if match[0] or not match.start()]
    reader = _TrfReader(of_teams=is_team_event([match[1] for match in lines]))
    document = TrfDocument(
        tuple(reader.read_line(number, match[1], match[2]) for number, match in enumerate(lines, 1)),
        encoding,
        mark,
        of_teams=reader.of_teams,
    )
    document = reader.drop_empty_rounds(document)
    problems = reader.problems + check_document(document)
    if with_days:
        days, unclear = read_days(document, starts)
        document, problems = replace(document, days=days), problems + unclear
    if not any(problem.is_error for problem in problems):
        problems += check_points(document) + check_team_lines(document)
    problems.sort()
    if any(problem.is_error for problem in problems):
        raise TrfFaults(problems)
    return replace(document, warnings=tuple(problems))


class _TrfReader:
    """Reads line by line and collects the problems."""

    def __init__(self, *, of_teams: bool) -> None:
        self._collector = TrfProblemCollector()
        self.problems = self._collector.problems
        self.of_teams = of_teams
        self._number, self._tag = 0, ""
        self._seen: set[str] = set()

    def report(self, column: int, code: str, **values: object) -> None:
        """Report a problem of the current line; none of a line of teams keeps the file from being imported."""
        if code in ERRORS and (self._tag in WITHOUT_EFFECT or (self.of_teams and self._tag == "162")):
            code, values = "unusual", {"text": values.get("text", self._tag)}
        self._collector.report(self._number, column, code, **values)

    def read_line(self, number: int, line: str, end: str) -> TrfLine:
        """Return a line with its value."""
        return replace(self._read_line(number, line.strip(DIRT).replace("\xa0", " "), end), text=line)

    def _read_line(self, number: int, text: str, end: str) -> TrfLine:
        tag = text[:3].strip()
        tag = tag.upper() if tag.upper() in PARSERS else tag
        self._number, self._tag = number, tag
        if not text:
            return TrfLine("", None, text, end, number)
        if tag not in IN_COLUMNS:
            text = text.replace("\t", " ")
        if self._refuse_text(text):
            return TrfLine(tag, None, text, end, number)
        parser = PARSERS.get(tag)
        if self.of_teams and tag in OF_TEAMS:
            if tag not in READ_AS_TEAMS:
                self.report(1, "team_line")
            return TrfLine(tag, None, text, end, number)
        if parser is None:
            if not LETTERS.fullmatch(tag) and not tag.startswith("###"):
                self.report(1, "unknown_line")
            return TrfLine(tag, None, text, end, number)
        if tag not in REPEATED:
            if tag in self._seen:
                self.report(1, "repeated_line")
            self._seen.add(tag)
        if parser is not parse_nothing and text[3:4].strip():
            self.report(4, "columns")
            return TrfLine(tag, None, text, end, number)
        return TrfLine(tag, parser(text, self.report), text, end, number)

    def drop_empty_rounds(self, document: TrfDocument) -> TrfDocument:
        """Return the document without rounds at the end that were not paired, in which nobody has points.

        Such rounds are beyond the stated number, or all players are absent in them and no team has a bye.
        """
        players = document.list_values(TrfPlayer)
        byes = list_bye_rounds(document) if self.of_teams else set()
        length = max((len(player.rounds) for player in players), default=0)
        kept = length
        while kept and self._is_empty_round(players, kept, document.planned_rounds, byes):
            kept -= 1
        if kept == length:
            return document
        self._number, self._tag = 0, ""
        self.report(0, "empty_round", round=kept + 1)
        lines = (
            replace(line, value=replace(line.value, rounds=line.value.rounds[:kept]))
            if isinstance(line.value, TrfPlayer)
            else line
            for line in document.lines
        )
        return replace(document, lines=tuple(lines))

    @staticmethod
    def _is_empty_round(players: Sequence[TrfPlayer], number: int, planned: int, byes: Set[int]) -> bool:
        cells = [player.get_cell(number) for player in players]
        if any(cell is None or not cell.is_absent for cell in cells):
            return False
        return bool(planned and number > planned) or (
            number not in byes and all(cell and cell.result for cell in cells)
        )

    def _refuse_text(self, text: str) -> bool:
        """Report what no line may have; return whether there was any."""
        if len(text) > MAX_COLUMNS:
            self.report(MAX_COLUMNS + 1, "too_long", limit=MAX_COLUMNS)
        elif "\t" in text:
            self.report(text.index("\t") + 1, "tab")
        elif match := CONTROL.search(text):
            self.report(match.start() + 1, "control_character")
        else:
            return False
        return True
