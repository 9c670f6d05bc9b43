"""Replaces branches on values and loops over boxes in libraries, which torch.export cannot capture."""

import contextlib
import sys

import torch


@contextlib.contextmanager
def left_out():
    """While the context lasts, PyTorch's transformer layers and torchvision's detection models work without them.

    The results do not change.
    """
    with contextlib.ExitStack() as stack:
        for module, name, replacement in _replacements():
            stack.enter_context(_replaced(module, name, replacement))
        yield


def _replacements() -> list:
    layers = torch.nn.modules.transformer
    found = []
    if hasattr(layers, "_detect_is_causal_mask"):  # PyTorch 2.0 and newer: a causal mask has a faster kernel
        found.append((layers, "_detect_is_causal_mask", lambda mask, is_causal=None, size=None: bool(is_causal)))
    if boxes := sys.modules.get("torchvision.ops.boxes"):
        found.append((boxes, "batched_nms", _batched_nms))
    if poolers := sys.modules.get("torchvision.ops.poolers"):
        found.append((poolers, "len", _length))
    if heads := sys.modules.get("torchvision.models.detection.roi_heads"):
        from . import regions

        transform = sys.modules["torchvision.models.detection.transform"]
        found.append((transform, "paste_masks_in_image", regions.paste_masks_in_image))
        found.append((heads, "heatmaps_to_keypoints", regions.heatmaps_to_keypoints))
    return found


def _batched_nms(boxes, scores, idxs, iou_threshold):
    """Only boxes of one class suppress each other: those of other classes are moved away from them."""
    largest = torch.cat([boxes.flatten(), boxes.new_zeros(1)]).max()  # there may be no boxes
    offsets = idxs.to(boxes) * (largest + 1)
    return torch.ops.torchvision.nms(boxes + offsets[:, None], scores, iou_threshold)


def _length(value):
    """Converts a size to an integer tensor where len() would make a Python number."""
    return value.shape[0] if isinstance(value, torch.Tensor) else len(value)


@contextlib.contextmanager
def _replaced(module, name: str, replacement):
    own = vars(module).get(name)
    setattr(module, name, replacement)
    try:
        yield
    finally:
        if own is None:
            delattr(module, name)
        else:
            setattr(module, name, own)
