"""Reasons why a system cannot rate a league's games: declared rules are checked by column, others by sheet."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ratings.contract.declarations import GameField, GameSheet
from ratings.contract.system import RatingSystem
from ratings.laboratory.sentences import (
    Sentence,
    Value,
    build_counted_sentence,
    build_sentence,
    build_whole_number,
    format_exact,
)
from ratings.laboratory.tables import SideTables
from ratings.run.replay import read_results
from ratings.texts import N_, N_many


def _convert_scores(system: RatingSystem, tables: SideTables) -> NDArray[np.float64]:
    """Return the scores as this system counts them, negated if it counts the other way."""
    dataset = tables.played
    scores = dataset.scores if system.lowest_score_wins() == dataset.lowest_wins else 0.0 - dataset.scores
    return np.where(np.isnan(scores), np.nan, scores)


def convert_results(system: RatingSystem, tables: SideTables) -> NDArray[np.float64]:
    """Return the scores and places that this system receives (N × 2); see ``read_results``."""
    dataset = tables.played
    return read_results(system, np.column_stack([_convert_scores(system, tables), dataset.places]), dataset.offsets)


def find_refusal_reason(system: RatingSystem, tables: SideTables) -> Sentence | None:
    """Return the first reason why a system cannot rate these games; None if it can."""
    results = convert_results(system, tables)
    for reason in (
        *_iter_reasons_of_tables(system, tables),
        *_iter_reasons_of_results(system, tables, results),
        *(_find_reason_of_field(system, spec, tables) for spec in system.game_fields),
    ):
        if reason is not None:
            return reason
    return _find_reason_of_sheets(system, tables, results)


def _iter_reasons_of_tables(system: RatingSystem, tables: SideTables) -> Iterator[Sentence | None]:
    """Yield reasons from the numbers of players and the sides."""
    sizes = np.diff(tables.played.offsets)
    wrong = int(((sizes < system.min_players) | (sizes > system.max_players)).sum())
    forms = N_many(
        "{title} rates games of {low} to {high} players; {count} game has another number.",
        "{title} rates games of {low} to {high} players; {count} games have another number.",
    )
    if system.min_players == system.max_players:
        forms = N_many(
            "{title} rates games of {low} players; {count} game has another number.",
            "{title} rates games of {low} players; {count} games have another number.",
        )
    low, high = build_whole_number(system.min_players), build_whole_number(system.max_players)
    yield build_counted_sentence(forms, wrong, title=system.title, low=low, high=high) if wrong else None
    sided = int((tables.sides_per_game < sizes).sum())
    forms = N_many(
        "{title} does not support teams; {count} game was played in teams.",
        "{title} does not support teams; {count} games were played in teams.",
    )
    yield build_counted_sentence(forms, sided, title=system.title) if sided and not system.sides else None


def _count_games(rows: NDArray[np.bool_], tables: SideTables) -> int:
    """Return the number of games with a selected result."""
    return int(np.logical_or.reduceat(rows, tables.played.offsets[:-1]).sum())


def _iter_reasons_of_results(
    system: RatingSystem, tables: SideTables, results: NDArray[np.float64]
) -> Iterator[Sentence | None]:
    """Yield reasons from scores and places."""
    scores, places = results[:, 0], results[:, 1]
    accepts_either = system.score == "either" and system.place == "either"
    for is_required, is_missing, forms in (
        (system.score == "required", np.isnan(scores), N_many(
            "{title} needs a score for every seat; {count} game lacks one.",
            "{title} needs a score for every seat; {count} games lack one.")),
        (system.place == "required", np.isnan(places), N_many(
            "{title} needs a place for every seat; {count} game lacks one.",
            "{title} needs a place for every seat; {count} games lack one.")),
        (accepts_either, np.isnan(scores) & np.isnan(places), N_many(
            "{title} needs a score for every seat, or a place for every seat; {count} game has neither.",
            "{title} needs a score for every seat, or a place for every seat; {count} games have neither.")),
    ):  # fmt: skip
        game_count = _count_games(is_missing, tables) if is_required else 0
        yield build_counted_sentence(forms, game_count, title=system.title) if game_count else None
    low = _count_games(scores < system.lowest_score, tables)
    forms = N_many(
        "{title} does not support scores below {least}; {count} game has one.",
        "{title} does not support scores below {least}; {count} games have one.",
    )
    yield (
        build_counted_sentence(forms, low, title=system.title, least=format_exact(system.lowest_score)) if low else None
    )
    tied = 0 if system.ties else int(_find_tied_games(tables, places, scores).sum())
    forms = N_many(
        "{title} does not support ties; {count} game has one.",
        "{title} does not support ties; {count} games have one.",
    )
    yield build_counted_sentence(forms, tied, title=system.title) if tied else None


def _find_tied_games(tables: SideTables, places: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for each game whether sides are tied: by places if complete, otherwise by scores."""
    offsets = tables.played.offsets
    placed = np.repeat(np.logical_and.reduceat(~np.isnan(places), offsets[:-1]), np.diff(offsets))
    values = np.where(placed, places, scores)[tables.captains]
    games = np.repeat(np.arange(len(offsets) - 1), tables.sides_per_game)
    order = np.lexsort((values, games))
    is_equal = (np.diff(games[order]) == 0) & (np.diff(values[order]) == 0.0)
    has_tie = np.zeros(len(offsets) - 1, dtype=bool)
    has_tie[games[order][1:][is_equal]] = True
    return has_tie


def _find_reason_of_field(system: RatingSystem, spec: GameField, tables: SideTables) -> Sentence | None:
    """Return a reason from a game field."""
    values = tables.played.fields.get(spec.key, np.full(tables.played.games, np.nan))
    missing_count = int(np.isnan(values).sum())
    message_values: dict[str, Value] = {
        "title": system.title,
        "label": spec.label,
        "low": format_exact(spec.low),
        "high": format_exact(spec.high),
    }
    if missing_count:
        forms = N_many(
            "{title} needs {label} for every game; {count} game lacks it.",
            "{title} needs {label} for every game; {count} games lack it.",
        )
        return build_counted_sentence(
            forms, missing_count, title=message_values["title"], label=message_values["label"]
        )
    outside = (values < spec.low) | (values > spec.high)
    forms = N_many(
        "{title} allows {label} from {low} to {high}; {count} game has another value.",
        "{title} allows {label} from {low} to {high}; {count} games have other values.",
    )
    return build_counted_sentence(forms, int(outside.sum()), **message_values) if outside.any() else None


def _find_reason_of_sheets(system: RatingSystem, tables: SideTables, results: NDArray[np.float64]) -> Sentence | None:
    """Return the system's reason for refusing a sheet beyond the declared rules; most systems never do."""
    either = system.score == "either" and system.place == "either"
    kinds = ((True, False), (False, True)) if either else ((True, True),)
    if all(system.can_skip_system_rules(scores=scores, places=places) for scores, places in kinds):
        return None
    for game in range(tables.played.games):
        refusals = system.check_system_rules(_build_sheet(system, tables, results, game))
        if refusals:
            template = N_("{title} rejects game {number}: {why}")
            return build_sentence(
                template, title=system.title, number=build_whole_number(game + 1), why=refusals[0].sentence
            )
    return None


def _build_sheet(system: RatingSystem, tables: SideTables, results: NDArray[np.float64], game: int) -> GameSheet:
    """Return one game as a sheet."""
    dataset = tables.played
    rows = slice(int(dataset.offsets[game]), int(dataset.offsets[game + 1]))
    scores, places = results[rows, 0].tolist(), results[rows, 1].tolist()
    return GameSheet(
        scores=[None if np.isnan(score) else score for score in scores],
        places=[None if np.isnan(place) else int(place) for place in places],
        fields={spec.key: float(dataset.fields[spec.key][game]) for spec in system.game_fields},
        sides=[int(side) + 1 for side in tables.of[rows]] if tables.sides_per_game[game] < len(scores) else (),
        weight=float(dataset.weights[game]),
        day=float(dataset.days[game]),
    )
