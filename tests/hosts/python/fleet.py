"""Reads tables with DuckDB, pandas, Polars and Dask.

    fleet.py FLEET QUESTIONS [times]
    fleet.py TABLES

The first form reads the tables of several jobs and runs the documented queries. It prints the first answer to each question, and the sums that
each program finds; with `times`, the seconds of the answers instead of the sums. The second form prints the sums of the tables of a job's
records, a directory STEM.tables.
"""

import glob
import os
import sys
import time

import dask.dataframe
import duckdb
import pandas
import polars
from dask.distributed import Client, LocalCluster

SUMS_OF_FLEET = {"ranks": ["rank", "bytes_out"], "pairs": ["messages", "bytes"], "job": ["size", "messages"]}
SUMS_OF_RECORDS = {
    "ranks": ["rank", "elapsed_ns"],
    "pairs": ["messages", "bytes"],
    "sizes": ["messages"],
    "calls": ["calls", "bytes"],
}


def print_sums(sums, has_csv):
    for table, columns in sums.items():
        files = f"*/{table}.parquet"
        for column in columns:
            found = {
                "duckdb": duckdb.sql(f"SELECT sum({column}) FROM '{files}'").fetchall()[0][0],
                "pandas": sum(pandas.read_parquet(file)[column].sum() for file in glob.glob(files)),
                "polars": polars.scan_parquet(files).select(polars.col(column).sum()).collect().item(),
                "dask": dask.dataframe.read_parquet(files)[column].sum().compute(),
            }
            if has_csv:
                found["pandas-csv"] = sum(pandas.read_csv(file)[column].sum() for file in glob.glob(f"*_{table}.csv"))
            for program, value in found.items():
                print(table, column, program, int(value))


def print_bytes_of_rank_0():
    """Prints the bytes that rank 0 sends. The column `from` has the name of a word of SQL."""
    files = "*/pairs.parquet"
    of_ranks = dict(duckdb.sql(f'SELECT "from", sum(bytes) FROM \'{files}\' GROUP BY "from"').fetchall())
    of_pandas = [pandas.read_parquet(file).groupby("from")["bytes"].sum() for file in glob.glob(files)]
    of_polars = polars.scan_parquet(files).filter(polars.col("from") == 0)
    found = {
        "duckdb": of_ranks[0],
        "pandas": sum(of_rank.get(0, 0) for of_rank in of_pandas),
        "polars": of_polars.select(polars.col("bytes").sum()).collect().item(),
        "dask": dask.dataframe.read_parquet(files).groupby("from")["bytes"].sum().compute().loc[0],
    }
    for program, value in found.items():
        print("bytes from rank 0", program, int(value))


def import_of_workers():
    import dask.dataframe
    import pyarrow.parquet

    return dask.dataframe, pyarrow.parquet


def print_answer(question, program, answer, has_times):
    begin = time.monotonic()
    first = answer()
    seconds = time.monotonic() - begin
    print(f"first of {question} by {program}: {first}")
    if has_times:
        print(f"seconds of {question} by {program}: {seconds:.1f}")


def read_records(tables):
    os.chdir(tables)
    print_sums(SUMS_OF_RECORDS, has_csv=False)
    print_bytes_of_rank_0()


def main():
    if len(sys.argv) == 2:
        read_records(sys.argv[1])
        return
    fleet, directory = map(os.path.abspath, sys.argv[1:3])
    has_times = sys.argv[3:] == ["times"]
    sys.path.insert(0, directory)
    import questions

    def sql(name):
        with open(f"{directory}/{name}.sql") as file:
            return duckdb.sql(file.read())

    os.chdir(fleet)
    os.makedirs("../joined/all")
    begin = time.monotonic()
    sql("join")
    if has_times:
        print(f"seconds of join by duckdb: {time.monotonic() - begin:.1f}")
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory="../workers")
    with cluster, Client(cluster) as client:
        if has_times:
            # Otherwise the first answer would wait for imports.
            client.run(import_of_workers)
        else:
            print_sums(SUMS_OF_FLEET, has_csv=True)
        for form, joined in [(".", ""), ("../joined", ", joined")]:
            os.chdir(form)
            for question in questions.QUESTIONS:
                name = question.__name__
                print_answer(name, "duckdb" + joined, lambda: sql(name).fetchall()[0][0], has_times)
                # A task for each of many small files takes too long to be measured.
                if joined or not has_times:
                    print_answer(name, "dask" + joined, lambda: question(os.getcwd()).index[0], has_times)


if __name__ == "__main__":
    main()
