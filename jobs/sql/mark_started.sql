-- Attempts that have begun and will last: their start becomes visible, and is proof for crash accounting.
-- The executions are locked already, by id. Parameters: worker_id and equally long arrays ids (executions),
-- job_ids, tasks, numbers, started (epoch seconds of the database's clock), alone.
WITH input AS MATERIALIZED (
    SELECT * FROM unnest(
        %(ids)s::bigint[], %(job_ids)s::bigint[], %(tasks)s::text[], %(numbers)s::int[],
        %(started)s::float8[], %(alone)s::boolean[]
    ) AS i (id, job_id, task, number, started, alone)
),
begun AS (
    UPDATE {execution} AS e SET started_at = to_timestamp(input.started), alone = input.alone
    FROM input
    WHERE e.id = input.id AND e.status = {execution_running} AND e.worker_id = %(worker_id)s
        AND e.started_at IS NULL
)
INSERT INTO {audit_event}
SELECT {job_started_event}, 'job', job_id, task, jsonb_build_object('attempt', number), to_timestamp(started)
FROM input
ORDER BY job_id
