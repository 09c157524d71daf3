"""What can be wrong with a tournament report file, as codes with sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ratings.texts import N_, say

#: Code -> sentence. After one of these, nothing is imported.
ERRORS = {
    "not_text": N_("This is not a text file."),
    "too_large": N_("The file is larger than {limit} MB."),
    "too_long": N_("The line has more than {limit} characters."),
    "tab": N_("The line has a tab between its fields. The format counts columns: use spaces."),
    "control_character": N_("The line has a character that is not text."),
    "no_players": N_("The file has no players (lines 001)."),
    "too_many_players": N_("A competition has at most {limit} entries."),
    "too_many_pairs": N_("The lines XXP and 260 keep more than {limit} pairs of players apart."),
    "start_number": N_("A start number is from 1 to 9999, not “{text}”."),
    "start_number_twice": N_("Start number {player} is already on line {other_line}."),
    "name_missing": N_("The player has no name."),
    "number": N_("“{text}” is not a number."),
    "columns": N_("This column must be blank. The columns of the line are shifted."),
    "colour": N_("A colour is w, b or -, not “{text}”."),
    "result": N_("“{text}” is not a result. The results are 1 = 0 + - W D L F H U Z."),
    "no_opponent": N_("Result {result} needs an opponent."),
    "bye_with_opponent": N_("Result {result} is a bye, which has no opponent."),
    "unknown_opponent": N_("Opponent {opponent} is not in the file."),
    "own_opponent": N_("Player {player} cannot play against themselves."),
    "one_sided": N_("Round {round}: player {player} has a game against {opponent}, but {opponent} has none."),
    "paired_twice": N_("Round {round}: player {player} has a game against {opponent}, but {opponent} plays {other}."),
    "both_win": N_("Round {round}: players {player} and {opponent} both win."),
    "results_differ": N_("Round {round}: the results of {player} ({first}) and {opponent} ({second}) do not agree."),
    "same_colour": N_("Round {round}: players {player} and {opponent} have the same colour."),
    "colour_missing": N_("Round {round}: the game of {player} and {opponent} has no colours."),
    "day": N_("“{text}” is not a day. Write it like 2024/03/05, or state the first day when importing."),
    "ambiguous_day": N_("“{text}” may be one of: {days}. State the first day when importing."),
    "last_day_first": N_("The last day is before the first. Correct the line, or state the first day when importing."),
    "round_day": N_(
        "The days of the rounds are outside of the competition. Correct the line, or state the first day when "
        "importing."
    ),
    "too_many_rounds": N_("The line has {count} rounds, but the competition has {rounds}."),
    "round_number": N_("A round is from 1 to {limit}, not “{text}”."),
    "unknown_player": N_("Player {player} is not in the file."),
    "too_few_players": N_("At least two players are needed here."),
    "bye_kind": N_("A bye is F, H or Z, not “{text}”."),
    "bye_of_player": N_("Round {round}: player {player} has a bye here and another result on line {other_line}."),
    "first_colour": N_("The first colour is W or B, not “{text}”."),
    "points_code": N_("“{text}” is not the code of a result with points."),
    "points_by_colour": N_("Points that differ by colour are not supported."),
}
#: Code -> sentence. The file can be imported.
WARNINGS = {
    "unusual": N_("“{text}” is unusual here. It is kept."),
    "unknown_line": N_("This kind of line is unknown. It is kept."),
    "repeated_line": N_("This line occurs twice. The first one counts."),
    "count_differs": N_("The file says {stated}, but there are {count}."),
    "rating_missing": N_("The player has no rating."),
    "points_differ": N_("Player {player} has {points} points in the file; the results give {computed}."),
    "points_inferred": N_(
        "The file names no points. Its totals give {win} for a win, {draw} for a draw and {bye} for a bye."
    ),
    "rank_holes": N_("Rank {rank} does not follow from the ranks before it."),
    "rank_missing": N_("Player {player} has no rank, but others have one."),
    "awarded": N_("Round {round}: only an arbiter can give {player} {first} and {opponent} {second}."),
    "two_pairing_byes": N_("Round {round} has {count} pairing-allocated byes."),
    "title_assumed": N_("The file has no title (line 012). It is called Tournament."),
    "swiss_assumed": N_("The file does not name its format (lines 192, 092). It is read as a Swiss system."),
    "round_robin_assumed": N_(
        "The file does not name its format (lines 192, 092). Everyone met equally often: it is read as a round robin."
    ),
    "rounds_open": N_("The file states no number of rounds (lines 142, XXR). It stays open."),
    "white_assumed": N_("The file states no first colour (lines 152, XXC). By round 1, the first player had White."),
    "black_assumed": N_("The file states no first colour (lines 152, XXC). By round 1, the first player had Black."),
    "tie_breaks_assumed": N_("The file states no tie-breaks (lines 202, 212). The usual ones of the format count."),
    "points_assumed": N_("The file names no points (lines 162, XXS). A win gives 1, a draw ½, a loss 0, a bye 1."),
    "byes_assumed": N_("Round {round}: the file says nothing of {players}. They have a zero-point bye."),
    "shortened": N_("“{text}” becomes “{kept}” here. It stays in the file."),
    "left_out": N_("“{text}” is not used here. It stays in the file."),
    "days_replaced": N_("The first day is {day}, as you stated. The days of the file do not count."),
    "empty_round": N_("Nobody plays in round {round}. It was left out."),
    "team_line": N_("The numbers of this line are those of teams. It has no effect."),
    "team_unread": N_("This line of teams has something that cannot be read. That part is left out."),
    "teams": N_("Teams are not imported; the games of their players are."),
    "acceleration": N_("Accelerated pairing is for Swiss systems only."),
}


@dataclass(frozen=True, slots=True, order=True)
class TrfProblem:
    """A problem with a line and its column, both from 1; 0 is the whole line or file."""

    line: int
    column: int
    code: str
    detail: str

    @property
    def is_error(self) -> bool:
        """Whether nothing can be imported."""
        return self.code in ERRORS


def build_trf_problem(line: int, column: int, code: str, **values: object) -> TrfProblem:
    """Return a problem with its sentence in the reader's language."""
    text = ERRORS.get(code) or WARNINGS[code]
    return TrfProblem(line, column, code, say(text, **values))


#: Of each code; a file of 8 MB can have a million problems.
MAX_OF_A_CODE = 1_000


class TrfProblemCollector:
    """Collects the problems of a file, of each code only the first."""

    def __init__(self) -> None:
        self.problems: list[TrfProblem] = []
        self._counts = Counter[str]()

    def report(self, line: int, column: int, code: str, **values: object) -> None:
        """Note a problem."""
        self._counts[code] += 1
        if self._counts[code] <= MAX_OF_A_CODE:
            self.problems.append(build_trf_problem(line, column, code, **values))


class TrfFaults(ValueError):
    """A file that is not read. ``problems``: every error and warning."""

    def __init__(self, problems: Sequence[TrfProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(map(locate_problem, problems)))


class CannotWriteTrf(ValueError):
    """The format has no place for what should be written."""


def locate_problem(problem: TrfProblem) -> str:
    """Return the sentence of a problem with its line and column."""
    if not problem.line:
        return problem.detail
    if not problem.column:
        return say("Line {line}: {why}", line=problem.line, why=problem.detail)
    return say("Line {line}, column {column}: {why}", line=problem.line, column=problem.column, why=problem.detail)
