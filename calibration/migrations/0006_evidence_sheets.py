import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('calibration', '0005_run_probes_and_twins'),
    ]

    operations = [
        migrations.CreateModel(
            name='EvidenceSheet',
            fields=[
                ('report', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='evidence_sheet', serialize=False, to='calibration.report')),
                ('columns', models.JSONField()),
            ],
        ),
    ]
