"""Measures the project on this machine: `python3 manage.py bench`. See docs/performance.md."""
