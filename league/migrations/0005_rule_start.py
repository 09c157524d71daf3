"""A rule may name another system; what no game made says the whole state that it left."""

from django.db import migrations, models
from django.db.models import OuterRef, Subquery

STATES = ("state_1", "state_2", "state_3", "shift")


def fill_states(apps, schema_editor):
    """Write what stood beside the rating after the player's game before: moves until now changed nothing of it."""
    change = apps.get_model("league", "RatingChange")
    before = change.objects.filter(
        league=OuterRef("league"), player=OuterRef("player"), games=OuterRef("games"), step=1
    )
    moves = apps.get_model("league", "GamelessChange").objects.order_by()
    moves.update(**{name: Subquery(before.values(name)[:1]) for name in STATES})


class Migration(migrations.Migration):
    short = "Adjustments and turns of seasons alone, which are few beside the games."
    dependencies = [
        ("league", "0004_meta_triggers"),
    ]

    operations = [
        migrations.AddField(
            "gamelesschange",
            "state_1",
            models.FloatField(default=0.0, db_default=0.0, help_text="What the system keeps beside the rating, after it."),
        ),
        *(migrations.AddField("gamelesschange", name, models.FloatField(default=0.0, db_default=0.0)) for name in STATES[1:3]),
        migrations.AddField(
            "gamelesschange",
            "shift",
            models.FloatField(default=0.0, db_default=0.0, help_text="The pool's shift as of the player's last game."),
        ),
        migrations.RunPython(fill_states, migrations.RunPython.noop),
        migrations.AlterField(
            "gamelesschange",
            "number",
            models.IntegerField(
                help_text="The adjustment's; 0: the turn of a season; -1: a change of the system."
            ),
        ),
        migrations.AddField(
            "rule",
            "start",
            models.CharField(
                choices=[
                    ("replayed", "Replayed, as if it had always rated"),
                    ("anew", "Anew, everybody at its start"),
                ],
                default="replayed",
                db_default="replayed",
                help_text="Where ratings begin if the rule before has another system.",
                max_length=8,
            ),
        ),
    ]
