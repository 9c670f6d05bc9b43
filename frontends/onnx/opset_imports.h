#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "linnet/options.h"
#include "linnet/registry.h"
#include "proto.h"
#include "tensor/counted_vector.h"

namespace linnet {

/// The highest version of the default operator set whose operators this loader knows.
inline constexpr int64_t kNewestOpset = 28;

/// Returns "" for the default operator set, which may also be written "ai.onnx"; returns other domains unchanged.
const std::string& normalize_domain(const std::string& domain);

/// The operator set versions that a model or a function imports.
class OpsetImports {
 public:
  OpsetImports() = default;
  /// If a domain is imported several times, the last version counts, as in ONNX Runtime; this is logged. Throws
  /// Error(kModel) for versions below 1, Error(kUnsupported) for a default operator set above kNewestOpset unless
  /// `options` allow it.
  OpsetImports(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports, const ModelOptions& options);

  /// Looks up domains that this one lacks in `others`, which must outlive this.
  void fall_back_to(const OpsetImports& others) { others_ = &others; }
  /// Imports the domains of the registry that this one lacks at their newest versions, as ONNX Runtime does.
  void assume_missing(const Registry& registry);
  /// Whether the model does not import the domain.
  bool is_assumed(const std::string& domain) const;
  bool empty() const { return versions_.empty(); }
  /// Whether the default operator set is above kNewestOpset.
  bool newer() const;
  /// Returns the version of a normalised domain. Throws Error(kModel) if it is not imported.
  int64_t version(const std::string& domain) const;

 private:
  using Version = std::pair<const std::string, int64_t>;

  std::map<std::string, int64_t, std::less<>, CountedAllocator<Version>> versions_;
  std::set<std::string> assumed_;
  const OpsetImports* others_ = nullptr;
};

}  // namespace linnet
