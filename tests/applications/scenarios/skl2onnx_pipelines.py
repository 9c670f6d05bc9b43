"""Pipelines of scikit-learn through skl2onnx: labels, probabilities, regressions, distances."""

import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn import cluster, compose, datasets, decomposition, ensemble, impute, linear_model, naive_bayes
from sklearn import neighbors, neural_network, pipeline, preprocessing, svm, tree

CLASSIFIERS = [
    linear_model.LogisticRegression(max_iter=500), tree.DecisionTreeClassifier(random_state=0),
    ensemble.RandomForestClassifier(20, random_state=0), ensemble.GradientBoostingClassifier(n_estimators=20, random_state=0),
    ensemble.HistGradientBoostingClassifier(max_iter=20), ensemble.AdaBoostClassifier(random_state=0),
    neighbors.KNeighborsClassifier(), svm.SVC(probability=True, random_state=0), naive_bayes.GaussianNB(),
    neural_network.MLPClassifier(max_iter=300, random_state=0), linear_model.SGDClassifier(random_state=0),
]  # fmt: skip
REGRESSORS = [
    linear_model.LinearRegression(), linear_model.Ridge(), ensemble.RandomForestRegressor(20, random_state=0),
    ensemble.GradientBoostingRegressor(n_estimators=20), svm.SVR(), neighbors.KNeighborsRegressor(),
    neural_network.MLPRegressor(max_iter=200, random_state=0),
]  # fmt: skip
TRANSFORMERS = [
    decomposition.PCA(2), cluster.KMeans(3, random_state=0, n_init=3), preprocessing.PolynomialFeatures(2),
    preprocessing.KBinsDiscretizer(4, encode="ordinal"), preprocessing.Normalizer(), preprocessing.RobustScaler(),
]  # fmt: skip


def prepare(folder):
    x, y = datasets.load_iris(return_X_y=True)
    x = x.astype(np.float32)
    scaled = [(model, x, y) for model in CLASSIFIERS + TRANSFORMERS]
    x, y = datasets.load_diabetes(return_X_y=True)
    scaled += [(model, x.astype(np.float32), y) for model in REGRESSORS]
    for model, x, y in scaled:
        fitted = pipeline.make_pipeline(preprocessing.StandardScaler(), model).fit(x, y)
        save(folder, type(model).__name__, to_onnx(fitted, x[:1]), x[::3])
    prepare_mixed(folder)


def prepare_mixed(folder):
    rng = np.random.default_rng(1)
    colours = rng.choice(["red", "green", "blue"], (80, 2))
    model = pipeline.make_pipeline(
        compose.ColumnTransformer([("c", preprocessing.OneHotEncoder(handle_unknown="ignore"), [0, 1])]),
        linear_model.LogisticRegression())  # fmt: skip
    onnx = to_onnx(model.fit(colours, colours[:, 0] == "red"), initial_types=[("X", StringTensorType([None, 2]))])
    save(folder, "OneHotEncoder", onnx, np.append(colours, [["pink", "red"]], axis=0).astype(object))
    values = rng.standard_normal((40, 3)).astype(np.float32)
    values[::5] = np.nan
    model = pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.MinMaxScaler()).fit(values)
    save(folder, "SimpleImputer", to_onnx(model, initial_types=[("X", FloatTensorType([None, 3]))]), values)


def save(folder, name, onnx, x):
    (folder / f"{name}.onnx").write_bytes(onnx.SerializeToString())
    np.save(folder / f"{name}.npy", x)


def results(folder):
    found = {}
    for path in sorted(folder.glob("*.onnx")):
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        x = np.load(path.with_suffix(".npy"), allow_pickle=True)
        found[path.stem] = session.run(None, {session.get_inputs()[0].name: x})
    return found
