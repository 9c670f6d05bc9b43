#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/value.h"

namespace linnet::pt2 {

/// An argument in PyTorch's declaration of an operator.
struct SchemaArgument {
  std::string name;
  bool is_written = false;                     ///< whether the operator writes to it
  bool may_be_viewed = false;                  ///< whether a result may share its memory
  std::optional<exporter::Value> otherwise{};  ///< its default
};

struct Schema {
  std::string name;  ///< "aten::add.Tensor"
  std::vector<SchemaArgument> arguments;
};

/// Returns the declaration of an operator that the exporter has a rule for, or of its in-place form; nullopt for all
/// others. Values have one concrete value for each example.
std::optional<Schema> find_schema(const std::string& name, size_t examples);

}  // namespace linnet::pt2
