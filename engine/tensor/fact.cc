#include "linnet/fact.h"

#include <algorithm>

#include "linnet/containers.h"
#include "tensor/counted_memory.h"

namespace linnet {
namespace {

bool elements_fit(const Fact& fact, const Tensor& tensor) {
  if (tensor.dtype() == DType::kSequence) {
    const std::vector<Tensor>& elements = tensor.data<Sequence>()->elements;
    return std::all_of(elements.begin(), elements.end(), [&](const Tensor& t) { return fits(*fact.element, t); });
  }
  if (tensor.dtype() == DType::kOptional) {
    const Tensor& value = tensor.data<Optional>()->value;
    return !value || fits(*fact.element, value);
  }
  const Map& map = *tensor.data<Map>();
  return map.keys.dtype() == fact.key && map.keys.rank() == 1 && map.values.dtype() == fact.element->dtype &&
         map.values.shape() == map.keys.shape();
}

}  // namespace

bool is_followed(DType dtype) { return dtype == DType::kInt64 || dtype == DType::kInt32 || dtype == DType::kBool; }

std::optional<Dims> elements_of(const Fact& fact) {
  if (fact.constant) {
    const Tensor& x = fact.constant;
    if (!is_followed(x.dtype()) || x.size() > kMostContents) return std::nullopt;
    Dims result;
    for (int64_t i = 0; i < x.size(); ++i) {
      result.push_back(x.dtype() == DType::kInt64   ? x.data<int64_t>()[i]
                       : x.dtype() == DType::kInt32 ? int64_t{x.data<int32_t>()[i]}
                                                    : int64_t{x.data<bool>()[i]});
    }
    return result;
  }
  if (fact.contents && fact.concrete()) return *fact.contents;
  return std::nullopt;
}

Fact::Fact(const Fact&) = default;
Fact::Fact(Fact&&) noexcept = default;
Fact& Fact::operator=(const Fact&) = default;
Fact& Fact::operator=(Fact&&) noexcept = default;
Fact::~Fact() = default;

Fact Fact::container(DType dtype, Fact element) {
  Fact fact(dtype, Shape{});
  element.constant = {};
  element.contents = nullptr;
  fact.element = std::make_shared<const Fact>(std::move(element));
  return fact;
}

Fact Fact::map(DType key, DType value) {
  Fact fact = container(DType::kMap, Fact(value, std::nullopt));
  fact.key = key;
  return fact;
}

bool Fact::concrete() const {
  return present() && dims && std::all_of(dims->begin(), dims->end(), [](const Dim& d) { return d.known(); });
}

Shape Fact::shape() const {
  if (!concrete()) throw Error(ErrorKind::kInternal, str("the shape of ", *this, " is not known yet"));
  Shape shape;
  for (const Dim& d : *dims) shape.push_back(d.value());
  return shape;
}

std::ostream& operator<<(std::ostream& out, const Fact& fact) {
  out << fact.dtype;
  if (fact.dtype == DType::kMap) out << '(' << fact.key << ',';
  if (fact.element) return out << (fact.dtype == DType::kMap ? "" : "(") << *fact.element << ')';
  if (!fact.dims) return out;
  out << '[';
  for (size_t i = 0; i < fact.dims->size(); ++i) out << (i ? "," : "") << (*fact.dims)[i];
  return out << ']';
}

bool fits(const Fact& fact, const Tensor& tensor) {
  if (!fact.present()) return true;
  if (fact.dtype != tensor.dtype()) return false;
  if (fact.element) return elements_fit(fact, tensor);
  return !fact.dims || std::equal(fact.dims->begin(), fact.dims->end(), tensor.shape().begin(), tensor.shape().end(),
                                  [](const Dim& dim, int64_t size) { return !dim.known() || dim.value() == size; });
}

Fact generalize(const Fact& a, const Fact& b) {
  if (a.dtype != b.dtype || a.key != b.key) throw Error(ErrorKind::kType, str("types ", a, " and ", b, " differ"));
  if (a.element && b.element) {
    Fact fact = a;
    fact.constant = {};
    fact.element = std::make_shared<const Fact>(generalize(*a.element, *b.element));
    return fact;
  }
  if (!a.dims || !b.dims || a.dims->size() != b.dims->size()) return {a.dtype, std::nullopt};
  Dims dims;
  for (size_t i = 0; i < a.dims->size(); ++i)
    dims.push_back(certainly_equal((*a.dims)[i], (*b.dims)[i]) ? (*a.dims)[i] : Dim());
  return {a.dtype, dims};
}

Fact without_shape(const Fact& fact) {
  Fact open = fact;
  open.constant = {};
  open.contents = nullptr;
  if (fact.element) {
    open.element = std::make_shared<const Fact>(without_shape(*fact.element));
  } else {
    open.dims = std::nullopt;
  }
  return open;
}

bool compatible(const Fact& a, const Fact& b) {
  if (a.dtype != b.dtype || a.key != b.key) return false;
  if (a.element && b.element) return compatible(*a.element, *b.element);
  if (!a.dims || !b.dims) return true;
  return std::equal(a.dims->begin(), a.dims->end(), b.dims->begin(), b.dims->end(),
                    [](const Dim& x, const Dim& y) { return !x.known() || !y.known() || x.value() == y.value(); });
}

}  // namespace linnet
