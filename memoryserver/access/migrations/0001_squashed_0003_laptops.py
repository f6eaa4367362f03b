"""The tables of release 0.1.0, as a new installation gets them at once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('access', '0001_device_grants'),
        ('access', '0002_invitations'),
        ('access', '0003_laptops'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0005_token_scopes_expiry_and_use'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='DeviceGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('user_code', models.CharField(max_length=9, unique=True)),
                ('state', models.CharField(choices=[('pending', 'Pending'), ('allowed', 'Allowed'), ('denied', 'Denied'), ('used', 'Used')], default='pending', max_length=8)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('ingest', 'send entries, learnings, tool calls and observations'), ('read', 'search and read what its user may see'), ('manage', 'change, hide and delete learnings')], max_length=16), size=None)),
                ('client_name', models.CharField(max_length=100)),
                ('client', models.CharField(max_length=60)),
                ('address', models.GenericIPAddressField(null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('interval', models.PositiveSmallIntegerField()),
                ('polled_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(null=True)),
                ('invited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='Laptop',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client_id', models.CharField(max_length=64)),
                ('name', models.CharField(max_length=100)),
                ('version', models.CharField(max_length=40)),
                ('waiting', models.PositiveIntegerField()),
                ('failed', models.PositiveIntegerField()),
                ('capture_runs', models.BooleanField()),
                ('seen_at', models.DateTimeField()),
                ('token', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.apitoken')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='laptops', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-seen_at'],
                'constraints': [
                    models.UniqueConstraint(fields=('user', 'client_id'), name='laptop_once'),
                ],
            },
        ),
    ]
