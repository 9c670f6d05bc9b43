// facts_at MODEL LEVEL SHAPES...: prints what is known of all values of a model before a run, for inputs of the given
// shapes.
//
// SHAPES are those of all inputs, "2x3,4,": an empty one is a scalar. LEVEL is ModelOptions::optimization. For each
// SHAPES, the output has a line "at SHAPES", and then one for each value of the graph as it was loaded and as it was
// optimised for the class of these shapes: "loaded" or "class", its name, its dims and its elements, "?" where unknown,
// separated by tabs.
#include <cstdio>
#include <iostream>
#include <sstream>

#include "linnet/onnx.h"
#include "plan/shape_classes.h"
#include "run/model_graph.h"

namespace linnet {
namespace {

std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Shape shape_of(const std::string& text) {
  Shape shape;
  if (text.empty()) return shape;
  for (const std::string& dim : parts_of(text, 'x')) shape.push_back(std::stoll(dim));
  return shape;
}

std::string shown(const Dims& dims, const DimSubstitution& numbers) {
  std::ostringstream out;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim number = numbers(dims[i]);
    out << (i ? " " : "") << (number.known() ? std::to_string(number.value()) : "?");
  }
  return out.str();
}

/// rewritten: constants may have the names of other values.
void print(const char* which, const Graph& graph, const DimSubstitution& numbers, bool rewritten) {
  for (ValueId id = 0; id < graph.value_count(); ++id) {
    const Value& value = graph.value(id);
    const bool is_used = !graph.consumers(id).empty() || graph.is_output(id);
    if (!is_used || (rewritten && value.fact.constant && !graph.is_output(id))) continue;
    if (!value.fact.present() || !value.fact.has_rank() || value.fact.element) continue;
    const auto elements = elements_of(value.fact);
    std::cout << which << '\t' << value.name << "\t[" << shown(*value.fact.dims, numbers) << "]\t"
              << (elements ? "{" + shown(*elements, numbers) + "}" : "") << '\n';
  }
}

void show(const Graph& loaded, ShapeClasses& classes, const ModelResources& resources, const std::string& shapes) {
  const bool rewritten = resources.options.optimization >= 2;
  Graph graph = loaded;
  const OpenDims open(graph);
  std::vector<PlanInput> inputs;
  for (const std::string& shape : parts_of(shapes, ',')) {
    inputs.push_back({graph.fact(graph.inputs().at(inputs.size())).dtype, shape_of(shape)});
  }
  std::cout << "at\t" << shapes << '\n';
  print("loaded", loaded, open.numbers(open.sizes(inputs)), rewritten);
  const auto shape_class = classes.of(inputs, resources, nullptr);
  const OpenDims& own = shape_class->open();
  if (!shape_class->meets_conditions(inputs)) return;
  print("class", shape_class->graph(), own.numbers(own.sizes(inputs)), rewritten);
}

int main_of(const std::vector<std::string>& arguments) {
  ModelOptions options;
  options.optimization = std::stoi(arguments.at(1));
  const Model model = load_onnx(arguments[0], options);
  const auto resources = std::make_shared<ModelResources>();
  resources->options = options;
  ShapeClasses classes(model_graph(model));
  for (size_t i = 2; i < arguments.size(); ++i) show(model_graph(model), classes, *resources, arguments[i]);
  return 0;
}

}  // namespace
}  // namespace linnet

int main(int count, char** arguments) {
  try {
    return linnet::main_of({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
