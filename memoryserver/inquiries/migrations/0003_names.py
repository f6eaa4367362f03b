
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('inquiries', '0002_documents_and_session'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='inquiry',
            options={'ordering': ['-asked_at', '-pk'], 'verbose_name_plural': 'inquiries'},
        ),
    ]
