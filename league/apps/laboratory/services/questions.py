"""What an experiment asks: which systems with which parameters, over which games, how often drawn again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from league.core.calendar import ALWAYS, LATEST
from league.core.errors import Invalid, Problem, pointer_to
from league.core.leagues.selectors.rules import winner_in
from league.models import Rule
from ratings.contract.parameters import ParameterError
from ratings.contract.system import RatingSystem
from ratings.describe.values import label_of
from ratings.laboratory.experiments import Candidate, Unjudgeable
from ratings.laboratory.fitting import check_names
from ratings.registry import UnknownSystem, get_system

#: Systems with their parameters that one experiment compares.
MAX_CANDIDATES = 6
#: How often the evenings are drawn again for an interval: usually, at least and at most.
DRAWS, MIN_DRAWS, MAX_DRAWS = 200, 50, 1000
#: The share of the games by which the ratings find their places before any is judged, and the largest one.
SHARE, MAX_SHARE = 0.2, 0.9
#: Where parameters are fitted: so many of a system together at most, and the share of the games on which they are
#: sought: usually, at least and at most.
MAX_FITTED_PARAMETERS, UNTIL, MIN_EARLIER_SHARE, MAX_EARLIER_SHARE = 3, 0.5, 0.1, 0.9
#: No league has more games than a warm-up may have.
MAX_GAMES = 2**53 - 1


@dataclass(frozen=True)
class CandidateSystem:
    """A system with all of its parameters; ``fit``: names of those that are sought on the earlier games."""

    system: str
    parameters: Mapping[str, Any]
    fit: tuple[str, ...] = ()

    @property
    def built(self) -> RatingSystem:
        """Return the system with these parameters."""
        return get_system(self.system).from_json(self.parameters)

    def counting(self, rules: Sequence[Rule]) -> "CandidateSystem":
        """Return it with the winner of a league's rule: what is adopted from a report rates as the report did."""
        return replace(self, parameters={**self.parameters, **winner_in(rules, get_system(self.system))})

    @property
    def label(self) -> str:
        """Return what it is called in the reader's language: "Elo, K = 40 points", by what is not as declared."""
        return label_of(self.built)

    @property
    def asked(self) -> str:
        """Return its label with what is fitted of it."""
        if not self.fit:
            return self.label
        kinds = type(self.built).parameters()
        return _("{system} (fitted: {names})").format(
            system=self.label, names=", ".join(str(kinds[name].label) for name in self.fit)
        )


@dataclass(frozen=True)
class ExperimentQuestion:
    """An experiment that can be made: checked, with every parameter.

    ``first``: games from this day on, None from the league's first one; ``before``: those before this day, None up to
    now. Both are days of the league's time zone. ``warm_up``: so many games, or (below 1) such a share of them.
    ``until``: where something is fitted, the share of the games that is the earlier span, or the day before which they
    are; the warm-up is then one of the earlier span.
    """

    candidates: Sequence[CandidateSystem]
    first: date | None = None
    before: date | None = None
    warm_up: float = SHARE
    draws: int = DRAWS
    until: float | date = UNTIL

    def counting(self, rules: Sequence[Rule]) -> "ExperimentQuestion":
        """Return it with systems that take scores as a league's rule does."""
        return replace(self, candidates=[one.counting(rules) for one in self.candidates])

    @property
    def fits(self) -> bool:
        """Return whether any parameters are sought."""
        return any(one.fit for one in self.candidates)

    def skipped(self, games: int) -> int:
        """Return how many of so many games are warm-up."""
        return int(self.warm_up * games) if self.warm_up < 1 else int(self.warm_up)

    def to_json(self) -> dict[str, Any]:
        """Return it as a job keeps it, and as the API tells it."""
        counted = self.warm_up >= 1 or self.warm_up == 0
        return {
            "candidates": [
                {"system": one.system, "parameters": dict(one.parameters), "fit": list(one.fit)}
                for one in self.candidates
            ],
            "from": self.first.isoformat() if self.first else None,
            "to": self.before.isoformat() if self.before else None,
            "warm_up_games": int(self.warm_up) if counted else None,
            "warm_up_share": None if counted else self.warm_up,
            "draws": self.draws,
            "until": self.until.isoformat() if self.fits and isinstance(self.until, date) else None,
            "until_share": self.until if self.fits and not isinstance(self.until, date) else None,
        }

    @classmethod
    def of_json(cls, kept: Mapping[str, Any]) -> "ExperimentQuestion":
        """Return what ``to_json`` has kept."""
        share, first, before = kept["warm_up_share"], kept["from"], kept["to"]
        until = kept["until"]
        return cls(
            [CandidateSystem(one["system"], one["parameters"], tuple(one["fit"])) for one in kept["candidates"]],
            date.fromisoformat(first) if first else None,
            date.fromisoformat(before) if before else None,
            kept["warm_up_games"] if share is None else share,
            kept["draws"],
            date.fromisoformat(until) if until else kept["until_share"] or UNTIL,
        )


def checked_question(
    candidates: Sequence[Mapping[str, Any]],
    *,
    first: date | None = None,
    before: date | None = None,
    warm_up_games: int | None = None,
    warm_up_share: float | None = None,
    draws: int = DRAWS,
    until: date | None = None,
    until_share: float | None = None,
) -> ExperimentQuestion:
    """Return the question that someone sent; raises Invalid with a pointer and a sentence for all that is wrong."""
    choices, problems = read_candidates(candidates)
    problems += span_problems(first, before)
    problems += warm_up_problems(warm_up_games, warm_up_share)
    fits = any(one.get("fit") for one in candidates)
    problems += until_problems(until, until_share, (first, before), fits=fits)
    if not MIN_DRAWS <= draws <= MAX_DRAWS:
        sentence = _("The number of resamples is from {low} to {high}.").format(low=MIN_DRAWS, high=MAX_DRAWS)
        problems.append(Problem("/draws", "out_of_bounds", sentence))
    if problems:
        raise Invalid.of(problems)
    share = SHARE if warm_up_share is None else warm_up_share
    earlier = until or (UNTIL if until_share is None else until_share)
    return ExperimentQuestion(choices, first, before, share if warm_up_games is None else warm_up_games, draws, earlier)


def read_candidates(given: Sequence[Mapping[str, Any]]) -> tuple[list[CandidateSystem], list[Problem]]:
    """Return the systems of an experiment with all of their parameters, and what is wrong with them."""
    fitted = sum(bool(one.get("fit")) for one in given)
    if not 1 <= len(given) + fitted <= MAX_CANDIDATES:
        sentence = _("An experiment compares 1 to {most} systems; you chose {count}.")
        if fitted:
            sentence = _(
                "An experiment compares 1 to {most} systems; you chose {count}, as a fitted system counts twice."
            )
        code, count = "too_many" if given else "empty", len(given) + fitted
        return [], [Problem("/candidates", code, sentence.format(most=MAX_CANDIDATES, count=count))]
    choices: list[CandidateSystem] = []
    problems: list[Problem] = []
    for number, one in enumerate(given):
        try:
            choice = CandidateSystem(one["system"], get_system(one["system"]).whole(one["parameters"]))
        except UnknownSystem as error:
            problems.append(Problem(f"/candidates/{number}/system", "unknown_system", str(error.args[0])))
        except ParameterError as error:
            problems += [
                Problem(pointer_to("candidates", number, "parameters", name), "invalid", said)
                for name, said in error.problems.items()
            ]
        else:
            if any((choice.system, choice.parameters) == (other.system, other.parameters) for other in choices):
                sentence = _("{label} is listed twice.").format(label=choice.label)
                problems.append(Problem(f"/candidates/{number}", "twice", sentence))
            fit = tuple(dict.fromkeys(one.get("fit") or ()))
            problems += fit_problems(choice, fit, number)
            choices.append(replace(choice, fit=fit))
    return choices, problems


def fit_problems(choice: CandidateSystem, names: Sequence[str], number: int) -> list[Problem]:
    """Return what is wrong with the parameters that are to be fitted of the so manieth system."""
    pointer = f"/candidates/{number}/fit"
    if len(names) > MAX_FITTED_PARAMETERS:
        sentence = _("You can fit at most {most} parameters of a system together; you chose {count}.")
        return [Problem(pointer, "too_many", sentence.format(most=MAX_FITTED_PARAMETERS, count=len(names)))]
    try:
        if names:
            check_names(Candidate(choice.label, choice.built), names, "log_loss")
    except Unjudgeable as error:
        return [Problem(pointer, "invalid", str(error.sentence))]
    return []


def until_problems(
    until: date | None, share: float | None, span: tuple[date | None, date | None], *, fits: bool
) -> list[Problem]:
    """Return what is wrong with where the earlier games end."""
    pointer = "/until_share" if until is None else "/until"
    if until is not None and share is not None:
        sentence = _("Limit the earlier games by a date or by a share, not both.")
        return [Problem("/until_share", "not_together", sentence)]
    if (until is not None or share is not None) and not fits:
        sentence = _("No parameters to fit: name them next to a system.")
        return [Problem(pointer, "not_together", sentence)]
    if share is not None and not MIN_EARLIER_SHARE <= share <= MAX_EARLIER_SHARE:
        sentence = _("The earlier games must be {low} to {high}% of all games.")
        low, high = round(100 * MIN_EARLIER_SHARE), round(100 * MAX_EARLIER_SHARE)
        return [Problem(pointer, "out_of_bounds", sentence.format(low=low, high=high))]
    first, before = span
    if until is not None and ((first is not None and until <= first) or (before is not None and until >= before)):
        return [Problem(pointer, "out_of_bounds", _("The earlier games must end within the chosen dates."))]
    return []


def span_problems(first: date | None, before: date | None) -> list[Problem]:
    """Return what is wrong with a span of days."""
    found = []
    for name, day in (("from", first), ("to", before)):
        if day is not None and not ALWAYS <= day <= LATEST:
            sentence = _("Dates must be from {first} to {last}, which {day} is not.").format(
                first=ALWAYS, last=LATEST, day=day
            )
            found.append(Problem(f"/{name}", "out_of_bounds", sentence))
    if first is not None and before is not None and first >= before:
        sentence = _("The dates end before they begin: games from {first} and before {before}.")
        found.append(Problem("/to", "out_of_bounds", sentence.format(first=first, before=before)))
    return found


def warm_up_problems(games: int | None, share: float | None) -> list[Problem]:
    """Return what is wrong with a warm-up."""
    if games is not None and share is not None:
        return [Problem("/warm_up_share", "not_together", _("The warm-up is a number of games or a share, not both."))]
    if games is not None and not 0 <= games <= MAX_GAMES:
        return [Problem("/warm_up_games", "out_of_bounds", _("The warm-up cannot have a negative number of games."))]
    if share is not None and not 0 <= share <= MAX_SHARE:
        sentence = _("The warm-up can be at most {most}% of the games.").format(most=round(100 * MAX_SHARE))
        return [Problem("/warm_up_share", "out_of_bounds", sentence)]
    return []
