from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("league", "0028_reports"),
    ]

    operations = [
        migrations.AddField(
            model_name="job",
            name="cancelled_by",
            field=models.CharField(blank=True, help_text="Who had it stop; empty: nobody.", max_length=200),
        ),
    ]
