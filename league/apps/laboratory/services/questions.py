"""The settings of an experiment: systems with parameters, games, and number of resamples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from league.core.calendar import ALWAYS, LATEST
from league.core.errors import Invalid, Problem, build_pointer
from league.core.rules.selectors.rules import get_winner_parameter
from league.models import Rule
from ratings.contract.parameters import ParameterError
from ratings.contract.system import RatingSystem
from ratings.describe.values import label_of
from ratings.laboratory.experiments import Candidate, Unjudgeable
from ratings.laboratory.fitting import check_names
from ratings.registry import UnknownSystem, get_system

#: Maximum number of systems that one experiment compares.
MAX_CANDIDATES = 6
#: Number of resamples of the evenings for an interval.
DEFAULT_DRAWS, MIN_DRAWS, MAX_DRAWS = 200, 50, 1000
#: Share of the games that warm the ratings up and are not evaluated.
DEFAULT_WARM_UP_SHARE, MAX_WARM_UP_SHARE = 0.2, 0.9
#: Maximum number of parameters of a system that are fitted together.
MAX_FITTED_PARAMETERS = 3
#: Share of the games to which parameters are fitted.
DEFAULT_EARLIER_SHARE, MIN_EARLIER_SHARE, MAX_EARLIER_SHARE = 0.5, 0.1, 0.9
#: The largest integer that JSON numbers represent exactly.
MAX_WARM_UP_GAMES = 2**53 - 1


@dataclass(frozen=True)
class CandidateSystem:
    """A system with all of its parameters; ``fit`` names those that are fitted to the earlier games."""

    system: str
    parameters: Mapping[str, Any]
    fit: tuple[str, ...] = ()

    @property
    def rating_system(self) -> RatingSystem:
        """The system with these parameters."""
        return get_system(self.system).from_json(self.parameters)

    def with_winner_of(self, rules: Sequence[Rule]) -> "CandidateSystem":
        """Return the candidate with the winner setting of the league's rule.

        A system that is adopted from a report then rates as it did in the report.
        """
        return replace(self, parameters={**self.parameters, **get_winner_parameter(rules, get_system(self.system))})

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of a candidate."""
        return {"system": self.system, "parameters": dict(self.parameters), "fit": list(self.fit)}

    @property
    def label(self) -> str:
        """Return the title with the parameters that differ from their defaults, in the reader's language.

        Example: "Elo, K = 40 points".
        """
        return label_of(self.rating_system)

    @property
    def label_with_fit(self) -> str:
        """The label with the parameters to fit."""
        if not self.fit:
            return self.label
        kinds = type(self.rating_system).parameters()
        return _("{system} (fitted: {names})").format(
            system=self.label, names=", ".join(str(kinds[name].label) for name in self.fit)
        )


@dataclass(frozen=True)
class ExperimentQuestion:
    """The checked settings of an experiment, with all parameters.

    ``first`` and ``before`` limit the games by days of the league's time zone (None: no limit); games on ``before`` are
    left out. ``warm_up`` is a number of games, or a share if it is below 1.

    If parameters are fitted, ``until`` limits the earlier games by a share or a day, and the warm-up is part of them.
    """

    candidates: Sequence[CandidateSystem]
    first: date | None = None
    before: date | None = None
    warm_up: float = DEFAULT_WARM_UP_SHARE
    draws: int = DEFAULT_DRAWS
    until: float | date = DEFAULT_EARLIER_SHARE

    def with_winner_of(self, rules: Sequence[Rule]) -> "ExperimentQuestion":
        """Return the question with the winner setting of the league's rule in each system."""
        return replace(self, candidates=[candidate.with_winner_of(rules) for candidate in self.candidates])

    @property
    def fits_parameters(self) -> bool:
        """Return whether any candidate has parameters to fit."""
        return any(candidate.fit for candidate in self.candidates)

    def count_warm_up_games(self, games: int) -> int:
        """Return the number of warm-up games among ``games`` games."""
        return int(self.warm_up * games) if self.warm_up < 1 else int(self.warm_up)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that jobs store and the API returns."""
        in_games = self.warm_up >= 1 or self.warm_up == 0
        return {
            "candidates": [candidate.to_json() for candidate in self.candidates],
            "from": self.first.isoformat() if self.first else None,
            "to": self.before.isoformat() if self.before else None,
            "warm_up_games": int(self.warm_up) if in_games else None,
            "warm_up_share": None if in_games else self.warm_up,
            "draws": self.draws,
            "until": self.until.isoformat() if self.fits_parameters and isinstance(self.until, date) else None,
            "until_share": self.until if self.fits_parameters and not isinstance(self.until, date) else None,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ExperimentQuestion":
        """Return the question that ``to_json`` serialized."""
        share = data["warm_up_share"]
        first, before, until = (data[name] and date.fromisoformat(data[name]) for name in ("from", "to", "until"))
        return cls(
            [CandidateSystem(**{**candidate, "fit": tuple(candidate["fit"])}) for candidate in data["candidates"]],
            first,
            before,
            data["warm_up_games"] if share is None else share,
            data["draws"],
            until or data["until_share"] or DEFAULT_EARLIER_SHARE,
        )


def check_question(
    candidates: Sequence[Mapping[str, Any]],
    *,
    first: date | None = None,
    before: date | None = None,
    warm_up_games: int | None = None,
    warm_up_share: float | None = None,
    draws: int = DEFAULT_DRAWS,
    until: date | None = None,
    until_share: float | None = None,
) -> ExperimentQuestion:
    """Return the checked question; raises Invalid with a pointer and a message for each problem."""
    choices, problems = _read_candidates(candidates)
    problems += _find_date_problems(first, before)
    problems += _find_warm_up_problems(warm_up_games, warm_up_share)
    fits_parameters = any(candidate.get("fit") for candidate in candidates)
    problems += _find_until_problems(until, until_share, (first, before), fits_parameters=fits_parameters)
    if not MIN_DRAWS <= draws <= MAX_DRAWS:
        message = _("The number of resamples is from {low} to {high}.").format(low=MIN_DRAWS, high=MAX_DRAWS)
        problems.append(Problem("/draws", "out_of_bounds", message))
    if problems:
        raise Invalid.of(problems)
    share = DEFAULT_WARM_UP_SHARE if warm_up_share is None else warm_up_share
    fitting_until = until or (DEFAULT_EARLIER_SHARE if until_share is None else until_share)
    return ExperimentQuestion(
        choices, first, before, share if warm_up_games is None else warm_up_games, draws, fitting_until
    )


def _read_candidates(sent: Sequence[Mapping[str, Any]]) -> tuple[list[CandidateSystem], list[Problem]]:
    fitted = sum(bool(candidate.get("fit")) for candidate in sent)
    if not 1 <= len(sent) + fitted <= MAX_CANDIDATES:
        text = _("An experiment compares 1 to {most} systems; you chose {count}.")
        if fitted:
            text = _("An experiment compares 1 to {most} systems; you chose {count}, as a fitted system counts twice.")
        code, count = "too_many" if sent else "empty", len(sent) + fitted
        return [], [Problem("/candidates", code, text.format(most=MAX_CANDIDATES, count=count))]
    choices: list[CandidateSystem] = []
    problems: list[Problem] = []
    for number, candidate in enumerate(sent):
        try:
            choice = CandidateSystem(
                candidate["system"], get_system(candidate["system"]).whole(candidate["parameters"])
            )
        except UnknownSystem as error:
            problems.append(Problem(f"/candidates/{number}/system", "unknown_system", str(error.args[0])))
        except ParameterError as error:
            problems += [
                Problem(build_pointer("candidates", number, "parameters", name), "invalid", message)
                for name, message in error.problems.items()
            ]
        else:
            if any((choice.system, choice.parameters) == (other.system, other.parameters) for other in choices):
                text = _("{label} is listed twice.").format(label=choice.label)
                problems.append(Problem(f"/candidates/{number}", "twice", text))
            fit = tuple(dict.fromkeys(candidate.get("fit") or ()))
            problems += _find_fit_problems(choice, fit, number)
            choices.append(replace(choice, fit=fit))
    return choices, problems


def _find_fit_problems(choice: CandidateSystem, names: Sequence[str], number: int) -> list[Problem]:
    pointer = f"/candidates/{number}/fit"
    if len(names) > MAX_FITTED_PARAMETERS:
        message = _("You can fit at most {most} parameters of a system together; you chose {count}.")
        return [Problem(pointer, "too_many", message.format(most=MAX_FITTED_PARAMETERS, count=len(names)))]
    try:
        if names:
            check_names(Candidate(choice.label, choice.rating_system), names, "log_loss")
    except Unjudgeable as error:
        return [Problem(pointer, "invalid", str(error.sentence))]
    return []


def _find_until_problems(
    until: date | None, share: float | None, span: tuple[date | None, date | None], *, fits_parameters: bool
) -> list[Problem]:
    pointer = "/until_share" if until is None else "/until"
    if until is not None and share is not None:
        message = _("Limit the earlier games by a date or by a share, not both.")
        return [Problem("/until_share", "not_together", message)]
    if (until is not None or share is not None) and not fits_parameters:
        message = _("No parameters to fit: name them next to a system.")
        return [Problem(pointer, "not_together", message)]
    if share is not None and not MIN_EARLIER_SHARE <= share <= MAX_EARLIER_SHARE:
        message = _("The earlier games must be {low} to {high}% of all games.")
        low, high = round(100 * MIN_EARLIER_SHARE), round(100 * MAX_EARLIER_SHARE)
        return [Problem(pointer, "out_of_bounds", message.format(low=low, high=high))]
    first, before = span
    if until is not None and ((first is not None and until <= first) or (before is not None and until >= before)):
        return [Problem(pointer, "out_of_bounds", _("The earlier games must end within the chosen dates."))]
    return []


def _find_date_problems(first: date | None, before: date | None) -> list[Problem]:
    problems = []
    for name, day in (("from", first), ("to", before)):
        if day is not None and not ALWAYS <= day <= LATEST:
            message = _("Dates must be from {first} to {last}, which {day} is not.").format(
                first=ALWAYS, last=LATEST, day=day
            )
            problems.append(Problem(f"/{name}", "out_of_bounds", message))
    if first is not None and before is not None and first >= before:
        message = _("The dates end before they begin: games from {first} and before {before}.")
        problems.append(Problem("/to", "out_of_bounds", message.format(first=first, before=before)))
    return problems


def _find_warm_up_problems(games: int | None, share: float | None) -> list[Problem]:
    if games is not None and share is not None:
        return [Problem("/warm_up_share", "not_together", _("The warm-up is a number of games or a share, not both."))]
    if games is not None and not 0 <= games <= MAX_WARM_UP_GAMES:
        return [Problem("/warm_up_games", "out_of_bounds", _("The warm-up cannot have a negative number of games."))]
    if share is not None and not 0 <= share <= MAX_WARM_UP_SHARE:
        message = _("The warm-up can be at most {most}% of the games.").format(most=round(100 * MAX_WARM_UP_SHARE))
        return [Problem("/warm_up_share", "out_of_bounds", message)]
    return []
