"""The tables of release 0.1.0, as a new installation gets them at once."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('ops', '0001_initial'),
        ('ops', '0002_alerts'),
        ('ops', '0003_rename_told_at_to_notified_at'),
    ]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Heartbeat',
            fields=[
                ('name', models.CharField(max_length=100, primary_key=True, serialize=False)),
                ('beat_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Alert',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='the problem; at most one open alert has this key', max_length=200)),
                ('message', models.TextField(help_text='one line')),
                ('about', models.JSONField(default=list, help_text='ids of the objects concerned')),
                ('began_at', models.DateTimeField()),
                ('last_seen_at', models.DateTimeField()),
                ('times', models.PositiveIntegerField(default=1)),
                ('notified_at', models.DateTimeField(blank=True, help_text='empty until the problem has lasted long enough to be reported', null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-began_at', '-pk'],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('key',), name='one_open_alert_per_key'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.CharField(choices=[('began', 'began'), ('ended', 'ended')], max_length=5)),
                ('channel', models.CharField(choices=[('mail', 'mail'), ('webhook', 'webhook')], max_length=10)),
                ('made_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('sent_at', models.DateTimeField(blank=True, null=True)),
                ('error', models.TextField(blank=True)),
                ('alert', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notifications', to='ops.alert')),
            ],
            options={
                'ordering': ['pk'],
                'indexes': [
                    models.Index(condition=models.Q(('sent_at', None)), fields=['due_at'], name='notification_due'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('alert', 'event', 'channel'), name='notification_once'),
                ],
            },
        ),
    ]
