#pragma once

#include "tensor/counted_vector.h"
#include "traditionalml/feature_rows.h"
#include "traditionalml/tree_evaluator.h"

namespace linnet {

/// Evaluates trees on the rows of X, in parallel chunks of rows, and passes the scores of each row to finish().
class TreeKernel : public Kernel {
 public:
  TreeKernel(const CompileInput& in, const TreeModel& model, TreeAggregate aggregate);

  void run(KernelContext& context) const final;
  size_t scratch_bytes() const final;
  std::string describe() const final;

 protected:
  /// Writes the outputs of a row from its aggregated scores, one for each target, which it may overwrite. `voted`
  /// contains whether each target had votes. Called from several threads, once for each row.
  virtual void finish(KernelContext& context, int64_t row, double* scores, const bool* voted) const = 0;

  int64_t targets() const { return targets_; }

 private:
  const double* read_wide(const void* x, int64_t begin, int64_t rows, double* space) const;

  DType dtype_;
  ReadNumbers read_;
  Rows rows_;
  int64_t targets_, step_;  // step_: the rows of a chunk.
  int64_t space_;           // The numbers that the evaluator needs for a chunk.
  TreeAggregate aggregate_;
  std::shared_ptr<const TreeEvaluator<float>> narrow_;  // Exactly one of the two is set.
  std::shared_ptr<const TreeEvaluator<double>> wide_;
};

/// Checks that X has the features that the trees read.
void require_features(const Fact& x, const TreeSpec& spec);

/// Base values that are added to the scores of their targets.
class BaseValues {
 public:
  /// Reads the attribute base_values or base_values_as_tensor: empty, or one value for each target.
  BaseValues(const NodeSpec& node, int64_t targets);
  bool empty() const { return values_.empty(); }
  void add_to(double* scores) const {
    for (size_t i = 0; i < values_.size(); ++i) scores[i] += values_[i];
  }

 private:
  CountedVector<double> values_;
};

}  // namespace linnet
