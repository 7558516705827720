"""The API's doors to accounts, and what makes its requests known to every app."""
