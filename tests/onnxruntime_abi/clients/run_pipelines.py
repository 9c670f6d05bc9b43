"""Converts text pipelines of scikit-learn, adds operators of onnxruntime-extensions before them, and runs them."""

import os

import numpy as np
import onnx
from onnx import TensorProto, compose, helper
from onnxruntime_extensions import get_library_path
from run_extensions import Library, Ort, report
from skl2onnx import to_onnx
from skl2onnx.common.data_types import StringTensorType
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

TEXTS = [
    "the cat sat on the mat",
    "a dog ran in the park",
    "the cat and the dog sat",
    "a bird flew over the park",
    "my dog has a mat",
]
CLASSES = [0, 1, 0, 1, 1]
OTHERS = ["A  Cat, 12 dogs", "the PARK", "nothing", "the bird sat on my mat!"]
PATTERN = "[a-zA-Z0-9_]+"
VECTORIZERS = {
    "counts": CountVectorizer(token_pattern=PATTERN, lowercase=False),
    "frequencies": TfidfVectorizer(token_pattern=PATTERN, lowercase=False),
    "pairs": TfidfVectorizer(token_pattern=PATTERN, lowercase=False, ngram_range=(1, 2)),
}  # fmt: skip


def cleaning():
    """Returns a model that converts texts to lower case and removes digits and punctuation."""
    nodes = [helper.make_node("StringLower", ["texts"], ["small"], domain="ai.onnx.contrib"),
             helper.make_node("Constant", [], ["pattern"], value=helper.make_tensor("p", TensorProto.STRING, [1], [b"[^a-z ]+"])),
             helper.make_node("Constant", [], ["space"], value=helper.make_tensor("s", TensorProto.STRING, [1], [b" "])),
             helper.make_node("StringRegexReplace", ["small", "pattern", "space"], ["clean"], domain="ai.onnx.contrib")]  # fmt: skip
    graph = helper.make_graph(nodes, "cleaning", [helper.make_tensor_value_info("texts", TensorProto.STRING, [None, 1])],
                              [helper.make_tensor_value_info("clean", TensorProto.STRING, [None, 1])])  # fmt: skip
    return graph


def joined(model):
    """Returns the model preceded by the one that cleans its texts."""
    opsets = [*model.opset_import, helper.make_opsetid("ai.onnx.contrib", 1)]
    first = helper.make_model(cleaning(), opset_imports=opsets, ir_version=model.ir_version)
    model.opset_import.append(helper.make_opsetid("ai.onnx.contrib", 1))
    result = compose.merge_models(first, model, [("clean", model.graph.input[0].name)])
    onnx.checker.check_model(result)
    return result.SerializeToString()


def results(ort, options, vectorizer, plain):
    """Returns the labels and probabilities of a pipeline, and whether they are equal to scikit-learn's."""
    pipeline = make_pipeline(vectorizer, LogisticRegression()).fit(TEXTS, CLASSES)
    model = to_onnx(
        pipeline, initial_types=[("words", StringTensorType([None, 1]))], options={"zipmap": False}, target_opset=17
    )
    texts = np.array(TEXTS if plain else OTHERS, object)[:, None]
    session = ort.session(model.SerializeToString() if plain else joined(model), options)
    labels, probabilities = ort.run(session, {"words" if plain else "texts": texts}, "label", "probabilities")
    alike = np.allclose(probabilities, pipeline.predict_proba(TEXTS), atol=1e-5) if plain else True
    return [labels.tolist(), probabilities.round(5).tolist(), bool(alike)]


def main():
    api = Library(os.environ["LINNET_TEST_LIBRARY"]).api()
    ort = Ort(api, api.CreateEnv(4, b"tests"))
    options = ort.options()
    api.RegisterCustomOpsLibrary_V2(options, get_library_path().encode())
    report({f"{name} {'plain' if plain else 'cleaned'}": results(ort, options, vectorizer, plain)
            for name, vectorizer in VECTORIZERS.items() for plain in (True, False)})  # fmt: skip


main()
