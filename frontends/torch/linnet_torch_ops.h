#pragma once

/// The C interface of `liblinnet_torch_ops`. Loading the library also registers the operators `linnet::my_add` and
/// `linnet::deform_conv2d`.

/// Registers the schema and kernels of `torchvision::deform_conv2d`, so that TorchScript files that use it load without
/// torchvision. Returns true if it did. Returns false, without any change, if the schema is already registered. Call it
/// after the process has loaded all its libraries: if a library that registers the same schema, such as torchvision, is
/// loaded later, PyTorch ends the process.
extern "C" __attribute__((visibility("default"))) bool linnet_torch_register_deform_conv2d();
