"""Proposes the next round of a competition: it is paired from what was read, without a lock or a transaction."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from time import monotonic
from typing import TypeVar

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from league.apps.competitions.models import Competition
from league.apps.competitions.selectors.competition_data import FixtureState, LoadedCompetition, load_competition
from league.apps.competitions.selectors.competitions import build_format, check_running, find_competition
from league.apps.competitions.selectors.pairing_input import (
    build_pairing_request,
    compute_basis,
    list_needless_games,
    list_open_games,
    list_unchecked_entries,
)
from league.apps.competitions.services.pairing_warnings import list_older_adjournments, refuse_missing_results
from league.apps.competitions.services.regulations import Confirmed, refuse_unconfirmed
from league.apps.competitions.services.settings import refuse_unrateable_sizes
from league.core.db.isolation import short_snapshot
from league.core.errors import Conflict, Refused, RungsError
from league.models import League
from ratings.contract.competition import FixtureData
from ratings.contract.pairing_format import (
    REQUESTED,
    CannotPair,
    PairingFormat,
    PairingReason,
    PairingRequest,
    Report,
    ignore_report,
)

T = TypeVar("T")
NOT_CHECKED_IN = gettext_noop("Not checked in for this round.")
#: How often a round is paired if what it follows from changes meanwhile.
MAX_PAIRINGS = 3
#: Seconds after which the best allowed pairing found so far is taken.
MAX_SECONDS = 60


@dataclass(frozen=True)
class PairingBasis:
    """All that a round is paired from. ``absent``: who is not checked in; ``needless``: fixtures to cancel.

    ``adjourned``: fixtures that are marked so with the round, as they have no result.
    """

    pairing_format: PairingFormat
    request: PairingRequest
    absent: frozenset[int]
    needless: tuple[int, ...]
    adjourned: tuple[int, ...] = ()


@dataclass(frozen=True)
class RoundProposal:
    """The next round as the rules pair it. ``log_sha256``: of the league as it was read."""

    basis: PairingBasis
    fixtures: tuple[FixtureData, ...]
    reasons: tuple[PairingReason, ...]
    log_sha256: str = ""

    @property
    def number(self) -> int:
        """The number of the round."""
        return self.basis.request.number

    @property
    def digest(self) -> str:
        """The SHA-256 of the results that it follows from, "" if it follows from none."""
        data = self.basis.request.competition
        return "" if data.predetermined else compute_basis(data, self.number)


class ProposalNeeded(Exception):
    """A round can be made from a proposal, and there is none, or one that follows from other data."""


def run_with_proposal(
    league_id: int,
    slug: str,
    action: Callable[[RoundProposal | None], T],
    report: Report = ignore_report,
    confirmed: Confirmed = (),
) -> T:
    """Return ``action(proposal)``, which locks the league and raises ProposalNeeded while its proposal is outdated.

    Pairing takes seconds, so that it is never done inside of ``action``, where other requests would wait for it.
    ``confirmed``: warnings, as ``build_basis`` takes them.
    """
    proposal = None
    for _attempt in range(MAX_PAIRINGS):
        try:
            return action(proposal)
        except ProposalNeeded:
            try:
                proposal = read_proposal(league_id, slug, report=report, confirmed=confirmed)[1]
            except RungsError:
                # The same request, sent twice, may have made the round since: then that is the answer.
                with suppress(ProposalNeeded):
                    return action(None)
                raise
    try:
        return action(proposal)
    except ProposalNeeded:
        raise Conflict(
            _("Results, entries or settings changed each time while the round was being paired. Pair it again.")
        ) from None


def read_proposal(
    league_id: int,
    slug: str,
    number: int | None = None,
    report: Report = ignore_report,
    confirmed: Confirmed = (),
) -> tuple[LoadedCompetition, RoundProposal]:
    """Read a competition and propose its next round; ``number``: the expected one."""
    loaded = read_competition(league_id, slug, number)
    return loaded, propose_round(loaded, report, confirmed)


def read_competition(league_id: int, slug: str, number: int | None = None) -> LoadedCompetition:
    """Read a competition as it is at one time; ``number``: of the round that is expected to be the next."""
    with short_snapshot():
        loaded = load_competition(find_competition(League.objects.get(pk=league_id), slug, for_organisers=True))
    check_number(number, max(loaded.rounds, default=0))
    return loaded


def propose_round(
    loaded: LoadedCompetition, report: Report = ignore_report, confirmed: Confirmed = ()
) -> RoundProposal:
    """Return the next round; raises Refused with the reason why it cannot be paired, and like ``build_basis``."""
    basis = build_basis(loaded, confirmed)
    end = monotonic() + MAX_SECONDS
    try:
        paired = basis.pairing_format.pair(replace(basis.request, report=report, is_late=lambda: monotonic() > end))
    except CannotPair as error:
        template = _("{refusal} Left over: {entries}.") if error.entries else "{refusal}"
        names = ", ".join(map(loaded.name, error.entries))
        raise Refused(template.format(refusal=error, entries=names)) from error
    _refuse_sizes(loaded.competition, paired.fixtures)
    reasons = tuple(
        replace(reason, text=NOT_CHECKED_IN)
        if reason.text == REQUESTED and reason.entries[0] in basis.absent
        else reason
        for reason in paired.reasons
    )
    return RoundProposal(basis, paired.fixtures, reasons, loaded.competition.league.log_sha256)


def build_basis(loaded: LoadedCompetition, confirmed: Confirmed = ()) -> PairingBasis:
    """Return what the next round is paired from; raises Conflict or Refused if it cannot be made yet, or any more.

    Raises ConfirmationNeeded, or ResultsMissing, unless these warnings are ``confirmed``: older games are still
    adjourned, and games without a result are to be.
    """
    number = max(loaded.rounds, default=0) + 1
    check_running(loaded.competition)
    _refuse_too_early(loaded, number)
    pairing_format = build_format(loaded.competition)
    missing = [] if pairing_format.predetermined else list_open_games(loaded, number)
    refuse_missing_results(loaded, missing, confirmed)
    refuse_unconfirmed(loaded.competition, list_older_adjournments(loaded, number), confirmed)
    adjourned = tuple(fixture.number for fixture in missing)
    if adjourned:
        loaded = replace(
            loaded, fixtures=[_adjourn(one) if one.number in adjourned else one for one in loaded.fixtures]
        )
    return PairingBasis(
        pairing_format,
        build_pairing_request(loaded, number),
        frozenset(list_unchecked_entries(loaded, number)),
        tuple(list_needless_games(loaded)),
        adjourned,
    )


def _adjourn(fixture: FixtureState) -> FixtureState:
    return fixture._replace(data=replace(fixture.data, adjourned=True))


def is_current(
    proposal: RoundProposal, league: League, competition: Competition, now: datetime, confirmed: Confirmed
) -> bool:
    """Return whether a proposal still follows from the data of a locked league; raises like ``propose_round``.

    Each change is in the log, and most changes of a league do not matter to the round.
    """
    if proposal.log_sha256 == league.log_sha256:
        return True
    _refuse_sizes(competition, proposal.fixtures)
    return build_basis(load_competition(competition, now), confirmed) == proposal.basis


def _refuse_sizes(competition: Competition, fixtures: tuple[FixtureData, ...]) -> None:
    refuse_unrateable_sizes(competition, {len(fixture.seats) for fixture in fixtures} - {1})


def check_number(expected: int | None, last: int) -> None:
    """Raise Conflict if the next round is not the expected one; ``last``: the number of the last round."""
    if expected is not None and expected <= last:
        raise Conflict(_("Round {round} is already made.").format(round=expected))
    if expected is not None and expected > last + 1:
        raise Conflict(_("The next round is {next}, not {round}.").format(next=last + 1, round=expected))


def _refuse_too_early(loaded: LoadedCompetition, number: int) -> None:
    """Raise Refused if the round before must be published first, or was the last."""
    before = loaded.rounds.get(number - 1)
    if before is not None and before.published_at is None:
        raise Refused(_("Round {round} is not published: publish or undo it first.").format(round=number - 1))
    if loaded.planned_rounds and number > loaded.planned_rounds:
        template = ngettext(
            "The competition has {count} round, and it was made.",
            "The competition has {count} rounds, and all of them were made.",
            loaded.planned_rounds,
        )
        raise Refused(template.format(count=loaded.planned_rounds))
