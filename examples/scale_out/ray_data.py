"""ray_data.py MODEL IN OUT WORKERS: computes y of each x (64 numbers) in a folder of Parquet files, with Ray Data."""

import sys

import linnet
import numpy as np
import ray


class Predictor:
    """An actor, which is a separate process."""

    def __init__(self, model):
        self.session = linnet.Session(model)  # Ray sets OMP_NUM_THREADS to num_cpus

    def __call__(self, rows):
        y = linnet.batched(self.session, {"x": np.stack(rows["x"])}, 64)["y"]
        return {"id": rows["id"], "y": y}


if __name__ == "__main__":
    model, source, target, workers = sys.argv[1:]
    ray.init(num_cpus=int(workers) + 1, include_dashboard=False)  # reading and writing share the additional CPU
    table = ray.data.read_parquet(source).repartition(target_num_rows_per_block=512)
    actors = ray.data.ActorPoolStrategy(size=int(workers))
    table.map_batches(Predictor, fn_constructor_args=[model], num_cpus=1, compute=actors).write_parquet(target)
