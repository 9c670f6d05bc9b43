"""Control flow with small bodies, which shows the cost of a round."""

import numpy as np
from bodies import accumulate, branch, each_element, running_sum
from notation import by, case, fed, seq, x

WIDTH = by(8, 10_000, 1_000_000)

case("If", fed(np.array(True)), captured=(x("float32", WIDTH),), then_branch=branch("Relu"), else_branch=branch("Neg"))
case(
    "Loop",
    fed(by(4, 100, 100)),
    None,
    x("float32", by(8, 64, 10_000)),
    captured=(x("float32", by(8, 64, 10_000)),),
    body=accumulate(),
    outputs=2,
)
case(
    "Scan",
    x("float32", by(8, 64, 10_000)),
    x("float32", by(4, 100, 100), by(8, 64, 10_000)),
    body=running_sum(),
    num_scan_inputs=1,
    outputs=2,
)
case("SequenceMap", seq(*(x("float32", WIDTH) for _ in range(8))), body=each_element("Relu"))
