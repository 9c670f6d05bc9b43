"""Pipelines for tables of one row, a hundred rows and ten thousand rows."""

from trained import classification_forest, ensemble, floats, regression_forest, support_vectors
from notation import by, case, each, fed, lazily, x

ROWS, FEATURES = by(1, 100, 10_000), 30
TABLE = x("float32", ROWS, FEATURES)
LEARN = "ai.onnx.ml."
LABELS = ["no", "yes", "perhaps"]

for trees, depth, rows in ((100, 6, ROWS), (1000, 4, by(1, 100, 2000))):
    table = x("float32", rows, FEATURES)
    case(LEARN + "TreeEnsembleRegressor", table, more=lazily(regression_forest, trees, depth, FEATURES))
    case(
        LEARN + "TreeEnsembleClassifier",
        table,
        more=lazily(classification_forest, trees, depth, FEATURES, 3),
        outputs=2,
    )
    case(LEARN + "TreeEnsemble", table, more=lazily(ensemble, trees, depth, FEATURES), since=5)
case(LEARN + "TreeEnsembleRegressor", x("float64", ROWS, FEATURES), more=lazily(regression_forest, 100, 6, FEATURES))
case(LEARN + "LinearRegressor", TABLE, coefficients=floats(FEATURES), intercepts=[0.5])
case(
    LEARN + "LinearClassifier",
    TABLE,
    coefficients=floats(3 * FEATURES),
    intercepts=floats(3),
    classlabels_ints=[0, 1, 2],
    post_transform=each("NONE", "SOFTMAX"),
    outputs=2,
)
case(
    LEARN + "LinearClassifier",
    TABLE,
    coefficients=floats(3 * FEATURES),
    intercepts=floats(3),
    classlabels_strings=LABELS,
    outputs=2,
)
case(LEARN + "SVMRegressor", x("float32", by(1, 100, 1000), FEATURES), more=lazily(support_vectors, 300, FEATURES))
case(
    LEARN + "SVMClassifier",
    x("float32", by(1, 100, 1000), FEATURES),
    more=lazily(support_vectors, 300, FEATURES, 3),
    outputs=2,
)
case(
    LEARN + "Scaler",
    x(each("float32", "float64", "int64"), ROWS, FEATURES),
    offset=floats(FEATURES),
    scale=floats(FEATURES),
)
case(LEARN + "Scaler", TABLE, offset=[0.5], scale=[2.0])
case(LEARN + "Normalizer", TABLE, norm=each("MAX", "L1", "L2"))
case(LEARN + "Imputer", TABLE, imputed_value_floats=floats(FEATURES), replaced_value_float=float("nan"))
case(LEARN + "Binarizer", TABLE, threshold=0.5)
case(LEARN + "FeatureVectorizer", TABLE, x("float32", ROWS, 5), inputdimensions=[FEATURES, 5])
case(LEARN + "ArrayFeatureExtractor", TABLE, fed([1, 5, 7, 11]))
case(LEARN + "OneHotEncoder", x(each("int64", "float32"), ROWS, 5, low=0, high=9), cats_int64s=list(range(10)))
case(LEARN + "OneHotEncoder", x("string", ROWS, 2), cats_strings=["", "a", "Linnet", "onnx"])
case(LEARN + "LabelEncoder", x("int64", ROWS, 5, low=0, high=9), keys_int64s=list(range(10)), values_floats=floats(10))
case(LEARN + "LabelEncoder", x("string", ROWS, 2), keys_strings=["", "a", "Linnet", "onnx"], values_int64s=[0, 1, 2, 3])
case(LEARN + "LabelEncoder", x("int64", ROWS, low=0, high=2), keys_int64s=[0, 1, 2], values_strings=LABELS)
case(LEARN + "CategoryMapper", x("int64", ROWS, low=0, high=2), cats_int64s=[0, 1, 2], cats_strings=LABELS)
case(LEARN + "CategoryMapper", x("string", ROWS), cats_int64s=[0, 1, 2], cats_strings=["a", "onnx", "Linnet"])
case(LEARN + "ZipMap", x("float32", by(1, 100, 2000), 3), classlabels_int64s=[0, 1, 2])
case(
    LEARN + "DictVectorizer",
    fed(by({1: 0.5}, {i: 0.5 for i in range(100)}, {i: 0.5 for i in range(1000)})),
    int64_vocabulary=list(range(1000)),
    agreement="elements",
)
case(
    LEARN + "CastMap",
    fed(by({1: 0.5}, {i: 0.5 for i in range(100)}, {i: 0.5 for i in range(1000)})),
    cast_to="TO_FLOAT",
)
