"""Months and weekdays in Polish, Russian and Serbian, each in the forms that stand in dates; whole words only."""

import unicodedata

#: January to December: as such, as it stands in a date, short; Serbian in both alphabets.
FORMS = (
    "styczeń stycznia sty январь января янв јануар јануара јан januar januara jan",
    "luty lutego lut февраль февраля фев февр фебруар фебруара феб februar februara feb",
    "marzec marca mar март марта мар marta mart",
    "kwiecień kwietnia kwi апрель апреля апр април априла april aprila apr",
    "maj maja май мая мај маја",
    "czerwiec czerwca cze czerw июнь июня июн јун јуна јуни jun juna juni",
    "lipiec lipca lip июль июля июл јул јула јули jul jula juli",
    "sierpień sierpnia sie sierp август августа авг avgust avgusta avg",
    "wrzesień września wrz wrześ сентябрь сентября сен сент септембар септембра сеп септ septembar septembra sep sept",
    "październik października paź paźdz октябрь октября окт октобар октобра oktobar oktobra okt",
    "listopad listopada lis ноябрь ноября ноя нояб новембар новембра нов novembar novembra nov",
    "grudzień grudnia gru декабрь декабря дек децембар децембра дец decembar decembra dec",
)
DAYS = (
    "poniedziałek pon pn wtorek wto wt środa śro śr czwartek czw piątek pią pt sobota sob niedziela niedz nie nd "
    "понедельник пн вторник вт среда ср четверг чт пятница пт суббота сб воскресенье вс "
    "понедељак пон уторак уто сре четвртак чет петак пет субота суб недеља нед "
    "ponedeljak pon utorak uto sreda sre četvrtak čet petak pet subota sub nedelja ned"
)
#: What stands behind a year: 6 ноября 2026 г., 6 listopada 2026 r., 6. новембра 2026. године.
OF_YEARS = ("г", "года", "год", "r", "roku", "године", "godine", "god")


def bare(word: str) -> str:
    """Return a word without its marks, as it is often typed: wrzesnia, sroda, cetvrtak."""
    apart = unicodedata.normalize("NFD", word.replace("ł", "l"))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def both(words: str) -> set[str]:
    """Return words as they are written and without their marks; й is a letter of its own and stays."""
    return {form for word in words.split() for form in (word, word if "й" in word else bare(word))}


MONTHS = {form: month for month, words in enumerate(FORMS, start=1) for form in both(words)}
WEEKDAYS = frozenset(both(DAYS))
