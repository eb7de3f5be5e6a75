"""Reads the tables of several jobs with DuckDB, pandas, Polars and Dask, and runs the documented queries.

    fleet.py FLEET QUERIES

Prints the sums that each of them finds, and the first row of each query.
"""

import glob
import os
import sys

import dask.dataframe
import duckdb
import pandas
import polars
from dask.distributed import Client

SUMS = {"ranks": ["rank", "bytes_out"], "pairs": ["messages", "bytes"], "job": ["size", "messages"]}


def main():
    queries = [os.path.abspath(query) for query in sorted(glob.glob(sys.argv[2] + "/*.sql"))]
    os.chdir(sys.argv[1])
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory="workers"):
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
    for query in queries:
        with open(query) as file:
            row = duckdb.sql(file.read()).fetchall()[0]
        print("first of", os.path.basename(query), row[0])


if __name__ == "__main__":
    main()
