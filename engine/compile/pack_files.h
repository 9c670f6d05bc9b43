#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "environment/sealed_file.h"
#include "linnet/op.h"

namespace linnet {

/// Packed constants in a folder of files, for the processes that load a model again (ModelOptions::cache_dir). Knows
/// the constants that lie in one mapped file, by where they lie. One thread at a time; any may write meanwhile.
class PackFiles {
 public:
  /// `folder`: of the model named `key` alone. Files in it that are another model's or not as they were written are
  /// removed.
  PackFiles(std::string folder, std::string key, SealedFile constants);

  /// The constant in that form, mapped; no tensor where it is not there.
  Tensor find(const Tensor& constant, const PackedForm& form) const;
  /// Packed constants by their names.
  using Packed = std::map<std::string, Tensor>;

  /// Keeps what find() did not have for take_added().
  void add(const Tensor& constant, const PackedForm& form, const Tensor& packed);
  /// What was added since.
  Packed take_added() { return std::exchange(added_, {}); }
  /// Writes them into one file, whose path it returns. Throws Error(kIo).
  std::string write(const Packed& added) const;
  /// Finds what is in such a file from then on.
  void read(const std::string& path);

 private:
  /// Names the constant, empty for one that lies elsewhere, and the form.
  std::string name(const Tensor& constant, const PackedForm& form) const;

  std::string folder_, key_;
  SealedFile constants_;
  Packed packed_, added_;
};

}  // namespace linnet
