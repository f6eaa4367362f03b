"""The tables of release 0.1.0, as a new installation gets them at once."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('capture', '0001_initial'),
        ('capture', '0002_learning_pinned'),
        ('capture', '0003_curation_and_metrics'),
        ('capture', '0004_learningsource_message_time'),
        ('capture', '0005_learning_source_and_report'),
        ('capture', '0006_derive_source_and_report'),
        ('capture', '0007_session_settled_until'),
        ('capture', '0008_learning_merges'),
        ('capture', '0009_learning_usage'),
        ('capture', '0010_usefulness'),
        ('capture', '0011_judge'),
        ('capture', '0012_withdrawn_learnings'),
        ('capture', '0013_agent_session_and_quote'),
        ('capture', '0014_review'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0003_user_context_version'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Learning',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content_digest', models.CharField(editable=False, max_length=64)),
                ('embedded_digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('embed_attempts', models.PositiveIntegerField(default=0, editable=False)),
                ('embed_after', models.DateTimeField(blank=True, editable=False, null=True)),
                ('embed_error', models.TextField(blank=True, editable=False)),
                ('type', models.CharField(max_length=32)),
                ('content', models.TextField()),
                ('confidence', models.FloatField(help_text='how likely it is worth keeping, from 0 to 1')),
                ('reasons', models.JSONField(default=list, help_text='why this confidence')),
                ('files', models.JSONField(default=list)),
                ('tools', models.JSONField(default=list)),
                ('seen_count', models.PositiveIntegerField(default=1)),
                ('first_seen', models.DateTimeField()),
                ('last_seen', models.DateTimeField()),
                ('hidden', models.BooleanField(default=False, help_text="found by nobody's search, and not brought back by capture")),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('pinned', models.BooleanField(default=False, help_text='comes before all others in what agents are told')),
                ('by_hand_at', models.DateTimeField(blank=True, help_text='when its owner first stored it by hand', null=True)),
                ('is_report', models.BooleanField(default=False, help_text='says how one task went, so it enters no context')),
                ('source', models.CharField(choices=[('agent', 'the agent itself, or a person by hand'), ('observed', 'what happened: commands and their outcomes, refused calls'), ('stated', 'what was said')], default='stated', max_length=10)),
                ('compared_digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('distinct_from', models.ManyToManyField(blank=True, help_text='learnings that a person has separated it from, so that they are not merged again', to='capture.learning')),
                ('merged_into', models.ForeignKey(blank=True, help_text='the learning that says the same in better words and is shown instead', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='merged', to='capture.learning')),
                ('judge_verdict', models.CharField(blank=True, help_text='accepted, rewritten or rejected, or none', max_length=10)),
                ('judged_digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('reviewed_at', models.DateTimeField(blank=True, help_text='when a person last kept or changed it', null=True)),
                ('reviewed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-last_seen', '-pk'],
                'indexes': [
                    models.Index(fields=['project', '-last_seen'], name='learning_project'),
                    models.Index(condition=models.Q(('embedded_digest', models.F('content_digest')), _negated=True), fields=['embed_after'], name='learning_pending'),
                    models.Index(fields=['user', '-last_seen'], name='learning_user'),
                    models.Index(condition=models.Q(('reviewed_at', None)), fields=['-first_seen'], name='learning_unreviewed'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('source__in', ['agent', 'observed', 'stated'])), name='learning_source_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CaptureState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('context_id', models.CharField(max_length=200)),
                ('agent_kind', models.CharField(blank=True, max_length=50)),
                ('transcript', models.TextField(blank=True)),
                ('last_message_index', models.BigIntegerField(default=0)),
                ('compaction_count', models.PositiveIntegerField(default=0)),
                ('last_captured_at', models.DateTimeField(blank=True, null=True)),
                ('learnings_delivered', models.PositiveIntegerField(default=0)),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('last_activity_at', models.DateTimeField(help_text='when somebody last spoke in it, as far as is known')),
                ('message_count', models.PositiveBigIntegerField(default=0, help_text='as far as it has been read')),
                ('settled_until', models.DateTimeField(blank=True, help_text='messages up to this time are of a session, or a part of one, that is over', null=True)),
            ],
            options={
                'ordering': ['-last_activity_at'],
                'indexes': [
                    models.Index(fields=['last_activity_at'], name='capture_state_activity'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'context_id'), name='capture_state_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Capture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('capture_id', models.UUIDField()),
                ('captured_at', models.DateTimeField()),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('first_message_index', models.BigIntegerField()),
                ('last_message_index', models.BigIntegerField()),
                ('compaction_number', models.PositiveIntegerField()),
                ('metadata', models.JSONField(default=dict)),
                ('state', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='captures', to='capture.capturestate')),
                ('withdrawn', models.JSONField(default=list, help_text='learnings of earlier messages that the agent took back: type, digest, message')),
                ('agent_session', models.CharField(blank=True, help_text="the agent's session of the messages", max_length=200)),
            ],
            options={
                'ordering': ['-received_at'],
                'indexes': [
                    models.Index(fields=['received_at'], name='capture_received'),
                    models.Index(fields=['agent_session'], name='capture_agent_session'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('state', 'capture_id'), name='capture_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Compaction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('compaction_id', models.UUIDField(help_text='made where it was noticed')),
                ('context_id', models.CharField(max_length=200)),
                ('trigger', models.CharField(choices=[('manual', 'Manual'), ('auto', 'Auto'), ('detected', 'Detected'), ('proactive_monitor', 'Proactive Monitor')], max_length=20)),
                ('number', models.PositiveIntegerField(blank=True, null=True)),
                ('happened_at', models.DateTimeField(help_text='of a detected one: when it was noticed')),
                ('received_at', models.DateTimeField(auto_now_add=True)),
                ('messages_before', models.PositiveBigIntegerField(blank=True, null=True)),
                ('learnings_before', models.PositiveIntegerField(blank=True, null=True)),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-happened_at', '-pk'],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('trigger__in', ['manual', 'auto', 'detected', 'proactive_monitor'])), name='compaction_trigger_known'),
                    models.UniqueConstraint(fields=('user', 'compaction_id'), name='compaction_once'),
                    models.UniqueConstraint(fields=('user', 'context_id', 'number'), name='compaction_number_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LearningUsage',
            fields=[
                ('learning', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='usage', serialize=False, to='capture.learning')),
                ('shown', models.PositiveBigIntegerField(default=0, help_text='days on which it was put into a context')),
                ('shown_on', models.DateField(help_text='the last of these days', null=True)),
                ('returned', models.PositiveBigIntegerField(default=0, help_text='returned by a search')),
                ('opened', models.PositiveBigIntegerField(default=0, help_text='read in full')),
                ('quoted', models.PositiveBigIntegerField(default=0, help_text='said again after it was shown or returned')),
                ('contradicted', models.PositiveBigIntegerField(default=0, help_text='contradicted by a later learning')),
                ('followed', models.PositiveBigIntegerField(default=0, help_text='days on which a command that it names ran')),
                ('followed_on', models.DateField(help_text='the last of these days', null=True)),
            ],
            options={
                'verbose_name_plural': 'usage of learnings',
            },
        ),
        migrations.CreateModel(
            name='Contradiction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(help_text='of merging.contradiction.REASONS', max_length=10)),
                ('found_at', models.DateTimeField(auto_now_add=True)),
                ('decision', models.CharField(blank=True, choices=[('earlier', 'Earlier'), ('later', 'Later'), ('both', 'Both')], help_text='empty while it is open', max_length=10)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('earlier', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contradicted_by', to='capture.learning')),
                ('later', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contradicts', to='capture.learning')),
            ],
            options={
                'ordering': ['-found_at', '-pk'],
                'indexes': [
                    models.Index(condition=models.Q(('decision', '')), fields=['earlier'], name='contradiction_open'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('earlier', 'later'), name='contradiction_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LearningChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('corrected', 'Corrected'), ('pinned', 'Pinned'), ('unpinned', 'Unpinned'), ('hidden', 'Hidden'), ('shown', 'Shown'), ('merged', 'Merged'), ('separated', 'Separated'), ('accepted', 'Accepted'), ('rewritten', 'Rewritten'), ('rejected', 'Rejected'), ('restored', 'Restored'), ('withdrawn', 'Withdrawn')], max_length=10)),
                ('before', models.TextField(blank=True, help_text='the wording that was corrected, or was merged or separated')),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('learning', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='capture.learning')),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-made_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='LearningIdentity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type', models.CharField(max_length=32)),
                ('digest', models.CharField(max_length=64)),
                ('learning', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='identities', to='capture.learning')),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'learning identities',
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'project', 'type', 'digest'), name='learning_identity_once', nulls_distinct=False),
                ],
            },
        ),
        migrations.CreateModel(
            name='LearningSource',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message_index', models.BigIntegerField()),
                ('message_uuid', models.CharField(blank=True, max_length=100)),
                ('capture', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='capture.capture')),
                ('learning', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sources', to='capture.learning')),
                ('message_time', models.DateTimeField(blank=True, help_text='as the transcript says, even if it is wrong', null=True)),
                ('quote', models.TextField(blank=True, help_text='lines of the message around the learning, without secrets')),
            ],
            options={
                'ordering': ['capture', 'message_index'],
                'constraints': [
                    models.UniqueConstraint(fields=('learning', 'capture', 'message_index'), name='learning_source_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CaptureFailure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('capture_id', models.CharField(blank=True, max_length=100)),
                ('context_id', models.CharField(blank=True, max_length=200)),
                ('reason', models.TextField()),
                ('times', models.PositiveIntegerField(default=1)),
                ('failed_at', models.DateTimeField(help_text='the last time')),
                ('alerted_at', models.DateTimeField(blank=True, null=True)),
                ('resolved_at', models.DateTimeField(blank=True, help_text='when it was stored after all, or given up', null=True)),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-failed_at', '-pk'],
                'indexes': [
                    models.Index(fields=['user', 'capture_id'], name='capture_failure_of'),
                ],
            },
        ),
    ]
