#include "building_blocks.h"
#include "rule_list.h"

// Products of matrices in groups, as in mixtures of experts.
namespace linnet::exporter {
namespace {

constexpr int64_t kMostGroups = 10'000;

/// A matrix operand: its value, and the axis along which the groups are consecutive, or -1 if each group has a separate
/// matrix.
struct Operand {
  std::string value;
  int64_t axis;
};

/// Returns the part of a group from `begin` to `end`, int64 [1].
std::string part_of_group(Call& call, const Operand& x, int64_t group, const std::string& begin,
                          const std::string& end) {
  if (x.axis < 0) return call.emit("Gather", {x.value, integer_of(call, group)}, {{"axis", int64_t(0)}});
  return call.emit("Slice", {x.value, begin, end, call.constant_of({x.axis})});
}

/// Returns zeros for the part of result axis `axis` after the last group. The size of that axis is that of `x` along
/// x.axis.
std::string zeros_behind(Call& call, const Operand& x, const std::string& end, int64_t axis, const std::string& other) {
  const std::string size = slice(call, call.emit("Shape", {x.value}), 0, x.axis, x.axis + 1);
  const std::string rest = call.emit("Max", {call.emit("Sub", {size, end}), call.constant_of({0})});
  const Names sizes = axis == 0 ? Names{rest, other} : Names{other, rest};
  return call.emit("Expand", {call.scalar(0, call.dtype()), call.emit("Concat", sizes, {{"axis", 0}})});
}

/// Returns the products of all groups. The offsets contain the end of each group. If the groups are along an axis of
/// both `a` and `b`, the products are summed over that axis, and each group yields a matrix.
std::string products_of_groups(Call& call, const Operand& a, const Operand& b, int64_t groups) {
  if (groups > kMostGroups) call.refuse("it has " + std::to_string(groups) + " groups");
  const std::string offsets = call.value("offs", DType::kInt64);
  const bool summed = a.axis >= 0 && b.axis >= 0;
  std::string begin = call.constant_of({0});
  Names products;
  for (int64_t group = 0; group < groups; ++group) {
    const std::string end = slice(call, offsets, 0, group, group + 1);
    const std::string product =
        call.emit("MatMul", {part_of_group(call, a, group, begin, end), part_of_group(call, b, group, begin, end)});
    products.push_back(summed ? change_axes(call, "Unsqueeze", product, {0}) : product);
    begin = end;
  }
  const int64_t axis = summed || a.axis >= 0 ? 0 : 1;
  const auto size_of = [&](const Operand& x, int64_t at) {
    return slice(call, call.emit("Shape", {x.value}), 0, at, at + 1);
  };
  if (!summed && a.axis >= 0) products.push_back(zeros_behind(call, a, begin, 0, size_of(b, 2)));
  if (!summed && a.axis < 0) products.push_back(zeros_behind(call, b, begin, 1, size_of(a, 1)));
  return call.emit("Concat", products, {{"axis", axis}});
}

void grouped(Call& call, const std::string& first, const std::string& second) {
  const DType dtype = call.dtype();
  const int64_t rank = call.tensor(first).dim(), other_rank = call.tensor(second).dim();
  const std::string x = call.value(first, dtype), y = call.value(second, dtype);
  if (!call.has("offs")) return call.set(call.emit("MatMul", {x, y}));
  const bool fits = (rank == 2 || rank == 3) && (other_rank == 2 || other_rank == 3) && rank + other_rank < 6;
  if (!fits || call.dynamic("offs", 0)) call.refuse("only matrices and a given number of groups are covered");
  const Operand a{x, rank == 3 ? -1 : other_rank == 2 ? 1 : 0}, b{y, other_rank == 3 ? -1 : rank == 2 ? 0 : 1};
  call.set(products_of_groups(call, a, b, call.tensor("offs").size(0)));
}

void grouped_mm(Call& call) {
  if (call.has("bias")) call.refuse("a bias is not covered");
  grouped(call, "self", "mat2");
}

void grouped_mm_fallback(Call& call) { grouped(call, "input", "weight"); }

}  // namespace

void register_grouped_products(Lowerings& lowerings) {
  lowerings.add("aten::_grouped_mm", grouped_mm);
  lowerings.add("transformers::grouped_mm_fallback", grouped_mm_fallback);
}

}  // namespace linnet::exporter
