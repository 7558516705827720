"""Tell whoever listens that something was recorded: what the pages' live updates wake up by.

Once for each statement, not for each row, and not for new jobs alone: inserting jobs wakes the
executors already, and the pages listen there too.
"""

from django.db import migrations

FORWARD = """
CREATE FUNCTION audit_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM recorded WHERE event_type <> 'JOB_CREATED') THEN
        PERFORM pg_notify('controlplane_events', '');
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_tell AFTER INSERT ON audit_auditevent
    REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION audit_tell();
"""

BACKWARD = """
DROP TRIGGER audit_tell ON audit_auditevent;
DROP FUNCTION audit_tell();
"""


class Migration(migrations.Migration):
    dependencies = (("audit", "0001_initial"),)

    operations = (migrations.RunSQL(FORWARD, BACKWARD),)
