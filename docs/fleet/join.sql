-- Joins the tables `job` and `ranks` of all jobs, in a directory that the other files here read like that of one job.
-- The order of rows does not matter, and keeping it takes a time that grows with the square of the number of files.
SET preserve_insertion_order = false;
COPY (FROM '*/job.parquet') TO '../joined/all/job.parquet';
COPY (FROM '*/ranks.parquet') TO '../joined/all/ranks.parquet';
