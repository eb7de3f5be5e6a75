-- The jobs with the most messages of less than 1 KiB on average.
SELECT job, program, messages, bytes / messages AS mean_bytes, messages / (size * elapsed) AS messages_per_core_second
FROM '*/job.parquet'
WHERE bytes < 1024 * messages
ORDER BY messages DESC
LIMIT 20;
