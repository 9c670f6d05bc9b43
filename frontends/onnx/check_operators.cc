#include "check_operators.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "describe.h"
#include "environment/run_environment.h"
#include "linnet/did_you_mean.h"
#include "linnet/error.h"
#include "loader_limits.h"
#include "topological_order.h"

namespace linnet {

namespace {

// The domain of ONNX Runtime's operators whose channels are in blocks as wide as the vectors of one machine.
constexpr const char* kLayoutDomain = "com.microsoft.nchwc";

class OperatorCheck {
 public:
  OperatorCheck(const FunctionTable& functions, const Registry& registry, const Limits& limits)
      : functions_(functions), registry_(registry), depth_limit_(depth_limit(limits)) {}

  void check_nodes(const NodeProtos& nodes, const OpsetImports& opsets, int64_t depth) {
    if (depth > depth_limit_) {
      throw Error(ErrorKind::kLimit, str("bodies and functions nest deeper than ", depth_limit_));
    }
    for (const pb::NodeProto& node : nodes) check_node(node, opsets, depth);
  }

  /// The domains that nodes use and the model does not import, with the versions assumed.
  const std::map<std::string, int64_t>& assumed() const { return assumed_; }

  void throw_if_missing() const {
    if (missing_.empty()) return;
    std::string list;
    for (const auto& [text, node] : missing_) list += str(list.empty() ? "" : ", ", text, " at node '", node, "'");
    throw Error(ErrorKind::kUnsupported, str("operators that this build does not have: ", list, hint()));
  }

 private:
  /// Advises what to do about the first missing operator.
  std::string hint() const {
    if (lays_out_) {
      return str("; ", kLayoutDomain,
                 " is for the machine that ONNX Runtime saved the model on: save it at level 'extended' "
                 "(ORT_ENABLE_EXTENDED)");
    }
    if (!registry_.left_out().empty()) return registry_.left_out();
    std::vector<std::string> names;
    for (const Registry::Entry& entry : registry_.entries()) {
      if (entry.domain != first_->domain) continue;
      if (entry.op_type == first_->op_type) return starts_later(entry.since.front());
      names.push_back(entry.op_type);
    }
    return names.empty()
               ? str("; domain '", first_->domain, "' is not one of Linnet's: load a library with its operators, by ",
                     "run_model --op-lib, Session(op_libraries=...) or Registry::load_library()")
               : did_you_mean(first_->op_type, names);
  }

  std::string starts_later(int64_t since) const {
    return str("; '", first_->op_type, "' starts at opset ", since, ", the model imports opset ", first_->opset,
               ": export it at opset ", since, " or newer, or convert it");
  }

  void check_node(const pb::NodeProto& node, const OpsetImports& opsets, int64_t depth) {
    check_current();
    if (node.op_type().empty()) {
      throw Error(ErrorKind::kModel, str("node '", node_name(node), "' has no op_type"));
    }
    if (const Function* function = functions_.find(node)) {
      check_function(*function, depth);
    } else {
      check_operator(node, opsets);
    }
    for (const pb::AttributeProto& attribute : node.attribute()) check_bodies(attribute, opsets, depth);
  }

  void check_bodies(const pb::AttributeProto& attribute, const OpsetImports& opsets, int64_t depth) {
    if (attribute.has_g()) check_nodes(attribute.g().node(), opsets, depth + 1);
    for (const pb::GraphProto& body : attribute.graphs()) check_nodes(body.node(), opsets, depth + 1);
  }

  void check_operator(const pb::NodeProto& node, const OpsetImports& opsets) {
    const std::string domain = normalize_domain(node.domain());
    int64_t opset = 0;
    try {
      opset = opsets.version(domain);
    } catch (const Error& error) {
      throw error.with_context(describe(node));
    }
    if (opsets.is_assumed(domain)) assumed_[domain] = opset;
    if (registry_.contains(domain, node.op_type(), opset)) return;
    if (!first_) first_ = Missing{domain, node.op_type(), opset};
    missing_.try_emplace(str(domain.empty() ? "" : domain + "::", node.op_type(), " (opset ", opset, ")"),
                         node_name(node));
    lays_out_ = lays_out_ || domain == kLayoutDomain;
  }

  void check_function(const Function& function, int64_t depth) {
    if (std::find(open_.begin(), open_.end(), &function) != open_.end()) throw_recursion(function);
    if (!checked_.insert(&function).second) return;
    open_.push_back(&function);
    check_nodes(function.proto->node(), function.opsets, depth + 1);
    for (const auto& attribute : function.proto->attribute_proto()) check_bodies(attribute, function.opsets, depth);
    open_.pop_back();
  }

  [[noreturn]] void throw_recursion(const Function& function) const {
    std::string path;
    for (auto it = std::find(open_.begin(), open_.end(), &function); it != open_.end(); ++it) {
      path += (*it)->describe() + " -> ";
    }
    throw Error(ErrorKind::kModel, "functions call themselves: " + path + function.describe());
  }

  const FunctionTable& functions_;
  const Registry& registry_;
  int64_t depth_limit_;
  std::set<const Function*> checked_;
  std::vector<const Function*> open_;
  std::map<std::string, int64_t> assumed_;
  struct Missing {
    std::string domain, op_type;
    int64_t opset;
  };
  std::optional<Missing> first_;
  std::map<std::string, std::string> missing_;  // operator to the first node that needs it
  bool lays_out_ = false;
};

}  // namespace

void check_operators(const pb::GraphProto& graph, const OpsetImports& opsets, const FunctionTable& functions,
                     const Registry& registry, const ModelOptions& options) {
  OperatorCheck check(functions, registry, options.limits);
  check.check_nodes(graph.node(), opsets, 0);
  check.throw_if_missing();
  if (!options.log) return;
  for (const auto& [domain, version] : check.assumed()) {
    options.log(LogLevel::kWarning, str("the model does not import domain '", domain.empty() ? "ai.onnx" : domain,
                                        "': it is taken at its newest version, ", version));
  }
}

}  // namespace linnet
