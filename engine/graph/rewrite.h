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
  kFirst,   ///< until it does not apply any more, before others look for patterns
  kMiddle,  ///< in turn with the others
  kLast,    ///< when no other one applies any more
};

/// An operator that a rewrite begins at, of ai.onnx or of another domain.
struct RewriteRoot {
  std::string_view op_type, domain;

  constexpr RewriteRoot() = default;
  constexpr RewriteRoot(const char* type) : op_type(type) {}  // NOLINT: a type of ai.onnx is a root
  constexpr RewriteRoot(std::string_view type, std::string_view of_domain) : op_type(type), domain(of_domain) {}
  auto operator<=>(const RewriteRoot&) const = default;
};

/// The operators that a rewrite begins at; none: any.
struct RewriteRoots {
  static constexpr size_t kMost = 6;

  std::array<RewriteRoot, kMost> list{};
  size_t count = 0;

  template <class... Roots>
  constexpr explicit RewriteRoots(const Roots&... roots) : list{RewriteRoot(roots)...}, count(sizeof...(roots)) {}
  auto begin() const { return list.begin(); }
  auto end() const { return list.begin() + std::ptrdiff_t(count); }
};

/// A graph rewrite: called for every node whose operator is among its roots; returns the change to make, or nullopt
/// when it does not apply.
struct Rewrite {
  std::string name;
  std::optional<Patch> (*apply)(const Graph& graph, const Node& node) = nullptr;
  RewriteStage stage = RewriteStage::kMiddle;
  RewriteRoots roots{};
};

/// Numbers for the operators that rewrites begin at.
class RewriteIndex {
 public:
  explicit RewriteIndex(const std::vector<Rewrite>& rewrites = {});

  /// The number of an operator, 0 for one that no rewrite names.
  size_t number_of(const NodeSpec& spec) const;
  /// Of each number, whether the rewrite is called for nodes of that operator.
  std::span<const char> roots_of(size_t rewrite) const { return is_root_[rewrite]; }

 private:
  std::vector<RewriteRoot> operators_;      // sorted
  std::vector<std::vector<char>> is_root_;  // by rewrite, then by operator
};

/// A change that a graph needs before its nodes can be compiled; nullopt where it needs none. Facts are known then.
/// rewrites: whether those of the registry follow.
using Lowering = std::optional<Patch> (*)(const Graph& graph, bool rewrites);

/// What a registry does with graphs.
struct Registry::Rewrites {
  std::vector<Rewrite> list{};  ///< in the order in which they are tried
  Lowering lowering = nullptr;  ///< of every graph, whatever optimization is asked for; nullptr: none
  RewriteIndex index{};         ///< of the list; set() makes it

  /// Those of the registry, as long as nobody sets others.
  static const Rewrites& of(const Registry& registry);
  static void set(Registry& registry, Rewrites rewrites);
};

}  // namespace linnet
