
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('obslog', '0005_remove_of_deleted'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='unembedded',
            options={'verbose_name': 'observation to embed', 'verbose_name_plural': 'observations to embed'},
        ),
    ]
