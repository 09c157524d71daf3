"""The role of arbiters, and the mark of leagues in which a competition is running."""

from django.db import migrations, models

from league.core.db.migrating import AddColumn

ROLES = [("recorder", "Recorder"), ("arbiter", "Arbiter"), ("organiser", "Organiser"), ("owner", "Owner")]
IS_ROLE = models.Q(role__in=["recorder", "arbiter", "organiser", "owner"])


class Migration(migrations.Migration):
    short = "Members and invitations alone, which are few beside the games."
    dependencies = [
        ("league", "0006_plain_wording"),
    ]

    operations = [
        AddColumn("league", "has_fixtures", models.BooleanField(db_default=False, default=False, editable=False)),
        *(
            operation
            for model in ("invitation", "membership")
            for operation in (
                migrations.RemoveConstraint(model, f"{model}_role"),
                migrations.AlterField(model, "role", models.CharField(choices=ROLES, max_length=9)),
                migrations.AddConstraint(model, models.CheckConstraint(condition=IS_ROLE, name=f"{model}_role")),
            )
        ),
    ]
