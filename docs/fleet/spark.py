"""Answers the question of waiting.sql with Spark.

    spark-submit spark.py DIRECTORY

DIRECTORY has the tables of the jobs, and the same name on all machines.
"""

import sys

from pyspark.sql import SparkSession

WAITING = """
SELECT job,
       first(program) AS program,
       sum(in_mpi) / 3600 AS core_hours_in_mpi,
       sum(in_mpi) / sum(ranks.elapsed) AS share
FROM ranks
JOIN jobs USING (job)
GROUP BY job
ORDER BY core_hours_in_mpi DESC
LIMIT 20
"""

spark = SparkSession.builder.appName("waiting").getOrCreate()
for view, table in [("ranks", "ranks"), ("jobs", "job")]:
    spark.read.parquet(f"{sys.argv[1]}/*/{table}.parquet").createOrReplaceTempView(view)
spark.sql(WAITING).show(truncate=False)
spark.stop()
