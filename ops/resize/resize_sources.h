#pragma once

#include <algorithm>

#include "resize/resize_lines.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The sources of the output lines of a plane. They are listed once for planes of few lines, else gathered for each
/// line. Real: float or double.
template <class Real>
class ResizeSources {
 public:
  using Sources = ResizeLines::Sources<Real>;

  explicit ResizeSources(const ResizeLines& lines) {
    const int64_t most = lines.max_sources();
    if (lines.lines() > kMostListed / std::max<int64_t>(1, most)) return;
    offset_.resize(size_t(checked_mul(lines.lines(), most)));
    weight_.resize(offset_.size());
    for (int64_t line = 0; line < lines.lines(); ++line) {
      const int64_t first = checked_mul(line, most);
      sources_.push_back(lines.gather<Real>(line, offset_.data() + first, weight_.data() + first));
    }
  }
  ResizeSources(const ResizeSources&) = delete;
  ResizeSources& operator=(const ResizeSources&) = delete;

  bool listed() const { return !sources_.empty(); }

  /// Returns the sources of output line `line`. offset, weight: room for lines.max_sources() elements.
  Sources of(const ResizeLines& lines, int64_t line, int64_t* offset, Real* weight) const {
    return listed() ? sources_[size_t(line)] : lines.gather<Real>(line, offset, weight);
  }

  /// Converts the listed offsets to those of lines of `elements` elements.
  void scale_offsets(const ResizeLines& lines, int64_t elements) {
    for (int64_t& offset : offset_) offset = offset / lines.in_elements() * elements;
  }

 private:
  static constexpr int64_t kMostListed = int64_t{1} << 14;

  CountedVector<int64_t> offset_;
  CountedVector<Real> weight_;
  CountedVector<Sources> sources_;  ///< The lists, which point to the two arrays above.
};

}  // namespace linnet
