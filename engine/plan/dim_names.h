#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "tensor/dim_substitution.h"

namespace linnet {

/// The names that the inputs of a graph declare for more than one dim. The author of the file chose the name; it does
/// not prove that the dims are equal, and runs may give them different sizes. So that no rewrite assumes equality
/// because of a name, each such dim but the first gets a separate symbol. Dims of a container's elements, which may
/// differ from each other, get no names.
class DimNames {
 public:
  DimNames() = default;
  /// Writes the symbols into the facts of the graph's inputs.
  explicit DimNames(Graph& graph);

  /// The fact with the declared names.
  Fact declared(Fact fact) const;
  /// The fact of an input with the declared names.
  Fact declared_input(size_t input, const Fact& fact) const;
  /// A message that describes inputs that give one name two sizes; empty if there are no such inputs. Inputs that are
  /// missing or do not have the declared rank are ignored.
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
  DimSubstitution names_;                               // from the symbol in each input to the declared name
  std::map<size_t, Fact> containers_;                   // by input, as declared
};

}  // namespace linnet
