"""Decodes files, splits text into rows of cells, and a line into tokens: names, words, numbers, results and signs."""

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import StringIO
from typing import Literal, NamedTuple

from league.apps.imports.paste.words import NON_NAMES, WordKind, find_kind
from league.core.errors import Invalid
from league.core.text.cell_rows import SPACE_GAP, TABLE_SEPARATORS, find_separator, find_stated_separator
from league.core.text.names import fold_accents
from league.core.text.numbers import BETWEEN, HALF_PATTERN, MINUS, MINUSES
from league.core.text.spreadsheet_cells import unquote_cell
from league.core.text.wording import format_with_separators, gettext_noop, ngettext
from league.core.text.wording import gettext as _

#: Longer texts must be imported as a file, which a worker reads.
MAX_LINES, MAX_COLUMNS, MAX_CELLS, MAX_LINE_LENGTH = 10_000, 300, 200_000, 10_000
#: Of notes: a word is read in many ways, which takes ten times as long as a cell.
MAX_WORDS = 20_000
WORDS = re.compile(r"\w+")
#: Characters of a line's hash.
LINE_HASH_LENGTH = 6
SEPARATORS = {
    "\t": gettext_noop("tabs"),
    ";": gettext_noop("semicolons"),
    ",": gettext_noop("commas"),
    "|": gettext_noop("bars"),
    "  ": gettext_noop("spaces"),
}


@dataclass(frozen=True)
class TextRow:
    """The cells of a line; ``after_gap``: a blank line precedes it."""

    line: int
    cells: tuple[str, ...]
    after_gap: bool = False


@dataclass(frozen=True)
class Grid:
    """All lines that are not blank, and the separator of their cells."""

    rows: tuple[TextRow, ...]
    separator: str

    @property
    def width(self) -> int:
        """Return the number of columns."""
        return max((len(row.cells) for row in self.rows), default=0)


def split_lines(text: str) -> list[str]:
    """Split a text at the line ends of any system."""
    return re.split(r"\r\n|\r|\n", text)


def hash_lines(text: str) -> str:
    """Return the hashes of all lines, so that answers remain valid while the text is edited."""
    return "".join(map(hash_line, list_nonblank_lines(text)))


def is_edited_version(text: str, hashes: str) -> bool:
    """Return whether more than half of a text's lines have one of these hashes."""
    known_hashes = {hashes[start : start + LINE_HASH_LENGTH] for start in range(0, len(hashes), LINE_HASH_LENGTH)}
    matches = [hash_line(line) in known_hashes for line in list_nonblank_lines(text)]
    return 2 * sum(matches) > len(matches)


def list_nonblank_lines(text: str) -> list[str]:
    """Return the stripped lines of a text without blank ones."""
    return [line for line in map(str.strip, split_lines(text)) if line]


def hash_line(line: str) -> str:
    """Return a short hash of a line."""
    return hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest()[:LINE_HASH_LENGTH]


@dataclass(frozen=True)
class TextPart:
    """Lines of a text with their numbers; ``separator`` separates a table's cells and is "" for notes."""

    lines: tuple[tuple[int, str], ...]
    separator: str


def split_parts(text: str) -> list[TextPart]:
    """Split a text into tables and notes; raises Invalid if it is too long.

    A table continues while lines have its separator; it may contain blank lines.
    """
    parts: list[TextPart] = []
    lines: list[tuple[int, str]] = []
    separator, in_quotes = "", False
    for number, line in enumerate(split_checked_lines(text), start=1):
        same_part = (in_quotes and '"' in line) or continues_part(line, separator)
        current = separator if same_part else find_separator(line)
        if lines and current != separator:
            parts.append(TextPart(tuple(lines), separator))
            lines, in_quotes = [], False
        lines.append((number, line))
        separator, in_quotes = current, in_quotes != bool(line.count('"') % 2)
    return [*parts, TextPart(tuple(lines), separator)] if lines else parts


def split_checked_lines(text: str) -> list[str]:
    """Split a text into lines; raises Invalid if there are too many or one is too long."""
    first, *others = split_lines(text.lstrip("\ufeff"))
    lines = ["" if find_stated_separator(first) else first, *others]
    count = sum(1 for line in lines if line.strip())
    if count > MAX_LINES:
        raise Invalid(
            ngettext(
                "This is {count} line; a paste can have at most {most}. Import them as a file, which "
                "runs in the background. Nothing was recorded.",
                "These are {count} lines; a paste can have at most {most}. Import them as a file, "
                "which runs in the background. Nothing was recorded.",
                count,
            ).format(count=format_with_separators(count), most=format_with_separators(MAX_LINES))
        )
    if long := next((number for number, line in enumerate(lines, start=1) if len(line) > MAX_LINE_LENGTH), 0):
        raise Invalid(
            _("Line {line} is longer than {most} characters and cannot be a list of games.").format(
                line=long, most=format_with_separators(MAX_LINE_LENGTH)
            )
        )
    return lines


def continues_part(line: str, separator: str) -> bool:
    """Return whether a line is blank, or has the separator of the part before it and no stronger one."""
    if not line.strip():
        return True
    other = find_separator(line)
    stronger = other in TABLE_SEPARATORS and separator not in TABLE_SEPARATORS
    return other == separator or (bool(separator) and separator in line and separator != "  " and not stronger)


def count_words(lines: Iterable[tuple[int, str]]) -> int:
    """Return how many words and numbers lines have."""
    return sum(len(WORDS.findall(line)) for _number, line in lines)


def refuse_long_notes(words: int) -> None:
    """Raise Invalid if notes have more words than can be read while somebody waits."""
    if words > MAX_WORDS:
        message = _(
            "These notes have {count} words; a paste can have at most {most} outside of tables. Paste them in parts. "
            "Nothing was recorded."
        )
        raise Invalid(message.format(count=format_with_separators(words), most=format_with_separators(MAX_WORDS)))


def make_grid(part: TextPart) -> Grid:
    """Make the grid of a table; raises Invalid if it is too large."""
    rows: list[TextRow] = []
    gap = False
    for line, cells in split_cells(part):
        if not any(cells):
            gap = True
            continue
        if not any(letter.isalnum() or letter == "½" for cell in cells for letter in cell):
            continue  # a rule below the headings
        rows.append(TextRow(line, tuple(cells), gap and bool(rows)))
        gap = False
    grid = Grid(tuple(rows), part.separator)
    if grid.width > MAX_COLUMNS:
        raise Invalid(
            ngettext(
                "There is {count} column; a paste can have at most {most}. Nothing was recorded.",
                "There are {count} columns; a paste can have at most {most}. Nothing was recorded.",
                grid.width,
            ).format(count=format_with_separators(grid.width), most=MAX_COLUMNS)
        )
    if grid.width * len(grid.rows) > MAX_CELLS:
        count = grid.width * len(grid.rows)
        raise Invalid(
            ngettext(
                "This is {count} cell; a paste can have at most {most}. Paste only part of it. Nothing was recorded.",
                "These are {count} cells; a paste can have at most {most}. Paste only part of them. "
                "Nothing was recorded.",
                count,
            ).format(count=format_with_separators(count), most=format_with_separators(MAX_CELLS))
        )
    return grid


def split_cells(part: TextPart) -> list[tuple[int, list[str]]]:
    """Return the number and cells of each line, including blank ones.

    Quoted cells may contain separators and line breaks.
    """
    first, lines = part.lines[0][0], [line for _number, line in part.lines]
    if part.separator == "  ":
        return [(number, clean_cells(SPACE_GAP.split(line.strip()))) for number, line in part.lines]
    if any('"' in line for line in lines):
        try:
            return [(first - 1 + number, cells) for number, cells in split_quoted_cells(lines, part.separator)]
        except csv.Error:
            pass  # an unclosed quotation mark is an ordinary character
    return [(number, clean_cells(line.split(part.separator))) for number, line in part.lines]


def split_quoted_cells(lines: Sequence[str], separator: str) -> list[tuple[int, list[str]]]:
    """Return line numbers and cells, read as CSV; raises csv.Error for an unclosed quotation mark."""
    reader = csv.reader(StringIO("\n".join(lines), newline=""), delimiter=separator, strict=True)
    rows, last_line = [], 0
    for cells in reader:
        rows.append((last_line + 1, clean_cells(cells)))
        last_line = reader.line_num
    return rows


def clean_cells(cells: Sequence[str]) -> list[str]:
    """Strip spaces around cells, and drop empty cells at the end."""
    return drop_empty_tail([unquote_cell(" ".join(cell.split())) for cell in cells])


def drop_empty_tail(cells: list[str]) -> list[str]:
    """Drop empty cells at the end of a row."""
    while cells and not cells[-1]:
        cells.pop()
    return cells


#: Kinds of tokens: a known name, another word, a word of results, a number, or a sign.
Sort = Literal["name", "word", "verb", "place", "pair", "number", "link", "order", "skip", "other"]
#: How strongly a sign or word separates two names: the strongest separate sides, weaker ones partners.
VERSUS, DASH, CELL, COMMA, AND, GLUE, NONE = 6, 5, 4, 3, 2, 1, 0
#: The most words that a name may have.
MAX_NAME_WORDS = 6
#: Numbers, by whether a comma may be a decimal comma.
NUMBER = {True: rf"(?:{HALF_PATTERN}|\d+(?:[.,]\d+)*)", False: rf"(?:{HALF_PATTERN}|\d+(?:\.\d+)?)"}
_SIGN = f"(?:[+]|{MINUS})?"


class _NumberPatterns(NamedTuple):
    pair: re.Pattern[str]
    number: re.Pattern[str]


def _compile_patterns(number: str) -> _NumberPatterns:
    pair = rf"{number}(?:{BETWEEN}{number})+(?![\w½])"
    return _NumberPatterns(re.compile(pair), re.compile(rf"\({_SIGN}{number}\)|{_SIGN}{number}(?![\w½])"))


NUMBER_PATTERNS = {commas: _compile_patterns(number) for commas, number in NUMBER.items()}
#: A number marked as a place: 1. 1) #1 1st 1-е, "1. Platz", "2 место", "place 3".
_RANK = r"(?:place|platz|miejsce|место|mesto)\b"
_NTH = r"(?:\.(?!\d)|\)|º|°|=(?=\s)|(?:st|nd|rd|th|-?[ея]|-?ый|-?ое)\b)"
PLACE = re.compile(
    rf"{_RANK}\s*:?\s*\d{{1,3}}\b[.:)]?|#\d{{1,3}}(?!\w)|\d{{1,3}}{_NTH}?\s*{_RANK}\s*:?|\d{{1,3}}{_NTH}",
    re.IGNORECASE,
)
ATOM = re.compile(r"[^\W_]+(?:['’`_][^\W_]+)*")
LINKS = {"+": GLUE, "/": GLUE, "&": GLUE, ";": CELL, "\t": CELL, "|": CELL, ",": COMMA, ":": DASH} | dict.fromkeys(
    MINUSES, DASH
)
ARROW = re.compile(rf"(?:{MINUS}|=)>|[→⇒➔➜]")
#: Characters between the words of a name.
NAME_GAP = re.compile(r"[ .,&+/’'_-]{0,3}")
ORDER = re.compile(r"<+|>+|=+")
IGNORED_CHARACTERS = " \u00a0@{}\"“”„«»'’‘*_~`.!…"


class PasteToken(NamedTuple):
    """A piece of a line: its kind, text and meaning.

    ``strength``: how strongly it separates the names around it. ``full``: whether a name is a player's full name.
    """

    sort: Sort
    text: str
    meaning: WordKind | Literal[""] = ""
    strength: int = NONE
    full: bool = False


@dataclass(frozen=True)
class Lexicon:
    """The known names, folded: full names, and first names and surnames used alone."""

    full: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()

    @cached_property
    def first_words(self) -> frozenset[str]:
        """Return the first words of all names."""
        return frozenset(match[0] for name in self.full | self.parts if (match := ATOM.search(name)))

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all words of names."""
        return frozenset(word for name in self.full | self.parts for word in re.findall(r"[^\W\d_]+", name))

    @classmethod
    def from_names(cls, names: Iterable[str], spellings: Iterable[str] = ()) -> "Lexicon":
        """Make a lexicon from players' names and from other spellings and handles."""
        full, parts = set(), set()
        for name in names:
            words = _fold_name(name).split()
            full.add(" ".join(words))
            if len(words) > 1:
                first, last = words[0], words[-1]
                full |= {f"{last} {' '.join(words[:-1])}", f"{last}, {' '.join(words[:-1])}"}
                parts |= {first, last, f"{first[0]} {last}", f"{first} {last[0]}"}
        full.update(map(_fold_name, spellings))
        return cls(*(frozenset(name for name in names if any(map(str.isalpha, name))) for names in (full, parts)))

    def __bool__(self) -> bool:
        return bool(self.full)

    def has_name(self, name: str) -> bool:
        """Return whether a name is a player's full name or a part of one; Mary-Jane may be Mary Jane."""
        key = _fold_name(name)
        return key in self.full or key in self.parts or key.replace("-", " ") in self.full

    def find_nominative(self, word: str) -> str:
        """Return the only known name that a word is a declined form of (Bena: Ben, Ольгу: Ольга), else ""."""
        return self._declined.get(_fold_name(word), "")

    @cached_property
    def _declined(self) -> dict[str, str]:
        """Map declined forms to names, ambiguous forms to ""."""
        names: dict[str, str] = {}
        for name in self.full | self.parts:
            for form in set(_iter_declined_forms(name)) if " " not in name else ():
                names[form] = "" if form in names else name
        return names


@lru_cache(maxsize=20_000)
def _fold_name(text: str) -> str:
    """Fold a name for comparison, without dots after letters."""
    return " ".join(re.sub(r"(?<=[^\W\d_])\.", " ", fold_accents(text)).split())


#: Nominative endings of names -> their other endings, in Polish, Russian and Serbian.
DECLENSION_ENDINGS = {
    "а": "у ой ою е ы и", "я": "ю ей е и", "a": "u om oj i y e ie o", "": "а у ом ем е a u om em owi ie",
    "й": "я ю ем", "и": "я ю ем", "ь": "я ю ем и", "о": "а у ом", "o": "a u om", "e": "a u om", "е": "а у ом",
}  # fmt: skip


def _iter_declined_forms(name: str) -> Iterator[str]:
    """Yield a name with its other endings."""
    for ending, other_endings in DECLENSION_ENDINGS.items():
        if name.endswith(ending) and len(stem := name.removesuffix(ending)) > 1:
            yield from (stem + other for other in other_endings.split())


def tokenize_line(text: str, lexicon: Lexicon, *, commas: bool = True, words_first: bool = False) -> list[PasteToken]:
    """Split a line into tokens.

    ``commas``: whether a comma between digits is a decimal comma. ``words_first``: whether a known name that is also a
    word of results, such as Drew, is read as the word.
    """
    tokens: list[PasteToken] = []
    position = 0
    while position < len(text):
        token, position = _read_next_token(text, position, lexicon, NUMBER_PATTERNS[commas], words_first)
        if token is None:
            continue
        if token.sort == "number" and tokens and tokens[-1].text == "=":
            tokens[-1] = PasteToken("link", ":", strength=DASH)  # Anna = 25
        tokens.append(token)
    return tokens


def _read_next_token(
    text: str, position: int, lexicon: Lexicon, signs: _NumberPatterns, words_first: bool
) -> tuple[PasteToken | None, int]:
    """Return the token at a position (None for ignored characters) and the position of the next one."""
    is_word_start = position == 0 or not (text[position - 1].isalnum() and text[position].isalnum())
    if is_word_start and (
        token_and_end := _match_known_name(text, position, lexicon, words_first) or _match_number(text, position, signs)
    ):
        return token_and_end
    if match := ATOM.match(text, position):
        return _make_word_token(match[0]), _find_word_end(text, match.end(), match[0])
    if match := ARROW.match(text, position) or ORDER.match(text, position):
        sort: Sort = "order" if ORDER.fullmatch(match[0]) else "link"
        return PasteToken(sort, match[0][0], strength=DASH), match.end()
    if text[position] in LINKS:
        return PasteToken("link", text[position], strength=LINKS[text[position]]), position + 1
    if text[position] in "()[]":
        return PasteToken("skip", text[position]), position + 1
    return None if text[position].isspace() or text[position] in IGNORED_CHARACTERS else PasteToken(
        "other", text[position]
    ), position + 1


def _match_number(text: str, position: int, signs: _NumberPatterns) -> tuple[PasteToken, int] | None:
    """Match a result, place or number at a position; returns its token and end."""
    kinds: tuple[tuple[Sort, re.Pattern[str]], ...] = (("pair", signs.pair), ("place", PLACE), ("number", signs.number))
    for sort, pattern in kinds:
        if match := pattern.match(text, position):
            # The minus is a dash if it follows a name without a space, as in Anna-3.
            if match[0][0] in MINUSES and position > 0 and text[position - 1].isalnum():
                continue
            return PasteToken(sort, match[0]), match.end()
    return None


def _match_known_name(text: str, start: int, lexicon: Lexicon, words_first: bool) -> tuple[PasteToken, int] | None:
    """Match the longest known name at a position; returns its token and end."""
    ends: list[int] = []
    position = start
    if (first := ATOM.match(text, start)) is None or fold_accents(first[0]) not in lexicon.first_words:
        return None
    while len(ends) < MAX_NAME_WORDS and (match := ATOM.match(text, position)):
        ends.append(match.end())
        gap = NAME_GAP.match(text, match.end())
        position = gap.end() if gap else match.end()
    for end in reversed(ends):
        key = _fold_name(text[start:end])
        full = key in lexicon.full or key.replace("-", " ") in lexicon.full
        if not lexicon.has_name(text[start:end]):
            continue
        if len(text[start:end].split()) == 1 and (words_first or not full) and find_kind(text[start:end]):
            continue
        last = re.search(r"[^\W\d_]+$", text[start:end])
        behind = _find_word_end(text, end, last[0] if last else "")
        return PasteToken("name", text[start:behind], full=full), behind
    return None


def _find_word_end(text: str, end: int, word: str) -> int:
    """Return the end of a word, including the dot of an initial or an abbreviation such as vs."""
    return end + 1 if text[end : end + 1] == "." and (len(word) == 1 or find_kind(word)) else end


def _make_word_token(text: str) -> PasteToken:
    kind = find_kind(text)
    if kind is None:
        return PasteToken("other" if text == "I" or fold_accents(text) in NON_NAMES else "word", text)
    if kind == "unit":
        return PasteToken("skip", text)
    if kind in ("win", "lose", "draw"):
        return PasteToken("verb", text, kind, VERSUS)
    return PasteToken("link", text, kind, AND if kind == "and" else VERSUS)


class GameKeys:
    """Makes keys that identify games when a text is read again."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def next_key(self, text: str) -> str:
        """Return the key of the next game with this text."""
        self._counts[text] += 1
        numbered_text = f"{self._counts[text]}\n{text}"
        return hashlib.sha256(numbered_text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
