#include "plan/plan_kernels.h"

#include <algorithm>

#include "compile/compile_input.h"
#include "environment/run_environment.h"
#include "graph/equal_specs.h"
#include "tensor/same_fact.h"
#include "tensor/stored_contents.h"

namespace linnet {

PlanKernels::PlanKernels(Plan& plan, const std::vector<bool>& computed, std::shared_ptr<const ModelResources> resources,
                         const PlanOptions& options)
    : plan_(plan),
      computed_(computed),
      resources_(std::move(resources)),
      options_(options),
      place_(size_t(graph().node_capacity()), -1) {
  if (options_.like) remember(*options_.like);
}

void PlanKernels::remember(const Plan& like) {
  known_.resize(size_t(like.graph.node_capacity()));
  for (const PlannedNode& planned : like.nodes) {
    if (planned.node) known_[size_t(planned.node->id)] = &planned;
    for (const auto& [address, bytes] : planned.packed) known_packed_.insert(address);
  }
  plan_.like = true;
}

bool PlanKernels::same_facts(const std::vector<ValueId>& values) const {
  return std::all_of(values.begin(), values.end(), [&](ValueId v) {
    return v == kNoValue || same_fact(graph().fact(v), options_.like->graph.fact(v));
  });
}

/// The same node of the similar plan, if it was compiled for the same facts.
const PlannedNode* PlanKernels::known(const Node& node) const {
  const PlannedNode* known = size_t(node.id) < known_.size() ? known_[size_t(node.id)] : nullptr;
  if (!known) return nullptr;
  const Node& other = *known->node;
  const bool same = &other == &node || (other.inputs == node.inputs && other.outputs == node.outputs &&
                                        equal_specs(other.spec, node.spec));
  return same && same_facts(node.inputs) && same_facts(node.outputs) ? known : nullptr;
}

size_t PlanKernels::constant_bytes(NodeId id) const {
  size_t bytes = 0;
  for (const ValueId v : graph().node(id).inputs) {
    if (v != kNoValue && is_constant(v)) bytes += graph().fact(v).constant.bytes();
  }
  return bytes;
}

// The largest constants are packed first, while the least other memory is in use.
void PlanKernels::compile(const std::vector<NodeId>& nodes) {
  std::vector<std::pair<size_t, NodeId>> order;
  for (const NodeId id : nodes) order.emplace_back(constant_bytes(id), id);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  compiled_.reserve(nodes.size());
  for (const auto& [bytes, id] : order) {
    check_current();
    const Node& node = graph().node(id);
    compiled_.push_back(compile(node));
    place_[size_t(id)] = int(compiled_.size()) - 1;
    if (options_.sources == Sources::kKept || bytes == 0) continue;
    for (const ValueId v : node.inputs) {
      if (v != kNoValue && is_constant(v) && nobody_reads(v)) free_constant(v);
    }
  }
  finish_packs();
}

PlannedNode PlanKernels::compile(const Node& node) {
  if (const PlannedNode* like = known(node)) return {&node, like->kernel, {}, {}, like->packed};
  std::vector<Fact> in = input_facts(graph(), node), out = output_facts(graph(), node);
  for (Fact& fact : in) fact.constant = StoredContents::borrow(fact.constant);
  const ModelCompileInput input(in, out, *resources_);
  PlannedNode compiled{&node, with_node_context(node.spec, [&] { return node.op->compile(input); }), {}, {}};
  with_node_context(node.spec, [&] { read_constants(node, *compiled.kernel); });
  const size_t bytes = kKernelBytes + compiled.kernel->bytes();
  bytes_ += bytes;
  plan_.new_bytes += bytes;
  for (const Tensor& packed : input.packed_tensors()) {
    compiled.packed.emplace_back(packed.raw(), packed.bytes());
    if (!known_packed_.contains(packed.raw())) plan_.new_bytes += packed.bytes();
  }
  return compiled;
}

// Reads the constants that runs read, so that they are in memory before a run.
void PlanKernels::read_constants(const Node& node, const Kernel& kernel) const {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId v = node.inputs[i];
    if (v != kNoValue && is_constant(v) && kernel.reads(int(i))) static_cast<void>(graph().fact(v).constant.raw());
  }
}

// If files cannot be written, only a warning is logged; the data is made again by the next load.
void PlanKernels::finish_packs() const {
  try {
    resources_->packs.finish();
  } catch (const Error& error) {
    if (resources_->options.log) resources_->options.log(LogLevel::kWarning, error.message());
  }
}

bool PlanKernels::is_read_by(const Node& node, ValueId value) const {
  const int place = place_[size_t(node.id)];
  if (place < 0) return true;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i] == value && compiled_[size_t(place)].kernel->reads(int(i))) return true;
  }
  return false;
}

bool PlanKernels::nobody_reads(ValueId value) const {
  const std::vector<NodeId>& consumers = graph().consumers(value);
  return !graph().is_output(value) && std::none_of(consumers.begin(), consumers.end(),
                                                   [&](NodeId id) { return is_read_by(graph().node(id), value); });
}

void PlanKernels::free_constant(ValueId value) {
  Fact fact = graph().fact(value);
  freed_[value] = std::make_shared<const Tensor>(Tensor::wrap(fact.dtype, fact.shape(), nullptr));
  Tensor constant = std::move(fact.constant);
  fact.constant = {};
  plan_.graph.set_fact(value, std::move(fact));
  resources_->constants.forget(constant);
  resources_->packs.free(std::move(constant));
}

std::shared_ptr<const Tensor> PlanKernels::constant(ValueId value) const {
  const auto freed = freed_.find(value);
  return freed == freed_.end() ? graph().shared_constant(value) : freed->second;
}

}  // namespace linnet
