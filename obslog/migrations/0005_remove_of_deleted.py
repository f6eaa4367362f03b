"""One change of the log is allowed: what a deleted user wrote is replaced by a fixed text, and its scope ids go.

The function checks this for every database role: the user must be deleted (`deleted_at`), the setting `obslog.remove_of`
of the transaction must name them, the observation must not be one of the server, and nothing else of it may change.
"""

from django.db import migrations

REMOVAL = """
CREATE OR REPLACE FUNCTION obslog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('obslog.remove_of', true), '') = OLD.user_id::text
        AND EXISTS (SELECT FROM accounts_user WHERE id = OLD.user_id AND deleted_at IS NOT NULL)
    THEN
        IF TG_OP = 'UPDATE' AND TG_TABLE_NAME LIKE 'obslog\\_observation%' THEN
            IF split_part(OLD.source, ':', 1) <> 'system'
                AND (NEW.type, NEW.source, NEW.message) = ('removed', 'user:removed', 'removed with its user')
                AND NEW.details IS NULL AND NEW.data IS NULL
                AND (NEW.id, NEW.user_id, NEW.created_at, NEW.arrival, NEW.reported_id)
                    IS NOT DISTINCT FROM (OLD.id, OLD.user_id, OLD.created_at, OLD.arrival, OLD.reported_id)
            THEN
                RETURN NEW;
            END IF;
        ELSIF TG_OP = 'DELETE' AND TG_TABLE_NAME LIKE 'obslog\\_scope%' THEN
            IF EXISTS (
                SELECT FROM obslog_observation
                WHERE id = OLD.observation_id AND source = 'user:removed' AND message = 'removed with its user'
            ) THEN
                RETURN OLD;
            END IF;
        END IF;
    END IF;
    RAISE EXCEPTION 'the observation log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;
"""

BEFORE = """
CREATE OR REPLACE FUNCTION obslog_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the observation log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME;
END $$;
"""


class Migration(migrations.Migration):

    why_locking_is_fine = "it replaces a function and reads or changes no row"

    dependencies = [
        ("obslog", "0004_reported_id"),
        ("accounts", "0002_user_deleted_at"),
    ]

    operations = [migrations.RunSQL(REMOVAL, BEFORE)]
