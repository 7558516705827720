-- Second half of reporting completions: the rows are locked already, executions by id, then jobs by id.
-- Parameters: worker_id and equally long arrays: ids (executions), job_ids, tasks, numbers, started, finished
-- (epoch seconds of the database's clock), results (JSON text or null), cancelled (a cancel was requested),
-- start_known (JOB_STARTED is recorded already). Returns how many executions and how many jobs moved.
-- The guards compare with columns of the input: as constants they make the planner expect one row, and the
-- join then turns quadratic.
WITH input AS MATERIALIZED (
    SELECT *, {execution_running} AS execution_guard, {job_running} AS job_guard, %(worker_id)s::bigint AS worker_id FROM unnest(
        %(ids)s::bigint[], %(job_ids)s::bigint[], %(tasks)s::text[], %(numbers)s::int[],
        %(started)s::float8[], %(finished)s::float8[], %(results)s::text[], %(cancelled)s::boolean[],
        %(start_known)s::boolean[]
    ) AS i (id, job_id, task, number, started, finished, result, cancelled, start_known)
),
ended AS (
    UPDATE {execution} AS e SET
        status = {execution_succeeded}, charged = true, result = input.result::jsonb,
        started_at = coalesce(e.started_at, to_timestamp(input.started)),
        finished_at = to_timestamp(input.finished)
    FROM input
    WHERE e.id = input.id AND e.status = input.execution_guard AND e.worker_id = input.worker_id
    RETURNING 1
),
moved AS (
    UPDATE {job} AS j SET
        status = CASE WHEN input.cancelled THEN {job_cancelled} ELSE {job_succeeded} END,
        attempts_charged = j.attempts_charged + 1, suspect = false, reason = '',
        finished_at = to_timestamp(input.finished)
    FROM input
    WHERE j.id = input.job_id AND j.status = input.job_guard
    RETURNING 1
),
recorded AS (
    INSERT INTO {audit_event}
    SELECT event, 'job', job_id, task, metadata, to_timestamp(at) FROM (
        SELECT {job_started_event} AS event, job_id, task, jsonb_build_object('attempt', number) AS metadata,
            started AS at, 1 AS step
        FROM input WHERE NOT start_known
        UNION ALL
        SELECT CASE WHEN cancelled THEN {job_cancelled_event} ELSE {job_succeeded_event} END, job_id, task,
            CASE WHEN cancelled THEN jsonb_build_object('attempt', number, 'outcome', {execution_succeeded})
                ELSE jsonb_build_object('attempt', number) END,
            finished, 2
        FROM input
    ) AS events
    ORDER BY job_id, step
)
SELECT (SELECT count(*) FROM ended), (SELECT count(*) FROM moved)
