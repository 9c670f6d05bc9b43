"""Replaces Python loops over boxes in torchvision, which torch.export cannot capture, by code for all boxes at once.

Resizing is linear: along each axis it is a product with a matrix of the shares of old positions in new ones.
"""

import torch
from torchvision.models.detection import roi_heads


def paste_masks_in_image(masks, boxes, img_shape, padding=1):
    """Resizes each mask to its box, in an image of zeros."""
    masks, scale = roi_heads.expand_masks(masks, padding)
    boxes = roi_heads.expand_boxes(boxes, scale).to(torch.int64)
    side = masks.shape[-1]
    down, across = (_linear_shares(boxes[:, i], boxes[:, i + 2], img_shape[1 - i], side) for i in (1, 0))
    return (down @ masks[:, 0] @ across.mT)[:, None]


def heatmaps_to_keypoints(maps, rois):
    """Returns the position of the maximum of each map, resized to its region, as (x, y, 1), and the maximum."""
    lengths = (rois[:, 2:] - rois[:, :2]).clamp(min=1)
    whole = lengths.ceil()
    width, height = _largest(whole[:, 0]), _largest(whole[:, 1])
    across = _cubic_shares(whole[:, 0], width, maps.shape[-1])
    down = _cubic_shares(whole[:, 1], height, maps.shape[-2])
    resized = down[:, None] @ maps @ across.mT[:, None]
    inside_x, inside_y = torch.arange(width) < whole[:, :1], torch.arange(height) < whole[:, 1:]
    inside = inside_y[:, None, :, None] & inside_x[:, None, None, :]
    scores, places = torch.where(inside, resized, -torch.inf).flatten(2).max(2)
    found = torch.stack([places % width, places // width], 2)
    points = (found + 0.5) * (lengths / whole)[:, None] + rois[:, None, :2]
    return torch.cat([points, torch.ones_like(points[..., :1])], 2), scores


def _largest(lengths) -> int:
    """Returns the largest length, or 1 if there are no boxes."""
    return torch.cat([lengths, lengths.new_ones(1)]).max().to(torch.int64).item()


def _linear_shares(first, last, size, side):
    """Returns the shares of `side` positions in those of an axis of the image: (box, size, side)."""
    length = (last - first + 1).clamp(min=1)[:, None]
    place = torch.arange(size) - first[:, None]
    source = ((place + 0.5) * (side / length) - 0.5).clamp(0, side - 1)
    shares = (1 - (source[..., None] - torch.arange(side)).abs()).clamp(min=0)
    return shares * ((place >= 0) & (place < length))[..., None]


def _cubic_shares(lengths, size, side):
    """Returns the shares of `side` positions in those of each region: (box, size, side).

    Of the `size` positions of a region, only the first `length` count.
    """
    source = (torch.arange(size) + 0.5) * (side / lengths[:, None]) - 0.5
    neighbours = [source.floor() + step for step in range(-1, 3)]
    return sum(
        _cubic_weight((source - place).abs(), is_outer)[..., None]
        * (place.clamp(0, side - 1)[..., None] == torch.arange(side))
        for place, is_outer in zip(neighbours, (True, False, False, True))
    )


def _cubic_weight(distance, is_outer):
    """Returns PyTorch's bicubic kernel at a distance between 1 and 2 (outer) or below 1."""
    a = -0.75
    if is_outer:
        return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return ((a + 2) * distance - (a + 3)) * distance * distance + 1
