"""The tables of release 0.1.0, as a new installation gets them at once."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('trajectory', '0001_initial'),
        ('trajectory', '0002_toolcall_notified'),
        ('trajectory', '0003_session_end'),
        ('trajectory', '0004_bound_times_of_wrong_clocks'),
        ('trajectory', '0005_title_branch_and_start'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0003_user_context_version'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Trajectory',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session_id', models.CharField(max_length=200)),
                ('agent_id', models.CharField(blank=True, max_length=200)),
                ('calls_made', models.PositiveIntegerField(default=0)),
                ('observed_through', models.PositiveIntegerField(default=0, help_text='the last call that observers have seen')),
                ('last_call_at', models.DateTimeField(blank=True, null=True)),
                ('worst', models.CharField(blank=True, help_text='severity of the worst open finding', max_length=8)),
                ('memory', models.JSONField(default=dict, help_text='of the observers')),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ended_at', models.DateTimeField(blank=True, help_text="by the agent's event, or the last call after half an hour of silence", null=True)),
                ('title', models.CharField(blank=True, help_text='its first prompt, redacted and cut', max_length=200)),
                ('branch', models.CharField(blank=True, help_text='that was checked out at its first prompt', max_length=200)),
                ('started_at', models.DateTimeField(blank=True, help_text='when its first call was made', null=True)),
            ],
            options={
                'verbose_name_plural': 'trajectories',
                'ordering': ['-last_call_at', '-pk'],
                'indexes': [
                    models.Index(fields=['project', '-last_call_at'], name='trajectory_project'),
                    models.Index(condition=models.Q(('observed_through', models.F('calls_made')), _negated=True), fields=['id'], name='trajectory_unobserved'),
                    models.Index(condition=models.Q(('ended_at', None)), fields=['last_call_at'], name='trajectory_not_ended'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'session_id', 'agent_id'), name='trajectory_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ToolCall',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session_id', models.CharField(max_length=200)),
                ('agent_id', models.CharField(blank=True, max_length=200)),
                ('call_id', models.CharField(max_length=100)),
                ('call_index', models.PositiveIntegerField(help_text='counts from 1 in the trajectory')),
                ('tool_name', models.CharField(max_length=100)),
                ('outcome', models.CharField(max_length=12)),
                ('made_at', models.DateTimeField()),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('body', models.JSONField()),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('trajectory', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='trajectory.trajectory')),
                ('notified', models.JSONField(default=list, help_text="the findings that the laptop's answer to this call contained, as [observer, identity]")),
            ],
            options={
                'ordering': ['trajectory', 'call_index'],
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'session_id', 'agent_id', 'call_id'), name='toolcall_once'),
                    models.UniqueConstraint(fields=('trajectory', 'call_index'), name='toolcall_index_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AssessmentRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('observer', models.CharField(max_length=100)),
                ('identity', models.CharField(max_length=400)),
                ('severity', models.CharField(max_length=8)),
                ('summary', models.TextField()),
                ('body', models.JSONField(help_text='the assessment')),
                ('began_at_call', models.PositiveIntegerField()),
                ('began_at', models.DateTimeField()),
                ('ended_at_call', models.PositiveIntegerField(blank=True, null=True)),
                ('told_at_call', models.PositiveIntegerField(blank=True, help_text='the call whose answer to the agent contained it, the last one', null=True)),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('trajectory', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='findings', to='trajectory.trajectory')),
                ('ended_with_session', models.BooleanField(default=False, help_text='its pattern had not ended before')),
            ],
            options={
                'ordering': ['-began_at', '-pk'],
                'indexes': [
                    models.Index(fields=['trajectory', 'began_at_call'], name='assessment_of_trajectory'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ObserverConfig',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField(editable=False)),
                ('body', models.JSONField(default=dict, help_text='see docs/trajectory.md; what is not named is as by default')),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('made_by', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.project')),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'observer configuration',
                'ordering': ['-made_at', '-pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('project__isnull', True), ('team__isnull', True), ('user__isnull', False)), models.Q(('project__isnull', True), ('team__isnull', False), ('user__isnull', True)), models.Q(('project__isnull', False), ('team__isnull', True), ('user__isnull', True)), _connector='OR'), name='observerconfig_one_scope', violation_error_message='a configuration is for one user, one team or one project'),
                    models.UniqueConstraint(fields=('user', 'team', 'project', 'version'), name='observerconfig_version_once', nulls_distinct=False),
                ],
            },
        ),
    ]
