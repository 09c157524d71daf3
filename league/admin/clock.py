"""A field for a time by the league's clock, which shows an hour twice when it is put back, and skips one in spring."""

from datetime import UTC, datetime, tzinfo
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

#: A time as a browser's field writes it.
MINUTES = "%Y-%m-%dT%H:%M"


class LocalTime(forms.DateTimeField):
    """A time by the league's clock. One that the clock showed twice stays without a zone: somebody must say which."""

    def to_python(self, value: Any) -> datetime | None:
        """Return the time; the present time zone is the league's."""
        try:
            return super().to_python(value)
        except ValidationError as error:
            if error.code != "ambiguous_timezone":
                raise
            with timezone.override(UTC):
                moment = super().to_python(value)
            assert moment is not None, "what has two meanings has one at least"
            shown = moment.replace(tzinfo=None)
        if is_twice(shown, timezone.get_current_timezone()):
            return shown
        raise ValidationError(_("The clock never showed this time: it was put forward over it."), code="never")


def is_twice(shown: datetime, zone: tzinfo) -> bool:
    """Tell whether a clock of a zone showed a time twice, because it was put back."""
    first, second = (shown.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1))
    return first is not None and second is not None and first > second
