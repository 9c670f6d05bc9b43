#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "environment/sealed_file.h"
#include "linnet/op.h"

namespace linnet {

/// Packed constants in a folder of files, for processes that load a model again (ModelOptions::cache_dir). It
/// identifies constants in one mapped file by their offsets. Only one thread at a time may use an object; write() may
/// be called at any time.
class PackFiles {
 public:
  /// `folder`: that of the model named `key` alone. Files in it that belong to another model or are damaged are
  /// removed.
  PackFiles(std::string folder, std::string key, SealedFile constants);

  /// The constant in that form, mapped; an empty tensor if it is not in the files.
  Tensor find(const Tensor& constant, const PackedForm& form) const;
  /// Packed constants by their names.
  using Packed = std::map<std::string, Tensor>;

  /// Stores a form that find() did not have, for take_added().
  void add(const Tensor& constant, const PackedForm& form, const Tensor& packed);
  /// The forms that were added since the last call.
  Packed take_added() { return std::exchange(added_, {}); }
  /// Writes forms into one file and returns its path. Throws Error(kIo).
  std::string write(const Packed& added) const;
  /// Reads such a file, so that find() also returns its contents.
  void read(const std::string& path);

 private:
  /// The name of the constant and the form; empty for a constant that is not in the mapped file.
  std::string name(const Tensor& constant, const PackedForm& form) const;

  std::string folder_, key_;
  SealedFile constants_;
  Packed packed_, added_;
};

}  // namespace linnet
