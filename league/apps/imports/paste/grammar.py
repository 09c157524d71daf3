"""From the tokens of a line to who played, on which side, with which score or place.

    line    = sides with scores behind them         Anna 3, Ben 1
            | sides and one result                  Anna Ben 3:1, Anna 3:1 Ben, 3:1 Anna Ben
            | sides, a word and perhaps a result    Ben lost to Anna 1-3
            | sides in their order                  Anna > Ben = Cara
            | places and sides                      1. Anna 2. Ben 3. Cara
    side    = a name, or several partners           Anna + Ben, Anna/Ben, Anna and Ben
A line that has no one reading raises Unclear.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from league.apps.imports.paste.figures import UnclearText, parse_score, quote_cell
from league.apps.imports.paste.months import WEEKDAYS
from league.apps.imports.paste.outcome import (
    CONTRADICTION,
    UNCLEAR_NUMBERS,
    PasteSide,
    StatedWinner,
    assign_scores,
    is_half,
    split_result,
)
from league.apps.imports.paste.tokens import AND, DASH, GLUE, NONE, VERSUS, Lexicon, PasteToken, tokenize_line
from league.apps.imports.paste.words import PARTICLES, precedes_declined_names
from league.core.text.names import folded
from league.core.text.wording import gettext as _
from league.core.text.wording import gettext_noop

NOT_UNDERSTOOD = gettext_noop("this line was not understood. Write it as Anna – Ben 3:1, or leave it out.")
NO_RESULT = gettext_noop("there is no result.")
UNCLEAR_PARTNERS = gettext_noop("it is not clear who plays together. Write Anna + Ben – Cara + Dan 3:1.")
#: A stranger's name of more words is none.
MAX_NEWCOMER_WORDS = 4


@dataclass(frozen=True)
class LineReading:
    """The sides of a line in the order in which they are written."""

    sides: tuple[PasteSide, ...]
    known: bool
    """Whether every name is a known one."""
    bare: bool = False
    """Whether only numbers stand with the names: where places are wanted, they may be such."""

    @property
    def complete(self) -> bool:
        """Return whether the line is a game of its own, not one side of it."""
        return len(self.sides) > 1


@dataclass
class _Name:
    text: str
    known: bool
    full: bool
    lone: bool = True
    """Whether no other name stands beside it without a sign between them."""


@dataclass
class _Line:
    """A line taken apart: its names, what links each to the next, and figures and words by how many names precede."""

    names: list[_Name] = field(default_factory=list)
    links: list[int] = field(default_factory=list)
    signs: list[set[str]] = field(default_factory=list)
    figures: list[tuple[int, PasteToken]] = field(default_factory=list)
    verbs: list[tuple[int, str]] = field(default_factory=list)
    passive: bool = False
    subject: int = 0
    """The side of which the words speak: the first, but for "against Ben won Anna" and "Anna – Ben: Ben won"."""

    def of(self, sort: str) -> list[tuple[int, PasteToken]]:
        """Return the figures of a sort."""
        return [(before, token) for before, token in self.figures if token.sort == sort]


class UnreadableLine(UnclearText):
    """A line that has no reading; any more particular reason goes before it."""


def read_line(text: str, lexicon: Lexicon, *, lowest_wins: bool) -> LineReading:
    """Return what a line says; raises Unclear if it has no reading.

    Whole games go before single sides, and readings of known names before others.
    """
    problems: list[UnclearText] = []
    found: list[LineReading] = []
    tried: list[list[PasteToken]] = []
    for commas, words_first in ((True, False), (False, False), (True, True)):
        tokens = tokenize_line(text, lexicon, commas=commas, words_first=words_first)
        if tokens in tried:
            continue
        tried.append(tokens)
        for apart in (False, True):
            try:
                found.append(_read_tokens(tokens, lexicon, lowest_wins=lowest_wins, apart=apart))
            except UnclearText as problem:
                problems.append(problem)
            else:
                if found[-1].complete and found[-1].known:
                    return found[-1]
    if found:
        return max(found, key=lambda reading: (reading.complete, reading.known))
    if re.search(r"\d\.\s*$", text):
        # The dot ends the sentence: Anna 3, Ben 1.
        return read_line(text.rstrip(" ."), lexicon, lowest_wins=lowest_wins)
    raise next((problem for problem in problems if not isinstance(problem, UnreadableLine)), problems[0])


def _read_tokens(tokens: Sequence[PasteToken], lexicon: Lexicon, *, lowest_wins: bool, apart: bool) -> LineReading:
    """Return what tokens say; ``apart``: whether names without a sign between them are names of their own."""
    line = _parse_tokens(tokens, lexicon, apart=apart)
    turned = line.subject == 1 and not line.verbs
    if not line.names or turned or any(token.sort == "other" for token in tokens):
        raise UnreadableLine(_(NOT_UNDERSTOOD))
    _refuse_unknown_words(line)
    if line.of("place"):
        sides = _read_places(line)
    elif any("order" in signs for signs in line.signs):
        sides = _read_order(line, lowest_wins=lowest_wins)
    elif line.of("pair"):
        sides = _read_result(line, lowest_wins=lowest_wins)
    elif line.figures:
        sides = _read_numbers(line, lowest_wins=lowest_wins)
    elif line.verbs:
        sides = assign_scores(_make_sides(line, 2), None, _find_stated_winner(line), lowest_wins=lowest_wins)
    else:
        raise UnreadableLine(_(NO_RESULT) if all(name.known for name in line.names) else _(NOT_UNDERSTOOD))
    if len(sides) == 1 and any(token.strength == VERSUS for token in tokens):
        raise UnreadableLine(_(NOT_UNDERSTOOD))
    bare = all(token.sort == "number" for _before, token in line.figures) and not line.verbs
    return LineReading(tuple(sides), all(name.known for name in line.names), bare)


def _parse_tokens(tokens: Sequence[PasteToken], lexicon: Lexicon, *, apart: bool) -> _Line:
    line, run = _Line(), list[PasteToken]()
    link, signs = NONE, set[str]()
    declining = False
    for token, behind in pairwise([*tokens, PasteToken("skip", ""), PasteToken("skip", "")]):
        if token.sort in ("name", "word"):
            run.append(token)
            continue
        if run:
            for number, name in enumerate(_split_names(run, lexicon if declining else Lexicon(), apart=apart)):
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
            line.figures.append((len(line.names), _mark_ambiguous_minus(token, signs, line)))
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
    """Take out a last name that is one of two before it: "Anna – Ben: Ben won 3-1" speaks of Ben."""
    *names, last = [folded(name.text) for name in line.names] or [""]
    if len(names) == 2 and last in names and line.verbs and line.verbs[0][0] >= 2:
        line.names.pop()
        line.links.pop()
        line.signs.pop()
        line.subject = names.index(last)
        line.figures = [(min(before, 2), token) for before, token in line.figures]


def _mark_ambiguous_minus(token: PasteToken, signs: set[str], line: _Line) -> PasteToken:
    """Return a number; with a dash that stands apart before it, it may be a negative one: left to be refused."""
    dashes = {sign for sign in signs if sign in "-–—−"} and line.names and token.sort == "number"
    return token._replace(strength=DASH) if dashes else token


def _split_names(run: Sequence[PasteToken], lexicon: Lexicon, *, apart: bool) -> list[_Name]:
    """Return the names of tokens without a sign between them.

    Whole known names are names of their own. Anything else is one name, or, ``apart``, a name for each known one, and
    one for what is between them, or two words a name each.
    """
    whole = all(token.sort == "name" and token.full for token in run)
    strange = [token for token in run if token.sort == "word"]
    if len(run) == 1 or whole:
        return [_make_name([token], lexicon, lone=len(run) == 1) for token in run]
    if not apart:
        return [_make_name(run, lexicon)]
    if len(run) == 2:
        return [_make_name([token], lexicon, lone=False) for token in run]
    parts: list[list[PasteToken]] = [[]]
    for token in run:
        if token.sort == "name":
            parts += [[token], []]
        else:
            parts[-1].append(token)
    if len(strange) == len(run):
        return [_make_name(run, lexicon)]
    return [_make_name(part, lexicon, lone=False) for part in parts if part]


def _make_name(tokens: Sequence[PasteToken], lexicon: Lexicon, *, lone: bool = True) -> _Name:
    text = " ".join(token.text for token in tokens)
    known = len(tokens) == 1 and tokens[0].sort == "name"
    weekday = tokens[0].sort == "name" and any(token.text.casefold() in WEEKDAYS for token in tokens[1:])
    if weekday or (len(tokens) > 1 and tokens[-1].full):
        raise UnreadableLine(_(NOT_UNDERSTOOD))  # "Anna – Ben Thu 20:00", "Hope Anna beats Ben": neither is a name
    if not known and (nominative := lexicon.nominative(text)):
        return _Name(nominative.title(), known=True, full=True, lone=lone)
    return _Name(text, known, known and tokens[0].full, lone)


def _refuse_unknown_words(line: _Line) -> None:
    """Raise Unclear for a line whose unknown words are no names: more than a few, or without capitals."""
    some = any(name.known for name in line.names)
    for name in line.names:
        words = name.text.split()
        if name.known or (len(words) == 1 and (some or len(line.names) == 1) and len(words[0]) > 1 and name.lone):
            continue
        small = [word for word in words if word[0].islower() and word not in PARTICLES]
        beside = not name.lone and not some
        if small or beside or len(words) > MAX_NEWCOMER_WORDS or all(word in PARTICLES for word in words):
            raise UnreadableLine(_(NOT_UNDERSTOOD))


def _group_names(line: _Line, count: int) -> list[list[int]]:
    """Return the names in so many sides, parted by the strongest signs that give that many; raises Unclear."""
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
    """Raise Unclear if it is not clear that the names of a side play together: by + / &, or as many on each side."""
    inner = [line.links[number] for group in groups for number in group[:-1]]
    if all(link == GLUE for link in inner):
        return
    names = [line.names[number] for group in groups if len(group) > 1 for number in group]
    if (
        len({len(group) for group in groups}) > 1
        or any(link > AND + 1 for link in inner)
        or not all(name.full for name in names)
    ):
        raise UnreadableLine(_(UNCLEAR_PARTNERS))


def _make_sides(line: _Line, count: int) -> list[PasteSide]:
    return [_make_side(line, group) for group in _group_names(line, count)]


def _make_side(line: _Line, numbers: Sequence[int]) -> PasteSide:
    return PasteSide(tuple(line.names[number].text for number in numbers))


def _find_stated_winner(line: _Line) -> StatedWinner | None:
    """Return who won by the words; None without such a word."""
    if not line.verbs:
        return None
    kinds = [kind for _before, kind in line.verbs]
    if len(kinds) > 2 or (len(kinds) == 2 and set(kinds) != {"win", "lose"}):
        raise UnclearText(_(CONTRADICTION))
    kind = kinds[0]
    if kind == "draw":
        return StatedWinner(None)
    lost = (kind == "lose") != (line.passive and kind == "win")
    return StatedWinner(1 - line.subject if lost else line.subject, turned=lost or line.subject == 1)


def _read_result(line: _Line, *, lowest_wins: bool) -> list[PasteSide]:
    pairs = [split_result(token.text) for _before, token in line.of("pair")]
    if len(pairs) < len(line.figures) or any(len(pair) != 2 for pair in pairs[1:]):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    apart = len({before for before, _token in line.of("pair")}) > 1 and sum(link != GLUE for link in line.links) > 1
    if len(pairs) > 1 and (apart or not _is_sum_of_sets(pairs)):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))  # Anna Ben 1:0, Cara Dan 2:1 are two games
    return assign_scores(_make_sides(line, len(pairs[0])), pairs[0], _find_stated_winner(line), lowest_wins=lowest_wins)


def _is_sum_of_sets(pairs: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of several results counts the others, as 2:1 (11:5, 9:11, 11:8) does; 1:0, 2:1 not."""
    first, *sets = [[parse_score(one) for one in pair] for pair in pairs]
    return (
        len(first) == 2
        and len(sets) > 1
        and first
        == [
            sum(one > other for one, other in sets),
            sum(one < other for one, other in sets),
        ]
    )


def _read_numbers(line: _Line, *, lowest_wins: bool) -> list[PasteSide]:
    """Return sides each with a number behind it, or all sides and then all numbers."""
    befores = [before for before, _token in line.figures]
    texts = [token.text for _before, token in line.figures]
    total = len(line.names)
    if len(texts) == 1 and total > 1 and is_half(texts[0]):
        return assign_scores(_make_sides(line, 2), [texts[0]] * 2, _find_stated_winner(line), lowest_wins=lowest_wins)
    if doubtful := next((token.text for _before, token in line.figures if token.strength == DASH), ""):
        told = quote_cell(doubtful)
        raise UnclearText(_("“{told}” may be {inner} or −{inner}. Write one of them.").format(told=told, inner=told))
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
    """Return sides with bare numbers before them that count them up, as places do: 1 Anna 2 Ben 3 Cara; or one side."""
    if len(line.names) == 1 and len(texts) < 3 and befores == [*range(len(texts))] and texts[0].isdigit():
        return [replace(_make_side(line, [0]), place=texts[0], score=texts[1] if len(texts) > 1 else "")]
    count = len(line.names)
    if count < 3 or befores != [*range(count)] or texts != [str(place) for place in range(1, count + 1)]:
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    return [replace(_make_side(line, [number]), place=texts[number]) for number in range(count)]


def _read_order(line: _Line, *, lowest_wins: bool) -> list[PasteSide]:
    """Return sides in the order that > and = say; what a result says besides must agree."""
    parting = [index for index, signs in enumerate(line.signs) if "order" in signs]
    orders = [line.signs[index] & set("<>=") for index in parting]
    used = set().union(*orders)
    if {"<", ">"} <= used or line.verbs or any(len(order) > 1 for order in orders):
        raise UnclearText(_(CONTRADICTION))
    bounds = [0, *(index + 1 for index in parting), len(line.names)]
    groups = [list(range(*pair)) for pair in pairwise(bounds)]
    _refuse_unclear_partners(line, groups)
    levels = list(accumulate((order != {"="} for order in orders), initial=0))
    if "<" in used:
        levels = [-level for level in levels]
    places = [str(1 + sum(other < level for other in levels)) for level in levels]
    sides = [replace(_make_side(line, group), place=place) for group, place in zip(groups, places, strict=True)]
    if not line.figures:
        return sides
    return assign_scores(sides, _read_scores_of_order(line, groups), None, lowest_wins=lowest_wins)


def _read_scores_of_order(line: _Line, groups: Sequence[Sequence[int]]) -> list[str]:
    """Return the scores of sides in an order: one behind each, or one result of all."""
    texts = [token.text for _before, token in line.figures]
    if len(texts) == 1 and line.figures[0][1].sort == "pair":
        return split_result(texts[0])
    if [before for before, _token in line.figures] == [group[-1] + 1 for group in groups]:
        return texts
    raise UnreadableLine(_(UNCLEAR_NUMBERS))


def _read_places(line: _Line) -> list[PasteSide]:
    """Return sides with the places before or behind them, and their scores behind the names."""
    marks = line.of("place")
    total = len(line.names)
    ahead = line.figures[0][1].sort == "place" and line.figures[0][0] == 0
    if line.verbs or line.of("pair"):
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    starts = [before for before, _token in marks]
    bounds = [*starts, total] if ahead else [0, *starts]
    if bounds[0] != 0 or bounds[-1] != total or sorted(set(bounds)) != bounds:
        raise UnreadableLine(_(UNCLEAR_NUMBERS))
    groups = [list(range(*pair)) for pair in pairwise(bounds)]
    places = [int(re.sub(r"\D", "", token.text)) for _before, token in marks]
    partners = len({len(group) for group in groups}) == 1 and all(
        after == place + 1 for place, after in pairwise(places)
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
    """Return the side of a place: partners, or several who share the place."""
    tied = not partners and any(line.links[number] != GLUE for number in group[:-1])
    return [
        replace(_make_side(line, one), place=str(place))
        for one in ([[number] for number in group] if tied else [group])
    ]


def _find_scores_after_names(line: _Line, groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, str]]:
    """Yield position and score of the sides that have one behind their names."""
    ends = {group[-1] + 1: number for number, group in enumerate(groups)}
    for before, token in line.of("number"):
        if before not in ends:
            raise UnreadableLine(_(UNCLEAR_NUMBERS))
        # What may be 25 or −25 elsewhere, as (25) or – 25, the places decide.
        yield ends[before], token.text.strip("()")
