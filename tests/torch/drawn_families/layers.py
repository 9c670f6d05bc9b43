"""Convolution, pooling, resizing, padding, normalisation, attention and recurrent layers."""

from drawn import OF_IMAGES, SAME_VALID, WIDE, Spec


def image(d, low=3, high=9, rank=2, channels=4, batch=True, dtype="float32"):
    """Adds x: [n, c, ...] or [c, ...], occasionally with symbols."""
    sizes = ([d.choice((1, 3, 0)) if d.rare() else 2] if batch else []) + [channels]
    d.specs["x"] = Spec(dtype, d.open(sizes + [d.integer(low, high) for _ in range(rank)]), kind="plain")
    if d.specs["x"].sizes[1 if batch else 0] != channels:
        d.specs["x"].sizes[1 if batch else 0] = channels


def convolution(d):
    rank, groups, kernel = d.integer(1, 3), d.choice((1, 2)), [d.integer(1, 3) for _ in range(3)]
    transposed = d.integer(0, 2) == 0
    dtype = d.choice(WIDE if transposed else OF_IMAGES)  # PyTorch 1.13 returns wrong sizes for bfloat16
    channels, filters = groups * d.integer(1, 3), groups * d.integer(1, 3)
    image(d, 4, 8, rank, channels, batch=not d.rare(), dtype=dtype)
    kernel = kernel[:rank] if d.rare() else kernel[:1] * rank
    options = f"stride={d.integer(1, 2)}, padding={d.integer(0, 2)}, dilation={d.integer(1, 2)}, groups={groups}"
    bias = d.choice(("None", "b"))
    d.specs["b"] = Spec(dtype, [filters], kind="plain")
    if transposed:
        d.specs["w"] = Spec(dtype, [channels, filters // groups] + kernel, kind="plain")
        return f"F.conv_transpose{rank}d(x, w, {bias}, {options}, output_padding={d.choice((0, 0, 1))})"
    d.specs["w"] = Spec(dtype, [filters, channels // groups] + kernel, kind="plain")
    if d.integer(0, 3) == 0:
        same = f"padding={d.choice(SAME_VALID)}, dilation={d.integer(1, 2)}, groups={groups}"
        return f"F.conv{rank}d(x, w, {bias}, {same})"
    return f"F.conv{rank}d(x, w, {bias}, {options})"


def pooling(d):
    rank = d.integer(1, 3)
    image(d, 3, 8, rank, d.integer(1, 5), batch=not d.rare(), dtype=d.choice(OF_IMAGES))
    if d.rare():
        d.specs["x"].kind = "any"
    kernel = d.integer(1, 3)
    out = d.choice((1, 2, 3, 5))
    pad = d.integer(0, kernel // 2)
    common = f"x, {kernel}, {d.choice(('None', 1, 2))}, {pad}"
    return d.choice(
        [
            f"F.max_pool{rank}d({common}, dilation={d.integer(1, 2)}, ceil_mode={d.flag()})",
            f"F.max_pool{rank}d({common}, return_indices=True)",
            f"F.adaptive_avg_pool{rank}d(x, {out})",
            f"F.avg_pool{rank}d({common}, ceil_mode={d.flag()}, count_include_pad={d.flag()})",
            f"F.adaptive_max_pool{rank}d(x, {out})",
            f"F.adaptive_max_pool{rank}d(x, {out}, return_indices=True)",
            "F.avg_pool2d(x, 2, divisor_override=3)"
            if rank == 2
            else "F.lp_pool1d(x, 2, 2)"
            if rank == 1
            else "F.avg_pool3d(x, 2)",
        ]
    )


def resizing(d):
    rank = d.integer(1, 3)
    image(d, 2, 9, rank, channels=d.integer(1, 3), dtype=d.choice(WIDE))
    modes = {
        1: ("nearest", "linear", "nearest-exact"),
        2: ("nearest", "bilinear", "bicubic", "nearest-exact"),
        3: ("nearest", "trilinear"),
    }[rank]
    mode = d.choice(modes)
    corners = "" if mode.startswith("nearest") else f", align_corners={d.flag()}"
    smooth = f", antialias={d.flag()}" if mode in ("bilinear", "bicubic") and d.integer(0, 2) == 0 else ""
    if d.flag() == "True":
        size = d.choice((str([d.integer(1, 12) for _ in range(rank)]), "x.shape[2:]", f"[x.size(-1) * 2] * {rank}"))
        return f"F.interpolate(x, size={size}, mode='{mode}'{corners}{smooth})"
    factor = d.choice((0.5, 2.0, 1.3, 0.7, 1.5, 0.3, 3.0))
    given = d.choice(("", ", recompute_scale_factor=True")) if not smooth else ""
    return f"F.interpolate(x, scale_factor={factor}, mode='{mode}'{corners}{smooth}{given})"


def padding(d):
    rank = d.integer(1, 3)
    image(d, 3, 6, rank, d.integer(1, 4), batch=not d.rare(), dtype=d.choice(OF_IMAGES))
    pairs = [d.integer(-1, 2) for _ in range(2 * d.integer(1, rank))]
    full = [d.integer(0, 2) for _ in range(2 * rank)]
    return d.choice(
        [
            f"F.pad(x, {pairs})",
            f"F.pad(x, {pairs}, value={d.choice((1.5, -2))})",
            f"F.pad(x, {full}, mode='reflect')",
            f"F.pad(x, {full}, mode='replicate')",
            f"F.pad(x, {full}, mode='circular')",
        ]
    )


def pixels(d):
    factor, n, c = d.integer(1, 3), d.integer(1, 2), d.integer(1, 3)
    h, w = factor * d.integer(1, 3), factor * d.integer(1, 3)
    d.tensor("x", OF_IMAGES, d.choice(([n, c * factor**2, h, w], [c * factor**2, h, w], [n, 2, c * factor**2, h, w])))
    window = [d.integer(1, 2), d.integer(1, 3)]
    return d.choice(
        [
            f"F.pixel_shuffle(x, {factor})",
            f"F.pixel_unshuffle(x, {factor})",
            f"torch.channel_shuffle(x, {d.choice((c, factor))})",
            f"F.unfold(x, {window})",
            f"F.unfold(x, {window}, padding={d.integer(0, 1)}, stride={d.integer(1, 2)}, dilation={d.integer(1, 2)})",
            f"F.fold(x.reshape({n}, {c * factor**2}, -1), ({h}, {w}), 1)",
            f"F.fold(F.unfold(x, {window}), ({h}, {w}), {window})",
            f"x.unfold({d.integer(-3, -1)}, {d.integer(1, 2)}, {d.integer(1, 2)})",
        ]
    )


def sampling(d):
    n, c, rank, dtype = d.integer(1, 3), d.integer(1, 4), 3 if d.rare() else 2, d.choice(WIDE)
    sizes = [d.integer(1, 6) for _ in range(rank)]
    d.specs["x"] = Spec(dtype, [n, c] + sizes, kind="plain")
    d.specs["g"] = Spec(dtype, [n, *d.open([d.integer(1, 4) for _ in range(rank)]), rank], kind="plain")
    d.specs["a"] = Spec(dtype, [n, rank, rank + 1], kind="plain")
    mode, pad = d.choice(("bilinear", "nearest", "bicubic")), d.choice(("zeros", "border", "reflection"))
    return d.choice(
        [
            f"F.grid_sample(x, g, mode='{mode}', padding_mode='{pad}', align_corners={d.flag()})",
            f"F.affine_grid(a, {[n, c] + sizes}, align_corners={d.flag()})",
            f"F.grid_sample(x, F.affine_grid(a, x.shape, align_corners={d.flag()}), align_corners={d.flag()})",
        ]
    )


def normalization(d):
    rank, groups = d.integer(1, 3), d.integer(1, 3)
    channels = groups * d.integer(1, 3)
    image(d, 3, 6, rank, channels)
    affine = d.flag()
    last = d.specs["x"].sizes[-1]
    d.layer = d.choice(
        [
            f"nn.BatchNorm{rank}d({channels}, affine={affine})",
            f"nn.InstanceNorm{rank}d({channels}, affine={affine})",
            f"nn.GroupNorm({groups}, {channels}, affine={affine})",
            f"nn.InstanceNorm{rank}d({channels}, track_running_stats=True)",
            f"nn.LayerNorm({last if isinstance(last, int) else 4}, elementwise_affine={affine})",
            f"nn.LocalResponseNorm({d.integer(1, 4)})",
        ]
    )
    return "layer(x)"


def attention(d):
    heads, n = d.integer(1, 3), d.integer(1, 3)
    width, lengths = heads * d.integer(1, 4), [d.integer(1, 4), d.integer(1, 4)]
    first = d.flag()
    d.specs["x"] = Spec("float32", [*d.open([n]), lengths[0], width], kind="plain")
    if d.flag() == "True":
        options = f"{width}, {heads}, {d.integer(1, 16)}, batch_first={first}"
        more = d.choice(("", ", norm_first=True", ", activation='gelu'"))
        d.layer = f"nn.TransformerEncoderLayer({options}{more})"
        return "layer(x)"
    d.layer = f"nn.MultiheadAttention({width}, {heads}, batch_first={first}, bias={d.flag()})"
    if d.flag() == "True":
        return f"layer(x, x, x, need_weights={d.flag()})[0]"
    sizes = d.specs["x"].sizes
    memory = [sizes[0], lengths[1]] if first == "True" else [lengths[1], sizes[1]]
    d.specs["y"] = Spec("float32", [*memory, width], kind="plain")
    return f"layer(x, y, y, need_weights={d.flag()})[0]"


def recurrent(d):
    length, n, width, hidden = (d.integer(1, 4) for _ in range(4))
    d.specs["x"] = Spec("float32", [*d.open([length]), n, width], kind="plain")
    options = f"{width}, {hidden}, num_layers={d.integer(1, 2)}, bidirectional={d.flag()}, bias={d.flag()}"
    options += f", batch_first={d.flag()}"
    if d.integer(0, 3) == 0:
        d.layer = f"nn.{d.choice(('LSTM', 'GRU', 'RNN'))}Cell({width}, {hidden}, bias={d.flag()})"
        return "layer(x[0])"
    d.layer = d.choice(
        (f"nn.LSTM({options})", f"nn.GRU({options})", f"nn.RNN({options}, nonlinearity='{d.choice(('tanh', 'relu'))}')")
    )
    return d.choice(("layer(x)", "layer(x)", "layer(x[:, 0])"))
