#pragma once

#include <string>
#include <utility>
#include <vector>

#include "case.h"

namespace linnet {

/// The types of attributes that are tried.
std::vector<pb::AttributeProto::AttributeType> attribute_types();

/// An attribute of that type as an operator may have it.
pb::AttributeProto plain_attribute(const std::string& name, pb::AttributeProto::AttributeType type);

/// The attribute with 0, -1, powers of two, the least and the greatest number, NaN; with more, fewer and no entries,
/// each entry changed; tensors of other dtypes, ranks and contents; graphs without inputs, outputs or nodes. With what
/// is different.
std::vector<std::pair<std::string, pb::AttributeProto>> variations(const pb::AttributeProto& attribute);

}  // namespace linnet
