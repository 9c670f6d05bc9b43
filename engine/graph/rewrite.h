#pragma once

#include <array>
#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "graph/patch.h"

namespace linnet {

/// When a rewrite is tried.
enum class RewriteStage {
  kFirst,   ///< first, until it no longer applies
  kMiddle,  ///< alternating with the others
  kLast,    ///< when no other one applies
};

/// An operator, of ai.onnx or of another domain, at which a rewrite begins.
struct RewriteRoot {
  std::string_view op_type, domain;

  constexpr RewriteRoot() = default;
  constexpr RewriteRoot(const char* type) : op_type(type) {}  // NOLINT: a type of ai.onnx is a root
  constexpr RewriteRoot(std::string_view type, std::string_view of_domain) : op_type(type), domain(of_domain) {}
  auto operator<=>(const RewriteRoot&) const = default;
};

/// The operators at which a rewrite begins; if empty, any operator.
struct RewriteRoots {
  static constexpr size_t kMost = 6;

  std::array<RewriteRoot, kMost> list{};
  size_t count = 0;

  template <class... Roots>
  constexpr explicit RewriteRoots(const Roots&... roots) : list{RewriteRoot(roots)...}, count(sizeof...(roots)) {}
  auto begin() const { return list.begin(); }
  auto end() const { return list.begin() + std::ptrdiff_t(count); }
};

/// A graph rewrite. It is called for every node whose operator is among its roots, and returns the change to make, or
/// nullopt if it does not apply.
struct Rewrite {
  std::string name;
  std::optional<Patch> (*apply)(const Graph& graph, const Node& node) = nullptr;
  RewriteStage stage = RewriteStage::kMiddle;
  RewriteRoots roots{};
};

/// Numbers the operators at which rewrites begin.
class RewriteIndex {
 public:
  explicit RewriteIndex(const std::vector<Rewrite>& rewrites = {});

  /// The number of an operator; 0 if no rewrite begins at it.
  size_t number_of(const NodeSpec& spec) const;
  /// For each number, whether the rewrite is called for nodes of that operator.
  std::span<const char> roots_of(size_t rewrite) const { return is_root_[rewrite]; }

 private:
  std::vector<RewriteRoot> operators_;      // sorted
  std::vector<std::vector<char>> is_root_;  // by rewrite, then by operator
};

/// A change that a graph needs before its nodes can be compiled, made when facts are known; nullopt if it needs none.
/// rewrites: whether those of the registry follow.
using Lowering = std::optional<Patch> (*)(const Graph& graph, bool rewrites);

/// The graph rewrites of a registry.
struct Registry::Rewrites {
  std::vector<Rewrite> list{};  ///< in the order in which they are tried
  Lowering lowering = nullptr;  ///< applied to every graph, whatever the optimisation level; nullptr: none
  RewriteIndex index{};         ///< the index of `list`; set by set()

  /// The rewrites of a registry; valid until set() is called.
  static const Rewrites& of(const Registry& registry);
  static void set(Registry& registry, Rewrites rewrites);
};

}  // namespace linnet
