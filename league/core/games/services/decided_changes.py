"""Changes a game and decides about closed periods in one transaction."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from django.utils.translation import gettext as _

from league.core.ladders.selectors.ladders import find_latest_edition, load_periods_awaiting_decision
from league.core.ladders.services.decisions import carry_period, close_period
from league.core.locking import run_in_transaction
from league.models import League

T = TypeVar("T")

#: The choices for a closed period whose ranking has changed.
PUBLISH, STAND = "publish", "stand"


def change_and_decide(
    league_id: int, change: Callable[[], T], choices: Mapping[tuple[str, str], str], *, reason: str, username: str
) -> tuple[T, list[str]]:
    """Change a game and decide about closed periods ((ladder, key) -> PUBLISH or STAND), with one reason.

    Returns the result of ``change`` and sentences describing the decisions. Periods that need no decision after the
    change are skipped, and so are all of them if its replay runs in the background. Raises whatever ``change``,
    ``close_period`` and ``carry_period`` raise; nothing is written then.
    """

    def work() -> tuple[T, list[str]]:
        result = change()
        league = League.objects.get(pk=league_id)
        undecided = load_periods_awaiting_decision(league) if choices and league.stale_from is None else []
        messages = []
        for period in undecided:
            choice_key = (period.ladder.slug, period.key)
            if choices.get(choice_key) == PUBLISH:
                edition = close_period(league_id, *choice_key, reason=reason, username=username)
                template = _("Edition {number} of {period} was published.")
                messages.append(template.format(number=edition.number, period=period.name))
            elif choices.get(choice_key) == STAND:
                carry_period(league_id, *choice_key, reason=reason, username=username)
                last = find_latest_edition(period)
                template = _("Edition {number} of {period} was kept.")
                messages.append(template.format(number=last.number if last else 1, period=period.name))
        return result, messages

    return run_in_transaction(work)
