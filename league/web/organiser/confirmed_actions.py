"""Changes whose page asks for a reason, and what becomes of each closed period that would differ."""

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
from league.web.organiser.differences import ONE_BY_ONE
from league.web.organiser.previewed_actions import COMMIT, SEEN, PreviewedAction, carried, expectation

#: Fields of the page itself; those of the form before it are carried along.
REASON, ASKED, BECOMES, ALL = "reason", "asked", "becomes", "all"
UNSAID = gettext_noop("Decide what happens to each closed period.")
#: The reason in a dry run: the real one is asked for on the page of the dry run.
TRIAL = "A dry run."


class ConfirmForm(forms.Form):
    """Why, and what becomes of each closed period that the page asks about."""

    reason = forms.CharField(
        label=gettext_lazy("Reason (public)"),
        max_length=500,
        error_messages={"required": gettext_lazy("Give a reason; it is kept with the game.")},
    )

    def __init__(self, sent: QueryDict, usual: str, *, asks: bool) -> None:
        """Read what was sent; ``usual`` is the reason if none is given, "" if one must be; ``asks`` for one or not."""
        super().__init__(sent if COMMIT in sent else None, initial={REASON: sent.get(REASON) or usual})
        parts = [one.partition("/") for one in sent.getlist(ASKED)[:500]]
        #: Ladder and key of the periods that were asked about.
        self.asked = list(dict.fromkeys((ladder, key) for ladder, sign, key in parts if sign))
        #: What was chosen, by the names of the fields.
        self.chosen = {name: value for name, value in sent.items() if name.startswith(BECOMES)}
        self.usual = usual
        self.fields[REASON].required = not usual
        if not asks:
            del self.fields[REASON]

    def clean(self) -> dict[str, Any]:
        """Demand a choice for each period."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if len(self.choices) < len(self.asked):
            self.add_error(None, _(UNSAID))
        return data

    @property
    def choices(self) -> Mapping[tuple[str, str], str]:
        """Return ladder and key -> PUBLISH or STAND; without periods for which nothing was chosen."""
        found = {
            (ladder, key): self.chosen.get(f"{BECOMES}-{ladder}/{key}") or self.chosen.get(f"{BECOMES}-{ALL}", "")
            for ladder, key in self.asked
        }
        return {where: choice for where, choice in found.items() if choice in (PUBLISH, STAND)}

    @property
    def why(self) -> str:
        """Return the reason of a valid form."""
        return self.cleaned_data.get(REASON) or self.usual


class ConfirmedAction(PreviewedAction):
    """A change of games that is confirmed on a page of its own."""

    confirm_template: ClassVar[str]
    asks_reason: ClassVar[bool] = True

    @property
    @abstractmethod
    def key(self) -> str:
        """Return what the button of the page says."""

    @abstractmethod
    def way_back(self) -> tuple[str, str]:
        """Return a label, and the address of a page to go back to; "" for the form."""

    @abstractmethod
    def change(self, reason: str) -> Any:
        """Change the games; raises what the service raises."""

    @abstractmethod
    def outcome(self, done: Any) -> dict[str, Any]:
        """Return what ``act`` returns of what ``change`` returned."""

    def usual_reason(self) -> str:
        """Return the reason if none is given, "" if one must be."""
        return ""

    def fields(self) -> list[tuple[str, str]]:
        """Return the fields of a valid form, to be sent again."""
        return form_fields(self.request.POST)

    @cached_property
    def confirm(self) -> ConfirmForm:
        """Return the form on the page of a preview."""
        return ConfirmForm(self.request.POST, self.usual_reason(), asks=self.asks_reason)

    def expect(self) -> Expectation:
        """Return what must hold under the lock: the league's data are as they were when the change was shown."""
        return expectation(self.request.POST.get(SEEN, ""))

    def mark(self) -> str:
        """Return nothing: the page does not show the form, so no one changes it there."""
        return ""

    def is_confirmed(self) -> bool:
        """Return whether the form says yes, with its reason and choices."""
        return super().is_confirmed() and self.confirm.is_valid()

    def act(self) -> dict[str, Any]:
        """Change the games and decide about closed periods: both, or neither."""
        reason, choices = self.confirm.why, self.confirm.choices
        missing = self.viewer.missing("organise", self.league) if choices else ""
        if missing:
            said = _("Only organisers can decide about closed periods; you need the role {role}.")
            raise Forbidden(said.format(role=missing))
        done, decided = change_and_decide(
            self.league.pk, lambda: self.change(reason), choices, reason=reason, by=self.by
        )
        found = self.outcome(done)
        return {**found, "said": " ".join([found["said"], *decided])}

    def page(self, tried: Any) -> HttpResponse:
        """Return the page of the form, or of a preview: it has a ``diff``, and whether games are rated ``later``."""
        if tried is None:
            return super().page(None)
        decides = self.viewer.may("organise", self.league) and not tried.later
        context = {
            "action": self,
            "confirm": self.confirm,
            "decides": decides,
            "more_closed": len(tried.diff.closed) - len(tried.closed),
            "together": len(tried.diff.closed) > ONE_BY_ONE,
            "asked": [f"{one.ladder}/{one.key}" for one in tried.diff.closed] if decides else [],
            "fields": self.fields(),
            "decimals": decimals_of(self.league),
        }
        return self.show(self.confirm_template, tried, **context)


def form_fields(sent: QueryDict) -> list[tuple[str, str]]:
    """Return the fields of the form before a confirming page, to be sent again."""
    return [
        (name, value) for name, value in carried(sent) if name not in (REASON, ASKED) and not name.startswith(BECOMES)
    ]
