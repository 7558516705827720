"""`manage.py up`: from nothing to a running installation on this machine, step by step."""
