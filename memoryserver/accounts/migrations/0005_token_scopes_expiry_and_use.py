"""Scopes, expiry and last use of tokens. Tokens from before could do everything and keep all scopes."""

import django.contrib.postgres.fields
from django.db import migrations, models

SCOPES = [
    ("ingest", "send entries, learnings, tool calls and observations"),
    ("read", "search and read what its user may see"),
    ("manage", "change, hide and delete learnings"),
]


def every_scope() -> list[str]:
    return [name for name, _ in SCOPES]


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_normalise_project_keys")]

    operations = [
        migrations.AddField(
            "apitoken",
            "scopes",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(choices=SCOPES, max_length=16),
                default=every_scope,
                help_text="what it may be used for",
                size=None,
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            "apitoken",
            "expires_at",
            models.DateTimeField(blank=True, help_text="it is refused from then on", null=True),
        ),
        migrations.AddField(
            "apitoken",
            "last_used_by",
            models.CharField(
                blank=True, default="", editable=False, help_text="the client and its version", max_length=60
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            "apitoken",
            "addresses",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.GenericIPAddressField(), blank=True, default=list, editable=False, size=None
            ),
        ),
    ]
