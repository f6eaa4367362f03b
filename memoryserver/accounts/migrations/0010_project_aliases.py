from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_user_time_zone'),
    ]

    operations = [
        migrations.CreateModel(
            name='ProjectAlias',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=255)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='aliases', to='accounts.project')),
            ],
            options={
                'verbose_name_plural': 'project aliases',
                'ordering': ['key'],
                'constraints': [models.UniqueConstraint(fields=('key', 'project'), name='project_alias_once')],
            },
        ),
    ]
