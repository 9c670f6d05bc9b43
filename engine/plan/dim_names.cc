#include "plan/dim_names.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace linnet {
namespace {

bool has_named_dims(const Fact& fact) { return fact.present() && !fact.element && fact.has_rank(); }

/// The fact, including those of its elements, without names.
Fact without_names(Fact fact) {
  if (fact.element) {
    fact.element = std::make_shared<const Fact>(without_names(*fact.element));
  } else if (fact.has_rank()) {
    for (Dim& dim : *fact.dims) dim = dim.known() ? dim : Dim();
  }
  return fact;
}

std::optional<int64_t> size_at(std::span<const Tensor> inputs, size_t input, int axis) {
  if (input >= inputs.size() || !inputs[input] || inputs[input].rank() <= axis) return std::nullopt;
  return inputs[input].dim(axis);
}

}  // namespace

DimNames::DimNames(Graph& graph) {
  for (size_t i = 0; i < graph.inputs().size(); ++i) {
    const ValueId input = graph.inputs()[i];
    inputs_.push_back(graph.value(input).name);
    Fact fact = graph.fact(input);
    if (fact.element) {
      containers_[i] = fact;
      graph.set_fact(input, without_names(fact));
    }
    if (!has_named_dims(fact)) continue;
    for (int d = 0; d < fact.rank(); ++d) {
      Dim& dim = (*fact.dims)[size_t(d)];
      if (dim.known()) continue;
      const Dim name = dim;
      std::vector<Place>* const places = name.symbol().empty() ? nullptr : &places_[name];
      if (places) places->push_back({i, d});
      if (places && places->size() == 1) continue;
      dim = Dim::fresh();
      if (places) names_.add(dim, name);
    }
    graph.set_fact(input, std::move(fact));
  }
  std::erase_if(places_, [](const auto& each) { return each.second.size() < 2; });
}

Fact DimNames::declared(Fact fact) const {
  if (!has_named_dims(fact)) return fact;
  const auto named = [&](const Dim& dim) {
    const Dim name = names_(dim);
    return name.known() || !name.text().empty() ? name : Dim();
  };
  std::ranges::transform(*fact.dims, fact.dims->begin(), named);
  if (!fact.contents) return fact;
  auto contents = std::make_shared<Dims>(*fact.contents);
  std::ranges::transform(*contents, contents->begin(), named);
  fact.contents = std::move(contents);
  return fact;
}

Fact DimNames::declared_input(size_t input, const Fact& fact) const {
  const auto container = containers_.find(input);
  return container == containers_.end() ? declared(fact) : container->second;
}

std::string DimNames::contradiction(std::span<const Tensor> inputs) const {
  for (const auto& [name, places] : places_) {
    const Place* first = nullptr;
    for (const Place& place : places) {
      const auto size = size_at(inputs, place.input, place.axis);
      if (!size) continue;
      if (!first) first = &place;
      const int64_t first_size = *size_at(inputs, first->input, first->axis);
      if (*size != first_size) return sentence(name.symbol(), *first, first_size, place, *size);
    }
  }
  return {};
}

std::string DimNames::sentence(const std::string& name, const Place& a, int64_t size_a, const Place& b,
                               int64_t size_b) const {
  if (a.input == b.input) {
    return str("input '", inputs_[a.input], "' declares the dim '", name, "' twice, but it is ", size_a, " at axis ",
               a.axis, " and ", size_b, " at axis ", b.axis);
  }
  return str("inputs '", inputs_[a.input], "' and '", inputs_[b.input], "' both declare the dim '", name,
             "', but it is ", size_a, " in '", inputs_[a.input], "' and ", size_b, " in '", inputs_[b.input], "'");
}

}  // namespace linnet
