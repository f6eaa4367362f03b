"""Counters and the cache. They are unlogged, since no request should wait for the disk to be counted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Counter",
            fields=[
                ("key", models.CharField(max_length=100, primary_key=True, serialize=False)),
                ("window", models.BigIntegerField()),
                ("count", models.IntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="CacheEntry",
            fields=[
                ("cache_key", models.CharField(max_length=255, primary_key=True, serialize=False)),
                ("value", models.TextField()),
                ("expires", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.RunSQL(
            "ALTER TABLE limits_counter SET UNLOGGED; ALTER TABLE limits_cacheentry SET UNLOGGED",
            "ALTER TABLE limits_counter SET LOGGED; ALTER TABLE limits_cacheentry SET LOGGED",
        ),
    ]
