"""Changes that are confirmed with a reason and a decision for each closed period that would differ."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.errors import Forbidden
from league.core.games.services.decided_changes import PUBLISH, STAND, change_and_decide
from league.core.games.services.record import Expectation
from league.core.leagues.selectors.rules import decimals_of
from league.web.organiser.differences import MAX_SINGLE_DECISIONS
from league.web.organiser.previewed_actions import (
    CONFIRM_BUTTON,
    REVISION_FIELD,
    PreviewedAction,
    submitted_fields,
    unchanged_since,
)

#: Fields of the confirming page; the fields of the form before it are sent again as hidden fields.
REASON_FIELD, PERIODS_FIELD, CHOICE_PREFIX, ALL_PERIODS = "reason", "asked", "becomes", "all"
DECISION_MISSING = gettext_noop("Decide what happens to each closed period.")
#: The reason in a dry run; the real one is entered on the page that shows the dry run.
DRY_RUN_REASON = "A dry run."


class ConfirmForm(forms.Form):
    """The reason, and a decision for each closed period that would differ."""

    reason = forms.CharField(
        label=gettext_lazy("Reason (public)"),
        max_length=500,
        error_messages={"required": gettext_lazy("Give a reason; it is kept with the game.")},
    )

    def __init__(self, sent: QueryDict, usual: str, *, asks: bool) -> None:
        """``usual`` is the default reason, "" if one is required; ``asks`` is whether the page has a field for it."""
        super().__init__(
            sent if CONFIRM_BUTTON in sent else None, initial={REASON_FIELD: sent.get(REASON_FIELD) or usual}
        )
        parts = [entry.partition("/") for entry in sent.getlist(PERIODS_FIELD)[:500]]
        #: Ladder and key of the periods that need a decision.
        self.asked = list(dict.fromkeys((ladder, key) for ladder, sign, key in parts if sign))
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
        return form_fields(self.request.POST)

    @cached_property
    def confirm(self) -> ConfirmForm:
        """The form on the confirming page."""
        return ConfirmForm(self.request.POST, self.usual_reason(), asks=self.asks_reason)

    def expect(self) -> Expectation:
        """Return the check under the lock: the league's data have not changed since the preview."""
        return unchanged_since(self.request.POST.get(REVISION_FIELD, ""))

    def mark(self) -> str:
        """Return "": the confirming page does not show the form, so it cannot change there."""
        return ""

    def is_confirmed(self) -> bool:
        """Return whether the change was confirmed with a valid reason and choices."""
        return super().is_confirmed() and self.confirm.is_valid()

    def act(self) -> dict[str, Any]:
        """Change the games and decide about closed periods in one transaction."""
        reason, choices = self.confirm.why, self.confirm.choices
        missing = self.viewer.missing("organise", self.league) if choices else ""
        if missing:
            message = _("Only organisers can decide about closed periods; you need the role {role}.")
            raise Forbidden(message.format(role=missing))
        done, decided = change_and_decide(
            self.league.pk, lambda: self.change(reason), choices, reason=reason, by=self.by
        )
        outcome = self.outcome(done)
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
            "more_closed": len(tried.diff.closed) - len(tried.closed),
            "together": len(tried.diff.closed) > MAX_SINGLE_DECISIONS,
            "asked": [f"{period.ladder}/{period.key}" for period in tried.diff.closed] if decides else [],
            "fields": self.fields(),
            "decimals": decimals_of(self.league),
        }
        return self.show(self.confirm_template, tried, **context)


def form_fields(sent: QueryDict) -> list[tuple[str, str]]:
    """Return the fields of the form before the confirming page."""
    return [
        (name, value)
        for name, value in submitted_fields(sent)
        if name not in (REASON_FIELD, PERIODS_FIELD) and not name.startswith(CHOICE_PREFIX)
    ]
