"""spark.py MODEL IN OUT WORKERS: computes y of each x (64 numbers) in a folder of Parquet files, with Spark."""

import functools
import sys

import linnet
from pyspark.ml.functions import predict_batch_udf
from pyspark.sql import SparkSession
from pyspark.sql.types import ArrayType, FloatType


def predictor(model):
    session = linnet.cached(model)  # loaded in each Python process; Spark sets OMP_NUM_THREADS to spark.task.cpus
    return lambda x: linnet.batched(session, {"x": x}, 64)["y"]


if __name__ == "__main__":
    model, source, target, workers = sys.argv[1:]
    # The number of concurrent tasks, and of attempts per task: clusters try 4 times, a single process only once by
    # default.
    spark = SparkSession.builder.master(f"local[{workers}, 4]").getOrCreate()
    predict = predict_batch_udf(functools.partial(predictor, model), return_type=ArrayType(FloatType()), batch_size=512,
                                input_tensor_shapes=[[64]])
    table = spark.read.parquet(source)
    table.select("id", predict("x").alias("y")).write.parquet(target)
    spark.stop()
