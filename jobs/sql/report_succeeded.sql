-- Write completions: lock the executions that are still this worker's by id, then their jobs by id, move both, record.
-- Parameters: worker_id and equally long arrays: ids (executions), started, finished (epoch seconds of the
-- database's clock), results (JSON text or null; null instead of the array when there is none).
-- Returns the execution ids that were still this worker's, and the overlap keys that their jobs held. Fails, by a
-- sentence that is no number, when not all that it locked could be moved: nothing of it stands then.
-- The guards compare with columns of the input: as constants they make the planner expect one row and begin with it,
-- and the join then turns quadratic. Likewise each step joins one table to the rows so far, never two sets of rows.
WITH input AS MATERIALIZED (
    SELECT *, {execution_running} AS execution_guard, {job_running} AS job_guard, %(worker_id)s::bigint AS worker_id
    FROM unnest(%(ids)s::bigint[], %(started)s::float8[], %(finished)s::float8[], %(results)s::text[])
        AS i (id, started, finished, result)
),
held AS MATERIALIZED (
    SELECT input.*, e.job_id, e.number, e.started_at IS NOT NULL AS start_known
    FROM input JOIN {execution} AS e
        ON e.id = input.id AND e.status = input.execution_guard AND e.worker_id = input.worker_id
    ORDER BY e.id
    FOR NO KEY UPDATE OF e
),
completed AS MATERIALIZED (
    SELECT held.*, j.task, j.overlap_key, j.cancel_requested_at IS NOT NULL AS cancelled
    FROM held JOIN {job} AS j ON j.id = held.job_id
    ORDER BY j.id
    FOR NO KEY UPDATE OF j
),
ended AS (
    UPDATE {execution} AS e SET
        status = {execution_succeeded}, charged = true, result = c.result::jsonb,
        started_at = coalesce(e.started_at, to_timestamp(c.started)),
        finished_at = to_timestamp(c.finished)
    FROM completed AS c
    WHERE e.id = c.id AND e.status = c.execution_guard AND e.worker_id = c.worker_id
    RETURNING 1
),
moved AS (
    UPDATE {job} AS j SET
        status = CASE WHEN c.cancelled THEN {job_cancelled} ELSE {job_succeeded} END,
        attempts_charged = j.attempts_charged + 1, suspect = false, reason = '',
        finished_at = to_timestamp(c.finished)
    FROM completed AS c
    WHERE j.id = c.job_id AND j.status = c.job_guard
    RETURNING 1
),
recorded AS (
    INSERT INTO {audit_event}
    SELECT event, 'job', job_id, task, metadata, to_timestamp(at) FROM (
        SELECT {job_started_event} AS event, job_id, task, jsonb_build_object('attempt', number) AS metadata,
            started AS at, 1 AS step
        FROM completed WHERE NOT start_known
        UNION ALL
        SELECT CASE WHEN cancelled THEN {job_cancelled_event} ELSE {job_succeeded_event} END, job_id, task,
            CASE WHEN cancelled THEN jsonb_build_object('attempt', number, 'outcome', {execution_succeeded})
                ELSE jsonb_build_object('attempt', number) END,
            finished, 2
        FROM completed
    ) AS events
    ORDER BY job_id, step
),
counts AS (
    SELECT (SELECT count(*) FROM completed) AS locked, (SELECT count(*) FROM ended) AS ended,
        (SELECT count(*) FROM moved) AS moved
)
SELECT (SELECT array_agg(id) FROM completed),
    (SELECT array_agg(overlap_key) FROM completed WHERE overlap_key IS NOT NULL),
    CASE WHEN locked = ended AND locked = moved THEN 0
        ELSE format('%%s completions were locked, %%s executions and %%s jobs moved', locked, ended, moved)::int
    END
FROM counts
