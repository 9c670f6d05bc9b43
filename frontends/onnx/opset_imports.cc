#include "opset_imports.h"

#include <algorithm>

#include "linnet/error.h"

namespace linnet {

namespace {

std::string shown(const std::string& domain) { return domain.empty() ? "ai.onnx" : domain; }

}  // namespace

std::string normalize_domain(const std::string& domain) { return domain == "ai.onnx" ? std::string() : domain; }

OpsetImports::OpsetImports(const google::protobuf::RepeatedPtrField<pb::OperatorSetIdProto>& imports,
                           const ModelOptions& options) {
  for (const pb::OperatorSetIdProto& import : imports) {
    const std::string domain = normalize_domain(import.domain());
    const int64_t version = import.version();
    if (version < 1) {
      throw Error(ErrorKind::kModel, str("opset ", version, " of domain '", shown(domain), "', expected at least 1"));
    }
    if (domain.empty() && version > kNewestOpset && !options.allow_newer_opset) {
      throw Error(ErrorKind::kUnsupported,
                  str("opset ", version, " of domain 'ai.onnx', supported are 1 to ", kNewestOpset));
    }
    const auto [known, added] = versions_.emplace(domain, version);
    if (added || known->second == version) continue;
    if (options.log) {
      options.log(LogLevel::kWarning, str("domain '", shown(domain), "' is imported at opset ", known->second,
                                          " and at opset ", version, ", which counts"));
    }
    known->second = version;
  }
}

void OpsetImports::add_missing(const OpsetImports& others) {
  for (const auto& [domain, version] : others.versions_) {
    if (versions_.emplace(domain, version).second && others.is_assumed(domain)) assumed_.insert(domain);
  }
}

void OpsetImports::assume_missing(const Registry& registry) {
  OpsetImports newest;
  newest.versions_[""] = kNewestOpset;
  for (const Registry::Entry& entry : registry.entries()) {
    int64_t& version = newest.versions_[normalize_domain(entry.domain)];
    version = std::max(version, entry.since.back());
  }
  for (const auto& [domain, version] : newest.versions_) newest.assumed_.insert(domain);
  add_missing(newest);
}

bool OpsetImports::newer() const {
  const auto found = versions_.find("");
  return found != versions_.end() && found->second > kNewestOpset;
}

int64_t OpsetImports::version(const std::string& domain) const {
  const auto found = versions_.find(domain);
  if (found == versions_.end()) {
    throw Error(ErrorKind::kModel, str("domain '", shown(domain), "' is not among the opset imports"));
  }
  return found->second;
}

}  // namespace linnet
