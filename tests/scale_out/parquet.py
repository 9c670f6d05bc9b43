"""parquet.py write X.npy FOLDER FILES: rows of x, with their numbers as id. parquet.py read FOLDER Y.npz: id and y."""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet


def write(source, folder, files):
    x = np.load(source)
    Path(folder).mkdir()
    for i, ids in enumerate(np.array_split(np.arange(len(x)), int(files))):
        table = pa.table({"id": ids, "x": pa.array(list(x[ids]), pa.list_(pa.float32()))})
        pa.parquet.write_table(table, Path(folder, f"{i}.parquet"))


def read(folder, target):
    table = pa.dataset.dataset(folder, format="parquet").to_table().sort_by("id")
    y = table["y"].to_pylist()
    np.savez(target, id=table["id"].to_numpy(), y=np.array(y, np.float32))


{"write": write, "read": read}[sys.argv[1]](*sys.argv[2:])
