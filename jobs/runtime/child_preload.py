"""Imported by the server that children are forked from: each starts with Django ready."""

import django

django.setup()
