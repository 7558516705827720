"""The application's own data, so to say. No migrations: the test database makes the table."""

from django.db import models


class Note(models.Model):
    text = models.CharField(max_length=200)

    def __str__(self) -> str:
        return self.text
