"""Rounds that an arbiter pairs by hand: they begin as a proposal, each change is checked, and publishing ends them."""

from datetime import datetime

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.apps.competitions.models import Round
from league.apps.competitions.selectors.competition_data import LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import FORMATS_WITH_BYES, check_running, find_competition
from league.apps.competitions.selectors.pairing_checks import compare_with_rules, describe_difference, list_unpaired
from league.apps.competitions.selectors.trail import was_paired_by_hand
from league.apps.competitions.services.pairing import RoundProposal, build_basis, check_number
from league.apps.competitions.services.pairing_jobs import is_paired_by_worker
from league.apps.competitions.services.regulations import (
    CONFIRMED,
    Confirmed,
    RuleWarning,
    refuse_unconfirmed,
)
from league.apps.competitions.services.rounds import NewRound, publish_round, write_proposed_round
from league.core.errors import Refused
from league.core.locking import locked
from league.models import League
from ratings.contract.competition import build_bye

#: Entries that a warning names.
MAX_NAMES = 12


def publish_checked_round(league_id: int, slug: str, number: int, *, by: str, confirmed: Confirmed = ()) -> Round:
    """Publish a round, which ends its pairing by hand; raises like ``publish_round``, and ConfirmationNeeded.

    Under the regulations a round that was changed by hand is compared with the rules first, without a lock. Who was
    forgotten is named: the comparison leaves out entries that have no fixture.
    """
    loaded = load_competition(find_competition(League.objects.get(pk=league_id), slug, for_organisers=True))
    found = loaded.rounds.get(number)
    is_proposal = loaded.competition.regulations and found is not None and found.published_at is None
    if is_proposal and was_paired_by_hand(loaded, number):
        compared = [] if "differs_from_rules" in confirmed else _compare(loaded, number)
        refuse_unconfirmed(loaded.competition, [*_list_forgotten(loaded, number), *compared], confirmed)
    return publish_round(league_id, slug, number, by=by)


def _list_forgotten(loaded: LoadedCompetition, number: int) -> list[RuleWarning]:
    """Return the warning of entries that play in a round and have no fixture in it."""
    names = [loaded.name(entry) for entry in list_unpaired(loaded, number)]
    if not names:
        return []
    shown = ", ".join(names[:MAX_NAMES]) + (" …" if len(names) > MAX_NAMES else "")
    template = ngettext(
        "{count} entry has no fixture in round {round}, and gets no point: {names}.",
        "{count} entries have no fixture in round {round}, and get no point: {names}.",
        len(names),
    )
    sentence = template.format(count=len(names), round=number, names=shown)
    return [RuleWarning("unpaired_entries", CONFIRMED, sentence)]


def _compare(loaded: LoadedCompetition, number: int) -> list[RuleWarning]:
    """Return the warning that a round differs from the rules, none if it does not."""
    if is_paired_by_worker(loaded.competition):
        template = _(
            "Round {round} was paired by hand. Rounds of so many entries are not paired again to compare them."
        )
        return [RuleWarning("differs_from_rules", CONFIRMED, template.format(round=number))]
    difference = compare_with_rules(loaded, number)
    if difference is None:
        return []
    return [RuleWarning("differs_from_rules", CONFIRMED, describe_difference(loaded, difference))]


@locked
def make_round_by_hand(league: League, now: datetime, slug: str, new: NewRound) -> Round:
    """Make the next round with nothing but the byes that were asked for: an arbiter adds who meets whom.

    Raises like ``make_round``, Refused if the format is not paired round by round, and ConfirmationNeeded.
    """
    competition = find_competition(league, slug, for_organisers=True)
    check_number(new.number, competition.round_rows.aggregate(last=Max("number"))["last"] or 0)
    check_running(competition)
    if competition.format not in FORMATS_WITH_BYES:
        raise Refused(_("Only rounds of a Swiss system or at tables are paired by hand."))
    warning = RuleWarning("by_hand", CONFIRMED, _("The round is paired by hand, not by the rules."))
    refuse_unconfirmed(competition, [warning], new.confirmed)
    basis = build_basis(load_competition(competition, now), new.confirmed)
    byes = basis.request.byes.items() if basis.request.byes else ()
    fixtures = tuple(build_bye(entry, kind) for entry, kind in byes if entry not in basis.request.withdrawn)
    return write_proposed_round(league, now, competition, RoundProposal(basis, fixtures, ()), new)
