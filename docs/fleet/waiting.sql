-- The jobs that spend most core hours in MPI, and the share of their core hours that this is.
SELECT job,
       any_value(program) AS program,
       sum(in_mpi) / 3600 AS core_hours_in_mpi,
       sum(in_mpi) / sum(ranks.elapsed) AS share
FROM '*/ranks.parquet' AS ranks
JOIN '*/job.parquet' AS jobs USING (job)
GROUP BY job
ORDER BY core_hours_in_mpi DESC
LIMIT 20;
