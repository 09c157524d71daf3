"""What has a title and an address that follows it: a new league, a new ladder."""

from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

SLUG = 50


class TitledForm(forms.Form):
    """A title, and the address that cannot be changed later; where none is given it follows the title."""

    #: What to tell who gives no title, or one without a letter that an address may have.
    no_title = gettext_noop("Enter a title.")
    no_address = gettext_noop("The title cannot be turned into an address; enter one.")
    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=120,
        widget=forms.TextInput(attrs={"autofocus": True, "autocomplete": "off"}),
    )
    slug = forms.SlugField(
        max_length=SLUG,
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
        """Let the address follow the title."""
        data: dict[str, Any] = super().clean() or {}
        if "slug" not in self.errors and "title" not in self.errors:
            data["slug"] = data["slug"].lower() or slugify(data["title"])[:SLUG].strip("-_")
            if not data["slug"]:
                self.add_error("slug", _(self.no_address))
        return data
