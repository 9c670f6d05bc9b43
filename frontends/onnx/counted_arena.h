#pragma once

#include <google/protobuf/arena.h>

#include <memory>

#include "tensor/counted_vector.h"

namespace linnet {

/// Memory of protobuf's messages, counted: all but the contents of strings and bytes, which are a part of the file.
class CountedArena {
 public:
  /// A message that lives as long as the arena.
  template <class Message>
  Message& message() const {
    return *google::protobuf::Arena::CreateMessage<Message>(arena_.get());
  }

 private:
  static google::protobuf::ArenaOptions options() {
    google::protobuf::ArenaOptions options;
    options.block_alloc = allocate_counted;
    options.block_dealloc = free_counted;
    return options;
  }

  std::unique_ptr<google::protobuf::Arena> arena_ = std::make_unique<google::protobuf::Arena>(options());
};

}  // namespace linnet
