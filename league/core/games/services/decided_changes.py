"""Changes a game and decides about closed periods in one transaction."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from django.utils.translation import gettext as _

from league.core.ladders.selectors.ladders import latest_edition, periods_awaiting
from league.core.ladders.services.decisions import carry_period, close_period
from league.core.locking import in_transaction
from league.models import League

T = TypeVar("T")

#: The choices for a closed period whose ranking has changed.
PUBLISH, STAND = "publish", "stand"


def change_and_decide(
    league_id: int, act: Callable[[], T], choices: Mapping[tuple[str, str], str], *, reason: str, by: str
) -> tuple[T, list[str]]:
    """Change a game and decide about closed periods ((ladder, key) -> PUBLISH or STAND), with one reason.

    Returns the result of ``act`` and sentences describing the decisions. Periods that need no decision after the change
    are skipped, and so are all of them if its replay runs in the background. Raises whatever ``act``, ``close_period``
    and ``carry_period`` raise; nothing is written then.
    """

    def work() -> tuple[T, list[str]]:
        done = act()
        league = League.objects.get(pk=league_id)
        waiting = periods_awaiting(league) if choices and league.stale_from is None else []
        sentences = []
        for period in waiting:
            where = (period.ladder.slug, period.key)
            if choices.get(where) == PUBLISH:
                edition = close_period(league_id, *where, reason=reason, by=by)
                sentence = _("Edition {number} of {period} was published.")
                sentences.append(sentence.format(number=edition.number, period=period.name))
            elif choices.get(where) == STAND:
                carry_period(league_id, *where, reason=reason, by=by)
                last = latest_edition(period)
                sentence = _("Edition {number} of {period} was kept.")
                sentences.append(sentence.format(number=last.number if last else 1, period=period.name))
        return done, sentences

    return in_transaction(work)
