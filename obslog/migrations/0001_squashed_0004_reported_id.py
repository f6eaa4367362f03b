"""The log of release 0.1.0, as a new installation gets it at once.

The tables are partitioned, which Django cannot say, so they are made by SQL and told to Django beside it. Both
begin with a default partition alone; `obslog.partitions` makes the months.
"""

import django.contrib.postgres.indexes
import django.db.models.deletion
import obslog.models
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

TABLES = """
CREATE SEQUENCE obslog_arrival;

CREATE TABLE obslog_observation (
    id uuid NOT NULL PRIMARY KEY,
    user_id bigint NULL REFERENCES accounts_user (id),
    type varchar(100) NOT NULL,
    source varchar(200) NOT NULL,
    message text NOT NULL,
    details text NULL,
    data jsonb NULL,
    created_at bigint NOT NULL,
    category varchar(200) GENERATED ALWAYS AS (split_part(source, ':', 1)) STORED,
    arrival bigint NOT NULL DEFAULT nextval('obslog_arrival'),
    reported_id uuid NULL,
    -- A UUID of version 7 and its milliseconds: that is why ids sort by time and months are ranges of ids.
    CONSTRAINT obslog_observation_time_in_id CHECK (
        get_byte(uuid_send(id), 6) >> 4 = 7
        AND created_at = ('x' || encode(substr(uuid_send(id), 1, 6), 'hex'))::bit(48)::bigint
    )
) PARTITION BY RANGE (id);

ALTER SEQUENCE obslog_arrival OWNED BY obslog_observation.arrival;

CREATE TABLE obslog_scope (
    observation_id uuid NOT NULL REFERENCES obslog_observation (id),
    scope_id varchar(200) NOT NULL,
    user_id bigint NULL,
    PRIMARY KEY (observation_id, scope_id)
) PARTITION BY RANGE (observation_id);

CREATE TABLE obslog_observation_default PARTITION OF obslog_observation DEFAULT;
CREATE TABLE obslog_scope_default PARTITION OF obslog_scope DEFAULT;
"""

INDEXES = """
CREATE INDEX obslog_user ON obslog_observation (user_id, id);
CREATE INDEX obslog_type ON obslog_observation (type, user_id, id);
CREATE INDEX obslog_source ON obslog_observation (user_id, source varchar_pattern_ops, id);
CREATE INDEX obslog_category ON obslog_observation (user_id, category, id);
CREATE INDEX obslog_arrived ON obslog_observation (user_id, arrival);
CREATE INDEX obslog_created ON obslog_observation USING brin (created_at);
CREATE INDEX obslog_reported ON obslog_observation (user_id, reported_id) WHERE reported_id IS NOT NULL;
CREATE INDEX obslog_scope_about ON obslog_scope (scope_id, user_id, observation_id);
"""

REFUSE_CHANGE = """
CREATE FUNCTION obslog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the observation log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;
"""

# A transaction that appends holds, shared with all others, an advisory lock whose number is the last arrival
# given out before it got its own: the lock's first half is 28514 * 65536 and the upper 16 of 48 bits, the second
# half the lower 32. One lock for a transaction is enough, hence the setting that goes with the transaction, and,
# as the lock does, with a savepoint that is rolled back.
NOTE_APPEND = """
CREATE FUNCTION obslog_note_append() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last bigint := coalesce(pg_sequence_last_value('obslog_arrival'), 0);
BEGIN
    IF coalesce(current_setting('obslog.appending', true), '') <> 'yes' THEN
        PERFORM pg_advisory_xact_lock_shared(
            (28514 * 65536 + (last >> 32))::int,
            (last & 4294967295)::bit(32)::int
        );
        PERFORM set_config('obslog.appending', 'yes', true);
    END IF;
    RETURN NULL;
END $$;
"""

# All transactions with arrivals up to this one have ended. The last arrival is read before the locks: a transaction
# with an arrival up to it either still holds a lock, which is seen here, or has ended.
HORIZON = """
CREATE FUNCTION obslog_horizon() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    last bigint := coalesce(pg_sequence_last_value('obslog_arrival'), 0);
    held bigint;
BEGIN
    SELECT min((classid::bigint & 65535) << 32 | objid::bigint) INTO held
    FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 2 AND classid::bigint >> 16 = 28514
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND pid <> pg_backend_pid();
    RETURN least(last, held);
END $$;
"""

REMOVE = """
DROP TABLE obslog_scope;
DROP TABLE obslog_observation;
DROP FUNCTION obslog_refuse_change(), obslog_note_append(), obslog_horizon();
"""


class Migration(migrations.Migration):

    replaces = [
        ('obslog', '0001_initial'),
        ('obslog', '0002_search'),
        ('obslog', '0003_forget_contents'),
        ('obslog', '0004_reported_id'),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('arrival', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Unembedded',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content_digest', models.CharField(editable=False, max_length=64)),
                ('embedded_digest', models.CharField(blank=True, editable=False, max_length=64)),
                ('embed_attempts', models.PositiveIntegerField(default=0, editable=False)),
                ('embed_after', models.DateTimeField(blank=True, editable=False, null=True)),
                ('embed_error', models.TextField(blank=True, editable=False)),
                ('observation_id', models.UUIDField(unique=True)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL([TABLES, INDEXES, REFUSE_CHANGE, NOTE_APPEND, HORIZON], REMOVE),
            ],
            state_operations=[
                migrations.CreateModel(
                    name='Observation',
                    fields=[
                        ('id', models.UUIDField(primary_key=True, serialize=False)),
                        ('type', models.CharField(max_length=100)),
                        ('source', models.CharField(max_length=200)),
                        ('message', models.TextField()),
                        ('details', models.TextField(blank=True, null=True)),
                        ('data', models.JSONField(blank=True, null=True)),
                        ('created_at', models.BigIntegerField()),
                        ('category', models.GeneratedField(db_persist=True, expression=models.Func(models.F('source'), models.Value(':'), models.Value(1), function='split_part'), help_text='`source` up to its colon', output_field=models.CharField(max_length=200))),
                        ('arrival', models.BigIntegerField(db_default=models.Func(models.Value('obslog_arrival'), function='nextval'), editable=False)),
                        ('user', models.ForeignKey(db_index=False, null=True, on_delete=obslog.models.refuse_deletion, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('reported_id', models.UUIDField(editable=False, help_text='the id that was sent, where its time cannot be right', null=True)),
                    ],
                    options={
                        'ordering': ['id'],
                        'indexes': [
                            models.Index(fields=['user', 'id'], name='obslog_user'),
                            models.Index(fields=['type', 'user', 'id'], name='obslog_type'),
                            models.Index(fields=['user', 'source', 'id'], name='obslog_source', opclasses=['int8_ops', 'varchar_pattern_ops', 'uuid_ops']),
                            models.Index(fields=['user', 'category', 'id'], name='obslog_category'),
                            models.Index(fields=['user', 'arrival'], name='obslog_arrived'),
                            django.contrib.postgres.indexes.BrinIndex(fields=['created_at'], name='obslog_created'),
                            models.Index(condition=models.Q(('reported_id__isnull', False)), fields=['user', 'reported_id'], name='obslog_reported'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Scope',
                    fields=[
                        ('pk', models.CompositePrimaryKey('observation_id', 'scope_id', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('scope_id', models.CharField(max_length=200)),
                        ('observation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='scopes', to='obslog.observation')),
                        ('user', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'indexes': [
                            models.Index(fields=['scope_id', 'user', 'observation'], name='obslog_scope_about'),
                        ],
                    },
                ),
            ],
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='observation',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='obslog_refuse_change()', func="RAISE EXCEPTION 'not used';", hash='5a81bb4e55860a2c099a32fc4cec57760673041c', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_b9c1a', table='obslog_observation', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='observation',
            trigger=pgtrigger.compiler.Trigger(name='in_flight', sql=pgtrigger.compiler.UpsertTriggerSql(execute='obslog_note_append()', func="RAISE EXCEPTION 'not used';", hash='d9a6934afaebbb975e470ef093f1d77b77c6b7c2', level='STATEMENT', operation='INSERT', pgid='pgtrigger_in_flight_976c7', table='obslog_observation', when='BEFORE')),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name='scope',
            trigger=pgtrigger.compiler.Trigger(name='append_only', sql=pgtrigger.compiler.UpsertTriggerSql(execute='obslog_refuse_change()', func="RAISE EXCEPTION 'not used';", hash='d8f9f3a0b7a6dd7807957b9b67e10fd923cb5df5', operation='UPDATE OR DELETE', pgid='pgtrigger_append_only_2974b', table='obslog_scope', when='BEFORE')),
        ),
    ]
