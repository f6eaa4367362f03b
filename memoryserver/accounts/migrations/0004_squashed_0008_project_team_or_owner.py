"""The rest of release 0.1.0's schema.

Those before `0004` are squashed apart: `0004` and `0007` move rows of other apps, whose tables refer to projects.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SCOPES = [
    ('ingest', 'send entries, learnings, tool calls and observations'),
    ('read', 'search and read what its user may see'),
    ('manage', 'change, hide and delete learnings'),
]


def every_scope() -> list[str]:
    return [name for name, _ in SCOPES]


class Migration(migrations.Migration):

    replaces = [
        ('accounts', '0004_normalise_project_keys'),
        ('accounts', '0005_token_scopes_expiry_and_use'),
        ('accounts', '0006_roles_and_optional_owner'),
        ('accounts', '0007_one_project_per_team_and_key'),
        ('accounts', '0008_project_team_or_owner'),
    ]

    dependencies = [
        ('accounts', '0003_user_context_version'),
    ]

    operations = [
        migrations.AddField(
            model_name='apitoken',
            name='scopes',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=SCOPES, max_length=16), default=every_scope, help_text='what it may be used for', size=None),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='apitoken',
            name='expires_at',
            field=models.DateTimeField(blank=True, help_text='it is refused from then on', null=True),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='last_used_by',
            field=models.CharField(blank=True, default='', editable=False, help_text='the client and its version', max_length=60),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='apitoken',
            name='addresses',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.GenericIPAddressField(), blank=True, default=list, editable=False, size=None),
        ),
        migrations.AddField(
            model_name='membership',
            name='role',
            field=models.CharField(choices=[('lead', 'Lead'), ('member', 'Member')], default='member', max_length=10),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ['lead', 'member'])), name='membership_role_known'),
        ),
        migrations.AlterField(
            model_name='project',
            name='owner',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='projects', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AlterField(
            model_name='project',
            name='team',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='projects', to='accounts.team'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.UniqueConstraint(fields=('team', 'key'), name='project_key_once_per_team'),
        ),
        migrations.AddConstraint(
            model_name='project',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('owner__isnull', False), ('team__isnull', True)), models.Q(('owner__isnull', True), ('team__isnull', False)), _connector='OR'), name='project_team_or_owner', violation_error_message='a project belongs to one team or to one owner'),
        ),
    ]
