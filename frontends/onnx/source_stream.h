#pragma once

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <span>
#include <string_view>

#include "outline.h"

namespace linnet {

/// Feeds protobuf from a ByteSource with edits applied, so that the bytes are never in memory next to the messages.
class SourceStream final : public google::protobuf::io::CopyingInputStream {
 public:
  /// Stores both by reference.
  SourceStream(const ByteSource& source, std::span<const Outline::Edit> edits) : source_(source), edits_(edits) {}

  int Read(void* buffer, int size) override;
  int Skip(int count) override;

 private:
  const ByteSource& source_;
  std::span<const Outline::Edit> edits_;  // edits that follow offset_
  int64_t offset_ = 0;
  std::string_view pending_;  // the remaining bytes of the last edit passed
};

}  // namespace linnet
