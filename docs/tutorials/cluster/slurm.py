"""Start a Dask scheduler here and workers as SLURM jobs; print the address to give to ``--cluster``."""

from time import sleep

from dask_jobqueue import SLURMCluster

JOBS = 10

cluster = SLURMCluster(
    queue="normal",  # your partition
    account=None,  # your account, if your site asks for one
    cores=8,
    processes=8,  # one process a core: cells do not share memory
    memory="16 GB",
    walltime="04:00:00",
    job_script_prologue=["source ~/multislot/.venv/bin/activate"],  # where multislot is installed on the nodes
)

if __name__ == "__main__":
    cluster.adapt(maximum_jobs=JOBS)  # workers come as they are needed; those that end are replaced
    print(cluster.scheduler_address, flush=True)
    while True:
        sleep(60)
