"""Imported once by the server that children are forked from, so that each starts with Django ready."""

import django

django.setup()
