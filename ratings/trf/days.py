"""The days of a tournament report file, as people and programs write them.

Lines 042 and 052 have the first and the last day, line 132 those of the rounds. Each line is written in one order of
day, month and year. Where several orders are possible, the one counts in which the lines agree.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from ratings.trf.day_texts import ORDERS, parse_day
from ratings.trf.document import TrfDays, TrfDocument, TrfLine, TrfRoundDates
from ratings.trf.problems import TrfProblem, build_trf_problem

#: What some programs write for no day at all.
NO_DAY = date(1899, 12, 30)


def read_days(document: TrfDocument, starts: date | None = None) -> tuple[TrfDays, list[TrfProblem]]:
    """Return the days, and an error or a warning if they are not clear.

    ``starts``: the first day, if the user states it. It decides between readings, or counts instead of the file's.
    """
    reader = _DaysReader(document)
    readings = list(dict.fromkeys(reader.list_readings()))
    if starts is not None:
        fitting = [days for days in readings if days.find_first() == starts]
        replaced = not fitting and (reader.header or reader.rounds is not None)
        problems = [build_trf_problem(0, 0, "days_replaced", day=starts)] if replaced else []
        return (fitting[0] if fitting else TrfDays(starts)), problems
    if len(readings) == 1:
        return readings[0], []
    if len({(days.find_first(), days.rounds) for days in readings}) == 1:
        return replace(readings[0], last=None), []
    return TrfDays(), [reader.explain(readings)]


class _DaysReader:
    """Reads the lines of days in each order."""

    def __init__(self, document: TrfDocument) -> None:
        self.header: dict[str, tuple[TrfLine, str]] = {}
        for tag in ("042", "052"):
            text = document.get_text(tag)
            if _is_day(text):
                self.header[tag] = next(document.list_lines(tag)), text
        dated = (line for line in document.list_lines("132") if isinstance(line.value, TrfRoundDates))
        self.rounds = next((line for line in dated if any(map(_is_day, _list_texts(line)))), None)

    def list_headers(self) -> Iterator[tuple[date | None, date | None]]:
        """Yield the first and the last day in each order in which both are days, the first before the last."""
        for order in ORDERS:
            days = {tag: parse_day(text, order) for tag, (_line, text) in self.header.items()}
            first, last = days.get("042"), days.get("052")
            if None not in days.values() and (first is None or last is None or first <= last):
                yield first, last

    def list_rounds(self) -> Iterator[tuple[str, tuple[date | None, ...]]]:
        """Yield each order in which all days of the rounds are days, and these."""
        texts = _list_texts(self.rounds)
        for order in ORDERS:
            days = tuple(parse_day(text, order) if _is_day(text) else None for text in texts)
            if all(day is not None or not _is_day(text) for day, text in zip(days, texts, strict=True)):
                yield order, days

    def list_readings(self) -> Iterator[TrfDays]:
        """Yield the ways to read all lines so that the rounds are within the competition.

        The days of rounds have the year first, as the format says, if that is possible.
        """
        for first, last in self.list_headers():
            for order, rounds in self.list_rounds():
                days = [day for day in rounds if day is not None]
                if all((first or day) <= day <= (last or day) for day in days):
                    yield TrfDays(first, last, rounds)
                    if order == "ymd":
                        break

    def explain(self, readings: list[TrfDays]) -> TrfProblem:
        """Return why the days are not clear."""
        if readings:
            stated = {"042": [days.first for days in readings], "052": [days.last for days in readings]}
            unclear = [(*self.header[tag], days) for tag, days in stated.items() if tag in self.header]
            if self.rounds is not None:
                days_by_round = zip(*(one.rounds for one in readings), strict=True)
                texts = _list_texts(self.rounds)
                unclear += [(self.rounds, *pair) for pair in zip(texts, map(list, days_by_round), strict=True)]
            line, text, days = next(one for one in unclear if len({*one[2]}) > 1)
            found = ", ".join(map(str, dict.fromkeys(days)))
            return build_trf_problem(line.number, 5, "ambiguous_day", text=text, days=found)
        for line, text in self.header.values():
            if not any(parse_day(text, order) for order in ORDERS):
                return build_trf_problem(line.number, 5, "day", text=text)
        if self.rounds is None or not list(self.list_headers()):
            return build_trf_problem(self.header["052"][0].number, 5, "last_day_first")
        for text in filter(_is_day, _list_texts(self.rounds)):
            if not any(parse_day(text, order) for order in ORDERS):
                return build_trf_problem(self.rounds.number, 0, "day", text=text)
        return build_trf_problem(self.rounds.number, 0, "round_day")


def _list_texts(line: TrfLine | None) -> tuple[str, ...]:
    """Return the days of line 132 as they are written."""
    return line.value.dates if line is not None and isinstance(line.value, TrfRoundDates) else ()


def _is_day(text: str) -> bool:
    """Return whether a text states something; programs also write zeros, or their first day."""
    return any(letter.isalpha() or letter in "123456789" for letter in text) and parse_day(text, "ymd") != NO_DAY
