#include "linnet/prefix.h"

#include "linnet/op.h"

namespace linnet {

bool Prefix::aligned() const {
  if (output_axis(0) < 0) return false;
  const int from_end = output(0).rank() - output_axis(0);
  for (int i = 0; i < inputs(); ++i) {
    if (input_axis(i) >= 0 && input(i).rank() - input_axis(i) != from_end) return false;
  }
  return true;
}

bool Op::prefix(Prefix& prefix) const { return is_elementwise() && prefix.aligned() && prefix.carry(); }

}  // namespace linnet
