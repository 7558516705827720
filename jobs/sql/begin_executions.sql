-- Claim: the rows that the ORM's skip-locked selects lock become RUNNING, each with its execution.
-- Parameters: those of the selects, worker_id, lease (seconds). Locks: those job rows.
-- The guard compares with what the select saw: as a constant it would lead the planner to the index of the PENDING rows.
-- Execution ids are drawn beside the update, which saves joining the two writes.
WITH {{candidates}},
taken AS (
    UPDATE {job} AS j SET status = {job_running}, executions_made = executions_made + 1
    FROM candidates
    WHERE j.id = candidates.id AND j.status = candidates.status
    RETURNING j.id, task, queue, priority, queued_at, args, kwargs, executions_made, attempts_charged,
        max_attempts, timeout_seconds, suspect, overlap_key,
        nextval(pg_get_serial_sequence('{execution}', 'id')) AS execution_id
),
begun AS (
    INSERT INTO {execution} (id, job_id, number, worker_id, status, lease_expires_at)
    SELECT execution_id, id, executions_made, %s, {execution_running}, now() + make_interval(secs => %s)
    FROM taken
)
SELECT execution_id, id, executions_made, task, queue, priority, queued_at,
    args, kwargs, attempts_charged, max_attempts, timeout_seconds, suspect, overlap_key IS NOT NULL
FROM taken
