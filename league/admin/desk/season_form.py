"""Seasons of a rule as a form asks for them: days of the year as people write them, and the pull in per cent."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.errors import Invalid
from league.services.leagues.seasons import checked_season
from ratings.forms import NumberField


class SeasonForm(forms.Form):
    """When seasons begin, and how far everybody is pulled to the start then."""

    season_days = forms.CharField(
        label=gettext_lazy("Seasons begin on"),
        required=False,
        max_length=120,
        help_text=gettext_lazy(
            "Month and day, such as 09-01 for 1 September; several with commas. Empty: there are no seasons."
        ),
    )
    season_pull = NumberField(
        label=gettext_lazy("Pull to the start, in %"),
        required=False,
        help_text=gettext_lazy(
            "Before the first game of a season everybody's rating goes so much of the way to where newcomers start. "
            "100: everybody begins anew."
        ),
    )

    def clean(self) -> dict[str, Any]:
        """Say at the field what is wrong with the seasons."""
        data = super().clean() or {}
        if not self.errors.keys() & {"season_days", "season_pull"}:
            try:
                checked_season(season_of(data))
            except Invalid as error:
                for problem in error.problems:
                    if problem.pointer == "/season/pull":
                        # The same in the field's unit: over the API it is a share.
                        self.add_error("season_pull", _("The pull is from 0.1 to 100 %, such as 25."))
                    else:
                        self.add_error("season_days", problem.detail)
        return data


def season_of(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the seasons that a form says, as a rule takes them; None for none."""
    days = [day.strip() for day in data.get("season_days", "").split(",") if day.strip()]
    pull = data.get("season_pull")
    if not days and pull is None:
        return None
    return {"days": days, "pull": None if pull is None else pull / 100}


def season_initial(season: Mapping[str, Any]) -> dict[str, str]:
    """Return what a form says of seasons before somebody changes it."""
    if not season:
        return {"season_days": "", "season_pull": ""}
    return {"season_days": ", ".join(season["days"]), "season_pull": f"{100 * season['pull']:.15g}"}
