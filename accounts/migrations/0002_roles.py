"""The three roles are groups. They stay on the way back: a host project may have used them meanwhile."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROLES = ("USER", "OPERATOR", "ADMIN")


def create_groups(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    groups = apps.get_model("auth", "Group").objects.using(schema_editor.connection.alias)
    for role in ROLES:
        groups.get_or_create(name=role)


class Migration(migrations.Migration):
    dependencies = (("accounts", "0001_initial"),)

    operations = (migrations.RunPython(create_groups, migrations.RunPython.noop),)
