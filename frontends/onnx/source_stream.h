#pragma once

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <span>
#include <string_view>

#include "outline.h"

namespace linnet {

/// Feeds protobuf from bytes that lie elsewhere, so that they never lie in memory next to the messages, with edits.
class SourceStream final : public google::protobuf::io::CopyingInputStream {
 public:
  /// Both are kept by reference.
  SourceStream(const ByteSource& source, std::span<const Outline::Edit> edits) : source_(source), edits_(edits) {}

  int Read(void* buffer, int size) override;
  int Skip(int count) override;

 private:
  const ByteSource& source_;
  std::span<const Outline::Edit> edits_;  // those ahead
  int64_t offset_ = 0;
  std::string_view pending_;  // of the edit passed last
};

}  // namespace linnet
