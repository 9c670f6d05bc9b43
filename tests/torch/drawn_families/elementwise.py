"""Elementwise functions, activations and conversions."""

from drawn import ALL, FLOATS, INFINITY, NUMERIC, Spec

UNARY = (
    "abs neg exp log sqrt sin cos tan asin acos atan sinh cosh asinh acosh atanh erf sign reciprocal square rsqrt log2 "
    "log10 log1p expm1 exp2 floor ceil round trunc frac sinc special.entr sgn signbit erfc erfinv logit nan_to_num "
    "isposinf isneginf deg2rad rad2deg isfinite isnan isinf logical_not bitwise_not positive sigmoid tanh "
    "absolute arccos "
    "special.expit special.expm1 special.erfc special.log1p fix relu selu clone ravel "
    "zeros_like ones_like"
).split()


def unary(d):
    d.tensor("x", ALL)
    name = d.choice(UNARY)
    quotients = {
        "expm1": "torch.expm1(x * 1e-4) / (x * 1e-4)",
        "log1p": "torch.log1p(x * 1e-4) / (x * 1e-4)",
        "erfc": "torch.log(torch.erfc(x))",
    }
    if name in quotients and d.rare():
        return quotients[name]
    return f"torch.{name}(x)"


def unary_in_place(d):
    d.tensor("x", NUMERIC)
    return f"(x + 0).{d.choice(UNARY[:45])}_()"


def unary_with_numbers(d):
    d.tensor("x", ALL)
    return d.choice(
        [
            f"torch.round(x, decimals={d.integer(-1, 3)})",
            f"torch.logit(x, eps={d.choice((0.1, 1e-3))})",
            f"torch.nan_to_num(x, nan={d.choice((1.0, -2.5))}, posinf={d.choice((3.0, None))})",
            f"torch.clamp(x, {d.choice((-1, -0.5, None, INFINITY))}, {d.choice((1, 2.5, 0))})",
            f"torch.clamp(x, min={d.choice((-1, 0.5))})",
            f"x.clamp_max({d.choice((-1, 0.5))})",
            f"x.clamp_min({d.choice((-1, 0.5))})",
            f"x.clip({d.choice((-2, 0))}, 1)",
            f"torch.full_like(x, {d.choice((3, 2))})",
            "x.fill_diagonal_(2)",
            f"x.ldexp(torch.tensor({d.integer(-3, 3)}))",
            f"x.masked_fill(x > 0, {d.choice((1, -1.5))})",
            "x.new_zeros(3) + x.sum()",
            "x.new_full((2,), 3)",
        ]
    )


BINARY = (
    "add sub mul div floor_divide remainder fmod pow minimum maximum atan2 logaddexp logaddexp2 xlogy special.xlog1py "
    "copysign heaviside fmax fmin ldexp float_power eq ne gt ge lt le logical_and logical_or logical_xor bitwise_and "
    "bitwise_or bitwise_xor isclose hypot true_divide multiply subtract less greater_equal"
).split()


SCALARS = ("2", "-3", "0.1", "-0.5", "1.5", "0", "1", "True", "float('inf')", "3")


def binary(d):
    d.tensor("x", ALL)
    d.broadcastable("y", "x", ALL)
    return f"torch.{d.choice(BINARY)}({d.choice(('x, y', 'y, x'))})"


def binary_with_number(d):
    d.tensor("x", ALL)
    name = d.choice(
        BINARY[:8]
        + [
            "xlogy",
            "copysign",
            "float_power",
            "eq",
            "ne",
            "gt",
            "ge",
            "lt",
            "le",
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "special.xlog1py",
        ]
    )
    number = d.choice(SCALARS)
    if name in ("pow", "xlogy", "float_power", "remainder") and d.rare():
        return f"torch.{name}({number}, x)"
    return f"torch.{name}(x, {number})"


def binary_by_sign(d):
    d.tensor("x", ALL)
    d.broadcastable("y", "x", ALL)
    sign = d.choice(("+", "-", "*", "/", "//", "%", "**", "==", "!=", ">", "<=", "&", "|", "^"))
    return d.choice((f"x {sign} y", f"x {sign} {d.choice(SCALARS)}", f"{d.choice(SCALARS)} {sign} x"))


def binary_in_place(d):
    d.tensor("x", ALL)
    d.broadcastable("y", "x", ALL)
    name = d.choice("add sub mul div floor_divide remainder fmod pow atan2 xlogy copysign eq ne gt ge lt le".split())
    return f"x.clone().{name}_({d.choice(('y', d.choice(SCALARS)))})"


def division(d):
    d.tensor("x", NUMERIC)
    d.broadcastable("y", "x", NUMERIC)
    other = d.choice(("y", "y", d.choice(SCALARS)))
    mode = d.choice(("None", "'floor'", "'trunc'"))
    return f"torch.div(x, {other}, rounding_mode={mode})"


def scaled(d):
    d.tensor("x", ALL)
    d.broadcastable("y", "x", ALL)
    return f"torch.{d.choice(('add', 'sub', 'rsub'))}(x, {d.choice(('y', '2'))}, alpha={d.choice((2, -1, 0.5, 1))})"


def ternary(d):
    d.tensor("x", NUMERIC)
    d.broadcastable("y", "x", NUMERIC)
    d.broadcastable("z", "x", NUMERIC)
    return d.choice(
        [
            f"torch.addcmul(x, y, z, value={d.choice((1, 2, 0.5))})",
            f"torch.addcdiv(x, y, z, value={d.choice((1, 0.5))})",
            "torch.where(x > 0, y, z)",
            "torch.where(x > y, z, 1.5)",
            "torch.where(x > 0, 1, z)",
            "torch.clamp(x, y, z)",
            f"torch.lerp(x, y, {d.choice((0.3, 0.5, 1.0, 2.0))})",
            "torch.lerp(x * 1e20, y + 1, 1.0)",
            "torch.lerp(x, y, z)",
            "x.masked_fill(y > 0, z.sum())",
            "torch.clamp(x, max=y)",
        ]
    )


ACTIVATIONS = (
    "relu(x)",
    "relu6(x)",
    "leaky_relu(x, 0.2)",
    "elu(x, 0.7)",
    "celu(x, 1.3)",
    "selu(x)",
    "gelu(x)",
    "silu(x)",
    "mish(x)",
    "gelu(x, approximate='tanh')",
    "hardswish(x)",
    "hardsigmoid(x)",
    "hardtanh(x, -2.0, 0.5)",
    "softplus(x)",
    "softplus(x, 1.0, 0.5)",
    "softplus(x, 2.0, 20.0)",
    "softplus(x, 0.5, 3.0)",
    "softsign(x)",
    "logsigmoid(x)",
    "hardshrink(x, 0.3)",
    "softshrink(x, 0.3)",
    "threshold(x, 0.3, 7.0)",
    "sigmoid(x)",
    "tanhshrink(x)",
    "rrelu(x)",
    "dropout(x, training=False)",
    "normalize(x)",
    "relu(x + 0, inplace=True)",
    "hardtanh(x + 0, inplace=True)",
    "leaky_relu(x + 0, inplace=True)",
    "elu(x + 0, inplace=True)",
    "threshold(x + 0, 0.1, 20.0, inplace=True)",
)


def activation(d):
    rank = d.tensor("x", FLOATS)
    along = d.axis(rank)
    return "F." + d.choice(
        ACTIVATIONS
        + (
            f"softmax(x, {along})",
            f"log_softmax(x, {along})",
            f"softmin(x, {along})",
            f"glu(x, {along})",
            f"softmax(x, {along}, dtype=torch.float64)",
        )
    )


def prelu(d):
    rank = d.tensor("x", "float32", d.shape(1, 4))
    channels = d.size(1) if rank > 1 else 1
    d.specs["w"] = Spec("float32", [d.choice((1, channels))], kind="plain")
    return "F.prelu(x, w)"


def conversion(d):
    d.tensor("x", ALL, kind="plain")
    to = d.choice(ALL)
    return d.choice(
        [
            f"x.to(torch.{to})",
            "x.float()",
            "x.long()",
            "x.bool()",
            "x.double()",
            "x.int()",
            "x.half()",
            f"x.type_as(x.{d.choice(('int', 'float'))}())",
            "x.to(torch.float64).sum()",
            "x.to(torch.float16) + x",
        ]
    )
