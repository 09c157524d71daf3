"""Forms with a title and an address derived from it."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from league.core.text.names import make_slug
from league.models import League
from league.web.organiser.forms import build_form_field

SLUG: Any = League.slug.field


class TitledForm(forms.Form):
    """A title and a permanent address, which is derived from the title if empty."""

    #: Errors about a missing title, and about a title from which no address can be derived.
    no_title = gettext_noop("Enter a title.")
    no_address = gettext_noop("The title cannot be turned into an address; enter one.")
    title = build_form_field(
        League.title.field,
        label=gettext_lazy("Title"),
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    slug = forms.SlugField(
        max_length=SLUG.max_length,
        required=False,
        label=gettext_lazy("Address"),
        help_text=gettext_lazy(
            "Lower-case letters, digits and hyphens. If empty, it follows the title. It cannot be changed later."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].error_messages["required"] = _(self.no_title)

    def clean(self) -> dict[str, Any]:
        """Derive a missing address from the title."""
        data: dict[str, Any] = super().clean() or {}
        if "slug" not in self.errors and "title" not in self.errors:
            data["slug"] = data["slug"].lower() or make_slug(data["title"])[: SLUG.max_length].strip("-_")
            if not data["slug"]:
                self.add_error("slug", _(self.no_address))
        return data
