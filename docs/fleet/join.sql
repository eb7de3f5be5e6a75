-- Joins the tables of all jobs into one of each kind, in a directory that these files read as that of one job.
COPY (FROM '*/job.parquet') TO '../joined/all/job.parquet';
COPY (FROM '*/ranks.parquet') TO '../joined/all/ranks.parquet';
