#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "exporter/export_error.h"
#include "exporter/site.h"

namespace linnet::exporter::torchscript {

/// The place in the model of a node of the TorchScript graph. It is used in messages and names.
class Site {
 public:
  explicit Site(const torch::jit::Node& node) : node_(node) {}

  const torch::jit::Node& node() const { return node_; }
  const c10::FunctionSchema& schema() const { return node_.schema(); }
  /// Returns "aten::add.Tensor", or the kind ("prim::If") if there is no schema.
  std::string operator_name() const;
  /// Returns "model.py:12", or the code itself if the file is unknown.
  std::string source() const;
  /// Returns the modules around the node: "layer1.0.conv1"; empty if TorchScript does not record them.
  std::string scope() const;
  /// Returns what rules see of the node.
  exporter::Site seen() const;
  /// Throws an ExportError with reason, operator, schema and source line.
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  const torch::jit::Node& node_;
};

}  // namespace linnet::exporter::torchscript
