"""Keep the signs of the tokens' vectors of texts; those of texts that are stored already come by a job at night."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("vectors", "0003_terms_without_accents")]

    operations = [
        migrations.CreateModel(
            name="TokenCodes",
            fields=[
                (
                    "record",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="token_codes",
                        serialize=False,
                        to="vectors.record",
                    ),
                ),
                ("codes", models.BinaryField()),
            ],
            options={"verbose_name_plural": "token codes"},
        ),
    ]
