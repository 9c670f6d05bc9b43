"""Products, spectra and attention."""

import torch
from request import counterpart, need
from torch.nn import functional as F


@counterpart("MatMul")
def matmul(r):
    return torch.matmul(*r.inputs)


@counterpart("Gemm")
def gemm(r):
    a, b, c = r.inputs[0], r.inputs[1], r.input(2)
    a, b = a.T if r.get("transA", 0) else a, b.T if r.get("transB", 0) else b
    need(r.is_float() and r.since >= 7, "integers, the broadcasting of versions before 7")
    alpha, beta = r.get("alpha", 1.0), r.get("beta", 1.0)
    return alpha * (a @ b) if c is None else torch.addmm(c, a, b, beta=beta, alpha=alpha)


@counterpart("MatMulInteger")
def matmul_integer(r):
    a, b = r.inputs[0].long(), r.inputs[1].long()
    for i in (2, 3):
        need(r.input(i) is None or r.input(i).numel() == 1, "zero points of rows and columns")
    a = a - (0 if r.input(2) is None else r.input(2).long().reshape(()))
    b = b - (0 if r.input(3) is None else r.input(3).long().reshape(()))
    return torch.matmul(a, b)


@counterpart("Einsum")
def einsum(r):
    need(r.is_float(), "integers")
    return torch.einsum(r.get("equation"), *r.inputs)


@counterpart("Det")
def det(r):
    need(bool(torch.isfinite(r.inputs[0]).all()), "infinities, which elimination makes NaN or not")
    return torch.linalg.det(r.inputs[0])


@counterpart("com.microsoft.CDist")
def cdist(r):
    made = torch.cdist(*r.inputs, compute_mode="donot_use_mm_for_euclid_dist")
    return made * made if r.get("metric", "sqeuclidean") == "sqeuclidean" else made


@counterpart("HannWindow", "HammingWindow", "BlackmanWindow")
def spectral_window(r):
    size, options = r.ints(0)[0], {"periodic": bool(r.get("periodic", 1)), "dtype": torch.float64}
    if r.name == "HammingWindow":
        return torch.hamming_window(size, alpha=25 / 46, beta=21 / 46, **options)
    return (torch.hann_window if r.name == "HannWindow" else torch.blackman_window)(size, **options)


@counterpart("DFT")
def dft(r):
    x, length = r.inputs[0], r.input(1)
    axis = r.get("axis", 1) if r.since < 20 else -2 if r.input(2) is None else int(r.inputs[2].reshape(()))
    axis = axis % x.dim()
    need(not r.get("onesided", 0) and axis != x.dim() - 1, "onesided")
    signal = torch.complex(x[..., 0], x[..., 1] if x.shape[-1] == 2 else torch.zeros_like(x[..., 0]))
    n = None if length is None else int(length.reshape(()))
    return torch.view_as_real((torch.fft.ifft if r.get("inverse", 0) else torch.fft.fft)(signal, n, axis))


@counterpart("STFT")
def stft(r):
    x, step, window = r.inputs[0][..., 0], r.ints(1)[0], r.input(2)
    length = window.numel() if window is not None else r.ints(3)[0]
    one = bool(r.get("onesided", 1))
    window = torch.ones(length, dtype=torch.float64) if window is None else window
    made = torch.stft(x, length, step, length, window, center=False, onesided=one, return_complex=True)
    return torch.view_as_real(made.transpose(1, 2))


@counterpart("Attention")
def attention(r):
    need(len(r.output_kinds) == 1 and r.input(4) is None and r.input(5) is None, "a past, scores")
    need(r.input(6) is None and hasattr(F, "scaled_dot_product_attention"), "lengths, PyTorch before 2.0")
    for name in ("softcap", "qk_matmul_output_mode", "softmax_precision"):
        need(not r.get(name, 0), name)
    q, k, v = r.inputs[:3]
    need(q.dim() == 4, "rank 3")
    need(r.get("left_window_size", -1) == -1 and r.get("right_window_size", -1) == -1, "windows")
    need(q.shape[1] % k.shape[1] == 0, "heads")
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    mask = r.input(3)
    causal = bool(r.get("is_causal", 0))
    need(not (causal and mask is not None), "a mask and causal")
    if mask is not None:
        need(mask.shape[-1] == k.shape[2], "a short mask")
        mask = mask if mask.dtype == torch.bool else mask.double()
    if r.get("scale") is not None:
        q = q * (r.get("scale") * q.shape[-1] ** 0.5)
    return F.scaled_dot_product_attention(q, k, v, mask, 0.0, causal)
