"""Friendlies; and leagues in which the lowest score wins rank their ladders by it."""

from django.db import migrations, models
from django.db.models import Min

KINDS = ["played", "forfeit", "full_bye", "half_bye", "zero_bye", "pairing_bye", "friendly"]
CHOICES = [
    ("played", "Played"),
    ("forfeit", "Forfeit"),
    ("full_bye", "Full Bye"),
    ("half_bye", "Half Bye"),
    ("zero_bye", "Zero Bye"),
    ("pairing_bye", "Pairing Bye"),
    ("friendly", "Friendly"),
]


def rank_anew(apps, schema_editor):
    """Have leagues replayed whose ladders ranked the worst scores first: standings are derived, a worker does it."""
    League, Rule = apps.get_model("league", "League"), apps.get_model("league", "Rule")
    concerned = {rule.league_id for rule in Rule.objects.all() if rule.parameters.get("winner") == "lowest"}
    for league in League.objects.filter(pk__in=concerned, ladders__isnull=False).distinct():
        games = league.games.filter(kind="played", voided_at=None)
        league.stale_from = games.aggregate(first=Min("played_at"))["first"]
        league.stale_key = 0
        league.save(update_fields=["stale_from", "stale_key"])


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0017_closing"),
    ]

    operations = [
        migrations.AlterField(
            model_name="game", name="kind", field=models.CharField(choices=CHOICES, default="played", max_length=12)
        ),
        migrations.RemoveConstraint(model_name="game", name="game_kind"),
        migrations.AddConstraint(
            model_name="game",
            constraint=models.CheckConstraint(condition=models.Q(kind__in=KINDS), name="game_kind"),
        ),
        migrations.RunPython(rank_anew, migrations.RunPython.noop, elidable=False),
    ]
