"""Sequences of tensors. Python passes every element at each run."""

from notation import by, case, fed, seq, x

WIDTH = by(8, 1000, 100_000)
LIST = seq(*(x("float32", 2, WIDTH) for _ in range(8)))

case("SequenceEmpty")
case("SequenceConstruct", *(x("float32", 2, WIDTH) for _ in range(8)))
case("SequenceAt", LIST, fed(3))
case("SequenceErase", LIST, fed(3))
case("SequenceInsert", LIST, x("float32", 2, WIDTH), fed(3))
case("SequenceLength", LIST)
case("ConcatFromSequence", LIST, axis=1)
case("ConcatFromSequence", LIST, axis=0, new_axis=1)
case("SplitToSequence", x("float32", 8, WIDTH), fed(2), axis=0)
