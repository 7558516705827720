-- Second half of a claim: the rows locked by the ORM's skip-locked select become RUNNING, each with its execution.
-- Parameters: ids, worker_id, lease (seconds). Locks: the job rows, held already by this transaction.
-- Execution ids are drawn beside the update, which saves joining the two writes.
WITH taken AS (
    UPDATE {job} SET status = {job_running}, executions_made = executions_made + 1
    WHERE id = ANY(%(ids)s) AND status = {job_pending}
    RETURNING id, task, queue, priority, queued_at, args, kwargs, executions_made, attempts_charged,
        max_attempts, timeout_seconds, suspect,
        nextval(pg_get_serial_sequence('{execution}', 'id')) AS execution_id
),
begun AS (
    INSERT INTO {execution} (id, job_id, number, worker_id, status, lease_expires_at)
    SELECT execution_id, id, executions_made, %(worker_id)s, {execution_running},
        now() + make_interval(secs => %(lease)s)
    FROM taken
)
SELECT execution_id, id, executions_made, task, queue, priority, queued_at,
    args, kwargs, attempts_charged, max_attempts, timeout_seconds, suspect
FROM taken
