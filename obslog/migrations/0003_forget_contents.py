"""Takes the contents of learnings, entries and findings out of old observations of the server.

Their messages quoted what users can delete elsewhere. The log refuses changes to everybody; this transaction alone
replaces the function that refuses them, and puts it back.
"""

from django.db import migrations

ALLOW = """
CREATE OR REPLACE FUNCTION obslog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RETURN NEW;
END $$;
"""

FORGET = r"""
UPDATE obslog_observation SET message = 'learning ' || regexp_replace(message, '^(\S+) stored by hand: .*$', 'stored by hand: \1')
    || coalesce(' ' || (
        SELECT substr(scope_id, 10) FROM obslog_scope
        WHERE observation_id = obslog_observation.id AND scope_id LIKE 'learning:%' LIMIT 1
    ), '')
WHERE type = 'capture.stored_by_hand' AND source LIKE 'system:%' AND message ~ '^\S+ stored by hand: ';

UPDATE obslog_observation SET message = regexp_replace(message, '^(persisted \S+ \(\w+\)): .*$', '\1')
WHERE type = 'ghap.persisted' AND source = 'system:persister';

UPDATE obslog_observation
SET message = (data ->> 'observer') || ' reported a ' || substr(type, 12) || ' at call ' || (data ->> 'began_at_call')
WHERE type IN ('trajectory.caution', 'trajectory.warning') AND source = 'system:trajectory'
    AND data ? 'observer' AND data ? 'began_at_call';
"""

REFUSE = """
CREATE OR REPLACE FUNCTION obslog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the observation log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('obslog', '0002_search'),
    ]

    operations = [
        migrations.RunSQL([ALLOW, FORGET, REFUSE], migrations.RunSQL.noop),
    ]
