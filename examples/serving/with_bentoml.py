"""MODEL=FILE bentoml serve with_bentoml:Classifier: POST /predict {"requests": [{"INPUT": [...]}]}."""

import os
from typing import Annotated

import bentoml
from observed import Session
from pydantic import AfterValidator, Field
from rows import Rows, prepare, run

MODEL, BATCH = os.environ["MODEL"], 8
ROWS = Rows(MODEL, BATCH)
Requests = Annotated[list[Annotated[dict, AfterValidator(ROWS.read)]], Field(min_length=1, max_length=ROWS.batch)]


@bentoml.service(workers=1)
class Classifier:
    def __init__(self):  # in the worker; /readyz is ready when it returns
        self.session = Session(MODEL, threads=1, batch_invariant=True)
        prepare(self.session, ROWS.batch)

    @bentoml.api(batchable=ROWS.batch > 1, max_batch_size=BATCH, max_latency_ms=1000)
    def predict(self, requests: Requests) -> list[dict]:
        return run(self.session, requests)

    @bentoml.on_shutdown
    def close(self):
        self.session.close()
