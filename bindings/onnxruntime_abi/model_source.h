#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edited_graph.h"
#include "linnet/model.h"
#include "linnet/registry.h"

namespace linnet::ort {

/// The origin of a session's model, which may be loaded more than once.
class ModelSource {
 public:
  virtual ~ModelSource() = default;
  /// folder: of external data; empty: the folder of the model's file. Throws Error.
  virtual Model load(const std::string& folder, const ModelOptions& options, const Registry& registry) const = 0;
  virtual std::string path() const { return {}; }
  virtual bool is_ort_format() const { return false; }
  /// Returns a source that does not depend on memory of the caller.
  virtual std::shared_ptr<const ModelSource> kept() const = 0;
};

class FileSource final : public ModelSource {
 public:
  explicit FileSource(std::string path) : path_(std::move(path)) {}
  Model load(const std::string& folder, const ModelOptions& options, const Registry& registry) const override;
  std::string path() const override { return path_; }
  bool is_ort_format() const override;
  std::shared_ptr<const ModelSource> kept() const override { return std::make_shared<const FileSource>(*this); }

 private:
  std::string path_;
};

/// The bytes of a file, in memory of the caller or of this object.
class BytesSource final : public ModelSource {
 public:
  explicit BytesSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  explicit BytesSource(std::vector<std::byte> bytes) : own_(std::move(bytes)), bytes_(own_) {}
  Model load(const std::string& folder, const ModelOptions& options, const Registry& registry) const override;
  bool is_ort_format() const override;
  std::shared_ptr<const ModelSource> kept() const override;

 private:
  std::vector<std::byte> own_;
  std::span<const std::byte> bytes_;
};

/// Returns a source in memory of the caller. Throws Failure(kInvalidArgument) if `bytes` is nullptr.
std::shared_ptr<const ModelSource> bytes_source(const void* bytes, size_t size);

/// A model that a client built.
class EditedSource final : public ModelSource {
 public:
  EditedSource(EditedGraph graph_in, std::map<std::string, int64_t> opsets_in)
      : graph(std::move(graph_in)), opsets(std::move(opsets_in)) {}
  Model load(const std::string& folder, const ModelOptions& options, const Registry& registry) const override;
  std::shared_ptr<const ModelSource> kept() const override { return std::make_shared<const EditedSource>(*this); }

  EditedGraph graph;
  std::map<std::string, int64_t> opsets;
};

}  // namespace linnet::ort
