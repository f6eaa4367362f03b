from django.db import migrations

# Entries that were deleted in the admin left their texts and vectors, which searches counted and never showed.
ORPHANS = r"""
SELECT id FROM vectors_record WHERE collection LIKE 'ghap\_%' AND NOT EXISTS (
    SELECT 1 FROM ghap_entry
    WHERE ghap_entry.user_id = vectors_record.user_id AND ghap_entry.ghap_id = vectors_record.key
)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('ghap', '0001_initial'),
        ('vectors', '0001_initial'),
    ]

    operations = [
        migrations.RunSQL(
            [
                f"DELETE FROM vectors_nextembedding WHERE record_id IN ({ORPHANS})",
                f"DELETE FROM vectors_record WHERE id IN ({ORPHANS})",
            ],
            migrations.RunSQL.noop,
        ),
    ]
