#pragma once

/// What `liblinnet_torch_ops` offers beyond the operators that loading it registers (`linnet::my_add`,
/// `linnet::deform_conv2d`).

/// Registers the schema and kernels of `torchvision::deform_conv2d`, so that a TorchScript file that uses it loads
/// without torchvision. Returns true if it did, false where the schema is registered already (then nothing changes).
/// Call it after every library that the process loads: PyTorch ends the process when a library that registers the same
/// schema, as torchvision does, is loaded later.
extern "C" __attribute__((visibility("default"))) bool linnet_torch_register_deform_conv2d();
