"""Reads the tables of several jobs with DuckDB, pandas, Polars and Dask, and runs the documented queries.

    fleet.py FLEET QUESTIONS [times]

Prints the first answer to each question, and the sums that each of them finds; with `times`, the seconds of the answers instead of the sums.
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

SUMS = {"ranks": ["rank", "bytes_out"], "pairs": ["messages", "bytes"], "job": ["size", "messages"]}


def print_sums():
    for table, columns in SUMS.items():
        files = f"*/{table}.parquet"
        for column in columns:
            found = {
                "duckdb": duckdb.sql(f"SELECT sum({column}) FROM '{files}'").fetchall()[0][0],
                "pandas": sum(pandas.read_parquet(file)[column].sum() for file in glob.glob(files)),
                "pandas-csv": sum(pandas.read_csv(file)[column].sum() for file in glob.glob(f"*_{table}.csv")),
                "polars": polars.scan_parquet(files).select(polars.col(column).sum()).collect().item(),
                "dask": dask.dataframe.read_parquet(files)[column].sum().compute(),
            }
            for program, value in found.items():
                print(table, column, program, int(value))


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


def main():
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
            print_sums()
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
