"""with_kserve.py --model_name=NAME --http_port=PORT MODEL: serves a model by the Open Inference Protocol."""

import sys

from kserve import InferOutput, InferResponse, Model, ModelServer
from kserve.errors import InvalidInput
from kserve.model_server import args
from kserve.utils.numpy_codec import from_np_dtype
from kserve.utils.utils import generate_uuid
from observed import Session
from rows import prepare


class Classifier(Model):
    def __init__(self, name, model):
        super().__init__(name)
        self.session = Session(model, threads=1, batch_invariant=True)
        prepare(self.session, 1)
        self.ready = True  # for /v2/health/ready

    async def predict(self, payload, headers=None, response_headers=None):  # of the protocol's version 2
        try:
            inputs = {tensor.name: tensor.as_numpy() for tensor in payload.inputs}
            outputs = await self.session.run_async(inputs)
        except (TypeError, ValueError) as error:  # from an input that does not fit
            raise InvalidInput(str(error)) from error
        found = [self.output(name, y, payload.use_binary_outputs) for name, y in outputs.items()]
        return InferResponse(payload.id or generate_uuid(), self.name, found, use_binary_outputs=payload.use_binary_outputs)

    def output(self, name, y, binary):
        tensor = InferOutput(name, list(y.shape), from_np_dtype(y.dtype))
        tensor.set_data_from_numpy(y, binary_data=binary)
        return tensor


if __name__ == "__main__":
    server = ModelServer(http_port=args.http_port, enable_grpc=False, workers=1)
    server.start([Classifier(args.model_name, sys.argv[-1])])
