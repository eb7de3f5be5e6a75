-- The nodes that others wait for: their ranks are less in MPI than those of the other nodes of the same job.
WITH nodes AS (
    SELECT job, host, avg(in_mpi) AS in_mpi, avg(elapsed) AS elapsed
    FROM '*/ranks.parquet'
    WHERE host IS NOT NULL AND in_mpi IS NOT NULL
    GROUP BY job, host
), jobs AS (
    SELECT job, median(in_mpi) AS in_mpi
    FROM nodes
    GROUP BY job
    HAVING count(*) > 1
)
SELECT host,
       count(*) AS jobs,
       avg((jobs.in_mpi - nodes.in_mpi) / elapsed) AS share_that_others_wait
FROM nodes
JOIN jobs USING (job)
GROUP BY host
ORDER BY share_that_others_wait DESC
LIMIT 20;
