"""Interpretations of figures in plain sentences, including figures that mean nothing yet."""

from ratings.laboratory.report import LOWER_IS_BETTER, Estimate, LevelPoint, MeasuredEntrant, Newness
from ratings.laboratory.resampling import MIN_EVENINGS
from ratings.laboratory.sentences import (
    EnglishNumber,
    Sentence,
    Value,
    counted,
    format_decimal,
    sentence,
    whole,
)
from ratings.laboratory.standing import games_to_be_known
from ratings.texts import N_, N_many

#: Decimals of each measure in sentences; order accuracy is shown in percent.
DECIMALS = {"log_loss": 4, "brier": 4, "order_accuracy": 2, "score_error": 3}
BETTER = {
    "log_loss": N_(
        "“{better}” predicts better than “{other}”: its prediction error (log loss) is {by} lower ({low} to {high})."
    ),
    "brier": N_(
        "“{better}” predicts better than “{other}”: its squared error (Brier score) is {by} lower ({low} to {high})."
    ),
    "order_accuracy": N_(
        "“{better}” predicts more pairs correctly than “{other}”: {by} percentage points more ({low} to {high})."
    ),
    "score_error": N_(
        "“{better}” predicts scores better than “{other}”: its average error is {by} lower ({low} to {high})."
    ),
}
UNDECIDED = {
    "log_loss": N_(
        "Not enough games to tell whether “{label}” or “{against}” predicts better: their "
        "prediction errors (log loss) differ by {by} ({low} to {high})."
    ),
    "brier": N_(
        "Not enough games to tell whether “{label}” or “{against}” predicts better: their "
        "squared errors (Brier score) differ by {by} ({low} to {high})."
    ),
    "order_accuracy": N_(
        "Not enough games to tell whether “{label}” or “{against}” predicts more pairs "
        "correctly: they differ by {by} percentage points ({low} to {high})."
    ),
    "score_error": N_(
        "Not enough games to tell whether “{label}” or “{against}” predicts scores better: "
        "their average errors differ by {by} ({low} to {high})."
    ),
}
ALIKE = {
    "log_loss": N_("“{label}” and “{against}” have the same prediction error (log loss)."),
    "brier": N_("“{label}” and “{against}” have the same squared error (Brier score)."),
    "order_accuracy": N_("“{label}” and “{against}” predict equally many pairs correctly."),
    "score_error": N_("“{label}” and “{against}” have the same average error in scores."),
}


def too_few_evenings(evenings: int) -> Sentence:
    """Return a sentence saying that there are too few evenings for an interval."""
    forms = N_many(
        "Not enough games: they were played on {count} day, and an interval needs at least {fewest}.",
        "Not enough games: they were played on {count} days, and an interval needs at least {fewest}.",
    )
    return counted(forms, evenings, fewest=whole(MIN_EVENINGS))


def difference(
    measure: str, label: str, against: str, figures: tuple[float, float | None, float | None], evenings: int
) -> tuple[str, Sentence]:
    """Return the label of the better one, empty if undecided, and the sentence; figures: value, low, high."""
    value, low, high = figures
    if low is None or high is None:
        return "", too_few_evenings(evenings)
    if low == high == 0.0:
        return "", sentence(ALIKE[measure], label=label, against=against)
    scale = 100.0 if measure == "order_accuracy" else 1.0
    places = DECIMALS[measure]
    if low <= 0.0 <= high:
        by, lowest, highest = (format_signed(scale * one, places) for one in (value, low, high))
        return "", sentence(UNDECIDED[measure], label=label, against=against, by=by, low=lowest, high=highest)
    first = (value < 0.0) == LOWER_IS_BETTER[measure]
    better, other = (label, against) if first else (against, label)
    least, most = sorted((abs(scale * low), abs(scale * high)))
    said: dict[str, Value] = {
        "by": format_decimal(abs(scale * value), places),
        "low": format_decimal(least, places),
        "high": format_decimal(most, places),
    }
    return better, sentence(BETTER[measure], better=better, other=other, **said)


def format_signed(value: float, decimals: int) -> EnglishNumber:
    """Return a number with its sign; zero has none."""
    written = format_decimal(value, decimals)
    positive = value > 0.0 and any(digit in "123456789" for digit in written.digits)
    return EnglishNumber(f"+{written.digits}") if positive else written


def format_percent(share: float) -> Value:
    """Return a share in percent, with one decimal."""
    return format_decimal(100.0 * share, 1)


def interpret_entrant(measured: MeasuredEntrant) -> tuple[Sentence, ...]:
    """Return a sentence for each noteworthy figure of an entrant."""
    found = []
    order = measured.order_accuracy
    if order.value is not None and order.low is not None and order.high is not None:
        template = N_("It predicted {share}% of decided pairs correctly ({low} to {high}).")
        found.append(
            sentence(
                template,
                share=format_percent(order.value),
                low=format_percent(order.low),
                high=format_percent(order.high),
            )
        )
    if measured.calibration_error is not None and not measured.baseline:
        template = N_("Its predictions are off by {off} percentage points on average.")
        found.append(sentence(template, off=format_percent(measured.calibration_error)))
    if measured.stability is not None:
        template = N_(
            "Over the last quarter of the games a player's rank changed by {moved} of {players} places on average."
        )
        moved, players = format_decimal(measured.stability.moved, 1), whole(measured.stability.players)
        found.append(sentence(template, moved=moved, players=players))
    found += interpret_level(measured.inflation)
    if not measured.baseline:
        found += interpret_newcomers(measured.newcomers)
    return tuple(found)


def interpret_level(levels: tuple[LevelPoint, ...]) -> list[Sentence]:
    """Return a sentence on the mean rating of active players."""
    if len(levels) < 2:
        return []
    first, last = format_decimal(levels[0].mean, 1), format_decimal(levels[-1].mean, 1)
    return [
        sentence(N_("The average rating of active players changed from {first} to {last}."), first=first, last=last)
    ]


def interpret_newcomers(newness: tuple[Newness, ...]) -> list[Sentence]:
    """Return a sentence on how soon newcomers are ordered as accurately as others."""
    known = games_to_be_known(newness)
    if known is None:
        return [sentence(N_("Not enough games to tell how soon newcomers are rated reliably."))]
    template = N_("From game {number} on, newcomers are ordered about as correctly as experienced players.")
    return [sentence(template, number=whole(known))]


def no_promises(title: str) -> Sentence:
    """Return a sentence saying why there is neither log loss nor Brier score."""
    template = N_("“{title}” does not give win probabilities, so it has no log loss and no Brier score.")
    return sentence(template, title=title)


def no_scores(title: str) -> Sentence:
    """Return a sentence saying why there is no error of scores."""
    return sentence(N_("“{title}” does not predict scores."), title=title)


def nothing_decided() -> Sentence:
    """Return a sentence saying why there is no order accuracy."""
    return sentence(N_("No pair of these games was decided."))


def with_interval(value: float, bounds: tuple[float, float] | None, evenings: int) -> Estimate:
    """Return a figure with its interval, or with the reason why it has none."""
    if bounds is None or evenings < MIN_EVENINGS:
        return Estimate(value, why_not=too_few_evenings(evenings))
    return Estimate(value, *bounds)
