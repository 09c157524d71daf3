"""Interprets the tokens of a line: players, sides, scores and places.

    line    = sides with scores behind them         Anna 3, Ben 1
            | sides and one result                  Anna Ben 3:1, Anna 3:1 Ben, 3:1 Anna Ben
            | sides, a word and perhaps a result    Ben lost to Anna 1-3
            | sides in their order                  Anna > Ben = Cara
            | places and sides                      1. Anna 2. Ben 3. Cara
    side    = a name, or several partners           Anna + Ben, Anna/Ben, Anna and Ben
A line without a single clear reading raises UnclearText.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from league.apps.imports.paste.scores import CONTRADICTION, UNCLEAR_NUMBERS, PasteSide, StatedWinner, assign_scores
from league.apps.imports.paste.text import AND, DASH, GLUE, NONE, VERSUS, Lexicon, PasteToken, tokenize_line
from league.apps.imports.paste.words import PARTICLES, precedes_declined_names
from league.core.text.names import fold_accents
from league.core.text.numbers import UnclearText, is_half, parse_score, quote_cell, split_result
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop
from ratings.day_names import WEEKDAYS

NOT_UNDERSTOOD = gettext_noop("this line was not understood. Write it as Anna – Ben 3:1, or leave it out.")
NO_RESULT = gettext_noop("there is no result.")
UNCLEAR_PARTNERS = gettext_noop("it is not clear who plays together. Write Anna + Ben – Cara + Dan 3:1.")
#: The most words of an unknown player's name.
MAX_NEWCOMER_WORDS = 4


@dataclass(frozen=True)
class LineReading:
    """The sides of a line in written order."""

    sides: tuple[PasteSide, ...]
    known: bool
    """Whether all names are known."""
    only_numbers: bool = False
    """Whether the line has only names and numbers, which may be places."""

    @property
    def is_game(self) -> bool:
        """Return whether the line is a whole game, not one side."""
        return len(self.sides) > 1


@dataclass
class _Name:
    text: str
    known: bool
    full: bool
    separate: bool = True
    """Whether signs separate it from other names."""


@dataclass
class _Line:
    """A parsed line: names, the links between them, and numbers and verbs with the count of names before each."""

    names: list[_Name] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    signs: list[set[str]] = field(default_factory=list)
    numbers: list[tuple[int, PasteToken]] = field(default_factory=list)
    verbs: list[tuple[int, str]] = field(default_factory=list)
    passive: bool = False
    subject: int = 0
    """The subject's side: the first, except in "against Ben won Anna" and "Anna – Ben: Ben won"."""

    def numbers_of(self, sort: str) -> list[tuple[int, PasteToken]]:
        """Return the numbers of a kind."""
        return [(names_before, token) for names_before, token in self.numbers if token.sort == sort]


class UnreadableLine(UnclearText):
    """A line without any reading; more specific errors take precedence."""


def read_line(text: str, lexicon: Lexicon, *, lowest_wins: bool, sets: bool = False) -> LineReading:
    """Read a line; raises UnclearText if it has no reading.

    Whole games take precedence over single sides, then readings with known names. ``sets``: whether games have sets.
    """
    problems: list[UnclearText] = []
    readings: list[LineReading] = []
    token_lists: list[list[PasteToken]] = []
    for commas, words_first in ((True, False), (False, False), (True, True)):
        if not (commas or "," in text) or (words_first and all(one.sort != "name" for one in token_lists[0])):
            continue  # it would make no difference
        tokens = tokenize_line(text, lexicon, commas=commas, words_first=words_first)
        if tokens in token_lists:
            continue
        token_lists.append(tokens)
        for separate_words in (False, True):
            try:
                readings.append(
                    _read_tokens(tokens, lexicon, lowest_wins=lowest_wins, sets=sets, separate_words=separate_words)
                )
            except UnclearText as problem:
                problems.append(problem)
            else:
                if readings[-1].is_game and readings[-1].known:
                    return readings[-1]
    if readings:
        return max(readings, key=lambda reading: (reading.is_game, reading.known))
    if re.search(r"\d\.\s*$", text):
        # The dot ends the sentence: Anna 3, Ben 1.
        return read_line(text.rstrip(" ."), lexicon, lowest_wins=lowest_wins, sets=sets)
    raise next((problem for problem in problems if not isinstance(problem, UnreadableLine)), problems[0])


def _read_tokens(
    tokens: Sequence[PasteToken], lexicon: Lexicon, *, lowest_wins: bool, sets: bool, separate_words: bool
) -> LineReading:
    """Read tokens; ``separate_words``: whether adjacent words without a sign between them are separate names."""
    line = _parse_tokens(tokens, lexicon, separate_words=separate_words)
    reversed_without_verb = line.subject == 1 and not line.verbs
    if not line.names or reversed_without_verb or any(token.sort == "other" for token in tokens):
        raise UnreadableLine(_(NOT_UNDERSTOOD))
    _refuse_unknown_words(line)
    if line.numbers_of("place"):
        sides = _read_places(line)
    elif any("order" in signs for signs in line.signs):
        sides = _read_order(line, lowest_wins=lowest_wins)
    elif line.numbers_of("pair"):
        sides = _read_result(line, lowest_wins=lowest_wins, sets=sets)
    elif line.numbers:
        sides = _read_numbers(line, lowest_wins=lowest_wins)
    elif line.verbs:
        sides = assign_scores(_make_sides(line, 2), None, _find_stated_winner(line), lowest_wins=lowest_wins)
    else:
        raise UnreadableLine(_(NO_RESULT) if all(name.known for name in line.names) else _(NOT_UNDERSTOOD))
    if len(sides) == 1 and any(token.strength == VERSUS for token in tokens):
        raise UnreadableLine(_(NOT_UNDERSTOOD))
    only_numbers = all(token.sort == "number" for _before, token in line.numbers) and not line.verbs
    return LineReading(tuple(sides), all(name.known for name in line.names), only_numbers)


def _parse_tokens(tokens: Sequence[PasteToken], lexicon: Lexicon, *, separate_words: bool) -> _Line:
    line, run = _Line(), list[PasteToken]()
    link, signs = NONE, set[str]()
    declining = False
    for token, behind in pairwise([*tokens, PasteToken("skip", ""), PasteToken("skip", "")]):
        if token.sort in ("name", "word"):
            run.append(token)
            continue
        if run:
            for number, name in enumerate(
                _split_names(run, lexicon if declining else Lexicon(), separate_words=separate_words)
            ):
                if line.names:
                    line.links.append(NONE if number else link)
                    line.signs.append(set() if number else signs)
                line.names.append(name)
            run, link, signs = [], NONE, set()
        link = max(link, token.strength)
        declining = declining or precedes_declined_names(token.text)
        if token.sort == "order":
            signs |= {"order", token.text}
        elif token.sort == "verb":
            line.verbs.append((len(line.names), token.meaning))
        elif token.sort in ("place", "pair", "number"):
            line.numbers.append((len(line.names), _mark_ambiguous_minus(token, signs, line)))
        elif token.sort == "link":
            signs.add(token.meaning or token.text)
            # "Ben was beaten by Anna", but neither "beat Ben by 3-1" nor "won by Anna".
            agent = token.meaning == "by" and bool(line.names) and behind.sort in ("name", "word")
            line.passive = line.passive or agent
            if token.meaning == "over" and not line.verbs:
                line.verbs.append((len(line.names), "win"))
            if token.meaning == "versus" and not line.names:
                line.subject = 1
    _drop_repeated_name(line)
    return line


def _drop_repeated_name(line: _Line) -> None:
    """Remove a repeated last name and make it the subject: "Anna – Ben: Ben won 3-1"."""
    *names, last = [fold_accents(name.text) for name in line.names] or [""]
    if len(names) == 2 and last in names and line.verbs and line.verbs[0][0] >= 2:
        line.names.pop()
        line.links.pop()
        line.signs.pop()
        line.subject = names.index(last)
        line.numbers = [(min(names_before, 2), token) for names_before, token in line.numbers]


def _mark_ambiguous_minus(token: PasteToken, signs: set[str], line: _Line) -> PasteToken:
    """Mark a number after a separate dash, which may be negative, so that it is refused."""
    dashes = {sign for sign in signs if sign in "-–—−"} and line.names and token.sort == "number"
    return token._replace(strength=DASH) if dashes else token


def _split_names(run: Sequence[PasteToken], lexicon: Lexicon, *, separate_words: bool) -> list[_Name]:
    """Make names from tokens without a sign between them.

    Full known names are separate. Other tokens are one name, or, if ``separate_words``, each known name, each run of
    words between known names, or each of two words is a name.
    """
    all_known = all(token.sort == "name" and token.full for token in run)
    strange = [token for token in run if token.sort == "word"]
    if len(run) == 1 or all_known:
        return [_make_name([token], lexicon, separate=len(run) == 1) for token in run]
    if not separate_words:
        return [_make_name(run, lexicon)]
    if len(run) == 2:
        return [_make_name([token], lexicon, separate=False) for token in run]
    groups: list[list[PasteToken]] = [[]]
    for token in run:
        if token.sort == "name":
            groups += [[token], []]
        else:
            groups[-1].append(token)
    if len(strange) == len(run):
        return [_make_name(run, lexicon)]
    return [_make_name(group, lexicon, separate=False) for group in groups if group]


def _make_name(tokens: Sequence[PasteToken], lexicon: Lexicon, *, separate: bool = True) -> _Name:
    text = " ".join(token.text for token in tokens)
    is_known = len(tokens) == 1 and tokens[0].sort == "name"
    weekday = tokens[0].sort == "name" and any(token.text.casefold() in WEEKDAYS for token in tokens[1:])
    if weekday or (len(tokens) > 1 and tokens[-1].full):
        raise UnreadableLine(_(NOT_UNDERSTOOD))  # "Anna – Ben Thu 20:00", "Hope Anna beats Ben": neither is a name
    if not is_known and (base_name := lexicon.find_nominative(text)):
        return _Name(base_name.title(), known=True, full=True, separate=separate)
    return _Name(text, is_known, is_known and tokens[0].full, separate)


def _refuse_unknown_words(line: _Line) -> None:
    """Raise UnclearText if unknown words cannot be names: too many, or without capitals."""
    any_known = any(name.known for name in line.names)
    for name in line.names:
        words = name.text.split()
        if name.known or (
            len(words) == 1 and (any_known or len(line.names) == 1) and len(words[0]) > 1 and name.separate
        ):
            continue
        small = [word for word in words if word[0].islower() and word not in PARTICLES]
        is_unseparated = not name.separate and not any_known
        if small or is_unseparated or len(words) > MAX_NEWCOMER_WORDS or all(word in PARTICLES for word in words):
            raise UnreadableLine(_(NOT_UNDERSTOOD))


def _group_names(line: _Line, count: int) -> list[list[int]]:
    """Group names into ``count`` sides, separated by the strongest signs that give that number; raises UnclearText."""
    for strength in range(VERSUS, NONE - 1, -1):
        groups: list[list[int]] = [[0]]
        for number, link in enumerate(line.links, start=1):
            if link >= strength:
                groups.append([])
            groups[-1].append(number)
        if len(groups) == count:
            _refuse_unclear_partners(line, groups)
            return groups
    raise UnreadableLine(_(UNCLEAR_NUMBERS))


def _refuse_unclear_partners(line: _Line, groups: Sequence[Sequence[int]]) -> None:
    """Raise UnclearText unless partners are joined by + / &, or all sides have the same number of full names."""
    partner_links = [line.links[number] for group in groups for number in group[:-1]]
    if all(link == GLUE for link in partner_links):
        return
    names = [line.names[number] for group in groups if len(group) > 1 for number in group]
    if (
        len({len(group) for group in groups}) > 1
        or any(link > AND + 1 for link in partner_links)
        or not all(name.full for name in names)
    ):
        raise UnreadableLine(_(UNCLEAR_PARTNERS))


def _make_sides(line: _Line, count: int) -> list[PasteSide]:
    return [_make_side(line, group) for group in _group_names(line, count)]


def _make_side(line: _Line, numbers: Sequence[int]) -> PasteSide:
    return PasteSide(tuple(line.names[number].text for number in numbers))


def _find_stated_winner(line: _Line) -> StatedWinner | None:
    """Return the winner according to the verbs, None without a verb."""
    if not line.verbs:
        return None
    kinds = [kind for _before, kind in line.verbs]
    if len(kinds) > 2 or (len(kinds) == 2 and set(kinds) != {"win", "lose"}):
        raise UnclearText(_(CONTRADICTION))
    kind = kinds[0]
    if kind == "draw":
        return StatedWinner(None)
    lost = (kind == "lose") != (line.passive and kind == "win")
    return StatedWinner(1 - line.subject if lost else line.subject, winner_first=lost or line.subject == 1)


def _read_result(line: _Line, *, lowest_wins: bool, sets: bool) -> list[PasteSide]:
    pairs = [split_result(token.text) for _before, token in line.numbers_of("pair")]
    if len(pairs) < len(line.numbers) or any(len(pair) != 2 for pair in pairs[1:]):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    has_several_games = (
        len({names_before for names_before, _token in line.numbers_of("pair")}) > 1
        and sum(link != GLUE for link in line.links) > 1
    )
    counted = len(pairs) > 1 and _is_sum_of_sets(pairs)
    if len(pairs) > 1 and (has_several_games or not (counted or (sets and len(pairs[0]) == 2))):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))  # Anna Ben 1:0, Cara Dan 2:1 are two games
    if sets and len(pairs) > 1:
        return _read_sets(line, pairs[1:] if counted else pairs, pairs[0] if counted else None)
    return assign_scores(_make_sides(line, len(pairs[0])), pairs[0], _find_stated_winner(line), lowest_wins=lowest_wins)


def _read_sets(line: _Line, pairs: Sequence[Sequence[str]], result: Sequence[str] | None) -> list[PasteSide]:
    """Read the points of each set, and a result if it is written: 3:1 (11:9, 9:11, 11:7, 11:5)."""
    if not all(text.isdigit() for pair in pairs for text in pair):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    points = [tuple(int(pair[side]) for pair in pairs) for side in range(2)]
    won = [sum(one > other for one, other in zip(own, others, strict=True)) for own, others in (points, points[::-1])]
    numbers = [str(count) for count in won] if result is None else list(result)
    sides = assign_scores(_make_sides(line, 2), numbers, _find_stated_winner(line), lowest_wins=False)
    if [side.score for side in sides] != numbers:
        points.reverse()  # Ben lost to Anna 11:9, 11:7
    return [
        replace(side, score="" if result is None else side.score, sets=own)
        for side, own in zip(sides, points, strict=True)
    ]


def _is_sum_of_sets(pairs: Sequence[Sequence[str]]) -> bool:
    """Return whether the first result counts the others: 2:1 (11:5, 9:11, 11:8), but not 1:0, 2:1."""
    first, *sets = [[parse_score(score) for score in pair] for pair in pairs]
    return (
        len(first) == 2
        and len(sets) > 1
        and first
        == [
            sum(score > other for score, other in sets),
            sum(score < other for score, other in sets),
        ]
    )


def _read_numbers(line: _Line, *, lowest_wins: bool) -> list[PasteSide]:
    """Read sides with a number after each, or all sides followed by all numbers."""
    befores = [names_before for names_before, _token in line.numbers]
    texts = [token.text for _before, token in line.numbers]
    total = len(line.names)
    if len(texts) == 1 and total > 1 and is_half(texts[0]):
        return assign_scores(_make_sides(line, 2), [texts[0]] * 2, _find_stated_winner(line), lowest_wins=lowest_wins)
    if doubtful := next((token.text for _before, token in line.numbers if token.strength == DASH), ""):
        quoted = quote_cell(doubtful)
        raise UnclearText(
            _("“{text}” may be {inner} or −{inner}. Write one of them.").format(text=quoted, inner=quoted)
        )
    if befores == [total] * len(befores) and len(befores) > 1:
        return assign_scores(_make_sides(line, len(befores)), texts, _find_stated_winner(line), lowest_wins=lowest_wins)
    if befores[0] == 0:
        return _read_counted_names(line, befores, texts)
    if befores[-1] != total or sorted(set(befores)) != befores:
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    starts = [0, *befores[:-1]]
    groups = [list(range(start, end)) for start, end in zip(starts, befores, strict=True)]
    if len(groups) == 1 and any(link not in (GLUE, AND) for link in line.links):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    _refuse_unclear_partners(line, groups)
    sides = [_make_side(line, group) for group in groups]
    if len(sides) == 1 and not line.verbs:
        return [replace(sides[0], score=texts[0])]
    return assign_scores(sides, texts, _find_stated_winner(line), lowest_wins=lowest_wins)


def _read_counted_names(line: _Line, befores: Sequence[int], texts: Sequence[str]) -> list[PasteSide]:
    """Read names that numbers before them count: 1 Anna 2 Ben 3 Cara; or one such side."""
    if len(line.names) == 1 and len(texts) < 3 and befores == [*range(len(texts))] and texts[0].isdigit():
        return [replace(_make_side(line, [0]), place=texts[0], score=texts[1] if len(texts) > 1 else "")]
    count = len(line.names)
    if count < 3 or befores != [*range(count)] or texts != [str(place) for place in range(1, count + 1)]:
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    return [replace(_make_side(line, [number]), place=texts[number]) for number in range(count)]


def _read_order(line: _Line, *, lowest_wins: bool) -> list[PasteSide]:
    """Read sides ordered by > and =; a result must agree with the order."""
    parting = [index for index, signs in enumerate(line.signs) if "order" in signs]
    orders = [line.signs[index] & set("<>=") for index in parting]
    used_signs = set().union(*orders)
    if {"<", ">"} <= used_signs or line.verbs or any(len(order) > 1 for order in orders):
        raise UnclearText(_(CONTRADICTION))
    bounds = [0, *(index + 1 for index in parting), len(line.names)]
    groups = [list(range(*pair)) for pair in pairwise(bounds)]
    _refuse_unclear_partners(line, groups)
    levels = list(accumulate((order != {"="} for order in orders), initial=0))
    if "<" in used_signs:
        levels = [-level for level in levels]
    places = [str(1 + sum(other < level for other in levels)) for level in levels]
    sides = [replace(_make_side(line, group), place=place) for group, place in zip(groups, places, strict=True)]
    if not line.numbers:
        return sides
    return assign_scores(sides, _read_scores_of_order(line, groups), None, lowest_wins=lowest_wins)


def _read_scores_of_order(line: _Line, groups: Sequence[Sequence[int]]) -> list[str]:
    """Return the scores of ordered sides: one after each, or one result."""
    texts = [token.text for _before, token in line.numbers]
    if len(texts) == 1 and line.numbers[0][1].sort == "pair":
        return split_result(texts[0])
    if [names_before for names_before, _token in line.numbers] == [group[-1] + 1 for group in groups]:
        return texts
    raise UnreadableLine(_(UNCLEAR_NUMBERS))


def _read_places(line: _Line) -> list[PasteSide]:
    """Read sides with places before or after them, and scores after the names."""
    place_numbers = line.numbers_of("place")
    total = len(line.names)
    ahead = line.numbers[0][1].sort == "place" and line.numbers[0][0] == 0
    if line.verbs or line.numbers_of("pair"):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    starts = [names_before for names_before, _token in place_numbers]
    bounds = [*starts, total] if ahead else [0, *starts]
    if bounds[0] != 0 or bounds[-1] != total or sorted(set(bounds)) != bounds:
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    groups = [list(range(*pair)) for pair in pairwise(bounds)]
    places = [int(re.sub(r"\D", "", token.text)) for _before, token in place_numbers]
    partners = len({len(group) for group in groups}) == 1 and all(
        next_place == place + 1 for place, next_place in pairwise(places)
    )
    sides = [
        side
        for group, place in zip(groups, places, strict=True)
        for side in _make_sides_of_place(line, group, place, partners)
    ]
    scores = dict(_find_scores_after_names(line, groups))
    if scores:
        if len(sides) != len(groups) or len(scores) not in (0, len(groups)):
            raise UnreadableLine(_(UNCLEAR_NUMBERS))
        sides = [replace(side, score=scores[number]) for number, side in enumerate(sides)]
    return sides


def _make_sides_of_place(line: _Line, group: Sequence[int], place: int, partners: bool) -> list[PasteSide]:
    """Make the sides of a place: one side of partners, or several that share the place."""
    tied = not partners and any(line.links[number] != GLUE for number in group[:-1])
    return [
        replace(_make_side(line, members), place=str(place))
        for members in ([[number] for number in group] if tied else [group])
    ]


def _find_scores_after_names(line: _Line, groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, str]]:
    """Yield position and score of each side with a score after its names."""
    index_by_end = {group[-1] + 1: number for number, group in enumerate(groups)}
    for names_before, token in line.numbers_of("number"):
        if names_before not in index_by_end:
            raise UnreadableLine(_(UNCLEAR_NUMBERS))
        # The places settle whether (25) or – 25 is negative.
        yield index_by_end[names_before], token.text.strip("()")
