"""How the hot tables are stored: see docs/adr/0003-hot-rows.md for the measurements behind each line."""

from django.db import migrations

FORWARD = """
-- Arguments beyond a few hundred bytes leave the row, so that claim and completion rewrite a narrow tuple.
ALTER TABLE jobs_job SET (
    toast_tuple_target = 256,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.05
);
-- Room for the lease renewal and the completion on the same page.
ALTER TABLE jobs_jobexecution SET (
    fillfactor = 85,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.05
);
"""

BACKWARD = """
ALTER TABLE jobs_job RESET (
    toast_tuple_target, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
    autovacuum_vacuum_cost_delay, autovacuum_analyze_scale_factor
);
ALTER TABLE jobs_jobexecution RESET (
    fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
    autovacuum_vacuum_cost_delay, autovacuum_analyze_scale_factor
);
"""


class Migration(migrations.Migration):
    dependencies = (("jobs", "0001_initial"),)

    operations = (migrations.RunSQL(FORWARD, BACKWARD),)
