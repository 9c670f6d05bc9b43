#pragma once

#include <string>
#include <vector>

namespace linnet::exporter {

/// A call of an operator in the model, for messages and names.
struct Site {
  std::string operator_name;           ///< "aten::add.Tensor"
  std::vector<std::string> arguments;  ///< their names, in order
  std::string schema;                  ///< as PyTorch prints it; empty where it is not known
  std::string source;                  ///< "model.py:12", or the code itself where no file is known
  std::string scope;                   ///< the modules around it: "layer1.0.conv1"; empty where they are not known

  /// Reason, operator, schema, source line.
  std::string message(const std::string& reason) const;
  /// Throws ExportError with that message.
  [[noreturn]] void refuse(const std::string& reason) const;
};

}  // namespace linnet::exporter
