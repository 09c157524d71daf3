"""Typesets formulas in plain text as MathML: E_ij = 1 / (1 + 10^((R_j − R_i) / 400)).

A line may mix words and formulas. Each part of a formula between relations and signs is a <math> element of its own,
so that a long line wraps.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

LETTER = r"[^\W\d_Σ½¹²³₀-₉]"
TOKENS = re.compile(
    rf"(?P<space>\s*)(?:(?P<number>½|\d+(?:[.,]\d+)*(?:\s?%)?)|(?P<name>{LETTER}{{3,}}'(?=\s)|{LETTER}+(?:['’]{LETTER}+)*)"
    rf"|(?P<mark>(?<=\w)['*])|(?P<sub>_[^\W²³¹]+|[₀-₉]+)|(?P<sup>[⁻¹²³]+)|(?P<sign>:=|\S))"
)
#: Space between two formulas on one line.
COLUMNS = re.compile(r"(?<=\S) {3,}")
#: Maximum number of decimals of a number; a longer one is cut, with an ellipsis.
MAX_DECIMALS = 6
RELATIONS = {"=", ":=", "≤", "≥", "<", ">"}
SIGNS = {"+", "−", "±"}
PRODUCTS = {"·", "×"}
PUNCTUATION = {",", ";", ":", "."}
FENCES = {"(": ")", "[": "]", "⌊": "⌋", "|": "|"}
#: Names that belong to a formula also beside words.
FUNCTIONS = {"ln", "erf", "min", "max", "dp", "PD", "RD", "ARO", "TPR", "PTP", "APRO", "APPO"}
#: Functions that are applied without brackets: ln 10 / 400 is the logarithm by 400.
BEFORE_NUMBERS = {"ln", "min", "max"}
#: Words of one letter, if a word stands before them: the English article, Polish prepositions.
SHORT_WORDS = {"a", "o", "u", "w", "z"}
PLAIN_DIGITS = str.maketrans("⁻¹²³₀₁₂₃₄₅₆₇₈₉", "−1230123456789")
THIN_SPACE = SafeString('<mspace width="0.17em"></mspace>')


@dataclass(frozen=True)
class FormulaToken:
    """A piece of a line; ``spaced``: whether a space stands before it."""

    kind: str
    text: str
    spaced: bool


@dataclass(frozen=True)
class Node:
    """A part of a formula in MathML; ``bare``: without its brackets, if it is a bracket."""

    shown: SafeString
    bare: SafeString


MATH = '<math displaystyle="true">{}</math>'
END = FormulaToken("", "", spaced=True)


def typeset(text: str) -> SafeString:
    """Return a formula in plain text, of one or more lines, as paragraphs with MathML."""
    return _typeset_lines(str(text))


@lru_cache(maxsize=256)
def _typeset_lines(text: str) -> SafeString:
    """Typeset a formula: once, because most are those of a system or method."""
    return format_html_join(
        "\n", "<p>{}</p>", ((_typeset_line(COLUMNS.sub("; ", line)),) for line in text.splitlines())
    )


def _typeset_line(line: str) -> SafeString:
    """Return a line of words and formulas as HTML."""
    pieces: list[SafeString | str] = []
    ends_with_relation = False
    for is_formula, tokens in _split_line([_build_token(match) for match in TOKENS.finditer(line)]):
        pieces.append(" " if pieces and tokens[0].spaced and not ends_with_relation else "")
        ends_with_relation = tokens[-1].text in RELATIONS
        if is_formula:
            chunks = FormulaParser(tokens).read_chunks()
            pieces.append(format_html_join(SafeString("<wbr>"), MATH, ((chunk,) for chunk in chunks)))
        else:
            pieces.append(
                "".join(f"{' ' * (token.spaced and index > 0)}{token.text}" for index, token in enumerate(tokens))
            )
    return format_html_join("", "{}", ((piece,) for piece in pieces))


def _build_token(match: re.Match[str]) -> FormulaToken:
    """Return a token of a line."""
    kind = match.lastgroup or ""
    return FormulaToken(kind, match[kind], spaced=bool(match["space"]))


def _split_line(tokens: Sequence[FormulaToken]) -> list[tuple[bool, list[FormulaToken]]]:
    """Return runs of tokens, and whether each is a formula; a formula ends with its comma or colon."""
    runs: list[tuple[bool, list[FormulaToken]]] = []
    depth, ended = 0, False
    padded = [END, *tokens, END]
    for before, token, after in zip(padded, padded[1:], padded[2:], strict=False):
        is_formula = depth > 0 or not (token.text in PUNCTUATION or _is_word(before, token, after))
        depth += (token.text in "([⌊") - (token.text in ")]⌋" and depth > 0)
        closes = bool(runs) and runs[-1][0] and depth == 0 and token.text in PUNCTUATION and not token.spaced
        if runs and (closes or (runs[-1][0] == is_formula and not ended)):
            runs[-1][1].append(token)
        else:
            runs.append((is_formula, [token]))
        ended = closes
    return runs


def _is_word(before: FormulaToken, token: FormulaToken, after: FormulaToken) -> bool:
    """Return whether a name is a word of a sentence, not part of a formula."""
    if token.text == "—":
        return True
    if token.kind != "name" or token.text in FUNCTIONS or (after.kind in ("mark", "sub", "sup") and not after.spaced):
        return False
    if len(token.text) == 1:
        return token.text in SHORT_WORDS and before.kind == "name" and len(before.text) > 1
    applied = after.text == "(" and not after.spaced
    joined = after.text in RELATIONS | PRODUCTS | {"+", "−", "/", "^"} or (
        before.text in PRODUCTS | {"+", "−", "/", "√"} and after.kind != "name"
    )
    return not (applied or joined)


@dataclass
class FormulaParser:
    """Reads the tokens of a formula from left to right."""

    tokens: Sequence[FormulaToken]
    place: int = 0
    closers: list[str] = field(default_factory=list)
    """The closing brackets of the open ones."""
    inline: int = 0
    """In how many brackets and exponents the place is; fractions are written on one line there."""

    def peek(self) -> FormulaToken:
        """Return the next token."""
        return self.tokens[self.place] if self.place < len(self.tokens) else END

    def take_token(self) -> str:
        """Return the next token's text and move on."""
        self.place += 1
        return self.tokens[self.place - 1].text

    def read_chunks(self) -> list[SafeString]:
        """Return the formula in parts that begin with a relation or a sign."""
        chunks: list[list[SafeString]] = [[]]
        after_sign = True
        while self.peek() is not END:
            is_sign = self.peek().text in RELATIONS | SIGNS
            if is_sign and not after_sign:
                chunks.append([])
            chunks[-1].append(self._read_item(infix=is_sign and not after_sign))
            after_sign = is_sign
        return [_join(chunk) for chunk in chunks]

    def _read_item(self, *, infix: bool = False) -> SafeString:
        """Return a sign, a separator or a term."""
        text = self.peek().text
        if text in RELATIONS | SIGNS:
            self.take_token()
            return format_html('<mo form="{}">{}</mo>', "infix" if infix else "prefix", text)
        if text in PUNCTUATION:
            return format_html('<mo separator="true">{}</mo>', self.take_token())
        return self._read_term()

    def _read_term(self) -> SafeString:
        """Return a product."""
        factors = [self._read_factor()]
        while self._continues_term():
            if self.peek().text in PRODUCTS:
                factors.append(format_html("<mo>{}</mo>", self.take_token()))
            elif self.peek().spaced:
                factors.append(THIN_SPACE)
            factors.append(self._read_factor())
        return _join(factors)

    def _continues_term(self) -> bool:
        """Return whether the next token is a factor of the same product."""
        token = self.peek()
        if self.closers and token.text == self.closers[-1]:
            return False
        return token.text in PRODUCTS or token.kind in ("number", "name") or token.text in {*FENCES, "√", "Σ"}

    def _read_factor(self) -> SafeString:
        """Return a number, name, bracket or fraction."""
        node = self._read_power()
        while self.peek().text == "/":
            self.take_token()
            other = self._read_power(below=True)
            if self.inline:
                slash = SafeString('<mo lspace="0" rspace="0">/</mo>')
                shown = format_html("<mrow>{}{}{}</mrow>", node.shown, slash, other.shown)
            else:
                shown = format_html("<mfrac>{}{}</mfrac>", node.bare, other.bare)
            node = Node(shown, shown)
        return node.shown

    def _read_power(self, *, below: bool = False) -> Node:
        """Return a number, name or bracket with its exponent, or a function; ``below``: in a denominator."""
        applies = self.peek().kind == "name"
        node = self._read_atom(below=below)
        if applies and self.peek().text in ("(", "[") and not self.peek().spaced:
            shown = format_html("<mrow>{}{}</mrow>", node.shown, self._read_fence().shown)
            node = Node(shown, shown)
        elif self.tokens[self.place - 1].text in BEFORE_NUMBERS:
            shown = format_html("<mrow>{}{}{}</mrow>", node.shown, THIN_SPACE, self._read_atom().shown)
            node = Node(shown, shown)
        while self.peek().text == "^":
            self.take_token()
            self.inline += 1
            shown = format_html("<msup>{}{}</msup>", node.shown, self._read_atom().bare)
            node = Node(shown, shown)
            self.inline -= 1
        return node

    def _read_atom(self, *, below: bool = False) -> Node:
        """Return a number, name, root, sum or bracket."""
        token = self.peek()
        if token.text in FENCES:
            return self._read_fence()
        self.take_token()
        if token.text == "√":
            shown = format_html("<msqrt>{}</msqrt>", self._read_power().bare)
        elif token.text == "Σ":
            shown = self._add_scripts(SafeString("<mo>∑</mo>"))
            # Σs / ΣR are two sums; in Σ s / R the fraction is what is summed.
            if below or not self.peek().spaced:
                shown = format_html("<mrow>{}{}</mrow>", shown, self._read_power().shown)
        else:
            tag = {"number": "mn", "name": "mi"}.get(token.kind, "mo")
            shown = self._add_scripts(format_html(f"<{tag}>{{}}</{tag}>", _shorten_number(token)))
        return Node(shown, shown)

    def _read_fence(self) -> Node:
        """Return a bracket with its contents."""
        opener = self.take_token()
        self.closers.append(FENCES[opener])
        self.inline += 1
        items: list[SafeString] = []
        after_sign = True
        while self.peek() is not END and self.peek().text != self.closers[-1]:
            is_sign = self.peek().text in RELATIONS | SIGNS
            items.append(self._read_item(infix=is_sign and not after_sign))
            after_sign = is_sign
        closer = self.closers.pop()
        self.inline -= 1
        if self.peek() is not END:
            self.take_token()
        bare = _join(items)
        shown = format_html('<mrow><mo form="prefix">{}</mo>{}<mo form="postfix">{}</mo></mrow>', opener, bare, closer)
        if self.peek().kind == "sup" or opener != "(":
            shown = bare = self._add_scripts(shown)
        return Node(shown, bare)

    def _add_scripts(self, base: SafeString) -> SafeString:
        """Return a base with the marks, indices and raised digits that follow it."""
        raised, lowered = "", SafeString()
        while self.peek().kind in ("mark", "sub", "sup") and not self.peek().spaced:
            kind, text = self.peek().kind, self.take_token()
            if kind == "sub":
                lowered = _build_index(text.lstrip("_").translate(PLAIN_DIGITS))
            else:
                raised += {"'": "′", "*": "∗"}.get(text, text.translate(PLAIN_DIGITS))
        if lowered and raised:
            return format_html("<msubsup>{}{}<mn>{}</mn></msubsup>", base, lowered, raised)
        if lowered:
            return format_html("<msub>{}{}</msub>", base, lowered)
        return format_html("<msup>{}<mn>{}</mn></msup>", base, raised) if raised else base


def _build_index(text: str) -> SafeString:
    """Return an index: a number, or letters one by one, as a name of several letters is upright."""
    if text.isdigit():
        return format_html("<mn>{}</mn>", text)
    return _join([format_html("<mi>{}</mi>", letter) for letter in text])


def _shorten_number(token: FormulaToken) -> str:
    """Return a token's text; a number with too many decimals is cut."""
    if token.kind != "number":
        return token.text
    return re.sub(rf"([.,]\d{{{MAX_DECIMALS}}})\d+", r"\1…", token.text)


def _join(items: Sequence[SafeString]) -> SafeString:
    """Return one element of several."""
    if len(items) == 1:
        return items[0]
    return format_html("<mrow>{}</mrow>", format_html_join("", "{}", ((item,) for item in items)))
