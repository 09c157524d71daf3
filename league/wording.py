"""Texts in the reader's language, for rooms that know no framework: what Django finds in the catalogues, no more."""

from django.utils.translation import gettext, ngettext

__all__ = ["gettext", "ngettext"]
