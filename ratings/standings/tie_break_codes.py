"""Discovers the tie-breaks in their folder, and parses codes with modifiers such as BH/C1.

Lists of other programs name a tie-break that FIDE's list MTB26 does not have with ``OTHER_`` before its code.
"""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache

from ratings import tie_breaks
from ratings.contract.competition import ScoreName
from ratings.contract.tie_break import TieBreak, TieBreakChoice, TieBreakOptions, TieBreakRules
from ratings.texts import N_, say

#: Other names of codes, as files have them.
ALIASES = {"GE": "REP", "SNO": "TPN", "RTG": "RTNG"}
#: What stands behind a code of teams: the points that count.
SCORES: dict[str, ScoreName] = {"MP": "match", "GP": "board"}
#: The letters of modifiers, with an example and the meaning of each.
MODIFIERS = {
    "C": ("/C1", N_("leaves out the least significant value; /C2 the least two")),
    "M": ("/M1", N_("leaves out the least and the most significant value; /M2 two of each")),
    "L": ("/L60", N_("sets the limit to 60% of the maximum; /L1 raises it by half a point, /L-1 lowers it")),
    "F": ("/F", N_("counts all games of the final round as draws")),
    "P": ("/P", N_("counts forfeits as games against the scheduled opponent")),
    "R": ("/R", N_("reverses the order")),
    "K": ("/K4", N_("sets the divisor")),
}
MAX_CUT = 99
#: What stands before the code of a tie-break that is not in FIDE's list.
OTHER = "OTHER_"


class UnknownTieBreak(LookupError):
    """A code that names no tie-break, or has a modifier that the tie-break does not take."""


class DuplicateCode(RuntimeError):
    """Two tie-breaks have the same code."""


@cache
def all_tie_breaks() -> dict[str, TieBreak]:
    """Return code -> tie-break, ordered by code; raises DuplicateCode if two have the same code."""
    names = [module.name for module in pkgutil.iter_modules(tie_breaks.__path__)]
    modules = [importlib.import_module(f"{tie_breaks.__name__}.{name}") for name in names]
    return index_by_code(value for module in modules for value in vars(module).values() if isinstance(value, TieBreak))


def index_by_code(declared: Iterable[TieBreak]) -> dict[str, TieBreak]:
    """Return tie-breaks by their codes, in order; raises DuplicateCode if two have the same code."""
    by_code: dict[str, TieBreak] = {}
    for tie_break in declared:
        if by_code.setdefault(tie_break.code, tie_break) is not tie_break:
            raise DuplicateCode(f"Two tie-breaks have the code “{tie_break.code}”; give one of them another.")
    return dict(sorted(by_code.items()))


def parse_code(text: str, rules: TieBreakRules | None = None) -> TieBreakChoice:
    """Return the tie-break and the modifiers of a code, in any case; raises UnknownTieBreak with a message."""
    written = text.strip().upper()
    code, *modifiers = written.removeprefix(OTHER).split("/")
    code, colon, score = code.partition(":")
    tie_break = all_tie_breaks().get(ALIASES.get(code, code))
    if tie_break is None or (colon and score not in SCORES):
        raise _build_unknown(code + colon + score)
    options = TieBreakOptions(rules=rules or TieBreakRules(), score=SCORES[score] if colon else "")
    for modifier in modifiers:
        options = _with_modifier(tie_break, modifier, options)
    choice = TieBreakChoice("/".join([tie_break.code + colon + score, *modifiers]), tie_break, options)
    if written.startswith(OTHER) and _is_listed(choice):
        # Another program's, which has the name of one of FIDE's.
        raise _build_unknown(written)
    return choice


def _build_unknown(code: str) -> UnknownTieBreak:
    codes = ", ".join(all_tie_breaks())
    return UnknownTieBreak(say("There is no tie-break “{code}”; the codes are: {codes}.", code=code, codes=codes))


def _is_listed(choice: TieBreakChoice) -> bool:
    """Return whether FIDE's list has a tie-break: not those of tables, and Koya's limits in half points only."""
    return (choice.code == "PTS" or bool(choice.tie_break.article)) and not re.search(r"/L\d\d", choice.code)


def normalize_codes(texts: Iterable[str]) -> list[str]:
    """Return the codes that are known, as they are usually written."""
    codes = []
    for text in texts:
        with suppress(UnknownTieBreak):
            codes.append(parse_code(text).code)
    return codes


def write_listed_code(code: str) -> str:
    """Return a code as FIDE's list has it: KS/L1 for KS/L+1, and OTHER_ before one that it lacks."""
    choice = parse_code(code)
    return choice.code.replace("/L+", "/L") if _is_listed(choice) else OTHER + choice.code


def parse_codes(texts: Iterable[str], rules: TieBreakRules | None = None) -> list[TieBreakChoice]:
    """Return the tie-breaks of a list of codes."""
    return [parse_code(text, rules) for text in texts]


def _with_modifier(tie_break: TieBreak, modifier: str, options: TieBreakOptions) -> TieBreakOptions:
    letter, argument = modifier[:1], modifier[1:]
    changed = PARSERS[letter](argument, options) if letter and letter in tie_break.modifiers else None
    if changed is None:
        allowed = ", ".join(MODIFIERS[letter][0] for letter in tie_break.modifiers) or say("none")
        raise UnknownTieBreak(
            say(
                "{code} does not take the modifier “/{modifier}”; it takes: {allowed}.",
                code=tie_break.code,
                modifier=modifier,
                allowed=allowed,
            )
        )
    return changed


def _cut(argument: str, options: TieBreakOptions) -> TieBreakOptions | None:
    return replace(options, cut_low=int(argument)) if _is_cut(argument) else None


def _median(argument: str, options: TieBreakOptions) -> TieBreakOptions | None:
    return replace(options, cut_low=int(argument), cut_high=int(argument)) if _is_cut(argument) else None


def _is_cut(argument: str) -> bool:
    return argument.isascii() and argument.isdigit() and 1 <= int(argument) <= MAX_CUT


def _limit(argument: str, options: TieBreakOptions) -> TieBreakOptions | None:
    """Parse half points: a number with a sign, or one digit as FIDE's list has it; or a percentage from 10 on."""
    if re.fullmatch(r"[+-]\d{1,2}|[1-9]", argument):
        return replace(options, limit_points=Fraction(int(argument), 2))
    if re.fullmatch(r"\d{2,3}", argument) and 10 <= int(argument) <= 100:
        return replace(options, limit=Fraction(int(argument), 100))
    return None


def _fore(argument: str, options: TieBreakOptions) -> TieBreakOptions | None:
    return None if argument else replace(options, fore=True)


def _forfeits_played(argument: str, options: TieBreakOptions) -> TieBreakOptions | None:
    return None if argument else replace(options, forfeits_played=True)


def _reverse(argument: str, options: TieBreakOptions) -> TieBreakOptions | None:
    return None if argument else replace(options, reverse=True)


def _divide(argument: str, options: TieBreakOptions) -> TieBreakOptions | None:
    return replace(options, divisor=int(argument)) if _is_cut(argument) else None


PARSERS: dict[str, Callable[[str, TieBreakOptions], TieBreakOptions | None]] = {
    "C": _cut,
    "M": _median,
    "L": _limit,
    "F": _fore,
    "P": _forfeits_played,
    "R": _reverse,
    "K": _divide,
}
