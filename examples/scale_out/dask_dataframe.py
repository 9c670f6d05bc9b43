"""dask_dataframe.py MODEL IN OUT WORKERS: computes y of each x (64 numbers) in a folder of Parquet files, with Dask."""

import sys

import dask.dataframe
import linnet
import numpy as np
import pandas as pd
import pyarrow as pa
from dask.distributed import Client, LocalCluster


def predict(part, model):
    session = linnet.cached(model)  # loaded by the first part in each process; Dask sets OMP_NUM_THREADS=1
    x = np.array(part["x"].tolist(), np.float32).reshape(-1, 64)
    y = linnet.batched(session, {"x": x}, 64)["y"]
    return pd.DataFrame({"id": part["id"], "y": list(y)})


if __name__ == "__main__":
    model, source, target, workers = sys.argv[1:]
    with LocalCluster(n_workers=int(workers), threads_per_worker=1) as cluster, Client(cluster):
        table = dask.dataframe.read_parquet(source)
        scores = table.map_partitions(predict, model, meta={"id": "int64", "y": object})
        scores.to_parquet(target, schema=pa.schema({"id": pa.int64(), "y": pa.list_(pa.float32())}))
