"""The API's doors to schedules."""
