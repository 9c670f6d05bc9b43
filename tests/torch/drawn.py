"""Random choices for a family of modules (drawn_families): tensors, sizes, axes, options."""

import random

import torch

SPECIAL = [float("nan"), float("inf"), -float("inf"), -0.0, 0.0, 1.0, -1.0, 0.5, 1e-8, 1e20, -1e20, 3.0, 2.5, -0.5]
FLOATS = ("float32", "float32", "float32", "float64", "float16", "bfloat16")
# WIDE omits narrow dtypes, for which PyTorch lacks some kernels; OF_IMAGES are the dtypes of convolutions and pools.
WIDE = ("float32", "float32", "float32", "float64")
OF_IMAGES = ("float32", "float32", "float32", "float64", "bfloat16")
INTS = ("int64", "int64", "int32", "uint8", "int8", "int16")
NUMERIC = FLOATS + INTS
ALL = NUMERIC + ("bool",)


INFINITY, FROBENIUS, SAME_VALID = "float('inf')", "'fro'", ("'same'", "'valid'")


class Spec:
    """A tensor that a case takes. Sizes may be symbols; `kind` determines its contents."""

    def __init__(self, dtype, sizes, kind="any", low=-4, high=4):
        self.dtype, self.sizes, self.kind, self.low, self.high = dtype, list(sizes), kind, low, high

    def make(self, generator, named, special):
        sizes = [named.get(size, size) for size in self.sizes]
        dtype = getattr(torch, self.dtype)
        if self.kind == "distinct":
            count = int(torch.Size(sizes).numel())
            return torch.randperm(count, generator=generator).reshape(sizes).to(dtype)
        if self.kind == "sorted":
            return self._random(generator, sizes, dtype).sort(-1)[0] if sizes else torch.zeros((), dtype=dtype)
        if not dtype.is_floating_point:
            low = 0 if self.dtype in ("uint8", "bool") and self.low < 0 else self.low
            high = 1 if self.dtype == "bool" else self.high
            return torch.randint(low, high + 1, sizes, generator=generator).to(dtype)
        x = self._random(generator, sizes, dtype)
        if special and self.kind == "any":
            marks = torch.rand(sizes, generator=generator) < 0.4
            numbers = torch.tensor(SPECIAL)[torch.randint(len(SPECIAL), sizes, generator=generator)]
            x = torch.where(marks, numbers.to(dtype), x)
        return x

    def _random(self, generator, sizes, dtype):
        if self.kind == "unit":
            return (torch.rand(sizes, generator=generator) * 0.98 + 0.01).to(dtype)
        return (torch.randn(sizes, generator=generator) * 2).to(dtype)

    def flag(self, name, named):
        sizes = "x".join(str(named.get(size, size)) for size in self.sizes) or "scalar"
        bounds = ":0..1" if self.kind == "unit" else ""
        if self.dtype not in (*FLOATS, "bool"):
            bounds = f":{0 if self.dtype == 'uint8' and self.low < 0 else self.low}..{self.high}"
        return f"{name}:{sizes}:{self.dtype}{bounds}"


class Draw:
    """The random choices for one module."""

    def __init__(self, seed, dynamic):
        self.random, self.dynamic = random.Random(seed), dynamic
        self.specs, self.layer, self.setup = {}, None, []

    def integer(self, low, high):
        return self.random.randint(low, high)

    def choice(self, options):
        return self.random.choice(list(options))

    def rare(self):
        return self.integer(0, 7) == 0

    def flag(self):
        return self.choice(("True", "False"))

    def shape(self, low=0, high=4, most=4):
        sizes = [self.integer(1, most) for _ in range(self.integer(low, high))]
        if sizes and self.rare():
            sizes[self.integer(0, len(sizes) - 1)] = 0
        return sizes

    def open(self, sizes):
        """With dynamic axes, one of the sizes becomes the symbol N and, rarely, another becomes M."""
        sizes = list(sizes)
        if self.dynamic and sizes:
            for symbol in ("N", "M")[: 2 if self.rare() else 1]:
                at = self.integer(0, len(sizes) - 1)
                if sizes[at] in (1, 0):
                    continue
                sizes[at] = symbol
        return sizes

    def tensor(self, name, dtypes=FLOATS, sizes=None, kind="any", low=-4, high=4, opened=True):
        """Adds a tensor to the case. Its sizes are those in the example."""
        sizes = self.shape() if sizes is None else list(sizes)
        dtype = dtypes if isinstance(dtypes, str) else self.choice(dtypes)
        self.specs[name] = Spec(dtype, self.open(sizes) if opened else sizes, kind, low, high)
        return len(sizes)

    def like(self, name, other, dtypes=None, **more):
        """Adds a tensor of the same sizes, symbols included."""
        spec = self.specs[other]
        self.specs[name] = Spec(self.choice(dtypes) if dtypes else spec.dtype, spec.sizes, **more)

    def broadcastable(self, name, other, dtypes, **more):
        """Adds a tensor that broadcasts with another: it lacks leading axes, or has axes of size 1."""
        sizes = [1 if self.integer(0, 3) == 0 else size for size in self.specs[other].sizes]
        self.specs[name] = Spec(self.choice(dtypes), sizes[self.integer(0, len(sizes)) :], **more)

    def axis(self, rank):
        return self.integer(-max(rank, 1), max(rank, 1) - 1)

    def axes(self, rank):
        """Returns a list of distinct axes, some negative."""
        chosen = self.random.sample(range(rank), self.integer(1, rank)) if rank else []
        return [axis - rank * self.integer(0, 1) for axis in chosen]

    def size(self, axis, name="x"):
        return self.specs[name].sizes[axis]
