#pragma once

#include <string>
#include <vector>

namespace linnet::exporter {

/// A call of an operator in the model. It is used in messages and names.
struct Site {
  std::string operator_name;           ///< "aten::add.Tensor"
  std::vector<std::string> arguments;  ///< the names of the arguments, in order
  std::string schema;                  ///< as PyTorch prints it; empty if unknown
  std::string source;                  ///< "model.py:12", or the code itself if the file is unknown
  std::string scope;                   ///< the modules around it: "layer1.0.conv1"; empty if unknown

  /// Returns a message with reason, operator, schema and source line.
  std::string message(const std::string& reason) const;
  /// Throws an ExportError with that message.
  [[noreturn]] void refuse(const std::string& reason) const;
};

}  // namespace linnet::exporter
