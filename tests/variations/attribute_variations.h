#pragma once

#include <string>
#include <utility>
#include <vector>

#include "case.h"

namespace linnet {

/// Returns the types of attributes that are tried.
std::vector<pb::AttributeProto::AttributeType> attribute_types();

/// Returns a plausible attribute of that type.
pb::AttributeProto plain_attribute(const std::string& name, pb::AttributeProto::AttributeType type);

/// Returns the attribute with a description of each variation: 0, -1, powers of two, the least and the greatest number,
/// NaN; more, fewer and no entries, each entry changed; tensors of other dtypes, ranks and contents; graphs without
/// inputs, outputs or nodes.
std::vector<std::pair<std::string, pb::AttributeProto>> variations(const pb::AttributeProto& attribute);

}  // namespace linnet
