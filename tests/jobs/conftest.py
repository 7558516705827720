"""What tests of jobs may ask for."""

import pytest
from django.db import connection


@pytest.fixture
def unaided(db: None) -> None:
    """No index may be used: rows come as they lie, unless the query itself asks for an order."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off")
