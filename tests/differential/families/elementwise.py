import numpy as np
from by_operator import family
from configuration import Configuration
from draw import allowed
from values import FLOATS, element_type, integer_range, is_integer, numpy_dtype

UNARY = (
    "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid HardSwish Identity "
    "IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign "
    "Sqrt Swish Tan Tanh ThresholdedRelu BitwiseNot"
).split()
DOMAINS = {
    "Acos": (-1, 1), "Asin": (-1, 1), "Atanh": (-0.9, 0.9), "Acosh": (1, 5), "Log": (0.1, 5), "Sqrt": (0, 5),
    "Reciprocal": (0.2, 4), "Tan": (-1.4, 1.4),
}  # fmt: skip
SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, 1.5, 2.5, -0.5, -1.5)


def sprinkle(draw, x):
    """Writes special values into a floating-point tensor."""
    if x.dtype.kind == "f" and x.size and draw.rare():
        x.reshape(-1)[: min(x.size, len(SPECIAL))] = SPECIAL[: min(x.size, len(SPECIAL))]
    return x


def real_attributes(draw, names, low=0.1, high=1.5):
    """Returns float attributes of the schema, each of which is omitted half the time."""
    return {name: draw.real(low, high) for name in names if name in draw.schema.attributes and draw.flag()}


def long_or_short(draw, high=4):
    """Returns a shape of rank 0 or more, occasionally a long one, so that vectors and their remainders are used."""
    return (draw.integer(1, 300),) if draw.rare() else draw.shape(0, high)


@family(*UNARY)
def unary(draw):
    name = draw.schema.name
    kind = draw.type_of_input(0)
    limits = DOMAINS.get(name, (None, None)) if draw.flag() else (None, None)
    # The parameters are floats, so the results for large integers are unspecified.
    limits = (-5, 7) if name == "Shrink" and kind not in FLOATS else limits
    x = draw.tensor(kind, long_or_short(draw), *limits)
    if name in ("IsInf", "IsNaN", "Ceil", "Floor", "Round", "Sign", "Abs", "Neg", "Relu", "Identity"):
        x = sprinkle(draw, x)
    attributes = real_attributes(draw, ("alpha", "beta", "gamma", "bias", "lambd"))
    if "approximate" in draw.schema.attributes:
        attributes["approximate"] = draw.choice(("none", "tanh"))
    for flag in ("detect_negative", "detect_positive"):
        if flag in draw.schema.attributes:
            attributes[flag] = draw.integer(0, 1)
    if name in ("IsInf", "IsNaN"):
        output = "T1" if draw.schema.outputs[0].type_str == "T1" else "T2"
        draw.types[output] = "bool"
    # Some references subtract numbers close to 1 from each other.
    magnitude = 1 if name in ("Celu", "Elu", "Gelu", "Mish", "Selu", "Sigmoid", "Swish") else 0
    return Configuration(draw.schema, [x], attributes, types=draw.types, roundings=4, magnitude=magnitude)


def broadcast_pair(draw, high=4):
    """Returns two shapes that broadcast."""
    result = draw.shape(0, high)
    return tuple(thin(draw, result) for _ in range(2))


def thin(draw, shape):
    """Returns a shape that broadcasts to the given one: without some leading dims, or with dims set to 1."""
    shape = shape[draw.integer(0, len(shape)) if draw.flag() else 0 :]
    return tuple(1 if draw.rare() or draw.rare() else n for n in shape)


def operand_range(name, second, types):
    if name in ("Div", "Mod"):
        return (1, 7) if second else (None, None)
    if name == "Pow":
        return (-2, 2.5) if second and not types[1].startswith("u") else (0.2, 3)
    if name == "BitShift":
        return (0, 7)
    return (None, None)


BINARY = (
    "Add Sub Mul Div Pow Mod And Or Xor Equal Less Greater LessOrEqual GreaterOrEqual BitShift BitwiseAnd BitwiseOr "
    "BitwiseXor PRelu SwiGLU"
).split()


@family(*BINARY)
def binary(draw):
    name = draw.schema.name
    types = [draw.type_of_input(0), draw.type_of_input(1)]
    legacy = "broadcast" in draw.schema.attributes
    shapes = broadcast_pair(draw)
    if legacy or name == "SwiGLU":
        shapes = (draw.shape(1, 4),) * 2
    elif name == "PRelu":
        x = draw.shape(1, 4)
        shapes = (x, thin(draw, x) if draw.schema.since_version >= 7 else draw.choice(((1,), x[1:2] or (1,))))
    low, high = operand_range(name, False, types)
    inputs = [draw.tensor(types[0], shapes[0], low, high)]
    low, high = operand_range(name, True, types)
    inputs.append(draw.tensor(types[1], shapes[1], low, high))
    if name == "Pow" and types[0].startswith(("int", "uint")):
        inputs[1] = np.abs(inputs[1])
    attributes = binary_attributes(draw, types[0])
    if draw.schema.outputs[0].type_str == "T1":
        draw.types["T1"] = "bool"
    modern = None
    if name == "PRelu" and draw.schema.since_version < 7 and len(shapes[0]) > 1:
        modern = ([inputs[0], inputs[1].reshape(-1, *[1] * (len(shapes[0]) - 2))], {})
    if legacy and len(shapes[0]) > 1 and draw.flag():
        inputs, attributes, modern = legacy_broadcast(draw, inputs)
    return Configuration(draw.schema, inputs, attributes, types=draw.types, modern=modern)


def binary_attributes(draw, type_name):
    name, attributes = draw.schema.name, {}
    if name == "BitShift":
        attributes["direction"] = draw.choice(("LEFT", "RIGHT"))
    if name == "Mod":
        attributes["fmod"] = 1 if type_name in ("float", "double", "float16", "bfloat16") else draw.integer(0, 1)
    if name == "SwiGLU":
        attributes = real_attributes(draw, ("alpha",))
    return attributes


def legacy_broadcast(draw, inputs):
    """Before opset 7, b is aligned with the dims of a from `axis` on. The modern form appends dims of 1 to b."""
    a, b = inputs
    axis = draw.integer(0, a.ndim - 1)
    length = draw.integer(1, a.ndim - axis)
    b = b[(0,) * axis][(...,) + (0,) * (a.ndim - axis - length)] if b.size else b
    if not b.size:
        return inputs, {}, None
    return [a, b], {"broadcast": 1, "axis": axis}, ([a, b.reshape(b.shape + (1,) * (a.ndim - axis - length))], {})


@family("Max", "Min", "Sum", "Mean")
def variadic(draw):
    shape = draw.shape(0, 4)
    count = draw.integer(1, 4)
    shapes = [thin(draw, shape) if draw.schema.since_version >= 8 else shape for _ in range(count)]
    return Configuration(draw.schema, [draw.tensor(draw.type("T"), s) for s in shapes], {}, types=draw.types)


@family("Where")
def where(draw):
    shape = draw.shape(0, 4)
    kinds = [draw.type("B"), draw.type("T"), draw.type("T")]
    return Configuration(draw.schema, [draw.tensor(t, thin(draw, shape)) for t in kinds], {}, types=draw.types)


@family("Clip")
def clip(draw):
    kind, since = draw.type("T"), draw.schema.since_version
    x = draw.tensor(kind, long_or_short(draw))
    bounds = [np.asarray(draw.tensor(kind, (), *limits)) if draw.flag() else None for limits in ((-2, 0), (1, 2))]
    if since >= 11:
        return Configuration(draw.schema, trim([x, *bounds]), {}, types=draw.types)
    bounds = [None if b is None else b.astype(np.float32) for b in bounds]
    attributes = {n: float(b) for n, b in zip(("min", "max"), bounds) if b is not None}
    modern = (trim([x, *(None if b is None else b.astype(x.dtype) for b in bounds)]), {})
    return Configuration(draw.schema, [x], attributes, types=draw.types, modern=modern)


def trim(inputs):
    """Removes trailing omitted inputs."""
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    return inputs


@family("CumSum", "CumProd")
def cumulative(draw):
    shape = draw.shape(1, 4)
    axis = np.asarray(draw.integer(-len(shape), len(shape) - 1), np.int32 if draw.type("T2") == "int32" else np.int64)
    attributes = {"exclusive": draw.integer(0, 1), "reverse": draw.integer(0, 1)}
    return Configuration(draw.schema, [draw.tensor(draw.type_of_input(0), shape), axis], attributes, types=draw.types)


def cast_attributes(draw, source, target):
    """Returns saturate and round_mode where they have an effect, and occasionally elsewhere."""
    attributes = {}
    if "saturate" in draw.schema.attributes and (target.startswith("float8") or draw.rare()) and draw.flag():
        attributes["saturate"] = draw.integer(0, 1)
    if "round_mode" in draw.schema.attributes and (target == "float8e8m0" or draw.rare()):
        attributes["round_mode"] = draw.choice(("up", "down", "nearest"))
    return attributes


@family("Cast")
def cast(draw):
    source, target = draw.type("T1"), draw.type("T2")
    x = castable(draw, source, target, draw.shape(0, 3))
    to = element_type(target) if draw.schema.since_version >= 6 else target.upper()
    attributes = {"to": to, **cast_attributes(draw, source, target)}
    modern = ([x], {"to": element_type(target)}) if draw.schema.since_version < 6 else None
    return Configuration(draw.schema, [x], attributes, types=draw.types, modern=modern)


def castable(draw, source, target, shape):
    """Returns values whose conversion is defined: floats within the range of an integer, any value for another
    float."""
    if source == "string":
        digits = draw.tensor("int8", shape, 0, 1 if target in ("bool", "uint2", "int2") else 3)
        return digits.astype(str).astype(object).reshape(shape)
    low, high = (None, None)
    if is_integer(target) and source not in ("bool",) and not is_integer(source):
        low, high = (max(-3, integer_range(target)[0]), min(7, integer_range(target)[1]))
    if target == "float8e8m0":
        low, high = (1, 4)
    if target == "string" and source in FLOATS:
        low, high = (-3, 3)
    if source == "float" and target.startswith(("float8e4", "float8e5", "float16")) and draw.flag():
        # Beyond the range of the target type.
        low, high = (-1e5, 1e5)
    x = draw.tensor(source, shape, low, high)
    # The number of digits in a text is unspecified, but all print multiples of one half equally.
    halves = target == "string" and source in FLOATS
    return np.round(x * 2).astype(x.dtype) / x.dtype.type(2) + x.dtype.type(0) if halves else x


@family("CastLike")
def cast_like(draw):
    source, target = draw.type("T1"), draw.type("T2")
    x = castable(draw, source, target, draw.shape(0, 3))
    like = draw.tensor(target, draw.shape(0, 2))
    return Configuration(draw.schema, [x, like], cast_attributes(draw, source, target), types=draw.types)


WIDTHS = {"bool": 8, "float": 32, "double": 64, "complex64": 64, "complex128": 128}


def width(name):
    digits = "".join(c for c in name.split("e")[0] if c.isdigit())
    return WIDTHS.get(name) or int(digits)


@family("BitCast")
def bit_cast(draw):
    forced = draw.forced.get("T2")
    sources = [t for t in allowed(draw.schema, "T1") if forced is None or width(t) == width(forced)]
    source = draw.type("T1", sources)
    target = draw.type("T2", [t for t in allowed(draw.schema, "T2") if width(t) == width(source)])
    # A bool that is neither 0 nor 1 is meaningless.
    shape = draw.shape(0, 3)
    if "bool" in (source, target):
        x = draw.tensor("bool", shape).astype(np.uint8).view(numpy_dtype(source))
    else:
        x = draw.tensor(source, shape)
    return Configuration(draw.schema, [x], {"to": element_type(target)}, types=draw.types)


@family("Dropout")
def dropout(draw):
    since = draw.schema.since_version
    x = draw.tensor(draw.type("T"), draw.shape(1, 4))
    attributes = {"is_test": 1} if since < 7 else {}
    inputs = [x]
    outputs = draw.integer(1, 2) if since >= 10 else 1
    draw.types["T2" if since >= 12 else "T1"] = "bool"
    if since < 12:
        attributes["ratio"] = draw.real(0, 0.9)
    elif draw.flag():
        ratio = draw.type("T1")
        attributes = {"seed": draw.integer(0, 9)} if draw.flag() else {}
        inputs = [x, draw.tensor(ratio, (), 0, 0.9), np.asarray(False) if draw.flag() else None]
    modern = ([x], {}) if since < 12 and outputs == 1 else None
    return Configuration(draw.schema, trim(inputs), attributes, outputs, draw.types, modern=modern)
