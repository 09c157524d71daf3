"""Names of months and weekdays in the languages of the site, and beginnings of months in more."""

import unicodedata

#: January to December: full name, form in a date, abbreviation; Serbian in both alphabets.
MONTH_FORMS = (
    "january jan januar jän jänner styczeń stycznia sty январь января янв јануар јануара јан januar januara jan",
    "february feb februar luty lutego lut февраль февраля фев февр фебруар фебруара феб februar februara feb",
    "march mar märz mär mrz marzec marca mar март марта мар marta mart",
    "april apr kwiecień kwietnia kwi апрель апреля апр април априла april aprila apr",
    "may mai maj maja май мая мај маја",
    "june jun juni czerwiec czerwca cze czerw июнь июня июн јун јуна јуни jun juna juni",
    "july jul juli lipiec lipca lip июль июля июл јул јула јули jul jula juli",
    "august aug sierpień sierpnia sie sierp август августа авг avgust avgusta avg",
    "september sep sept wrzesień września wrz wrześ сентябрь сентября сен сент септембар септембра сеп септ septembar "
    "septembra sep sept",
    "october oct oktober okt październik października paź paźdz октябрь октября окт октобар октобра oktobar oktobra "
    "okt",
    "november nov listopad listopada lis ноябрь ноября ноя нояб новембар новембра нов novembar novembra nov",
    "december dec dezember dez grudzień grudnia gru декабрь декабря дек децембар децембра дец decembar decembra dec",
)
#: Monday to Sunday.
WEEKDAY_FORMS = (
    "monday mon montag mo poniedziałek pon pn понедельник пн понедељак пон ponedeljak pon",
    "tuesday tue tues dienstag di wtorek wto wt вторник вт уторак уто utorak uto",
    "wednesday wed mittwoch mi środa środę śro śr среда среду ср среда сре sreda sredu sre",
    "thursday thu thur thurs donnerstag do czwartek czw четверг чт четвртак чет četvrtak čet",
    "friday fri freitag fr piątek pią pt пятница пятницу пт петак пет petak pet",
    "saturday sat samstag sonnabend sa sobota sobotę sob суббота субботу сб субота суб subota subotu sub",
    "sunday sun sonntag so niedziela niedzielę niedz nie nd воскресенье вс недеља недељу нед nedelja nedelju ned",
)


def strip_accents(word: str) -> str:
    """Return a word without accents, as it is often typed: wrzesnia, sroda, cetvrtak."""
    decomposed = unicodedata.normalize("NFD", word.replace("ł", "l"))
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def add_unaccented_forms(words: str) -> set[str]:
    """Return words with and without accents; й is a separate letter and stays."""
    return {form for word in words.split() for form in (word, word if "й" in word else strip_accents(word))}


MONTHS = {form: month for month, words in enumerate(MONTH_FORMS, start=1) for form in add_unaccented_forms(words)}
WEEKDAYS = {form: day for day, words in enumerate(WEEKDAY_FORMS) for form in add_unaccented_forms(words)}
#: Beginnings of months in several languages; the longest match counts.
MONTH_BEGINNINGS = {
    start: month
    for month, starts in enumerate(
        (
            "jan ene gen led janv", "feb fev fév fevr", "mar mär mrt maa", "apr avr abr", "may mai maj mei mag",
            "jun juin giu", "jul juil lug", "aug aou aoû ago", "sep set", "oct okt ott out", "nov", "dec dez déc dic",
        ),
        start=1,
    )
    for start in starts.split()
}  # fmt: skip


def find_month(word: str) -> int:
    """Return the month named or abbreviated by a word, 0 for other words."""
    if word in MONTHS:
        return MONTHS[word]
    return next(
        (MONTH_BEGINNINGS[word[:size]] for size in (4, 3) if word[:size] in MONTH_BEGINNINGS and len(word) <= 10), 0
    )


def find_weekday(text: str) -> int | None:
    """Return the weekday if a text is only a weekday, from 0 for Monday; else None."""
    return WEEKDAYS.get(unicodedata.normalize("NFC", text.strip(" .,:")).casefold())
