"""What the API of every app is made of; knows no app."""
