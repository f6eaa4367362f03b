"""The tables of release 0.1.0, as a new installation gets them at once."""

import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import pgvector.django
import pgvector.django.vector
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('vectors', '0001_initial'),
        ('vectors', '0002_terms_of_unspaced_scripts'),
        ('vectors', '0003_terms_without_accents'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        pgvector.django.VectorExtension(),
        migrations.CreateModel(
            name='Collection',
            fields=[
                ('name', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('model', models.CharField(max_length=200)),
                ('dimension', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('indexed_at', models.DateTimeField(editable=False, help_text='since when there is an approximate index', null=True)),
                ('next_model', models.CharField(blank=True, editable=False, max_length=200)),
                ('next_dimension', models.PositiveIntegerField(editable=False, null=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Record',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('collection', models.CharField(max_length=64)),
                ('key', models.CharField(max_length=100)),
                ('text', models.TextField()),
                ('payload', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(help_text='when the thing was made, not the row')),
                ('embedding', pgvector.django.vector.VectorField(editable=False, null=True)),
                ('embedded_as', models.CharField(blank=True, help_text='digest of model and text of the embedding', max_length=64)),
                ('terms', models.TextField(editable=False, help_text='`text` as `vectors.terms` gives its words')),
                ('words', models.GeneratedField(db_persist=True, expression=django.contrib.postgres.search.SearchVector('terms', config='english'), output_field=django.contrib.postgres.search.SearchVectorField())),
                ('length', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.functions.text.Length('terms'), '-', django.db.models.functions.text.Length(django.db.models.functions.text.Replace('terms', models.Value(' '), models.Value('')))), '+', models.Value(1)), help_text='how many words `terms` has', output_field=models.IntegerField())),
                ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.project')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [
                    models.Index(fields=['collection', 'project', 'user'], include=('length',), name='record_scope'),
                    django.contrib.postgres.indexes.GinIndex(fields=['words'], name='record_words'),
                    django.contrib.postgres.indexes.GinIndex(fields=['payload'], name='record_payload', opclasses=['jsonb_path_ops']),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('collection', 'user', 'key'), name='record_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='NextEmbedding',
            fields=[
                ('record', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='next_embedding', serialize=False, to='vectors.record')),
                ('embedding', pgvector.django.vector.VectorField()),
                ('embedded_as', models.CharField(max_length=64)),
                ('text_digest', models.CharField(help_text='md5 of the text', max_length=32)),
            ],
        ),
        # A row with its vector is longer than what Postgres keeps in one piece by default; taken apart, each distance
        # would cost a second look-up.
        migrations.RunSQL(
            'ALTER TABLE vectors_record SET (toast_tuple_target = 8160)',
            'ALTER TABLE vectors_record RESET (toast_tuple_target)',
        ),
    ]
