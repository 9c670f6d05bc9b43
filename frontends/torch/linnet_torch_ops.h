#pragma once

/// What `liblinnet_torch_ops` offers beyond the operator that loading it registers (`linnet::my_add`).

/// Registers the schema and a CPU kernel of `torchvision::deform_conv2d`, so that a TorchScript file that uses it loads
/// without torchvision. Returns true if it did, false where the schema is registered already (then nothing changes).
/// Call it after every library that the process loads: PyTorch ends the process when a library that registers the same
/// schema, as torchvision does, is loaded later.
extern "C" __attribute__((visibility("default"))) bool linnet_torch_register_deform_conv2d();
