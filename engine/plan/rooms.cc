#include "plan/rooms.h"

#include <algorithm>

namespace linnet {

std::optional<int64_t> Rooms::of(const Dim& dim) const {
  const auto form = linear(dim);
  if (!form) return std::nullopt;
  if (form->is_number()) return form->base;
  std::optional<int64_t> room;
  for (size_t i = 0; i < form->slopes.size(); ++i) {
    const int64_t slope = form->slopes[i];
    if (slope == 0) continue;
    if (slope < 0 || room) return std::nullopt;
    // A state has its capacity both before and after a run.
    int64_t added = 0, more = 0, size = 0;
    if (__builtin_mul_overflow(slope, growth_.added[i], &added) || __builtin_sub_overflow(form->base, added, &more) ||
        __builtin_mul_overflow(slope, capacities_[i], &size) ||
        __builtin_add_overflow(size, std::max<int64_t>(more, 0), &size)) {
      return std::nullopt;
    }
    room = size;
  }
  return room;
}

int Rooms::axis(const Fact& fact) const {
  if (!fact.present() || !fact.has_rank() || fact.concrete()) return -1;
  int axis = -1;
  for (int d = 0; d < fact.rank(); ++d) {
    if (fact.dim(d).known()) continue;
    if (axis >= 0 || !of(fact.dim(d))) return -1;
    axis = d;
  }
  return axis;
}

std::optional<Fact> Rooms::fact(const Fact& fact) const {
  if (!fact.present()) return Fact();
  if (fact.constant) return fact;
  if (fact.concrete()) return Fact(fact.dtype, fact.shape());
  const int grows = axis(fact);
  if (grows < 0 || is_object(fact.dtype) || dtype_bits(fact.dtype) < 8) return std::nullopt;
  Fact result(fact.dtype, fact.dims);
  (*result.dims)[size_t(grows)] = *of(fact.dim(grows));
  return result;
}

}  // namespace linnet
