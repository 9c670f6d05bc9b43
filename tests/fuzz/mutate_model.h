#pragma once

#include <random>

#include "linnet_onnx.pb.h"

namespace linnet {

namespace pb = ::linnet_onnx;

/// Changes one part of a model, in any of its graphs and functions: dims, dtypes, values, attributes, edges, operators,
/// nodes, constancy, versions. The result is well-formed, and valid more often than not.
void mutate(pb::ModelProto& model, std::minstd_rand& random);

/// Adds the graph of `other` to that of `model`, and connects a value of one to an input of the other.
void graft(pb::ModelProto& model, const pb::ModelProto& other, std::minstd_rand& random);

}  // namespace linnet
