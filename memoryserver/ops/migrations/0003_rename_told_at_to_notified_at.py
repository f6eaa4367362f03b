from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ops', '0002_alerts'),
    ]

    operations = [
        migrations.RenameField(model_name='alert', old_name='told_at', new_name='notified_at'),
        migrations.AlterField(
            model_name='alert',
            name='notified_at',
            field=models.DateTimeField(blank=True, help_text='empty until the problem has lasted long enough to be reported', null=True),
        ),
        migrations.AlterField(
            model_name='alert',
            name='about',
            field=models.JSONField(default=list, help_text='ids of the objects concerned'),
        ),
        migrations.AlterField(
            model_name='alert',
            name='key',
            field=models.CharField(help_text='the problem; at most one open alert has this key', max_length=200),
        ),
        migrations.RemoveConstraint(model_name='alert', name='alert_stands_once'),
        migrations.AddConstraint(
            model_name='alert',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('key',), name='one_open_alert_per_key'),
        ),
    ]
