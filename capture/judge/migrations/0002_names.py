
from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0001_budget'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='judgeday',
            options={'verbose_name': 'day of the judge', 'verbose_name_plural': 'days of the judge'},
        ),
    ]
