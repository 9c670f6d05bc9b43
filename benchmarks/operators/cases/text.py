"""Texts, which pass through Python at each run."""

from arrays import phrases
from notation import by, case, each, x

N = by(10, 1000, 50_000)

case("StringConcat", x("string", N), x("string", N))
case("StringSplit", x("string", N, fill=phrases), delimiter=" ", outputs=2)
case(
    "StringNormalizer",
    x("string", N),
    case_change_action=each("LOWER", "UPPER"),
    is_case_sensitive=0,
    stopwords=["onnx"],
    locale="C.UTF-8",
)
case("RegexFullMatch", x("string", N), pattern="[a-z ]*")
case(
    "TfIdfVectorizer",
    x("int64", by(1, 10, 200), by(10, 100, 1000), low=0, high=99),
    mode="TF",
    ngram_counts=[0, 100],
    ngram_indexes=list(range(200)),
    pool_int64s=[*range(100), *(n for i in range(100) for n in (i, (i + 1) % 100))],
    min_gram_length=1,
    max_gram_length=2,
    max_skip_count=0,
)
