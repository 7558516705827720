"""Pages that are written from the code, so that they cannot drift from it."""
