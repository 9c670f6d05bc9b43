#pragma once

namespace linnet {

/// An additional interface of an Op whose kernels read every byte of some bool inputs other than 0 as true. Callers may
/// give such bytes. If a node without this interface reads an input of the model, they are replaced before each run.
class ReadsAnyBool {
 public:
  virtual bool reads_any_bool(int input) const = 0;

 protected:
  ~ReadsAnyBool() = default;
};

}  // namespace linnet
