"""Losses."""

from drawn import FLOATS, WIDE, Spec


def loss(d):
    d.tensor("x", FLOATS, d.shape(1, 3), kind="unit")
    d.like("t", "x", kind="unit")
    d.like("w", "x", kind="unit")
    reduction = f"reduction='{d.choice(('none', 'mean', 'sum'))}'"
    return "F." + d.choice(
        [
            f"mse_loss(x, t, {reduction})",
            f"l1_loss(x, t, {reduction})",
            f"smooth_l1_loss(x, t, {reduction}, beta={d.choice((0.5, 1.0, 0.0))})",
            f"huber_loss(x, t, {reduction}, delta={d.choice((0.5, 1.0))})",
            f"kl_div(x, t, {reduction}, log_target={d.flag()})",
            f"binary_cross_entropy(x, t, {reduction})",
            f"binary_cross_entropy(x, t, w, {reduction})",
            f"binary_cross_entropy_with_logits(x, t, w, {reduction})",
            f"binary_cross_entropy_with_logits(x, t, pos_weight=w, {reduction})",
            f"soft_margin_loss(x, t, {reduction})",
            f"hinge_embedding_loss(x, (t - 0.5).sign(), {reduction})",
            f"margin_ranking_loss(x, t, w - 0.5, {reduction})",
            f"triplet_margin_loss(x, t, w, {reduction}, swap={d.flag()})",
            f"poisson_nll_loss(x, t, {reduction})",
            f"gaussian_nll_loss(x, t, w, {reduction})",
        ]
    )


def class_loss(d):
    more, classes = [d.integer(1, 4) for _ in range(d.integer(0, 2))], d.integer(3, 6)
    batch, dtype = d.open([d.integer(1, 4)]), d.choice(WIDE)
    d.specs["x"] = Spec(dtype, batch + [classes] + more, kind="plain")
    d.specs["t"] = Spec("int64", batch + more, low=0, high=classes - 1)
    d.specs["w"] = Spec(dtype, [classes], kind="unit")
    reduction = f"reduction='{d.choice(('none', 'mean', 'sum'))}'"
    return "F." + d.choice(
        [
            f"cross_entropy(x, t, {reduction})",
            f"cross_entropy(x, t, w, {reduction})",
            f"nll_loss(x, t, {reduction})",
            f"nll_loss(x, t, w, {reduction}, ignore_index={d.choice((-100, 1))})",
            f"cross_entropy(x, t, {reduction}, ignore_index=2)",
            f"cross_entropy(x, t, {reduction}, label_smoothing=0.1)",
            f"cross_entropy(x, t, w, {reduction}, label_smoothing=0.1)",
            f"cross_entropy(x, F.softmax(x, 1), {reduction}, label_smoothing={d.choice((0.0, 0.1))})",
            f"one_hot(t, {classes})",
            f"multi_margin_loss(x, t, {reduction})",
        ]
    )
