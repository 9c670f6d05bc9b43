#include <cmath>

#include "elements/dispatch.h"
#include "infer/infer.h"
#include "registration.h"
#include "tensor/counted_vector.h"
#include "traditionalml/attribute_list.h"
#include "traditionalml/post_transform.h"
#include "traditionalml/tree_kernel.h"

namespace linnet {
namespace {

using IntsAttribute = std::vector<int64_t>;  // The type of the attributes.
using Mode = TreeSpec::Mode;

constexpr DType kTreeTypes[] = {DType::kFloat32, DType::kFloat64, DType::kFloat16};

/// Reads the sets of members. A NaN follows each set except the last one.
CountedVector<CountedVector<double>> read_sets(const NodeSpec& node, bool& wide) {
  const Tensor* tensor = node.find<Tensor>("membership_values");
  CountedVector<CountedVector<double>> sets;
  if (!tensor) return sets;
  sets.emplace_back();
  for (const double value : tensor_floats(*tensor, "membership_values", &wide)) {
    if (std::isnan(value)) {
      sets.emplace_back();
    } else {
      sets.back().push_back(value);
    }
  }
  return sets;
}

CountedVector<Mode> read_modes(const NodeSpec& node) {
  const Tensor& tensor = node.attr<Tensor>("nodes_modes");
  if (tensor.dtype() != DType::kUint8) throw_value("nodes_modes", describe(tensor), "a tensor of uint8");
  CountedVector<Mode> modes;
  for (const uint8_t mode : tensor.values<uint8_t>()) {
    if (mode > uint8_t(Mode::kMember)) throw_value("nodes_modes", std::to_string(int(mode)), "in [0,6]");
    modes.push_back(Mode(mode));
  }
  return modes;
}

/// Returns an attribute of one integer for each node.
const IntsAttribute& node_list(const NodeSpec& node, const std::string& attribute, size_t count) {
  const IntsAttribute& list = node.attr<IntsAttribute>(attribute);
  require_length(attribute, list.size(), int64_t(count));
  return list;
}

/// Returns the place of a child: inner nodes come first, then the leaves.
int64_t child_place(int64_t id, bool leaf, size_t inner, size_t leaves) {
  const auto count = int64_t(leaf ? leaves : inner);
  if (id < 0 || id >= count) {
    throw Error(ErrorKind::kModel,
                str("a child that is ", leaf ? "a leaf" : "a node", " must be in [0,", count, "), got ", id));
  }
  return leaf ? id + int64_t(inner) : id;
}

void read_nodes(const NodeSpec& node, size_t leaves, TreeSpec& spec) {
  const CountedVector<Mode> modes = read_modes(node);
  const size_t n = modes.size();
  const CountedVector<double> splits = tensor_floats(node.attr<Tensor>("nodes_splits"), "nodes_splits", &spec.wide);
  require_length("nodes_splits", splits.size(), int64_t(n));
  const IntsAttribute& features = node_list(node, "nodes_featureids", n);
  const IntsAttribute &true_ids = node_list(node, "nodes_truenodeids", n),
                      &true_leafs = node_list(node, "nodes_trueleafs", n);
  const IntsAttribute &false_ids = node_list(node, "nodes_falsenodeids", n),
                      &false_leafs = node_list(node, "nodes_falseleafs", n);
  auto missing = attribute_list<int64_t>(node, "nodes_missing_value_tracks_true");
  if (missing.empty()) missing.resize(n);
  require_length("nodes_missing_value_tracks_true", missing.size(), int64_t(n));
  size_t set = 0;
  for (size_t i = 0; i < n; ++i) {
    spec.nodes.push_back({modes[i], missing[i] != 0, features[i], splits[i],
                          child_place(true_ids[i], true_leafs[i] != 0, n, leaves),
                          child_place(false_ids[i], false_leafs[i] != 0, n, leaves), 0});
    if (modes[i] == Mode::kMember) spec.nodes.back().set = set++;
  }
  if (set > spec.sets.size()) {
    throw Error(ErrorKind::kModel, str("membership_values must hold ", set, " sets, got ", spec.sets.size()));
  }
}

TreeSpec read_ensemble(const NodeSpec& node) {
  TreeSpec spec;
  spec.targets = node.attr_or("n_targets", 1);
  const IntsAttribute& roots = node.attr<IntsAttribute>("tree_roots");
  spec.roots.assign(roots.begin(), roots.end());
  spec.sets = read_sets(node, spec.wide);
  const IntsAttribute& targets = node.attr<IntsAttribute>("leaf_targetids");
  const CountedVector<double> weights = tensor_floats(node.attr<Tensor>("leaf_weights"), "leaf_weights");
  require_length("leaf_weights", weights.size(), int64_t(targets.size()));
  read_nodes(node, targets.size(), spec);
  const size_t inner = spec.nodes.size();
  for (size_t i = 0; i < targets.size(); ++i) spec.votes.push_back({int64_t(inner + i), targets[i], weights[i]});
  for (const int64_t root : spec.roots) child_place(root, false, inner, 0);
  spec.nodes.resize(inner + targets.size());
  spec.check();
  return spec;
}

class TreeEnsembleKernel final : public TreeKernel {
 public:
  TreeEnsembleKernel(const CompileInput& in, const TreeModel& model, TreeAggregate aggregate, PostTransform transform)
      : TreeKernel(in, model, aggregate), dtype_(in.dtype(0)), transform_(transform) {}

 private:
  void finish(KernelContext& context, int64_t row, double* scores, const bool*) const override {
    apply(transform_, {scores, size_t(targets())});
    dispatch_float(dtype_, [&]<class T>() {
      T* y = context.output(0).data<T>() + row * targets();
      for (int64_t t = 0; t < targets(); ++t) y[t] = T(scores[t]);
    });
  }

  DType dtype_;
  PostTransform transform_;
};

/// TreeEnsemble: for each target, the aggregate of the weights of the leaves that the trees lead to (AVERAGE divides by
/// the number of trees), then the transform, also for a single target. BRANCH_MEMBER tests whether the feature is in
/// the node's set of membership_values. NaN follows nodes_missing_value_tracks_true.
/// X: float32, float64 or float16 [N, F] or [F]; compared as float64 if X or the attributes are float64.
/// Y: X's dtype, [N, n_targets]; summed in float64.
/// Source: https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html
class TreeEnsemble final : public Op {
 public:
  explicit TreeEnsemble(const NodeSpec& node)
      : model_(read_ensemble(node)), transform_(post_transform_of(node.attr_or("post_transform", 0))) {
    const int64_t aggregate = node.attr_or("aggregate_function", 1);
    if (aggregate < 0 || aggregate > 3) throw_value("aggregate_function", std::to_string(aggregate), "in [0,3]");
    aggregate_ = TreeAggregate(aggregate);
  }

  std::vector<Fact> infer(std::span<const Fact> in) const override {
    require_inputs(in, 1, 1);
    require_dtype_in(in[0], kTreeTypes, "X");
    if (in[0].has_rank() && in[0].rank() != 1) require_rank(in[0], 2, "X");
    require_features(in[0], model_.spec());
    return {Fact(in[0].dtype, Dims{row_dim(in[0]), model_.spec().targets})};
  }

  KernelPtr compile(const CompileInput& in) const override {
    return std::make_unique<TreeEnsembleKernel>(in, model_, aggregate_, transform_);
  }

 private:
  TreeModel model_;
  TreeAggregate aggregate_;
  PostTransform transform_;
};

}  // namespace

LINNET_REGISTER(tree_ensemble)(Registry& registry) {
  registry.add<TreeEnsemble>("TreeEnsemble", {.since = 5, .domain = "ai.onnx.ml"});
}

}  // namespace linnet
