#include <ATen/ATen.h>

#include <algorithm>

#include "exporter/pairs.h"
#include "tracer.h"

// In-place operators. The evaluated tensors really share memory, so they show which values a write changes. Values that
// are the written tensor get the result of the operator's functional form. Values that overlap it otherwise are made
// from that result again, by positions.
namespace linnet::exporter::torchscript {
namespace {

/// Returns "aten::add.Tensor" for "aten::add_.Tensor", which writes to its first argument.
std::string functional_name(const Site& site) {
  const std::string name = site.schema().name(), overload = site.schema().overload_name();
  const std::string own = name.back() == '_' && name != "aten::copy_" ? name.substr(0, name.size() - 1) : name;
  return overload.empty() ? own : own + "." + overload;
}

bool same_memory(const at::Tensor& a, const at::Tensor& b) {
  return a.defined() && b.defined() && a.has_storage() && b.has_storage() && a.numel() > 0 && b.numel() > 0 &&
         a.storage().unsafeGetStorageImpl() == b.storage().unsafeGetStorageImpl();
}

bool same_view(const at::Tensor& a, const at::Tensor& b) {
  return a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() && a.strides() == b.strides();
}

/// Returns the memory position of each element of a view, relative to `base`, int64 of the view's shape.
at::Tensor positions(const at::Tensor& view, const at::Tensor& base) {
  const int64_t end = int64_t(view.storage().nbytes()) / int64_t(view.element_size());
  return at::arange(end, at::kLong).as_strided(view.sizes(), view.strides(), view.storage_offset()) -
         base.storage_offset();
}

}  // namespace

void Tracer::write(const Node& node) {
  const Site site(node);
  std::vector<Value> inputs = inputs_of(node);
  const Value before = inputs[0];
  if (!before.is_tensor()) site.refuse("the exporter cannot follow what it writes to");
  for (size_t i = 1; i < inputs.size(); ++i) {
    const auto* alias = site.schema().arguments()[i].alias_info();
    if (alias != nullptr && alias->isWrite()) site.refuse("it writes to an argument other than its first");
  }
  if (is_named(before.tensor())) site.refuse("it changes the model's own tensor in place; clone it first");
  if (bodies_ > 0 && lies_outside(before.tensor())) {
    site.refuse("it writes in place to a tensor from outside of a branch or loop that the model's inputs decide");
  }
  if (!depends(node)) {
    const std::vector<Value> results = evaluate(node);
    return bind(node.output(), results[0]);
  }
  for (c10::IValue& concrete : inputs[0].concrete) concrete = concrete.toTensor().clone();
  const at::Tensor kept = before.tensor();
  for (auto& [key, value] : values_) {
    for_each_leaf(value, [&](Value& leaf) {
      const bool overlaps = leaf.is_tensor() && same_memory(leaf.tensor(), kept);
      if (overlaps && !same_view(leaf.tensor(), kept)) leaf.name = name_of(leaf);
    });
  }
  std::vector<Value> results = evaluate(node);
  lower(node, functional_name(site), inputs, results);
  record(node, inputs, results);
  replace_aliases(node, kept, results[0].name);
  bind(node.output(), value_of(node.inputs()[0]));
}

bool Tracer::lies_outside(const at::Tensor& written) const {
  return std::any_of(outside_.begin(), outside_.end(),
                     [&](const at::Tensor& tensor) { return same_memory(tensor, written); });
}

void Tracer::replace_aliases(const Node& node, const at::Tensor& written, const std::string& name) {
  Value* whole = nullptr;
  std::vector<Value*> views;
  for (auto& [key, value] : values_) {
    for_each_leaf(value, [&](Value& leaf) {
      const bool itself = leaf.is_tensor() && leaf.tensor().is_same(written);  // an empty tensor has no memory
      if (!itself && !(leaf.is_tensor() && same_memory(leaf.tensor(), written))) return;
      if (same_view(leaf.tensor(), written)) {
        leaf.name = name;
        return;
      }
      views.push_back(&leaf);
      const at::Tensor& tensor = leaf.tensor();
      if (tensor.is_contiguous() && (whole == nullptr || tensor.numel() > whole->tensor().numel())) whole = &leaf;
    });
  }
  if (views.empty()) return;
  const Site site(node);
  if (exporter::is_complex(dtype_from(written.scalar_type()))) {
    site.refuse("it writes to a part of a tensor of complex numbers, which is not covered");
  }
  if (evaluations_ > 1)
    site.refuse("it writes to a part of a tensor, which the exporter cannot follow with dynamic axes");
  if (written.is_contiguous() && (whole == nullptr || whole->tensor().numel() <= written.numel())) whole = nullptr;
  const at::Tensor base = whole == nullptr ? written : whole->tensor();
  const auto flat = [&](const std::string& value) {
    return builder_.emit("Reshape", {value, builder_.constant(Tensor::of<int64_t>({-1}))}, {}, 1)[0];
  };
  std::string memory = flat(whole == nullptr ? name : whole->name);
  if (whole != nullptr) {
    const at::Tensor where = positions(written, base).reshape({-1});
    if (where.min().item<int64_t>() < 0 || where.max().item<int64_t>() >= base.numel()) {
      site.refuse("it writes to memory that no value of the graph covers");
    }
    memory =
        builder_.emit("ScatterElements", {memory, builder_.constant(dense(where)), flat(name)}, {{"axis", 0}}, 1)[0];
  }
  std::unordered_map<std::string, std::string> renewed;  // by old name: several values may be one view
  for (Value* view : views) {
    const auto found = renewed.find(view->name);
    if (found == renewed.end()) {
      const at::Tensor where = positions(view->tensor(), base);
      if (where.min().item<int64_t>() < 0 || where.max().item<int64_t>() >= base.numel()) {
        site.refuse("it writes to memory that several values of the graph share in part");
      }
      const bool all = view->tensor().is_contiguous() && where.numel() == base.numel();
      const std::string shape = builder_.constant(Tensor::of(view->tensor().sizes().vec()));
      const std::string made =
          all ? builder_.emit("Reshape", {memory, shape}, {}, 1)[0]
              : builder_.emit("Gather", {memory, builder_.constant(dense(where))}, {{"axis", 0}}, 1)[0];
      builder_.set_dtype(made, dtype_from(written.scalar_type()));
      view->name = renewed[view->name] = made;
    } else {
      view->name = found->second;
    }
  }
}

}  // namespace linnet::exporter::torchscript
