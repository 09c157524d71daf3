"""Changes a game and decides about closed periods in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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
        published, kept = [], []
        for period in undecided:
            choice_key = (period.ladder.slug, period.key)
            if choices.get(choice_key) == PUBLISH:
                edition = close_period(league_id, *choice_key, reason=reason, username=username)
                published.append((edition.number, period.name))
            elif choices.get(choice_key) == STAND:
                carry_period(league_id, *choice_key, reason=reason, username=username)
                last = find_latest_edition(period)
                kept.append((last.number if last else 1, period.name))
        return result, _describe_decisions(published, kept)

    return run_in_transaction(work)


def _describe_decisions(published: Sequence[tuple[int, str]], kept: Sequence[tuple[int, str]]) -> list[str]:
    """Return a sentence about the published editions, and one about those kept: (number, period) of each."""
    messages = []
    # In some languages 21 editions have the form of one, so a single edition has a sentence of its own.
    if len(published) == 1:
        messages += [_("Edition {number} of {period} was published.").format(number=n, period=p) for n, p in published]
    elif published:
        text = ngettext("{count} edition was published.", "{count} editions were published.", len(published))
        messages.append(text.format(count=len(published)))
    if len(kept) == 1:
        messages += [_("Edition {number} of {period} was kept.").format(number=n, period=p) for n, p in kept]
    elif kept:
        text = ngettext("{count} edition was kept.", "{count} editions were kept.", len(kept))
        messages.append(text.format(count=len(kept)))
    return messages
