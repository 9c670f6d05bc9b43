#pragma once

#include <vector>

#include "compare/differences.h"
#include "report/report.h"

namespace linnet::tool {

/// How the values inside a model compare with those of a reference.
struct NodeComparison {
  std::string text;
  Json json;          ///< "nodes", "compared", "skipped", "first_difference"
  int differing = 0;  ///< number of values outside their tolerance
};

/// A model and the inputs of one of its runs.
struct ModelRun {
  const Model& model;
  const std::vector<Tensor>& inputs;
};

/// Runs both models and compares every value that a node of the reference computes and that the model has under the
/// same name, in the order of the reference's nodes. Channels-last values are transposed back. Values that the model
/// lacks are skipped, and so are those inside of bodies. stop: whether to end at the first value that differs.
NodeComparison compare_nodes(const ModelRun& run, const ModelRun& reference, const Options& options, bool stop);

}  // namespace linnet::tool
