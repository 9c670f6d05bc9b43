#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/value.h"

namespace linnet::pt2 {

/// What PyTorch's declaration of an operator says of an argument.
struct SchemaArgument {
  std::string name;
  bool is_written = false;                     ///< the operator writes to it
  bool may_be_viewed = false;                  ///< a result may share its memory
  std::optional<exporter::Value> otherwise{};  ///< its default
};

struct Schema {
  std::string name;  ///< "aten::add.Tensor"
  std::vector<SchemaArgument> arguments;
};

/// The declaration of an operator that the exporter has a rule for, or that one writes in place; nullopt for all
/// others. Values have one concrete value for each example.
std::optional<Schema> find_schema(const std::string& name, size_t examples);

}  // namespace linnet::pt2
