"""Decodes text files of any encoding, and asks where bytes may be different names.

Bytes that are not Unicode mean other letters in each encoding: “Łucja” in windows-1250 is “£ucja” in windows-1252. An
encoding fits if its letters form words of languages. Which letters follow each other in a language is counted in the
translations that Django brings. Where two encodings fit, the user is asked: a name is never guessed.
"""

import math
import re
import unicodedata
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from gettext import GNUTranslations
from importlib.resources import files
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from pathlib import Path

from django.utils.translation import gettext as _

from league.core.errors import Invalid, Problem

MARKS = {BOM_UTF8: "utf-8", BOM_UTF16_LE: "utf-16-le", BOM_UTF16_BE: "utf-16-be"}
#: Encodings of files, and how much likelier they are than others (logarithm). Those of DOS are rare.
ENCODINGS = {
    "windows-1252": 2.0, "windows-1250": 0.0, "windows-1251": 0.0, "windows-1253": 0.0, "windows-1254": 0.0,
    "windows-1257": 0.0, "iso-8859-2": 0.0, "iso-8859-15": 0.0, "iso-8859-5": -2.0, "koi8-r": -2.0, "cp866": -2.0,
    "cp852": -3.0, "cp850": -4.0,
}  # fmt: skip
#: The encodings that a user can choose.
CHOICES = (*MARKS.values(), *ENCODINGS)
#: Packages with translations, and where in them.
TRANSLATED = (("django", "conf"), ("django", "contrib/*"), ("rest_framework", "."), ("allauth", "."))
#: Names with letters that are rarer in translations, and how often a translated word with them would be there.
NAMES = {
    "cs": "Čeněk Jiří Ondřej Matěj Žaneta Růžena Dvořák Černý Novotný Kučera Němec Růžička Beneš Šťastný Kříž Bláha",
    "da": "Søren Jørgen Jørgensen Sørensen Bjørn Øjvind Åse Kjær Kær Møller Pærregaard Højgaard Nørgaard",
    "de": "Jürgen Jörg Günther Björn Käthe Bärbel Müller Jäger Schäfer Krämer Böhm Köhler Grün Groß Weiß Strauß Kühn",
    "es": "Íñigo Begoña Muñoz Núñez Nuñez Ibáñez Zúñiga Peña Goñi Acuña Montañés Ordóñez Martín García José María "
    "Ángel",
    "et": "Jõgi Sõnajalg Õnne Mõis Põld Tõnu Jüri Kõiv Ülle Märt Šmidt",
    "fi": "Mäkinen Hämäläinen Väinö Jääskeläinen Yrjö Pöyry",
    "fr": "François Françoise Hélène Irène Geneviève Michèle Agnès Inès Anaïs Loïc Gaël Noël Zoë Zoé André René "
    "Lefèvre Rivière Benoît Lemaître Jérôme Hervé Chloé Sébastien Maëlle Valéry Barthélemy",
    "hr": "Šarić Đurđa Đurić Kovačić Jurić Matić Horvatić Željko Božić Grgić Krešimir Andrić Perišić Mandžukić",
    "hu": "László Zoltán István Erdős Szőke Gergő Győző Jenő Ernő Szabó Tóth Kovács Szűcs Fűzfa Csaba Gábor Nagyné",
    "is": "Þór Þórður Þóra Guðrún Guðmundur Ýmir Ýr Jónína Sigurðsson Kristjánsdóttir Ægir Sæmundur Dýrfjörð",
    "it": "Nicolò Niccolò Giosuè Noè Mosè Cantù Corrà Donà Nordiò Bertolù Forlì Salò Dalmà Sarà",
    "lt": "Žemaitis Šimkus Jonė Rūta Gintarė Agnė Ąžuolas Žukauskas Kazlauskienė Paulauskaitė Jūratė Čepaitis Vytė",
    "lv": "Jānis Bērziņš Kalniņš Ozoliņš Līga Mārtiņš Krūmiņš Ķirsis Ļaudis Ģirts Šķēle Zāle Pēteris Žanis",
    "nb": "Bjørn Øystein Håkon Ødegård Sæther Åse Kåre Bøe Grønn Bråten",
    "pl": "Łucja Łukasz Michał Paweł Żaneta Żak Kuźma Jóźwiak Gąsior Dąbrowski Wójcik Woźniak Zając Kamiński Mańka "
    "Śliwa Świątek Ćwik Bąk Bożena Małgorzata Grzegorz Błażej Wołoch Kaźmierczak Gołąb Jabłoński",
    "pt": "João Conceição Assunção Araújo Simões Guimarães Gonçalves Antónia Inês Luís Magalhães Falcão",
    "ro": "Ștefan Ţepeş Ştefan Ioniță Rădulescu Bălan Cătălin Brâncuşi Mureşan Dragoş Anghelină",
    "sk": "Ľudovít Ľubica Kováč Ďuro Nováková Žigmund Šimko Koňa Ťapák Peňaška Hudák Víťazoslav",
    "sl": "Žiga Špela Anže Čeh Zupančič Kovačič Uroš Matjaž Blaž",
    "sr_Latn": "Petrović Jovanović Đoković Đorđević Čolić Šarić Živković Nikolić Ilić Đurić Žarko Miloš Nataša Anđela",
    "sv": "Åke Björn Sjöström Håkansson Bergström Ström Löfgren Åström Wåhlin Märta",
    "tr": "Şahin Şen Şener Yıldız Doğan Ayşe Hüseyin Çağlar Çelik Gökçe Öztürk Kılıç İsmail İbrahim Ömer Büşra Işık "
    "Tuğba Dağ Şükrü Âdem Kâmil",
}
NAME_WEIGHT = 3
LANGUAGES = (*NAMES, "be", "bg", "el", "mk", "nl", "ru", "sq", "sr", "uk")
#: How much likelier (logarithm) the chosen encoding must be than all others.
MARGIN = 8.0
#: The cost of a word in another language than the file's, and of signs at a letter that are no part of a word.
OTHER_LANGUAGE, STRAY_SIGN = 9.0, 15.0
#: Words beyond this number are not compared.
MAX_WORDS, MAX_CHOICES = 400, 4
WORD = re.compile(rb"[0-9A-Za-z]*[\x80-\xff][0-9A-Za-z\x80-\xff]*")
CONTROL = re.compile("[\0-\x08\x0b\x0e-\x19\x1b-\x1f\x7f-\x9f]")
QUOTES, DASHES, SPACE = "“”„«»‘’‚‹›", "–—…", "\u00a0"
SEPARATOR = re.compile(f"([{QUOTES}{DASHES}{SPACE}])")
LETTERS = re.compile(r"[^\W\d_]+")
#: Scripts whose letters no name mixes.
SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK"})
USUAL_SIGNS = frozenset("–—½¼¾×•·№0123456789")
FREE_SIGNS = USUAL_SIGNS | frozenset(f"{QUOTES}{DASHES}{SPACE}°€£§™©®")
#: Placeholders and tags in translations.
MARKUP = re.compile(r"%\(\w+\)\w|%\w|<[^>]*>|&\w+;|\{\w*\}")


@dataclass(frozen=True)
class DecodedText:
    """The text of a file with its codec and its byte order mark, if it had one."""

    text: str
    encoding: str
    mark: bytes = b""


class UnclearEncoding(Invalid):
    """A file may be in several encodings; ``choices``: each with a word of the file as it would read."""

    def __init__(self, choices: Sequence[tuple[str, str]]) -> None:
        self.choices = tuple(choices)
        readings = ", ".join(f"“{word}” ({encoding})" for encoding, word in choices)
        message = _("The encoding of the file is not clear. It may say: {readings}. Choose its encoding.")
        super().__init__(message.format(readings=readings))


def decode_text(data: bytes, encoding: str = "") -> DecodedText:
    """Decode a file; raises Invalid if it is no text, and UnclearEncoding if several encodings fit.

    ``encoding``: what the user chose, one of ``ENCODINGS`` or a Unicode one.
    """
    mark = next((mark for mark in MARKS if data.startswith(mark)), b"")
    body = data[len(mark) :]
    codec = MARKS.get(mark) or find_encoding(body, encoding)
    try:
        text = body.decode(codec)
    except UnicodeDecodeError:
        why = _("This is not text in {encoding}. Save the sheet as CSV, or paste it.").format(encoding=codec)
        raise Invalid(why, [Problem("", "not_text", why)]) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        message = _("Line {line}: this is not text: it contains NUL characters. Save the sheet as CSV, or paste it.")
        raise Invalid(sentence := message.format(line=line), [Problem(f"/lines/{line}", "nul", sentence, line)])
    return DecodedText(text, codec, mark)


def open_text(data: bytes, encoding: str = "") -> TextIOWrapper:
    """Return the lines of a file, with their line ends; raises what ``decode_text`` raises."""
    decoded = decode_text(data, encoding)
    return TextIOWrapper(BytesIO(data[len(decoded.mark) :]), encoding=decoded.encoding, newline="")


def find_encoding(data: bytes, encoding: str = "") -> str:
    """Return the codec of bytes without a byte order mark; raises what ``decode_text`` raises."""
    if encoding:
        return check_encoding(encoding)
    try:
        data.decode()
    except UnicodeDecodeError:
        return _guess_encoding(data)
    words = sorted(set(WORD.findall(data)))
    if words and all(_mixes_scripts(word.decode()) for word in words) and _are_names_elsewhere(words):
        _ask_about_mixed_scripts(data, words[0])
    return "utf-8"


def check_encoding(name: str) -> str:
    """Return the name of an encoding that can be chosen; raises Invalid for others."""
    key = name.strip().lower().replace("_", "-")
    if key not in CHOICES:
        message = _("There is no encoding “{name}”; choose one of: {names}.")
        raise Invalid(message.format(name=name[:40], names=", ".join(CHOICES)))
    return key


def _guess_encoding(data: bytes) -> str:
    """Return the only encoding in which bytes are words; else raises UnclearEncoding."""
    words = sorted(set(WORD.findall(data)))
    readings = {name: reading for name in ENCODINGS if (reading := _read_words(words, name)) is not None}
    scores: dict[tuple[str, ...], float] = {}
    names: dict[tuple[str, ...], str] = {}
    for name, reading in readings.items():
        score = _score_reading(reading[:: len(words) // MAX_WORDS + 1]) + ENCODINGS[name]
        if names.setdefault(reading, name) == name or score > scores[reading]:
            scores[reading] = score
    ranked = sorted(scores, key=scores.__getitem__, reverse=True)
    likely = [reading for reading in ranked if scores[reading] > scores[ranked[0]] - MARGIN]
    if len(likely) == 1 and not any(map(_has_stray_sign, ranked[0])):
        return names[ranked[0]]
    likely = (likely if len(likely) > 1 else ranked)[:MAX_CHOICES]
    shown: list[tuple[str, ...]] = [()] * len(likely)
    for readings_of_word in zip(*likely, strict=True):
        longer = [(*words_before, word) for words_before, word in zip(shown, readings_of_word, strict=True)]
        shown = longer if len({*longer}) > len({*shown}) else shown
    raise UnclearEncoding([(names[reading], " ".join(word)) for reading, word in zip(likely, shown, strict=True)])


def _mixes_scripts(word: str) -> bool:
    """Return whether letters of two scripts stand side by side in a word, as in no name."""
    runs = (run for run in LETTERS.findall(word) if not run.isascii())
    return any(len(SCRIPTS & {unicodedata.name(letter, "").partition(" ")[0] for letter in run}) > 1 for run in runs)


def _are_names_elsewhere(words: Sequence[bytes]) -> bool:
    """Return whether another encoding reads each of some words as a name."""
    readings = (_read_words(words, name) for name in ENCODINGS)
    return any(reading is not None and not any(map(_count_stray_signs, reading)) for reading in readings)


def _ask_about_mixed_scripts(data: bytes, word: bytes) -> None:
    """Raise UnclearEncoding for bytes that are UTF-8 by chance: “Ďásek” of DOS is “Ҡsek” then."""
    try:
        name = _guess_encoding(data)
    except UnclearEncoding as unclear:
        choices = unclear.choices[: MAX_CHOICES - 1]
    else:
        choices = ((name, word.decode(name)),)
    raise UnclearEncoding([*choices, ("utf-8", word.decode())])


def _read_words(words: Sequence[bytes], encoding: str) -> tuple[str, ...] | None:
    """Return words as an encoding reads them, None if it has no character for a byte."""
    try:
        text = b"\n".join(words).decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if CONTROL.search(text) else tuple(text.split("\n"))


def _score_reading(words: Iterable[str]) -> float:
    """Return how likely (logarithm) words are: names of one language, a few of others."""
    total, rows = 0.0, []
    for word in words:
        total -= STRAY_SIGN * _count_stray_signs(word)
        for part in SEPARATOR.split(word) if any(map(str.isalpha, word)) else ():
            if part and not SEPARATOR.match(part):
                rows.append([language.score_word(fold_case(part)) for language in _load_languages()])
    best = [max(row) - OTHER_LANGUAGE for row in rows]
    scores = ([max(pair) for pair in zip(column, best, strict=True)] for column in zip(*rows, strict=True))
    return total + max(map(sum, scores), default=0.0)


def fold_case(word: str) -> str:
    """Return a word in lower case, the Turkish İ as one letter."""
    return word.replace("İ", "i").lower()


def _has_stray_sign(word: str) -> bool:
    """Return whether a word has a character that no name has."""
    return any(not letter.isalnum() and letter not in FREE_SIGNS for letter in word)


def _count_stray_signs(word: str) -> float:
    """Return how much in a word is no part of a name: signs, capitals inside, letters of two scripts."""
    if not any(map(str.isalpha, word)):
        return sum(0.2 if sign in USUAL_SIGNS else 0.6 if sign in FREE_SIGNS else 1.0 for sign in word)
    count, parts = 0.0, SEPARATOR.split(word)
    for before, sign, after in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
        between, alone = bool(before and after), not (before or after)
        usual = {"’": between, SPACE: before and not after[:1].islower()} | dict.fromkeys(DASHES, between or alone)
        count += 0.2 if usual.get(sign) else 1.0
    return count + sum(not _is_name(part) for part in parts[::2] if part)


def _is_name(word: str) -> bool:
    """Return whether a word may be one of a name: letters of one script, capitals at the beginning or everywhere."""
    letters = word.replace("ß", "")
    scripts = {unicodedata.name(letter, "").partition(" ")[0] for letter in word if not letter.isdigit()}
    if len(scripts) > 1 or any(unicodedata.category(letter) not in ("Lu", "Ll", "Nd") for letter in word):
        return False
    in_case = all(letter.islower() or letter.isascii() for letter in letters[1:])
    return in_case or letters.isupper()


class _Language:
    """How often letters follow each other in the translations of a language."""

    def __init__(self, name: str) -> None:
        words = [*{*_iter_translated_words(name)}, *fold_case(NAMES.get(name, "")).split() * NAME_WEIGHT]
        framed = [f" {word} " for word in words]
        self.pairs = Counter(pair for word in framed for pair in pairwise(word))
        self.letters = Counter(letter for word in framed for letter in word[:-1])
        self.total = self.letters.total()
        self.score_pair = lru_cache(maxsize=None)(self._score_pair)

    def _score_pair(self, first: str, second: str) -> float:
        alone = (self.letters[second] + 0.05) / (self.total + 5)
        return math.log((self.pairs[first, second] + 8 * alone) / (self.letters[first] + 8))

    def score_word(self, word: str) -> float:
        """Return how likely (logarithm) a word in lower case is in the language."""
        return sum(self.score_pair(first, second) for first, second in pairwise(f" {word} "))


@lru_cache(maxsize=1)
def _load_languages() -> list[_Language]:
    return [_Language(name) for name in LANGUAGES]


def _iter_translated_words(language: str) -> Iterator[str]:
    """Yield the words of the translations of installed packages into a language."""
    for package, folder in TRANSLATED:
        root = Path(str(files(package)))
        for path in sorted(root.glob(f"{folder}/locale/{language}/LC_MESSAGES/django.mo")):
            with path.open("rb") as file:
                for text in vars(GNUTranslations(file))["_catalog"].values():
                    yield from (fold_case(word) for word in re.findall(r"[^\W\d_]+", MARKUP.sub("", text)))
