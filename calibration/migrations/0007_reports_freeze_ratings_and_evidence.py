import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('calibration', '0006_lists_in_columns'),
        ('labeling', '0004_snapshots_in_columns'),
    ]

    operations = [
        migrations.CreateModel(
            name='EvidenceSheet',
            fields=[
                ('columns', models.BinaryField()),
                ('report', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='evidence_sheet', serialize=False, to='calibration.report')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='RatingSheet',
            fields=[
                ('columns', models.BinaryField()),
                ('report', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='rating_sheet', serialize=False, to='calibration.report')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.RemoveConstraint(
            model_name='report',
            name='report_once',
        ),
        migrations.AddField(
            model_name='report',
            name='ratings_digest',
            field=models.CharField(default='', max_length=71),
        ),
        migrations.AddConstraint(
            model_name='report',
            constraint=models.UniqueConstraint(fields=('run', 'round', 'snapshot', 'seed', 'implementation', 'ratings_digest'), name='report_once'),
        ),
    ]
