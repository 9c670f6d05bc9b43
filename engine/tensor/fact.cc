#include "linnet/fact.h"

#include <algorithm>

namespace linnet {

std::ostream& operator<<(std::ostream& out, const Dim& dim) {
  if (dim.known()) return out << dim.value();
  return out << (dim.symbol().empty() ? "?" : dim.symbol());
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
  if (!fact.dims) return out;
  out << '[';
  for (size_t i = 0; i < fact.dims->size(); ++i) out << (i ? "," : "") << (*fact.dims)[i];
  return out << ']';
}

bool fits(const Fact& fact, const Tensor& tensor) {
  if (!fact.present()) return true;
  if (fact.dtype != tensor.dtype()) return false;
  return !fact.dims || std::equal(fact.dims->begin(), fact.dims->end(), tensor.shape().begin(), tensor.shape().end(),
                                  [](const Dim& dim, int64_t size) { return !dim.known() || dim.value() == size; });
}

Fact generalize(const Fact& a, const Fact& b) {
  if (a.dtype != b.dtype) throw Error(ErrorKind::kType, str("dtypes ", a.dtype, " and ", b.dtype, " differ"));
  if (!a.dims || !b.dims || a.dims->size() != b.dims->size()) return {a.dtype, std::nullopt};
  Dims dims;
  for (size_t i = 0; i < a.dims->size(); ++i) dims.push_back((*a.dims)[i] == (*b.dims)[i] ? (*a.dims)[i] : Dim());
  return {a.dtype, dims};
}

bool compatible(const Fact& a, const Fact& b) {
  if (a.dtype != b.dtype) return false;
  if (!a.dims || !b.dims) return true;
  return std::equal(a.dims->begin(), a.dims->end(), b.dims->begin(), b.dims->end(),
                    [](const Dim& x, const Dim& y) { return !x.known() || !y.known() || x == y; });
}

}  // namespace linnet
