"""Words that people use in results, in the languages of the site."""

import re
from functools import lru_cache
from typing import Literal

from league.core.text.names import fold_accents

WordKind = Literal["win", "lose", "draw", "by", "over", "versus", "and", "neutral", "unit"]
#: Complete words. Known names take precedence.
RESULT_WORDS: dict[WordKind, str] = {
    "win": (
        "beat beats beaten defeated defeats won wins win winner def bt crushed thrashed edged outplayed schlägt "
        "schlaegt schlug geschlagen besiegt besiegen besiegten schlagen schlugen gewinnen gewannen siegen siegten "
        "besiegte bezwingt bezwang bezwungen gewinnt gewann gewonnen siegt siegte gesiegt sieger siegerin gewinner "
        "bije zwycięzca zwyciężczyni победитель победительница dobio dobila dobili dobija pobednik pobednica добио "
        "добила добили добија победник победница"
    ),
    "lose": (
        "lost loses lose loser verlieren unterliegen unterlagen verliert verlor verloren unterliegt unterlag "
        "unterlegen verlierer verliererin ulega uległ uległa ulegli pokonany pokonana przegrany przegrana побежден "
        "побеждена уступает проигравший проигравшая pobeđen pobeđena pobedjen pobedjena побеђен побеђена gubi gube "
        "губи губе gubitnik губитник"
    ),
    "draw": (
        "drew draw draws drawn tie tied ties remis remisiert remisierte remisierten unentschieden patt ничья ничью "
        "вничью ничьей remi nerešeno nereseno реми нерешено"
    ),
    "by": "by von przez",
    "over": "over",
    "versus": (
        "vs versus v against gegen gg kontra contra przeciw przeciwko против protiv x to with mit z ze у с со sa са s "
        "od од nad над"
    ),
    "and": "and und oraz i и",
    "neutral": (
        "has have had is was were hat haben wurde wurden ist war został została zostali był była byli był je su је "
        "су igrale играле so played plays play spielt spielen spielte spielten gespielt grał grała grali zagrał "
        "zagrała zagrali играл играла играли сыграл сыграла сыграли igrao igrala igrali играо играла играли game "
        "match spiel partie mecz final finals semifinal quarterfinal finale halbfinale viertelfinale finał półfinał "
        "ćwierćfinał финал полуфинал четвертьфинал финале полуфинале четвртфинале polufinale četvrtfinale trennen "
        "trennten sich gra partia матч игра партия meč partija меч партија between zwischen między между između "
        "између for für dla для za за score result ergebnis wynik счет счёт результат rezultat резултат счётом "
        "счетом wynikiem rezultatom резултатом just narrowly easily clearly knapp klar deutlich glatt легко уверенно "
        "łatwo pewnie lako sigurno лако сигурно"
    ),
    "unit": "points point pts pt punkte punkten punkt pkt punkty punktów очков очка очко поена поени poena poeni",
}
#: Words in Latin script of languages that decline names. RESULT_STEMS and Cyrillic words count as well.
DECLINING_WORDS = (
    "bije ulega uległ uległa ulegli pokonany pokonana dobio dobila dobili dobija gubi gube pobeđen pobeđena pobedjen "
    "pobedjena przeciw przeciwko protiv nad przez z ze sa od"
)
#: Beginnings of inflected words: побед-ил, -ила, -или. The first match counts.
RESULT_STEMS: dict[WordKind, str] = {
    "lose": "przegra проигр уступи izgubi изгуби",
    "win": (
        "pokona pokonuj wygr zwyciez ogral ogryw победи побежда выигр обыгр одоле побеђу pobedi pobedju pobedu "
        "pobijedi savlad савлад"
    ),
    "draw": "zremis remisuj remizira ремизира",
}
#: Words before the number of a table or a round: "Round 2", "Tisch 4:", "партия 3".
NUMBERED_WORDS = (
    "game match round table board spiel partie runde tisch brett gra partia mecz runda stół stolik партия игра матч "
    "раунд тур стол доска партија коло сто табла partija kolo sto tabla set"
)
#: Headings that are ignored when alone on a line.
HEADING_WORDS = (
    "results result games scores ergebnisse ergebnis spiele partien wyniki wynik gry partie результаты результат игры "
    "партии резултати резултат партије rezultati rezultat partije"
)
#: Words that are not names and make a line unclear: "me", "yesterday", "not".
NO_NAME_WORDS = (
    "me we us ich mich wir uns я мы нас ja ја ми not never no nicht nie kein keine не ни ne nije није nisu нису "
    "yesterday today tonight tomorrow gestern heute vorgestern wczoraj dziś dzisiaj jutro вчера сегодня завтра juče "
    "danas sutra јуче данас сутра nobody everyone everybody someone himself herself niemand jeder alle nikt wszyscy "
    "никто все нико niko svi am pm uhr"
)
#: Lower-case words inside names.
NAME_WORDS = "von van de der den del da di la le el al bin ten ter zu zum zur dos"


def _index_kinds(words: dict[WordKind, str]) -> dict[str, WordKind]:
    return {fold_accents(word): kind for kind, text in words.items() for word in text.split()}


TABLE_WORDS, HEADINGS, PARTICLES, NON_NAMES, DECLINING = (
    frozenset(map(fold_accents, words.split()))
    for words in (NUMBERED_WORDS, HEADING_WORDS, NAME_WORDS, NO_NAME_WORDS, DECLINING_WORDS)
)
KIND_BY_WORD, KIND_BY_STEM = _index_kinds(RESULT_WORDS), _index_kinds(RESULT_STEMS)
CYRILLIC = re.compile("[\u0400-\u04ff]")


@lru_cache(maxsize=20_000)
def find_kind(word: str) -> WordKind | None:
    """Return the meaning of a word in a line of results, None if unknown.

    A single capital letter is a player's initial: A + B against C + D.
    """
    key = fold_accents(word)
    if len(word) == 1 and word.isupper():
        return None
    if key in KIND_BY_WORD:
        return KIND_BY_WORD[key]
    return next((kind for stem, kind in KIND_BY_STEM.items() if key.startswith(stem)), None)


def precedes_declined_names(word: str) -> bool:
    """Return whether names after a word may be declined in its language, so that Dana can mean Dan."""
    key = fold_accents(word)
    return CYRILLIC.search(word) is not None or key in DECLINING or key.startswith(tuple(KIND_BY_STEM))
