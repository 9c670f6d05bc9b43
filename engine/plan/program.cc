#include "plan/program.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "environment/heap_trim.h"
#include "environment/run_environment.h"
#include "plan/growing_program.h"
#include "plan/share_constants.h"
#include "plan/specialize.h"
#include "tensor/quantity.h"
#include "tensor/seeded_hash.h"

namespace linnet {
namespace {

constexpr size_t kPlans = 512;              // the maximum number of cached plans, however small
constexpr size_t kGrowingPrograms = 8;      // for different step lengths
constexpr size_t kProgramBytes = 14 << 10;  // of the containers of a small program, its plan and its runner

/// Adds what the plan holds to `counted`; returns the number of bytes that are new.
size_t add_new(std::map<const void*, size_t>& counted, const Plan& plan) {
  size_t bytes = 0;
  for (const auto& held : plan.holdings()) {
    if (counted.insert(held).second) bytes += held.second;
  }
  return bytes;
}

const Shape& shape_of(const Tensor& input) { return input.shape(); }
const Shape& shape_of(const PlanInput& input) { return input.shape; }

/// The bytes that the plan holds besides those that existed when it was made.
size_t bytes_besides(const Plan& plan) { return plan.own_bytes() + plan.new_bytes; }

/// A hash of the shapes of inputs.
template <class Inputs>
uint64_t hash_of_shapes(const Inputs& inputs) {
  static const SeededHash hash;
  uint64_t sum = 0;
  for (const auto& input : inputs) {
    for (const int64_t dim : shape_of(input)) sum = hash(sum + uint64_t(dim));
    sum = hash(sum);
  }
  return sum;
}

// Whether some node's shape rule reads this value.
bool read_by_shape_rule(const Graph& graph, ValueId value) {
  return std::any_of(graph.consumers(value).begin(), graph.consumers(value).end(), [&](NodeId id) {
    const Node& node = graph.node(id);
    const std::vector<int> needed = node.op->value_inputs();
    return std::any_of(needed.begin(), needed.end(),
                       [&](int i) { return i < int(node.inputs.size()) && node.inputs[size_t(i)] == value; });
  });
}

std::string shown(std::span<const Tensor> inputs) {
  std::string text;
  for (const Tensor& input : inputs) text += " " + describe(input);
  return text;
}

}  // namespace

Program::Program(Graph graph, std::shared_ptr<const ModelResources> resources, std::vector<State> states,
                 DimNames names)
    : graph_(std::move(graph)),
      resources_(std::move(resources)),
      states_(std::move(states)),
      names_(std::move(names)),
      classes_(graph_) {
  counted_.add(kProgramBytes);
  counted_.add(size_t(checked_mul(graph_.value_count(), sizeof(Value) + sizeof(std::vector<NodeId>))));
  for (const ValueId input : graph_.inputs()) value_matters_.push_back(read_by_shape_rule(graph_, input));
}

std::shared_ptr<const Plan> Program::plan_for(std::span<const Tensor> inputs, const RunEnvironment* run) {
  std::unique_lock lock(mutex_);
  const auto is_planned = [&](const std::vector<PlanInput>& other) { return accept(other, inputs); };
  if (auto found = planning_.find(
          lock, [&] { return find_plan(inputs); }, is_planned, run))
    return found;
  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const Plan> plan;
  {
    const decltype(planning_)::Turn turn(planning_, lock, describe_inputs(inputs));
    const std::string contradiction = resources_->options.log ? names_.contradiction(inputs) : "";
    if (!contradiction.empty()) resources_->options.log(LogLevel::kWarning, contradiction);
    plan = new_plan(turn.key(), run);
  }
  add_plan(lock, plan);
  if (resources_->options.log) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    resources_->options.log(LogLevel::kInfo, str("planned", shown(inputs), " in ", human_time(took.count()), ": ",
                                                 human_bytes(plan->arena_bytes), " of memory"));
  }
  return plan;
}

std::shared_ptr<const Plan> Program::find_plan(std::span<const Tensor> inputs) {
  for (auto [it, end] = by_shapes_.equal_range(hash_of_shapes(inputs)); it != end; ++it) {
    const PlanList::iterator found = it->second;
    if (!(*found)->accepts(inputs)) continue;
    if (found != plans_.begin()) other_bytes_ += bytes_besides(*plans_.front());
    plans_.splice(plans_.begin(), plans_, found);
    return plans_.front();
  }
  return nullptr;
}

void Program::put_first(std::shared_ptr<const Plan> plan) {
  plans_.push_front(std::move(plan));
  by_shapes_.emplace(hash_of_shapes(plans_.front()->inputs), plans_.begin());
}

std::shared_ptr<const Plan> Program::new_plan(std::vector<PlanInput> inputs, const RunEnvironment* run) {
  const bool by_shapes =
      std::ranges::none_of(inputs, [](const PlanInput& in) { return in.value || in.type.present(); });
  if (states_.empty() && by_shapes && classes_.any()) {
    const std::shared_ptr<ShapeClass> shapes = classes_.of(inputs, *resources_, run);
    if (std::optional<Graph> graph = shapes->bind(inputs, *resources_)) {
      const std::shared_ptr<const Plan> like = shapes->latest_plan();
      if (like) graph->share_with(like->graph);
      auto plan = make_plan(std::move(*graph), std::move(inputs), resources_, {.run = run, .like = like.get()});
      shapes->set_latest_plan(plan);
      return plan;
    }
  }
  Graph graph = linnet::specialized(graph_, inputs, *resources_).compacted();
  share_constants(graph, constants_of(graph_), *resources_);
  return make_plan(std::move(graph), std::move(inputs), resources_, {.run = run, .states = states_});
}

std::shared_ptr<GrowingProgram> Program::growing(const std::vector<GrowingState>& states,
                                                 std::span<const Tensor> inputs, const RunEnvironment* run) {
  const bool by_shapes = std::ranges::find(value_matters_, true) == value_matters_.end();
  if (states.empty() || !by_shapes || !classes_.any()) return nullptr;
  std::unique_lock lock(growing_mutex_);
  const auto is_wanted = [&](const std::vector<PlanInput>& other) { return accept(other, inputs); };
  if (auto found = making_growing_.find(
          lock, [&] { return find_growing(states, inputs); }, is_wanted, run))
    return found;
  std::shared_ptr<GrowingProgram> made;
  {
    const decltype(making_growing_)::Turn turn(making_growing_, lock, describe_inputs(inputs));
    const std::shared_ptr<ShapeClass> shapes = classes_.of(turn.key(), *resources_, run);
    if (!shapes->meets_conditions(turn.key())) return nullptr;
    made = std::make_shared<GrowingProgram>(graph_, *shapes, states, turn.key(), resources_);
  }
  growing_.push_front(made);
  if (growing_.size() > kGrowingPrograms) growing_.pop_back();
  return made;
}

std::shared_ptr<GrowingProgram> Program::find_growing(const std::vector<GrowingState>& states,
                                                      std::span<const Tensor> inputs) {
  const auto known = std::ranges::find_if(growing_, [&](const auto& each) { return each->is_for(states, inputs); });
  if (known == growing_.end()) return nullptr;
  growing_.splice(growing_.begin(), growing_, known);
  return growing_.front();
}

std::shared_ptr<const Plan> Program::latest_plan() const {
  const std::lock_guard lock(mutex_);
  return plans_.empty() ? nullptr : plans_.front();
}

void Program::check_plannable(std::span<const Tensor> inputs) const {
  for (size_t i = 0; i < std::min(inputs.size(), value_matters_.size()); ++i) {
    if (!value_matters_[i]) continue;
    throw Error(ErrorKind::kUnsupported, str("the contents of input '", graph_.value(graph_.inputs()[i]).name,
                                             "' decide on shapes: run the model"));
  }
}

std::vector<PlanInput> Program::describe_inputs(std::span<const Tensor> inputs) const {
  if (inputs.size() != graph_.inputs().size()) {
    throw Error(ErrorKind::kModel, str("expected ", graph_.inputs().size(), " inputs, got ", inputs.size()));
  }
  std::vector<PlanInput> described;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph_.value(graph_.inputs()[i]);
    check_input(value.name, names_.declared_input(i, value.fact), inputs[i]);
    described.push_back({inputs[i].dtype(), inputs[i].shape(), value_matters_[i] ? inputs[i].clone() : Tensor(),
                         is_container(inputs[i].dtype()) ? value.fact : Fact()});
  }
  return described;
}

std::shared_ptr<Program> Program::specialized(std::shared_ptr<Program> program, std::span<const Tensor> inputs) {
  std::vector<PlanInput> described = program->describe_inputs(inputs);
  const bool any_contents = std::any_of(described.begin(), described.end(),
                                        [](const PlanInput& input) { return input.value || input.type.present(); });
  if (any_contents) {
    program->plan_for(inputs);
    return program;
  }
  const auto resources = program->resources_;
  Graph graph = program.use_count() == 1 ? std::move(program->graph_) : program->graph_;
  program.reset();
  graph = linnet::specialized(std::move(graph), described, *resources).compacted();
  auto plan = make_plan(std::move(graph), std::move(described), resources, {.sources = Sources::kFreed});
  auto result = std::make_shared<Program>(plan->graph, resources);
  result->put_first(std::move(plan));
  return result;
}

size_t Program::cache_limit() const { return size_t(std::max<int64_t>(resources_->options.plan_cache_bytes, 0)); }

// The memory of plans other than the latest is estimated by what is new in each, until it could exceed the limit. No
// thread waits for the exact count or for plans to be freed.
void Program::add_plan(std::unique_lock<std::mutex>& lock, const std::shared_ptr<const Plan>& plan) {
  put_first(plan);
  if (plans_.size() > 1) other_bytes_ += bytes_besides(**std::next(plans_.begin()));
  if (plan->like && other_bytes_ <= cache_limit() && plans_.size() <= kPlans) return lock.unlock();
  std::optional<HeapTrim> trim;  // destroyed after the plans
  PlanList all = plans_;
  const size_t before = other_bytes_;
  lock.unlock();
  const auto [kept, bytes] = within_limit(all);
  const std::set<std::shared_ptr<const Plan>> gone(kept, all.end());
  if (!gone.empty()) trim.emplace();
  lock.lock();
  std::erase_if(by_shapes_, [&](const auto& entry) { return gone.contains(*entry.second); });
  plans_.remove_if([&](const auto& each) { return gone.contains(each); });
  other_bytes_ = bytes + other_bytes_ - std::min(before, other_bytes_);  // including plans that were added meanwhile
  lock.unlock();
}

/// The end of the plans that the limit allows, and the bytes that they hold besides the first. If the first plan was
/// made from another plan, removes more than necessary, so that not every further plan causes an exact count.
std::pair<Program::PlanList::iterator, size_t> Program::within_limit(PlanList& plans) const {
  const bool is_early = plans.front()->like;
  const size_t limit = is_early ? cache_limit() / 4 * 3 : cache_limit();
  const size_t count = is_early && plans.size() > kPlans ? kPlans / 4 * 3 : kPlans;
  std::map<const void*, size_t> counted = constants();
  add_new(counted, *plans.front());
  size_t others = 0, number = 1;
  auto it = std::next(plans.begin());
  for (; it != plans.end() && number < count; ++it, ++number) {
    const size_t bytes = add_new(counted, **it);
    if (others + bytes > limit) break;
    others += bytes;
  }
  return {it, others};
}

std::map<const void*, size_t> Program::constants() const {
  std::map<const void*, size_t> held;
  for (ValueId id = 0; id < graph_.value_count(); ++id) {
    if (graph_.fact(id).constant) held[graph_.fact(id).constant.address()] = 0;
  }
  return held;
}

size_t Program::bytes() const {
  const std::lock_guard lock(mutex_);
  std::map<const void*, size_t> counted = constants();
  size_t bytes = 0;
  for (const auto& plan : plans_) bytes += add_new(counted, *plan);
  return bytes;
}

void check_input(const std::string& name, const Fact& fact, const Tensor& tensor) {
  if (!tensor) throw Error(ErrorKind::kModel, str("input '", name, "' is missing"));
  if (fact.present() && fact.dtype != tensor.dtype()) {
    throw Error(ErrorKind::kType, str("input '", name, "' must be ", fact.dtype, ", got ", tensor.dtype()));
  }
  if (!fits(fact, tensor)) {
    throw Error(ErrorKind::kShape, str("input '", name, "' must be ", fact, ", got ", describe(tensor)));
  }
}

}  // namespace linnet
