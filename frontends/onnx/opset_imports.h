#pragma once

#include <map>
#include <set>
#include <string>

#include "linnet/options.h"
#include "linnet/registry.h"
#include "proto.h"

namespace linnet {

/// The highest version of the default operator set whose operators this loader knows to mean what it thinks.
inline constexpr int64_t kNewestOpset = 28;

/// "" for the default operator set, which may also be written "ai.onnx"; other domains unchanged.
std::string normalize_domain(const std::string& domain);

/// The operator set versions that a model or a function imports.
class OpsetImports {
 public:
  OpsetImports() = default;
  /// Of several versions of a domain the last one counts, as in ONNX Runtime, which the log says. Throws Error(kModel)
  /// for versions below 1, Error(kUnsupported) for a default operator set above kNewestOpset unless `options` allow it.
  OpsetImports(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports, const ModelOptions& options);

  /// Takes the imports of domains that this one lacks from another.
  void add_missing(const OpsetImports& others);
  /// Imports the domains of the registry that this one lacks, at their newest versions, as ONNX Runtime does.
  void assume_missing(const Registry& registry);
  /// The model does not import the domain.
  bool is_assumed(const std::string& domain) const { return assumed_.contains(domain); }
  bool empty() const { return versions_.empty(); }
  /// The default operator set is above kNewestOpset.
  bool newer() const;
  /// The version of a normalised domain. Throws Error(kModel) when it is not imported.
  int64_t version(const std::string& domain) const;

 private:
  std::map<std::string, int64_t> versions_;
  std::set<std::string> assumed_;
};

}  // namespace linnet
