"""Changes with a preview: a form, its dry run, and a confirmation.

A short dry run runs in the request; a long one becomes a job, whose page links back to the form.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, cast

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.dry_runs.services.diff import Diff, LeagueDiffs
from league.core.dry_runs.services.run import DryRunRequest, load_job_diff, run_or_enqueue
from league.core.errors import Conflict, Forbidden, KeyReused, RungsError
from league.core.games.selectors.games import find_counting_game
from league.core.games.services.decided_changes import PUBLISH, STAND, change_and_decide
from league.core.games.services.record import Expectation
from league.core.ladders.selectors.closed_periods import refuse_closed
from league.core.locking import get_data_revision
from league.core.permissions import Viewer
from league.core.rules.selectors.rules import load_decimals
from league.models import Game, Job, League
from league.models.recorded import MAX_REASON_LENGTH
from league.web.organiser.differences import MAX_SINGLE_DECISIONS
from league.web.organiser.forms import (
    ONCE,
    PREVIEW_DIFFERS_MESSAGE,
    FormOutcome,
    add_errors,
    compute_form_digest,
    find_stored_result,
    get_form_key,
    get_request_username,
    run_once,
    warn_of_decisions,
)
from league.web.organiser.site import OtherResponse, show
from league.web.sign_in.sessions import viewer_of

T = TypeVar("T", bound=Diff | LeagueDiffs)
#: The buttons that confirm the change and that return to its form.
CONFIRM_BUTTON, EDIT_BUTTON = "_commit", "_edit"
#: The field with the revision of the league's data in the preview, or with a digest of what it showed.
REVISION_FIELD = "seen"
#: The field with the job whose result is the preview.
JOB_FIELD = "_tried"
#: The reason when a change is undone with the Undo button.
UNDO_REASON = "Undone."


class StalePreview(Conflict):
    """The form, the league's data, or what comes of them have changed since the preview."""


def make_unchanged_check(seen_revision: str) -> Expectation:
    """Return the check under the lock: the league's data have not changed since the preview."""

    def expect(league: League, game: Game) -> None:
        if get_data_revision(league) != seen_revision:
            message = _(
                "{league} has changed since you opened this page, so nothing was saved. These are the changes now."
            )
            raise StalePreview(message.format(league=league.title))

    return expect


def check_closed_periods(viewer: Viewer, next_check: Expectation | None = None) -> Expectation:
    """Return the check under the lock: only organisers change closed periods; then ``next_check``."""

    def check(league: League, game: Game) -> None:
        refuse_closed(viewer, league, game.played_at)
        instead = find_counting_game(league, game.order_key)
        if instead is not None and instead != game:
            refuse_closed(viewer, league, instead.played_at)
        if next_check is not None:
            next_check(league, game)

    return check


def list_submitted_fields(data: QueryDict) -> list[tuple[str, str]]:
    """Return the fields of a form for sending it again, without its buttons."""
    return [
        (name, value)
        for name, values in data.lists()
        for value in values
        if not name.startswith("_") and name not in ("csrfmiddlewaretoken", REVISION_FIELD, ONCE)
    ]


@dataclass
class PreviewedAction(ABC):
    """A change with a preview.

    ``answer`` shows the form, previews a valid one, and makes the change once it is confirmed. If the form or the
    league's data have changed since the preview, it previews again. Errors are shown on the form, and nothing is saved.
    """

    request: HttpRequest
    league: League
    form: forms.Form
    #: The revision of the league's data in the preview, and whether a background worker rates the games.
    seen: str = field(default="", init=False)
    later: bool = field(default=False, init=False)
    template: ClassVar[str]
    tab: ClassVar[str]
    #: Whether the next page warns of closed periods that differ.
    warns: ClassVar[bool] = True

    @property
    def viewer(self) -> Viewer:
        """The viewer of the request."""
        return viewer_of(self.request)

    @property
    def by(self) -> str:
        """The user name for the log."""
        return get_request_username(self.request)

    @abstractmethod
    def preview(self) -> Any:
        """Return the preview of a valid form; raises the errors of the dry run, and Instead."""

    @abstractmethod
    def act(self) -> dict[str, Any]:
        """Make the change and return ``said`` and ``target``: the message and the address to redirect to.

        May also return ``leagues``, the keys of the affected leagues, ``link``, an address and a label after the
        message, ``undo``, the address of the form that undoes the change, and ``back``, to which that returns.
        """

    def context(self) -> dict[str, Any]:
        """Return additional context for the page."""
        return {}

    def is_valid(self) -> bool:
        """Return whether the form was sent and can be previewed."""
        return self.form.is_bound and self.form.is_valid()

    def is_confirmed(self) -> bool:
        """Return whether the change was confirmed, with all required fields."""
        return CONFIRM_BUTTON in self.request.POST

    def put(self, error: RungsError) -> None:
        """Show an error on the form."""
        add_errors(self.form, error)

    def mark(self) -> str:
        """Return a digest of the form's contents."""
        return compute_form_digest(self.request)

    def page(self, tried: Any) -> HttpResponse:
        """Return the page; ``tried`` is the result of ``preview``, None without a preview."""
        return self.show(self.template, tried, **self.context())

    def show(self, template: str, tried: Any, **context: Any) -> HttpResponse:
        """Return a page with the form and the fields that its confirmation must send."""
        fields = {
            "form": self.form,
            "tried": tried,
            "once": get_form_key(self.request),
            "mark": self.mark(),
            "seen": self.seen,
        }
        return show(self.request, self.league, template, self.tab, **fields, **context)

    def answer(self) -> HttpResponse:
        """Respond to the request."""
        preview, warning = None, ""
        if EDIT_BUTTON not in self.request.POST and self.is_valid():
            try:
                if self.is_confirmed():
                    try:
                        return self.carry_out()
                    except (StalePreview, KeyReused) as error:
                        warning = error.detail
                preview = self.preview()
                if warning:
                    self.form.add_error(None, warning)
            except RungsError as error:
                self.put(error)
            except OtherResponse:
                if warning:  # shown on the job's page
                    messages.warning(self.request, warning)
                raise
        return self.page(preview)

    def carry_out(self) -> HttpResponse:
        """Make the change once; raises Stale if the form differs from the preview."""
        token = self.mark()
        if self.request.POST.get("_shown", token) != token:
            raise StalePreview(str(PREVIEW_DIFFERS_MESSAGE))
        return redirect_with_message(self.request, self.league, run_once(self.request, self.act), warns=self.warns)

    def dry_run(self, change: Callable[..., T], *arguments: Any, **checks: Any) -> T:
        """Return the diff of a change; raises the errors of the dry run, and Instead with the page of its job."""
        # Read before the dry run, so that a change in between is refused and not missed.
        self.seen = get_data_revision(self.league)
        # The job's page sends the fields again, and this button requests the dry run.
        form = {
            "path": self.request.get_full_path(),
            "fields": [*list_submitted_fields(self.request.POST), ("_try", "1")],
        }
        request = DryRunRequest(self.by, self.league, self.request.POST.get(JOB_FIELD, ""), form)
        result = run_or_enqueue(request, change, *arguments, **checks)
        if not isinstance(result, Job):
            return result
        if result.result is None:
            raise OtherResponse(HttpResponseRedirect(reverse("desk:job", args=[self.league.slug, result.pk])))
        self.seen, self.later = result.result["revision"], True
        return cast("T", load_job_diff(result))


def redirect_with_message(
    request: HttpRequest, league: League, outcome: FormOutcome, *, warns: bool = True
) -> HttpResponse:
    """Redirect with a message about the change, and about closed periods that differ now."""
    data = outcome.answer
    message = f"{data['said']} {_('You submitted this twice; it was done once.')}" if outcome.again else data["said"]
    messages.success(
        request, format_html('{} <a href="{}">{}</a>', message, *data["link"]) if "link" in data else message
    )
    if warns:
        leagues = League.objects.filter(pk__in=data.get("leagues", [league.pk]))
        for affected in leagues.order_by("title", "slug"):
            warn_of_decisions(request, affected)
    if "undo" in data and not outcome.again:
        # After decisions about closed periods the undo needs decisions too, so the button opens the page first.
        revision = "" if request.POST.getlist("asked") else get_data_revision(league)
        offer_undo(request, league, data["undo"], seen=revision, back=data.get("back", ""))
    return HttpResponseRedirect(data["target"])


def offer_undo(
    request: HttpRequest,
    league: League,
    address: str,
    *,
    seen: str = "",
    back: str = "",
    fields: Mapping[str, str] | None = None,
) -> None:
    """Offer to undo a change with its message: a form that posts ``fields`` to an address.

    ``seen``: the revision of the data, if the address asks to confirm a preview; ``back``: to which that returns.
    """
    request.session["undo"] = {
        "league": league.slug, "address": address, "seen": seen, "back": back, "fields": dict(fields or {}),
    }  # fmt: skip


def stored_response(request: HttpRequest, league: League) -> HttpResponse | None:
    """Return the response to a form that was already carried out; None if it was not."""
    outcome = find_stored_result(request) if CONFIRM_BUTTON in request.POST else None
    return None if outcome is None else redirect_with_message(request, league, outcome)


def pop_undo(request: HttpRequest, league: League) -> dict[str, Any] | None:
    """Return the undo form for the change just made; it is offered once."""
    undo: dict[str, Any] | None = request.session.get("undo")
    if undo is None or undo["league"] != league.slug:
        return None
    del request.session["undo"]
    return {**undo, "reason": UNDO_REASON, "once": get_form_key(request, new=True)}


#: Fields of the confirming page; the fields of the form before it are sent again as hidden fields.
REASON_FIELD, PERIODS_FIELD, CHOICE_PREFIX, ALL_PERIODS = "reason", "asked", "becomes", "all"
DECISION_MISSING = gettext_noop("Decide what happens to each closed period.")
#: The reason in a dry run; the real one is entered on the page that shows the dry run.
DRY_RUN_REASON = "A dry run."


class ConfirmForm(forms.Form):
    """The reason, and a decision for each closed period that would differ."""

    reason = forms.CharField(
        label=gettext_lazy("Reason (public)"),
        max_length=MAX_REASON_LENGTH,
        error_messages={"required": gettext_lazy("Give a reason; it is kept with the game.")},
    )

    def __init__(self, sent: QueryDict, usual: str, *, asks: bool) -> None:
        """``usual`` is the default reason, "" if one is required; ``asks`` is whether the page has a field for it."""
        super().__init__(
            sent if CONFIRM_BUTTON in sent else None, initial={REASON_FIELD: sent.get(REASON_FIELD) or usual}
        )
        entries = [entry.partition("/") for entry in sent.getlist(PERIODS_FIELD)[:500]]
        #: Ladder and key of the periods that need a decision.
        self.asked = list(dict.fromkeys((ladder, key) for ladder, sign, key in entries if sign))
        #: Field name -> choice.
        self.chosen = {name: value for name, value in sent.items() if name.startswith(CHOICE_PREFIX)}
        self.usual = usual
        self.fields[REASON_FIELD].required = not usual
        if not asks:
            del self.fields[REASON_FIELD]

    def clean(self) -> dict[str, Any]:
        """Require a choice for each period."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if len(self.choices) < len(self.asked):
            self.add_error(None, _(DECISION_MISSING))
        return data

    @property
    def choices(self) -> Mapping[tuple[str, str], str]:
        """Ladder and key -> PUBLISH or STAND, without periods that have no choice yet."""
        choices = {
            (ladder, key): self.chosen.get(f"{CHOICE_PREFIX}-{ladder}/{key}")
            or self.chosen.get(f"{CHOICE_PREFIX}-{ALL_PERIODS}", "")
            for ladder, key in self.asked
        }
        return {period: choice for period, choice in choices.items() if choice in (PUBLISH, STAND)}

    @property
    def why(self) -> str:
        """The reason of a valid form."""
        return self.cleaned_data.get(REASON_FIELD) or self.usual


class ConfirmedAction(PreviewedAction):
    """A change of games that is confirmed on a separate page."""

    confirm_template: ClassVar[str]
    asks_reason: ClassVar[bool] = True

    @property
    @abstractmethod
    def key(self) -> str:
        """The label of the confirming button."""

    @abstractmethod
    def way_back(self) -> tuple[str, str]:
        """Return the label and address of the link back; the address is "" for the form."""

    @abstractmethod
    def change(self, reason: str) -> Any:
        """Change the games; raises the errors of the service."""

    @abstractmethod
    def outcome(self, done: Any) -> dict[str, Any]:
        """Convert the result of ``change`` into the result of ``act``."""

    def usual_reason(self) -> str:
        """Return the default reason, "" if one is required."""
        return ""

    def fields(self) -> list[tuple[str, str]]:
        """Return the fields of a valid form, for hidden fields."""
        return list_form_fields(self.request.POST)

    @cached_property
    def confirm(self) -> ConfirmForm:
        """The form on the confirming page."""
        return ConfirmForm(self.request.POST, self.usual_reason(), asks=self.asks_reason)

    def expect(self) -> Expectation:
        """Return the check under the lock: the league's data have not changed since the preview."""
        return make_unchanged_check(self.request.POST.get(REVISION_FIELD, ""))

    def mark(self) -> str:
        """Return "": the confirming page does not show the form, so it cannot change there."""
        return ""

    def is_confirmed(self) -> bool:
        """Return whether the change was confirmed with a valid reason and choices."""
        return super().is_confirmed() and self.confirm.is_valid()

    def act(self) -> dict[str, Any]:
        """Change the games and decide about closed periods in one transaction."""
        reason, choices = self.confirm.why, self.confirm.choices
        missing_role = self.viewer.missing("organise", self.league) if choices else ""
        if missing_role:
            message = _("Only organisers can decide about closed periods; you need the role {role}.")
            raise Forbidden(message.format(role=missing_role))
        result, decided = change_and_decide(
            self.league.pk, lambda: self.change(reason), choices, reason=reason, username=self.by
        )
        outcome = self.outcome(result)
        return {**outcome, "said": " ".join([outcome["said"], *decided])}

    def page(self, tried: Any) -> HttpResponse:
        """Return the page of the form, or the confirming page; ``tried`` has the attributes ``diff`` and ``later``."""
        if tried is None:
            return super().page(None)
        decides = self.viewer.may("organise", self.league) and not tried.later
        context = {
            "action": self,
            "confirm": self.confirm,
            "decides": decides,
            "more_closed": tried.diff.closed[len(tried.closed) :],
            "together": len(tried.diff.closed) > MAX_SINGLE_DECISIONS,
            "asked": [f"{period.ladder}/{period.key}" for period in tried.diff.closed] if decides else [],
            "fields": self.fields(),
            "decimals": load_decimals(self.league),
        }
        return self.show(self.confirm_template, tried, **context)


def list_form_fields(sent: QueryDict) -> list[tuple[str, str]]:
    """Return the fields of the form before the confirming page."""
    return [
        (name, value)
        for name, value in list_submitted_fields(sent)
        if name not in (REASON_FIELD, PERIODS_FIELD) and not name.startswith(CHOICE_PREFIX)
    ]
