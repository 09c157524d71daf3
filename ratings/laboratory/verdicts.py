"""Interpretations of figures in plain sentences, including figures that mean nothing yet."""

from ratings.laboratory.report import LOWER_IS_BETTER, Estimate, LevelPoint, MeasuredEntrant, Newness
from ratings.laboratory.resampling import MIN_EVENINGS
from ratings.laboratory.sentences import (
    EnglishNumber,
    Sentence,
    Value,
    build_counted_sentence,
    build_sentence,
    build_whole_number,
    format_decimal,
)
from ratings.laboratory.standing import find_games_to_be_known
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
ORDER_SHARE = N_("It predicted {share}% of decided pairs correctly ({low} to {high}).")
LEVEL_CHANGE = N_("The average rating of active players changed from {first} to {last}.")
ALIKE = {
    "log_loss": N_("“{label}” and “{against}” have the same prediction error (log loss)."),
    "brier": N_("“{label}” and “{against}” have the same squared error (Brier score)."),
    "order_accuracy": N_("“{label}” and “{against}” predict equally many pairs correctly."),
    "score_error": N_("“{label}” and “{against}” have the same average error in scores."),
}


def describe_too_few_evenings(evenings: int) -> Sentence:
    """Return a sentence saying that there are too few evenings for an interval."""
    forms = N_many(
        "Not enough games: they were played on {count} day, and an interval needs at least {fewest}.",
        "Not enough games: they were played on {count} days, and an interval needs at least {fewest}.",
    )
    return build_counted_sentence(forms, evenings, fewest=build_whole_number(MIN_EVENINGS))


def describe_difference(
    measure: str, label: str, against: str, estimate: tuple[float, float | None, float | None], evenings: int
) -> tuple[str, Sentence]:
    """Return the label of the better one, empty if undecided, and the sentence; figures: value, low, high."""
    value, low, high = estimate
    if low is None or high is None:
        return "", describe_too_few_evenings(evenings)
    if low == high == 0.0:
        return "", build_sentence(ALIKE[measure], label=label, against=against)
    scale = 100.0 if measure == "order_accuracy" else 1.0
    places = DECIMALS[measure]
    if low <= 0.0 <= high:
        change, lowest, highest = (format_signed(scale * number, places) for number in (value, low, high))
        return "", build_sentence(UNDECIDED[measure], label=label, against=against, by=change, low=lowest, high=highest)
    first = (value < 0.0) == LOWER_IS_BETTER[measure]
    better, other = (label, against) if first else (against, label)
    smallest, largest = sorted((abs(scale * low), abs(scale * high)))
    message_values: dict[str, Value] = {
        "by": format_decimal(abs(scale * value), places),
        "low": format_decimal(smallest, places),
        "high": format_decimal(largest, places),
    }
    return better, build_sentence(BETTER[measure], better=better, other=other, **message_values)


def format_signed(value: float, decimals: int) -> EnglishNumber:
    """Return a number with its sign; zero has none."""
    formatted = format_decimal(value, decimals)
    positive = value > 0.0 and any(digit in "123456789" for digit in formatted.digits)
    return EnglishNumber(f"+{formatted.digits}") if positive else formatted


def format_percent(share: float) -> Value:
    """Return a share in percent, with one decimal."""
    return format_decimal(100.0 * share, 1)


def interpret_entrant(measured: MeasuredEntrant) -> tuple[Sentence, ...]:
    """Return a sentence for each noteworthy figure of an entrant."""
    sentences = []
    order = measured.order_accuracy
    if order.value is not None and order.low is not None and order.high is not None:
        sentences.append(
            build_sentence(
                ORDER_SHARE,
                share=format_percent(order.value),
                low=format_percent(order.low),
                high=format_percent(order.high),
            )
        )
    if measured.calibration_error is not None and not measured.baseline:
        template = N_("Its predictions are off by {off} percentage points on average.")
        sentences.append(build_sentence(template, off=format_percent(measured.calibration_error)))
    if measured.stability is not None:
        template = N_(
            "Over the last quarter of the games a player's rank changed by {moved} of {players} places on average."
        )
        rank_change, players = (
            format_decimal(measured.stability.moved, 1),
            build_whole_number(measured.stability.players),
        )
        sentences.append(build_sentence(template, moved=rank_change, players=players))
    sentences += interpret_level(measured.inflation)
    if not measured.baseline:
        sentences += interpret_newcomers(measured.newcomers)
    return tuple(sentences)


def interpret_level(levels: tuple[LevelPoint, ...]) -> list[Sentence]:
    """Return a sentence on the mean rating of active players."""
    if len(levels) < 2:
        return []
    first, last = format_decimal(levels[0].mean, 1), format_decimal(levels[-1].mean, 1)
    if len({format_decimal(level.mean, 1) for level in levels}) == 1:
        return [build_sentence(N_("The average rating of active players stayed at {level}."), level=first)]
    return [build_sentence(LEVEL_CHANGE, first=first, last=last)]


def interpret_newcomers(newness: tuple[Newness, ...]) -> list[Sentence]:
    """Return a sentence on how soon newcomers are ordered as accurately as others."""
    game_count = find_games_to_be_known(newness)
    if game_count is None:
        return [build_sentence(N_("Not enough games to tell how soon newcomers are rated reliably."))]
    template = N_("From game {number} on, newcomers are ordered about as correctly as experienced players.")
    return [build_sentence(template, number=build_whole_number(game_count))]


def explain_missing_probabilities(title: str) -> Sentence:
    """Return a sentence saying why there is neither log loss nor Brier score."""
    template = N_("“{title}” does not give win probabilities, so it has no log loss and no Brier score.")
    return build_sentence(template, title=title)


def explain_missing_score_error(title: str) -> Sentence:
    """Return a sentence saying why there is no error of scores."""
    return build_sentence(N_("“{title}” does not predict scores."), title=title)


def explain_missing_accuracy() -> Sentence:
    """Return a sentence saying why there is no order accuracy."""
    return build_sentence(N_("No pair of these games was decided."))


def build_estimate(value: float, bounds: tuple[float, float] | None, evenings: int) -> Estimate:
    """Return a figure with its interval, or with the reason why it has none."""
    if bounds is None or evenings < MIN_EVENINGS:
        return Estimate(value, why_not=describe_too_few_evenings(evenings))
    return Estimate(value, *bounds)
