-- Joins the tables `job` and `ranks` of all jobs, in a directory that the other files here read like that of one job.
COPY (FROM '*/job.parquet') TO '../joined/all/job.parquet';
COPY (FROM '*/ranks.parquet') TO '../joined/all/ranks.parquet';
