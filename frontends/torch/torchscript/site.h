#pragma once

#include <torch/csrc/jit/ir/ir.h>

#include <string>

#include "exporter/export_error.h"
#include "exporter/site.h"

namespace linnet::exporter::torchscript {

/// Where in the model a node of the TorchScript graph stems from, for messages and names.
class Site {
 public:
  explicit Site(const torch::jit::Node& node) : node_(node) {}

  const torch::jit::Node& node() const { return node_; }
  const c10::FunctionSchema& schema() const { return node_.schema(); }
  /// "aten::add.Tensor"; without a schema the kind: "prim::If".
  std::string operator_name() const;
  /// "model.py:12", or the code itself where no file is known.
  std::string source() const;
  /// The modules around it: "layer1.0.conv1"; empty where TorchScript does not say.
  std::string scope() const;
  /// What rules see of it.
  exporter::Site seen() const;
  /// Throws ExportError: reason, operator, schema, source line.
  [[noreturn]] void refuse(const std::string& reason) const;

 private:
  const torch::jit::Node& node_;
};

}  // namespace linnet::exporter::torchscript
