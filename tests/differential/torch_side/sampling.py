"""Operators that sample between elements, in double. Positions that float32 rounds are not compared."""

import torch
from request import counterpart, need
from torch.nn import functional as F


@counterpart("GridSample")
def grid_sample(r):
    need(r.is_float() and r.is_float(1), "integers")
    mode = {"linear": "bilinear", "cubic": "bicubic"}.get(r.get("mode", "linear"), r.get("mode", "linear"))
    need(r.inputs[0].numel() and r.inputs[1].numel(), "no elements")
    need(bool(torch.isfinite(r.inputs[1]).all()), "places that are nowhere")
    return F.grid_sample(*r.inputs, mode, r.get("padding_mode", "zeros"), bool(r.get("align_corners", 0)))


@counterpart("AffineGrid")
def affine_grid(r):
    return F.affine_grid(r.inputs[0], r.ints(1), bool(r.get("align_corners", 0)))


# Combinations that PyTorch has: (coordinate_transformation_mode, nearest_mode) and its mode.
NEAREST = {("asymmetric", "floor"): "nearest", ("half_pixel", "round_prefer_ceil"): "nearest-exact"}


def mode_of(r):
    """Returns (PyTorch's mode, align_corners)."""
    mode, where = r.get("mode", "nearest"), r.get("coordinate_transformation_mode", "half_pixel")
    if mode == "nearest":
        found = NEAREST.get((where, r.get("nearest_mode", "round_prefer_floor")))
        need(found, "another rounding")
        return found, None
    need(where in ("half_pixel", "pytorch_half_pixel", "align_corners"), "other coordinates")
    need(not r.get("exclude_outside", 0), "exclude_outside")
    return mode, where == "align_corners"


@counterpart("Resize")
def resize(r):
    need(r.since >= 11 and r.is_float(), "versions before 11, integers")
    need(r.get("keep_aspect_ratio_policy", "stretch") == "stretch" and "axes" not in r.attributes, "axes, ratios")
    x, (mode, corners), scales, sizes = r.inputs[0], mode_of(r), r.input(2), r.ints(3)
    shape = x.shape
    if x.dim() <= 3:  # all axes are spatial
        x, sizes = x[None, None], sizes and [1, 1, *sizes]
        scales = scales if scales is None else torch.cat([torch.ones(2).double(), scales])
    need(3 <= x.dim() <= 5, "the number of axes")
    if mode == "cubic":
        need(x.dim() == 4 and r.get("cubic_coeff_a", -0.75) == -0.75, "the filter")
    if scales is not None and scales.numel() > 2:
        scales = scales.tolist()
        need(scales[:2] == [1, 1] and "nearest" not in mode, "channels, or positions that float32 rounds")
        lengths = [n * scale for n, scale in zip(x.shape, scales)]
        need(all(n.is_integer() or abs(n - round(n)) > 1e-4 for n in lengths), "a length that float32 rounds up")
        sizes = None
    need(sizes is None or tuple(sizes[:2]) == tuple(x.shape[:2]), "channels")
    modes = {"linear": ("linear", "bilinear", "trilinear")[x.dim() - 3], "cubic": "bicubic"}
    need(not r.get("antialias", 0) or x.dim() == 4, "antialias")
    options = {"align_corners": corners} if corners is not None else {}
    if r.get("antialias", 0):
        need(r.get("cubic_coeff_a", -0.5 if mode == "cubic" else -0.75) in (-0.5, -0.75), "the filter")
        need(mode != "cubic", "the filter of antialias")
        options["antialias"] = True
    given = {"size": sizes[2:]} if sizes else {"scale_factor": scales[2:], "recompute_scale_factor": False}
    y = F.interpolate(x, mode=modes.get(mode, mode), **given, **options)
    return y[0, 0] if len(shape) <= 3 else y
