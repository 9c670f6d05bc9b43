#include "compile/shared_constants.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>

#include "graph/equal_specs.h"

namespace linnet {
namespace {

constexpr size_t kLeastSharedBytes = size_t{4} << 10;

/// A random secret per process, so that no file can be crafted to have colliding checksums.
std::span<const std::byte> secret() {
  static const auto drawn = [] {
    std::random_device random;
    std::array<unsigned, Checksummer::kSecretBytes / sizeof(unsigned)> numbers{};
    std::ranges::generate(numbers, std::ref(random));
    return numbers;
  }();
  return std::as_bytes(std::span(drawn));
}

template <class T>
void add_number(Checksummer& sum, const T& value) {
  sum.add(std::as_bytes(std::span(&value, 1)));
}

void add_contents(Checksummer& sum, const Tensor& constant) {
  sum.add(std::string_view(describe(constant)));
  sum.add({static_cast<const std::byte*>(constant.raw()), constant.bytes()});
}

bool is_large(std::span<const Fact> facts) {
  size_t bytes = 0;
  for (const Fact& fact : facts) bytes += fact.present() ? dtype_bytes(fact.dtype, fact.shape().elements()) : 0;
  return bytes >= kLeastSharedBytes;
}

bool has_objects(std::span<const Fact> facts) {
  return std::ranges::any_of(facts, [](const Fact& fact) { return fact.present() && is_object(fact.dtype); });
}

bool has_body(const NodeSpec& spec) {
  return std::ranges::any_of(spec.attributes, [](const auto& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.second);
  });
}

}  // namespace

bool SharedConstants::Computed::expired() const {
  const auto is_gone = [](const WeakTensor& tensor) { return !tensor.empty() && tensor.expired(); };
  return std::ranges::any_of(roots, is_gone) || std::ranges::any_of(values, is_gone);
}

SharedConstants::Values SharedConstants::computed(const Node& node, std::span<const Fact> in, std::span<const Fact> out,
                                                  const std::function<Values()>& compute) {
  if (!is_large(out) || has_objects(in) || has_objects(out) || has_body(node.spec)) return compute();
  std::unique_lock lock(mutex_);
  const Origin wanted = origin(node, in);
  const auto is_wanted = [&](const Checksum& other) { return other == wanted.sum; };
  if (auto found = computing_.find(
          lock, [&] { return find(wanted.sum); }, is_wanted))
    return *found;
  Values values;
  {
    const decltype(computing_)::Turn turn(computing_, lock, wanted.sum);
    values = compute();
  }
  keep(wanted, values);
  return values;
}

// Small constants are identified by their contents, others by how they are computed or where they are.
SharedConstants::Origin SharedConstants::origin(const Node& node, std::span<const Fact> in) const {
  Origin origin;
  Checksummer sum(secret());
  sum.add(std::string_view(node.spec.domain));
  sum.add(std::string_view(node.spec.op_type));
  add_number(sum, checksum_of(node.spec, secret()));
  for (const ValueId output : node.outputs) add_number(sum, output != kNoValue);
  for (const Fact& fact : in) {
    const Tensor& constant = fact.constant;
    add_number(sum, constant.dtype());
    if (!constant) continue;
    if (constant.bytes() < kLeastSharedBytes && StoredContents::in_memory(constant)) {
      add_contents(sum, constant);
      continue;
    }
    for (const int64_t dim : constant.shape()) add_number(sum, dim);
    if (const Known* found = known(constant); found && found->origin) {
      add_number(sum, found->origin->sum);
      origin.roots.insert(origin.roots.end(), found->origin->roots.begin(), found->origin->roots.end());
    } else {
      add_number(sum, constant.address());
      origin.roots.emplace_back(StoredContents::original(constant));
    }
  }
  origin.sum = sum.result();
  return origin;
}

const SharedConstants::Known* SharedConstants::known(const Tensor& constant) const {
  const auto found = known_.find(constant.address());
  return found != known_.end() && found->second.tensor.is(constant) ? &found->second : nullptr;
}

Tensor SharedConstants::locked(const WeakTensor& value) const {
  Tensor tensor = value.lock();
  return tensor && known(tensor) ? tensor : Tensor();
}

std::optional<SharedConstants::Values> SharedConstants::find(const Checksum& sum) const {
  const auto found = computed_.find(sum);
  if (found == computed_.end()) return std::nullopt;
  Values values;
  for (const WeakTensor& value : found->second.values) {
    values.push_back(locked(value));
    if (!values.back() && !value.empty()) return std::nullopt;
  }
  return found->second.expired() ? std::nullopt : std::optional(std::move(values));
}

void SharedConstants::keep(const Origin& origin, const Values& values) {
  computed_sweeper_.sweep(computed_, [](const auto& entry) { return entry.second.expired(); });
  Computed& computed = computed_[origin.sum] = {origin.roots, {}};
  for (size_t i = 0; i < values.size(); ++i) {
    computed.values.emplace_back(values[i]);
    if (!values[i]) continue;
    Checksummer sum(secret());
    add_number(sum, origin.sum);
    add_number(sum, i);
    know(values[i]).origin = {sum.result(), origin.roots};
  }
}

SharedConstants::Known& SharedConstants::know(const Tensor& constant) {
  known_sweeper_.sweep(known_, [](const auto& entry) { return entry.second.tensor.expired(); });
  Known& known = known_[constant.address()];
  if (!known.tensor.is(constant)) known = {.tensor = WeakTensor(constant)};
  return known;
}

Tensor SharedConstants::share(const Tensor& constant) {
  if (is_object(constant.dtype()) || constant.bytes() < kLeastSharedBytes || !StoredContents::in_memory(constant)) {
    return constant;
  }
  {
    const std::lock_guard lock(mutex_);
    if (const Known* found = known(constant); found && found->shared) return constant;
  }
  Checksummer contents(secret());
  add_contents(contents, constant);
  const Checksum sum = contents.result();
  std::unique_lock lock(mutex_);
  sharing_.find(
      lock, [] { return false; }, [&](const Checksum& other) { return other == sum; });
  std::vector<Tensor> alike;
  for (auto [entry, end] = by_contents_.equal_range(sum); entry != end; ++entry) {
    alike.push_back(locked(entry->second));
  }
  {
    const decltype(sharing_)::Turn turn(sharing_, lock, sum);
    const auto same = std::ranges::find_if(alike, [&](const Tensor& other) { return identical(other, constant); });
    if (same != alike.end()) return *same;
  }
  contents_sweeper_.sweep(by_contents_, [](const auto& entry) { return entry.second.expired(); });
  by_contents_.emplace(sum, constant);
  know(constant).shared = true;
  return constant;
}

void SharedConstants::forget(const Tensor& constant) {
  const std::lock_guard lock(mutex_);
  known_.erase(constant.address());
}

}  // namespace linnet
