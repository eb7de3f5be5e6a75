"""Answers the questions of the files beside this one on the workers of Dask.

    python questions.py SCHEDULER DIRECTORY

SCHEDULER is the address of Dask's scheduler, such as tcp://login1:8786. DIRECTORY has the tables of the jobs, and the same name on all
machines. It must be absolute.
"""

import os
import sys

import dask.dataframe
from dask.distributed import Client


def read(directory, table, columns):
    return dask.dataframe.read_parquet(os.path.join(directory, "*", table + ".parquet"), columns=columns)


def waiting(directory):
    """The jobs that spend most core hours in MPI, and the share of their core hours that this is."""
    ranks = read(directory, "ranks", ["job", "in_mpi", "elapsed"])
    found = ranks.groupby("job").sum(min_count=1, split_out=4).nlargest(20, "in_mpi").compute()
    jobs = read(directory, "job", ["job", "program"])
    jobs = jobs[jobs.job.isin(list(found.index))].compute().set_index("job")
    found = found.join(jobs, how="inner")
    found["core_hours_in_mpi"] = found.in_mpi / 3600
    found["share"] = found.in_mpi / found.elapsed
    return found[["program", "core_hours_in_mpi", "share"]]


def waits_of_nodes(ranks):
    """The share of the time of each job that its other nodes wait for a node. All ranks of a job are in the same part of the table."""
    nodes = ranks.groupby(["job", "host"], as_index=False).mean()
    of_job = nodes.groupby("job").in_mpi
    nodes["wait"] = (of_job.transform("median") - nodes.in_mpi) / nodes.elapsed
    return nodes[of_job.transform("size") > 1][["host", "wait"]]


def slow_nodes(directory):
    """The nodes that others wait for: their ranks are less in MPI than those of the other nodes of the same job."""
    ranks = read(directory, "ranks", ["job", "host", "in_mpi", "elapsed"]).dropna(subset=["host", "in_mpi"])
    waits = ranks.shuffle("job").map_partitions(waits_of_nodes, meta={"host": str, "wait": float})
    found = waits.groupby("host").wait.agg(["count", "mean"], split_out=4)
    found = found.rename(columns={"count": "jobs", "mean": "share_that_others_wait"})
    return found.nlargest(20, "share_that_others_wait").compute()


def small_messages(directory):
    """The jobs with the most messages of less than 1 KiB on average."""
    jobs = read(directory, "job", ["job", "program", "messages", "bytes", "size", "elapsed"])
    found = jobs[jobs.bytes < 1024 * jobs.messages].nlargest(20, "messages").compute().set_index("job")
    found["mean_bytes"] = found.bytes / found.messages
    found["messages_per_core_second"] = found.messages / (found["size"] * found.elapsed)
    return found[["program", "messages", "mean_bytes", "messages_per_core_second"]]


QUESTIONS = [waiting, slow_nodes, small_messages]


def main():
    scheduler, directory = sys.argv[1:]
    if not os.path.isabs(directory):
        sys.exit(f"{directory} is not absolute: the workers have other current directories")
    with Client(scheduler):
        for question in QUESTIONS:
            print(question.__doc__)
            print(question(directory).to_string())


if __name__ == "__main__":
    main()
