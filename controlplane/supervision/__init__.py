"""Run several programs as one: start them, merge what they print, restart, stop in order."""
