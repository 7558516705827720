-- Insert jobs, record each, wake the executors: one statement, so that it is all or nothing in any transaction.
-- Parameters: one array per column, equally long. Returns (position from 1, id or null): null where a unique
-- key of the row is held by another job.
-- Ids are drawn before the insert so that each input row knows its own. Rows with keys go in by key, so that
-- two calls that insert the same keys at once wait for each other, and never both.
WITH input AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('{job}', 'id')) AS id, i.*
    FROM unnest(
        %(task)s::text[], %(queue)s::text[], %(priority)s::smallint[], %(args)s::text[], %(kwargs)s::text[],
        %(max_attempts)s::smallint[], %(timeout_seconds)s::float8[], %(owner_id)s::bigint[],
        %(trigger)s::text[], %(trigger_id)s::bigint[], %(unique_key)s::text[], %(overlap_key)s::text[],
        %(idempotency_key)s::text[], %(run_after)s::timestamptz[], %(isolated)s::boolean[],
        %(waits_for_key)s::text[]
    ) WITH ORDINALITY AS i (
        task, queue, priority, args, kwargs, max_attempts, timeout_seconds, owner_id, trigger, trigger_id,
        unique_key, overlap_key, idempotency_key, run_after, isolated, waits_for_key, position
    )
),
placed AS (
    SELECT *, CASE WHEN waits_for_key IS NOT NULL THEN {job_blocked}
        WHEN run_after > now() THEN {job_scheduled} ELSE {job_pending} END AS status
    FROM input
),
new AS (
    INSERT INTO {job} (
        id, task, queue, priority, status, args, kwargs, max_attempts, timeout_seconds, owner_id, trigger,
        trigger_id, unique_key, overlap_key, idempotency_key, isolated, waits_for_key, queued_at,
        run_after
    )
    SELECT id, task, queue, priority, status, args::jsonb, kwargs::jsonb, max_attempts, timeout_seconds,
        owner_id, trigger, trigger_id, unique_key, overlap_key, idempotency_key, isolated, waits_for_key,
        CASE WHEN status = {job_pending} THEN now() END,
        CASE WHEN status = {job_scheduled} THEN run_after END
    FROM placed
    ORDER BY unique_key, overlap_key, idempotency_key, position
    ON CONFLICT DO NOTHING
    RETURNING id, task, queue
),
recorded AS (
    INSERT INTO {audit_event}
    SELECT {job_created_event}, 'job', id, task, '{{}}', now() FROM new ORDER BY id
),
wake AS (
    SELECT count(pg_notify('{jobs_channel}', queue)) AS sent FROM (SELECT DISTINCT queue FROM new) AS queues
)
SELECT input.position, new.id
FROM input LEFT JOIN new ON new.id = input.id CROSS JOIN wake
ORDER BY input.position
