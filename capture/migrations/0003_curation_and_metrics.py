"""What people do to learnings, compactions, failed captures, and contexts that yielded nothing."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

DATE_STATES = "UPDATE capture_capturestate SET last_activity_at = last_captured_at"
# The foreign keys are checked at once, since the table of learnings is altered next.
COPY_IDENTITIES = """
    INSERT INTO capture_learningidentity (user_id, project_id, type, digest, learning_id)
    SELECT user_id, project_id, type, identity, id FROM capture_learning;
    SET CONSTRAINTS ALL IMMEDIATE;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
        ('capture', '0002_learning_pinned'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
            ],
            options={
                'ordering': ['-failed_at', '-pk'],
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
            ],
            options={
                'ordering': ['-happened_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='LearningChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(choices=[('corrected', 'Corrected'), ('pinned', 'Pinned'), ('unpinned', 'Unpinned'), ('hidden', 'Hidden'), ('shown', 'Shown')], max_length=10)),
                ('before', models.TextField(blank=True, help_text='the wording that was corrected')),
                ('made_at', models.DateTimeField(auto_now_add=True)),
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
            ],
            options={
                'verbose_name_plural': 'learning identities',
            },
        ),
        migrations.AlterModelOptions(
            name='capturestate',
            options={'ordering': ['-last_activity_at']},
        ),
        migrations.AddField(
            model_name='capturestate',
            name='last_activity_at',
            field=models.DateTimeField(default=django.utils.timezone.now, help_text='when somebody last spoke in it, as far as is known'),
            preserve_default=False,
        ),
        migrations.RunSQL(DATE_STATES, migrations.RunSQL.noop),
        migrations.AddField(
            model_name='capturestate',
            name='message_count',
            field=models.PositiveBigIntegerField(default=0, help_text='as far as it has been read'),
        ),
        migrations.AddField(
            model_name='learning',
            name='by_hand_at',
            field=models.DateTimeField(blank=True, help_text='when its owner first stored it by hand', null=True),
        ),
        migrations.AlterField(
            model_name='capturestate',
            name='last_captured_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name='capture',
            index=models.Index(fields=['received_at'], name='capture_received'),
        ),
        migrations.AddIndex(
            model_name='capturestate',
            index=models.Index(fields=['last_activity_at'], name='capture_state_activity'),
        ),
        migrations.AddIndex(
            model_name='learning',
            index=models.Index(fields=['user', '-last_seen'], name='learning_user'),
        ),
        migrations.AddField(
            model_name='capturefailure',
            name='project',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project'),
        ),
        migrations.AddField(
            model_name='capturefailure',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='compaction',
            name='project',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project'),
        ),
        migrations.AddField(
            model_name='compaction',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='learningchange',
            name='learning',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='capture.learning'),
        ),
        migrations.AddField(
            model_name='learningchange',
            name='made_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='learningidentity',
            name='learning',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='identities', to='capture.learning'),
        ),
        migrations.AddField(
            model_name='learningidentity',
            name='project',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.project'),
        ),
        migrations.AddField(
            model_name='learningidentity',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='capturefailure',
            index=models.Index(fields=['user', 'capture_id'], name='capture_failure_of'),
        ),
        migrations.AddConstraint(
            model_name='compaction',
            constraint=models.CheckConstraint(condition=models.Q(('trigger__in', ['manual', 'auto', 'detected', 'proactive_monitor'])), name='compaction_trigger_known'),
        ),
        migrations.AddConstraint(
            model_name='compaction',
            constraint=models.UniqueConstraint(fields=('user', 'compaction_id'), name='compaction_once'),
        ),
        migrations.AddConstraint(
            model_name='compaction',
            constraint=models.UniqueConstraint(fields=('user', 'context_id', 'number'), name='compaction_number_once'),
        ),
        migrations.AddConstraint(
            model_name='learningidentity',
            constraint=models.UniqueConstraint(fields=('user', 'project', 'type', 'digest'), name='learning_identity_once', nulls_distinct=False),
        ),
        migrations.RunSQL(COPY_IDENTITIES, migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name='learning',
            name='learning_once',
        ),
        migrations.RemoveField(
            model_name='learning',
            name='identity',
        ),
    ]
