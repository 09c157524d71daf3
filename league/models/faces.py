"""A picture in place of the drawn emblem. No facts: no log, no export holds them."""

from django.db import models
from django.utils.translation import gettext_lazy

from league.models.leagues import League


class EmblemPicture(models.Model):
    """A league's own emblem, as it was encoded again: a square PNG. ``League.picture`` says which one is shown."""

    league = models.OneToOneField(League, on_delete=models.CASCADE, primary_key=True, related_name="emblem_picture")
    sha256 = models.CharField(
        max_length=64, help_text=gettext_lazy("Of the PNG; the first letters are in its address.")
    )
    png = models.BinaryField()
    set_at = models.DateTimeField()
    set_by = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return self.sha256
