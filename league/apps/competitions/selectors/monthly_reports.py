"""The tournament reports of a long competition, one for each month with the rounds of that month alone."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from django.utils.translation import gettext as _

from league.apps.competitions.selectors.competition_data import LoadedCompetition
from league.apps.competitions.selectors.exporting import build_report, find_round_day, load_source, refuse_adjourned
from league.apps.competitions.selectors.national_ratings import build_national
from league.apps.competitions.selectors.pairing_numbers import renumber_entries
from league.apps.competitions.selectors.rating_order import find_round_rating
from league.core.errors import Problem, Refused
from ratings.standings.ranking import rank_standings
from ratings.trf.building import build_document
from ratings.trf.months import cut_rounds
from ratings.trf.problems import CannotWriteTrf
from ratings.trf.writing import TrfVersion, write_trf


def list_months(loaded: LoadedCompetition) -> Mapping[date, list[int]]:
    """Return the first day of each month of a long competition -> its rounds, by the days on which they begin."""
    months: dict[date, list[int]] = {}
    for one in loaded.data.rounds if loaded.competition.long else ():
        if day := find_round_day(loaded, one.number):
            months.setdefault(day.replace(day=1), []).append(one.number)
    return dict(sorted(months.items()))


def export_month(
    loaded: LoadedCompetition, month: date, version: TrfVersion | None = None, *, for_organisers: bool = True
) -> bytes:
    """Return the tournament report of a month: its rounds with the ratings that apply in the first of them.

    ``version`` None: TRF26. Raises Refused for a competition that has no such month, and as ``export_report``.
    """
    months = list_months(loaded)
    if month not in months:
        if not loaded.competition.long:
            message = _("Only a competition of more than 30 days is reported by month.")
            raise Refused.of([Problem("?month", "not_long", message)])
        template = _("No round begins in {month}. The months are: {months}.")
        names = ", ".join(f"{one:%Y-%m}" for one in months) or _("none")
        raise Refused.of([Problem("?month", "no_round", template.format(month=f"{month:%Y-%m}", months=names))])
    if loaded.competition.sides_of > 1:
        raise Refused(_("The format has single players only. Export CSV or JSON."))
    rounds = months[month]
    refuse_adjourned(loaded, rounds)
    _source, stored = load_source(loaded)
    loaded = renumber_entries(loaded)
    ratings = {
        number: rating.rating if (rating := find_round_rating(entry, rounds[0])) else None
        for number, entry in loaded.entries.items()
    }
    try:
        whole = build_report(loaded, stored, with_people=for_organisers)
        # The event may take longer than planned.
        days = tuple(find_round_day(loaded, one.number) for one in whole.data.rounds)
        report = cut_rounds(replace(whole, round_days=days), rounds, ratings)
        report = replace(report, **build_national(loaded, report.players, rounds[0]))
        ranks = {row.entry: row.rank for row in rank_standings(report.data, []).rows}
        return write_trf(build_document(report, ranks=ranks, version=version or "26"), version=version)
    except CannotWriteTrf as error:
        raise Refused(str(error)) from None
