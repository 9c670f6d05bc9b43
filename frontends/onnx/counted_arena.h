#pragma once

#include <google/protobuf/arena.h>

#include <memory>

#include "tensor/counted_vector.h"

namespace linnet {

/// Counted memory for protobuf messages. The contents of strings and bytes are not counted: they are a part of the
/// file.
class CountedArena {
 public:
  /// Returns a new message that lives as long as the arena.
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
