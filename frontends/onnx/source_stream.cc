#include "source_stream.h"

#include <algorithm>

namespace linnet {

int SourceStream::Read(void* buffer, int size) {
  while (pending_.empty() && !edits_.empty() && edits_.front().begin == offset_) {
    pending_ = edits_.front().bytes;
    offset_ = edits_.front().end;
    edits_ = edits_.subspan(1);
  }
  if (!pending_.empty()) {
    const size_t count = pending_.copy(static_cast<char*>(buffer), size_t(size));
    pending_.remove_prefix(count);
    return int(count);
  }
  const int64_t ahead = edits_.empty() ? int64_t{size} : std::min<int64_t>(size, edits_.front().begin - offset_);
  const size_t got = source_.read_some(static_cast<std::byte*>(buffer), size_t(ahead), offset_);
  offset_ += int64_t(got);
  return int(got);
}

int SourceStream::Skip(int count) {
  if (!edits_.empty() || !pending_.empty()) return CopyingInputStream::Skip(count);
  const int64_t skipped = std::clamp<int64_t>(source_.size() - offset_, 0, count);
  offset_ += skipped;
  return int(skipped);
}

}  // namespace linnet
