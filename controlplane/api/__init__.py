"""The API under /api/v1/: its addresses, its documents, and how it refuses."""
