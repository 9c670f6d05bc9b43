#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// The names that the inputs of a graph declare for more than one dim. A name is what the author of the file says, and
/// no proof: runs may give such dims different sizes. So each but the first gets a symbol of its own, dims of a
/// container's elements, which may differ from each other, get none, and no rewrite takes two for equal because of a
/// name.
class DimNames {
 public:
  DimNames() = default;
  /// Writes the symbols to the facts of the graph's inputs.
  explicit DimNames(Graph& graph);

  /// The fact with the names that were declared.
  Fact declared(Fact fact) const;
  /// The same, of an input.
  Fact declared_input(size_t input, const Fact& fact) const;
  /// Says which inputs give one name two sizes; empty where none do. Inputs that are missing, or do not have the
  /// declared rank, say nothing.
  std::string contradiction(std::span<const Tensor> inputs) const;

 private:
  struct Place {
    size_t input;
    int axis;
  };

  std::string sentence(const std::string& name, const Place& a, int64_t size_a, const Place& b, int64_t size_b) const;

  struct BySymbol {
    bool operator()(const Dim& a, const Dim& b) const { return a.symbol() < b.symbol(); }
  };

  std::vector<std::string> inputs_;                     // their names
  std::map<Dim, std::vector<Place>, BySymbol> places_;  // by name
  DimSubstitution names_;              // the declared names for the symbols that stand for them in one input
  std::map<size_t, Fact> containers_;  // by input, as declared
};

}  // namespace linnet
