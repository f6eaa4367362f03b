from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Schema for one project per team and key; the rows follow in the next migration."""

    dependencies = [("accounts", "0005_token_scopes_expiry_and_use")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="role",
            field=models.CharField(choices=[("lead", "Lead"), ("member", "Member")], default="member", max_length=10),
        ),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(role__in=["lead", "member"]), name="membership_role_known"
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="projects",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="project",
            name="team",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="projects",
                to="accounts.team",
            ),
        ),
    ]
