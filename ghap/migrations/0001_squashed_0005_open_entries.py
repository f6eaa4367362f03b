"""The tables of release 0.1.0, as a new installation gets them at once."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('ghap', '0001_initial'),
        ('ghap', '0002_delete_vectors_of_deleted_entries'),
        ('ghap', '0003_failures'),
        ('ghap', '0004_entry_agent_session'),
        ('ghap', '0005_open_entries'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0003_user_context_version'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('vectors', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Clustering',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('axis', models.CharField(max_length=16)),
                ('attempted_at', models.DateTimeField(blank=True, help_text='when a job last began with it', null=True)),
                ('computed_at', models.DateTimeField(blank=True, null=True)),
                ('input_digest', models.CharField(blank=True, help_text='of what went in; the same needs no new run', max_length=64)),
                ('total', models.PositiveIntegerField(default=0, help_text='entries with a vector in the scope')),
                ('considered', models.PositiveIntegerField(default=0, help_text='of them, the newest, which went in')),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['axis', 'pk'],
                'constraints': [
                    models.UniqueConstraint(fields=('axis', 'user', 'project'), name='ghap_clustering_once', nulls_distinct=False),
                    models.CheckConstraint(condition=models.Q(('user__isnull', False), ('project__isnull', False), _connector='OR'), name='ghap_clustering_scope'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Cluster',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.PositiveIntegerField(help_text='from 1, by weight')),
                ('size', models.PositiveIntegerField(help_text='entries')),
                ('weight', models.FloatField(help_text='entries, each counted by its tier')),
                ('terms', models.JSONField(help_text='what is said in it more than elsewhere, the most telling first')),
                ('clustering', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='clusters', to='ghap.clustering')),
            ],
            options={
                'ordering': ['clustering', 'rank'],
            },
        ),
        migrations.CreateModel(
            name='Entry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content_digest', models.CharField(editable=False, max_length=64)),
                ('embedded_digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('embed_attempts', models.PositiveIntegerField(default=0, editable=False)),
                ('embed_after', models.DateTimeField(blank=True, editable=False, null=True)),
                ('embed_error', models.TextField(blank=True, editable=False)),
                ('ghap_id', models.CharField(max_length=100)),
                ('session_id', models.CharField(help_text="the journal's session", max_length=100)),
                ('created_at', models.DateTimeField()),
                ('captured_at', models.DateTimeField(help_text='when it was resolved')),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('domain', models.CharField(max_length=32)),
                ('strategy', models.CharField(max_length=32)),
                ('outcome_status', models.CharField(max_length=16)),
                ('iteration_count', models.PositiveIntegerField()),
                ('collector_tier', models.CharField(blank=True, help_text='the tier that the journal gave', max_length=16)),
                ('confidence_tier', models.CharField(blank=True, help_text='the tier that counts', max_length=16)),
                ('quality_score', models.FloatField(blank=True, help_text='of the hypothesis, from 0 to 1', null=True)),
                ('quality_reasons', models.JSONField(blank=True, default=list, help_text='why it is poor: kind and text of each')),
                ('quality_version', models.PositiveIntegerField(default=0, help_text='of the rules that judged it; 0: none yet')),
                ('goal', models.TextField()),
                ('body', models.JSONField()),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('agent_session', models.CharField(blank=True, help_text="the agent's session, where it is known", max_length=200)),
                ('not_poor_by', models.ForeignKey(blank=True, help_text='the person who says that the hypothesis is not poor', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'GHAP entry',
                'verbose_name_plural': 'GHAP entries',
                'ordering': ['-captured_at', '-pk'],
                'indexes': [
                    models.Index(fields=['project', '-captured_at'], name='ghap_entry_project'),
                    models.Index(condition=models.Q(('embedded_digest', models.F('content_digest')), _negated=True), fields=['embed_after'], name='ghap_entry_pending'),
                    models.Index(condition=models.Q(('agent_session', ''), _negated=True), fields=['agent_session'], name='ghap_entry_agent_session'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'ghap_id'), name='ghap_entry_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ClusterMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.PositiveIntegerField(help_text='from 1, the most central first')),
                ('likeness', models.FloatField(help_text='mean cosine to the other members')),
                ('cluster', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='ghap.cluster')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='ghap.entry')),
            ],
            options={
                'ordering': ['cluster', 'rank'],
                'constraints': [
                    models.UniqueConstraint(fields=('cluster', 'rank'), name='ghap_cluster_member_rank'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Failure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(blank=True, help_text='given by a person', max_length=200)),
                ('state', models.CharField(choices=[('open', 'Open'), ('known', 'Known'), ('solved', 'Solved'), ('regressed', 'Regressed')], default='open', max_length=10)),
                ('state_since', models.DateTimeField(default=django.utils.timezone.now)),
                ('size', models.PositiveIntegerField(help_text='entries')),
                ('weight', models.FloatField(help_text='of its heaviest cluster: entries, each counted by its tier')),
                ('terms', models.JSONField(default=list)),
                ('first_seen', models.DateTimeField(help_text='when its first entry was resolved')),
                ('last_seen', models.DateTimeField(help_text='when its last entry was resolved')),
                ('gone_at', models.DateTimeField(blank=True, help_text='since when a recount finds no cluster for it; it may come back', null=True)),
                ('continued_in', models.ForeignKey(blank=True, help_text='the failure that most entries of a gone one are in', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='ghap.failure')),
                ('example', models.ForeignKey(blank=True, help_text='its most central entry', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='ghap.entry')),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.project')),
                ('state_by', models.ForeignKey(blank=True, help_text='none for a recount', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-last_seen', '-pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['open', 'known', 'solved', 'regressed'])), name='ghap_failure_state_known'),
                    models.CheckConstraint(condition=models.Q(('user__isnull', False), ('project__isnull', False), _connector='OR'), name='ghap_failure_scope'),
                ],
            },
        ),
        migrations.CreateModel(
            name='FailureMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('rank', models.PositiveIntegerField(help_text='from 1, the most central first')),
                ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='failures', to='ghap.entry')),
                ('failure', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='ghap.failure')),
            ],
            options={
                'ordering': ['failure', 'rank'],
                'constraints': [
                    models.UniqueConstraint(fields=('failure', 'entry'), name='ghap_failure_member_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='OpenEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ghap_id', models.CharField(max_length=100)),
                ('agent_session', models.CharField(blank=True, help_text="the agent's session, where it is known", max_length=200)),
                ('created_at', models.DateTimeField()),
                ('reported_at', models.DateTimeField(auto_now=True)),
                ('domain', models.CharField(max_length=32)),
                ('strategy', models.CharField(max_length=32)),
                ('goal', models.TextField()),
                ('body', models.JSONField()),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'open GHAP entry',
                'verbose_name_plural': 'open GHAP entries',
                'ordering': ['-created_at', '-pk'],
                'indexes': [
                    models.Index(fields=['project', '-created_at'], name='ghap_open_entry_project'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'ghap_id'), name='ghap_open_entry_once'),
                ],
            },
        ),
    ]
