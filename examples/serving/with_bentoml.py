"""MODEL=model.onnx bentoml serve with_bentoml:Classifier: y of x, rows of 64 numbers: POST /predict {"x": [[...]]}."""

import os
from typing import Annotated

import bentoml
import numpy as np
from bentoml.validators import DType, Shape
from observed import Session

BATCH = 8
Rows = Annotated[np.ndarray, DType("float32"), Shape((-1, 64))]


@bentoml.service(workers=1)
class Classifier:
    def __init__(self):  # in the worker; /readyz is ready when it returns
        self.session = Session(os.environ["MODEL"], threads=1, batch_invariant=True)
        for rows in range(1, BATCH + 1):
            self.session.prepare({"x": (rows, 64)})

    @bentoml.api(batchable=True, max_batch_size=BATCH, max_latency_ms=1000)
    def predict(self, x: Rows) -> np.ndarray:
        return self.session.run({"x": x})["y"]

    @bentoml.on_shutdown
    def close(self):
        self.session.close()
