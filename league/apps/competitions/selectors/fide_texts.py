"""FIDE's sums of an entry in sentences."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.selectors.fide_elo import FideElo, FidePeriod, FoundNorm
from league.apps.competitions.selectors.result_texts import format_game_points
from league.core.players.listed_people import describe_source
from league.core.text.display_formats import format_month, format_number, format_signed
from ratings.fide.initial_rating import HIGHEST, LOWEST, FirstRating
from ratings.fide.rating_change import ChosenK, FideChange
from ratings.fide.title_norms import NORM_RULES, NormHint, NormPart


def describe_fide_elo(sums: FideElo) -> dict[str, Any]:
    """Return the value of the card with its sentences, the lines of its games, and the norms."""
    sentences: list[str] = []
    value = ""
    if sums.first is not None:
        value = str(sums.first.rating) if sums.first.half_points else ""
        sentences = [_describe_first(sums.first)]
    if sums.total is not None:
        value = format_signed(float(sums.total), 1)
        sentences += [_describe_change(sums.periods), *_list_k(sums.periods)]
    elif not sums.games:
        sentences = [_("There was no game against an opponent with a FIDE rating.")]
    return {
        "sums": sums,
        "value": value,
        "change": None if sums.total is None else float(sums.total),
        "sentences": sentences,
        "norms": [(hint, describe_norm(hint)) for hint in sums.norms],
    }


def _describe_change(periods: Sequence[FidePeriod]) -> str:
    values = _sum_games(periods)
    if len(periods) > 1:
        template = _(
            "Score: {points} of {games} against rated opponents; {expected} were expected. Each game counts with the "
            "ratings of its round, as FIDE rates a long event month by month."
        )
        return template.format(**values)
    change = periods[0].change
    template = _(
        "Score: {points} of {games} against rated opponents; {expected} were expected. If there are no other games in "
        "the rating period, the rating becomes {rating}."
    )
    return template.format(**values, rating=periods[0].rating + change.rounded)


def _sum_games(periods: Sequence[FidePeriod]) -> dict[str, Any]:
    """Return what the games make together, as texts."""
    changes = [one.change for one in periods]
    return {
        "points": format_game_points(sum((one.points for one in changes), Fraction(0))),
        "games": sum(len(one.games) for one in changes),
        "expected": format_number(float(sum(one.expected for one in changes)), 2),
    }


def _list_k(periods: Sequence[FidePeriod]) -> list[str]:
    """Return the sentence about K, or those of the months if they differ."""
    months: dict[str, list[str]] = {}
    for one in periods:
        names = months.setdefault(_describe_k(one.k, one.change, one.listed_in), [])
        if one.month and (name := format_month(one.month)) not in names:
            names.append(name)
    return [f"{', '.join(names)}: {text}" if len(months) > 1 else text for text, names in months.items()]


def _describe_k(k: ChosenK, change: FideChange, listed_in: str) -> str:
    if listed_in:
        text = _("K is {k} ({source}).").format(k=k.k, source=describe_source(listed_in))
    else:
        reasons = {
            "top": _("K {k} is assumed, as the rating is 2400 or more: no rating list has the player’s."),
            "youth": _("K {k} is assumed, as for players until 18 under 2300: no rating list has the player’s."),
            "usual": _("K {k} is assumed, as for most players: no rating list has the player’s."),
        }
        text = reasons[k.reason].format(k=k.k)
    if change.k == k.k:
        return text
    return " ".join((text, _("With so many games it is lowered to {k}.").format(k=change.k)))


def _describe_first(first: FirstRating) -> str:
    if first.reason == "no_points":
        return _("Without half a point against a rated opponent there is no first rating.")
    text = _(
        "First rating so far: {rating}, by a score of {points} of {games} and two imagined draws with 1800."
    ).format(rating=first.rating, points=_format_points(first.half_points), games=first.games)
    more = ""
    if first.reason == "games":
        more = ngettext(
            "{count} more game against a rated opponent is needed.",
            "{count} more games against rated opponents are needed.",
            first.games_to_go,
        ).format(count=first.games_to_go)
    elif first.reason == "floor":
        more = _("Below {floor} it is not published.").format(floor=LOWEST)
    elif first.rating == HIGHEST:
        more = _("No first rating is higher.")
    return f"{text} {more}".strip()


def _format_points(half_points: int) -> str:
    return format_game_points(Fraction(half_points, 2))


def describe_norm(hint: NormHint) -> str:
    """Return what a norm has, or what is missing, in a sentence."""
    performance = next(part.found for part in hint.parts if part.name == "performance")
    if hint.is_met:
        text = ngettext(
            "Performance {performance} in {count} game: as far as can be seen here, the norm is made.",
            "Performance {performance} in {count} games: as far as can be seen here, the norm is made.",
            hint.games,
        )
        return text.format(performance=performance, count=hint.games)
    text = ngettext(
        "Performance {performance} in {count} game. Not met yet: {parts}.",
        "Performance {performance} in {count} games. Not met yet: {parts}.",
        hint.games,
    )
    parts = "; ".join(_describe_part(hint.title, part) for part in hint.missing)
    return text.format(performance=performance, count=hint.games, parts=parts)


def describe_norm_on_sheet(norm: FoundNorm) -> str:
    """Return what a norm has in a sentence, with how many games it counts as."""
    sentences = [describe_norm(norm.hint)]
    if norm.hint.is_met:
        template = ngettext("It counts as {count} game.", "It counts as {count} games.", norm.hint.counts_as)
        sentences.append(template.format(count=norm.hint.counts_as))
    if norm.is_open:
        sentences.append(_("Nothing is asked of federations: the event has enough players from elsewhere (1.4.3d)."))
    return " ".join(sentences)


def _describe_part(title: str, part: NormPart) -> str:
    """Return a condition that does not hold yet."""
    found, bound = part.found, part.bound
    texts: dict[str, Callable[[], str]] = {
        "games": lambda: ngettext("{rest} more game", "{rest} more games", bound - found),
        "performance": lambda: _("a performance of {bound}"),
        "average": lambda: _("an opponents’ average of {bound} (it is {found})"),
        "score": lambda: _("at least {points} points"),
        "titled": lambda: _("{bound} opponents with a title ({found} met)"),
        "high_titles": lambda: _("{bound} opponents with the title {titles} ({found} met)"),
        "federations": lambda: _("opponents of {bound} other federations ({found} met)"),
        "own_federation": lambda: _("at most {bound} opponents of the own federation ({found} met)"),
        "one_federation": lambda: _("at most {bound} opponents of one federation ({found} met)"),
        "players": lambda: _("{bound} players in a double round robin ({found} are there)"),
    }
    return texts[part.name]().format(
        found=found, bound=bound, rest=bound - found, titles=_list_titles(title), points=_format_points(bound)
    )


def _list_titles(title: str) -> str:
    """Return the titles that opponents have for a norm: WGM, IM or GM."""
    *others, last = next(rule.opponents for rule in NORM_RULES if rule.title == title)
    return _("{titles} or {last}").format(titles=", ".join(others), last=last) if others else last


def describe_condition(title: str, part: NormPart) -> tuple[str, str, str]:
    """Return a condition of a norm: what it is, what is asked, and what was found."""
    labels = {
        "games": _("Games"),
        "performance": _("Performance"),
        "average": _("Average rating of the opponents"),
        "score": _("Points"),
        "titled": _("Opponents with a title, without CM and WCM"),
        "high_titles": _("Opponents with the title {titles}").format(titles=_list_titles(title)),
        "federations": _("Other federations"),
        "own_federation": _("Opponents of the own federation"),
        "one_federation": _("Most opponents of one federation"),
        "players": _("Players of the double round robin"),
    }
    bound, found = (_format_points(value) if part.name == "score" else str(value) for value in (part.bound, part.found))
    template = _("at most {bound}") if part.at_most else _("at least {bound}")
    return labels[part.name], template.format(bound=bound), found


def list_fide_games(sums: FideElo) -> list[dict[str, Any]]:
    """Return the games of a rating change as data: unrounded, in the order of rounds."""
    return [
        {
            "round": number,
            "opponent": opponent,
            "difference": game.difference,
            "limited": game.is_limited,
            "expected": game.expected / 100,
            "score": (game.expected + game.gain) / 100,
            "k": period.change.k,
            "change": period.change.k * game.gain / 100,
        }
        for period in sums.periods
        for number, opponent, game in zip(period.rounds, period.opponents, period.change.games, strict=True)
    ]


def build_fide_context(sums: FideElo | None, names: Mapping[int, str]) -> dict[str, Any]:
    """Return what the pages of an entry show of FIDE's sums; ``names`` by number of the entry."""
    if sums is None:
        return {}
    changes = [game for period in sums.periods for game in period.change.games]
    games = [
        {
            **game,
            "name": names[game["opponent"]],
            "points": format_game_points(Fraction(game["score"])),
            "true_difference": one.true_difference,
        }
        for game, one in zip(list_fide_games(sums), changes, strict=True)
    ]
    return {"fide": describe_fide_elo(sums), "fide_games": games, "fide_sum": _sum_games(sums.periods)}
