"""The API's doors to jobs, tasks, queues and workers."""
