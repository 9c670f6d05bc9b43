#include "linnet/quantize.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "linnet/did_you_mean.h"
#include "quantizer/calibrate.h"
#include "quantizer/quantized_graph.h"
#include "rewrites/define_rewrite.h"
#include "run/model_graph.h"

namespace linnet {

RewriteFunction drop_identity, fold_pad_into_window, fold_affine_into_conv;

namespace {

/// The signal-to-noise ratio in dB of float32 tensors: 10 log10 of the sum of squares divided by the sum of squared
/// errors.
class SignalToNoise {
 public:
  void add(const Tensor& wanted, const Tensor& got) {
    const float* x = wanted.data<float>();
    const float* y = got.data<float>();
    for (int64_t i = 0; i < wanted.size(); ++i) {
      const double difference = double(y[i]) - double(x[i]);
      signal_ += double(x[i]) * double(x[i]);
      noise_ += difference * difference;
    }
    empty_ = false;
  }
  /// Infinite without errors; NaN before the first add().
  double db() const {
    if (empty_) return std::numeric_limits<double>::quiet_NaN();
    return noise_ == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal_ / noise_);
  }

 private:
  double signal_ = 0, noise_ = 0;
  bool empty_ = true;
};

constexpr std::string_view kQuantized[] = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear",
                                           "MatMulInteger",  "ConvInteger",      "QLinearConv",
                                           "QLinearMatMul",  "MatMulNBits"};

void check_options(const Model& model, Samples samples, const QuantizeOptions& options) {
  if (model.options().optimization != 0) {
    throw Error(ErrorKind::kUnsupported, "quantize() takes a model that was loaded with ModelOptions::optimization 0");
  }
  const bool fits = options.block_size >= 16 && std::has_single_bit(uint64_t(options.block_size));
  if (options.mode == QuantizeMode::kInt4 && !fits) {
    throw Error(ErrorKind::kUnsupported,
                str("blocks of ", options.block_size, " weights: MatMulNBits takes powers of two from 16 on"));
  }
  if (options.mode == QuantizeMode::kStatic && samples.empty()) {
    throw Error(ErrorKind::kModel, "static quantisation finds its ranges on samples of inputs, but got no samples");
  }
}

void check_float(const Graph& graph) {
  for (const NodeId id : graph.nodes()) {
    const NodeSpec& spec = graph.node(id).spec;
    if (std::ranges::count(kQuantized, spec.op_type) == 0) continue;
    throw Error(ErrorKind::kModel, "the model is quantised already: it has a " + spec.describe());
  }
}

/// Folds operators around the products. All remaining operators are standard ones.
Graph folded(Graph graph) {
  constexpr std::array kRewrites{drop_identity, fold_pad_into_window, fold_affine_into_conv};
  bool changed = true;
  while (changed) {
    changed = false;
    const std::vector<NodeId> order = graph.nodes();
    for (const NodeId id : order) {
      for (const auto rewrite : kRewrites) {
        const auto patch = graph.alive(id) ? rewrite(graph, graph.node(id)) : std::nullopt;
        if (patch) patch->apply(graph);
        changed |= patch.has_value();
      }
    }
  }
  graph.drop_dead_nodes();
  return graph;
}

/// Excludes layers and records the result for each.
class Selection {
 public:
  Selection(const Graph& graph, const QuantizeOptions& options) : all_(find_layers(graph, options.mode)) {
    for (const Layer& layer : all_) {
      report_.push_back({layer_name(graph, layer.node), graph.node(layer.node).spec.op_type});
    }
    if (all_.empty()) {
      throw Error(ErrorKind::kModel,
                  "nothing to quantise: no product outside of bodies (If, Loop, Scan) has constant float32 weights");
    }
    for (const std::string& name : options.exclude) leave_out(name);
  }

  std::vector<Layer> layers() const {
    std::vector<Layer> kept;
    for (size_t i = 0; i < all_.size(); ++i) {
      if (report_[i].quantized) kept.push_back(all_[i]);
    }
    return kept;
  }

  /// Records the ratios of all selected layers, in their order, and excludes those below the least. Returns whether
  /// there were any.
  bool note(const std::vector<SignalToNoise>& ratios, double least_db) {
    bool dropped = false;
    auto ratio = ratios.begin();
    for (QuantizedLayer& layer : report_) {
      if (!layer.quantized) continue;
      layer.snr_db = (ratio++)->db();
      layer.quantized = !(layer.snr_db < least_db);
      dropped |= !layer.quantized;
    }
    return dropped;
  }

  const std::vector<QuantizedLayer>& report() const { return report_; }

 private:
  void leave_out(const std::string& name) {
    bool found = false;
    std::vector<std::string> names;
    for (QuantizedLayer& layer : report_) {
      names.push_back(layer.node);
      if (layer.node != name) continue;
      layer.quantized = false;
      found = true;
    }
    if (!found)
      throw Error(ErrorKind::kModel,
                  "there is no node '" + name + "' that would be quantised" + did_you_mean(name, names));
  }

  std::vector<Layer> all_;
  std::vector<QuantizedLayer> report_;
};

void check_finite(const Tensor& tensor, const std::string& what) {
  if (!tensor) return;
  for (const float value : tensor.values<float>()) {
    if (std::isfinite(value)) continue;
    throw Error(ErrorKind::kModel, str(what, " hold ", value, ": quantisation needs finite values"));
  }
}

void check_finite(const Graph& graph, const Layer& layer) {
  const std::string of = " of '" + layer_name(graph, layer.node) + "'";
  check_finite(layer.weights, "the weights" + of);
  check_finite(layer.bias, "the biases" + of);
}

QuantizedParts place(const Graph& graph, std::vector<Layer> layers, Samples samples, const QuantizeOptions& options,
                     const ModelOptions& model_options) {
  for (const Layer& layer : layers) check_finite(graph, layer);
  QuantizedParts parts{std::move(layers), {}, {}};
  if (options.mode != QuantizeMode::kStatic) return parts;
  parts.placement = place_bytes(graph, parts.layers);
  for (const ValueRange& range : calibrate(graph, parts.placement.groups, samples, options, model_options)) {
    parts.grids.emplace_back(range);
  }
  return parts;
}

std::vector<SignalToNoise> layer_ratios(const Graph& graph, const QuantizedParts& parts, Samples samples,
                                        const QuantizeOptions& options, const ModelOptions& model_options) {
  std::vector<SignalToNoise> ratios(parts.layers.size());
  LayerPairs pairs = layer_pairs(graph, parts, options);
  observe(std::move(pairs.graph), model_options, pairs.values, samples, [&](std::span<const Tensor> values) {
    for (size_t i = 0; i < ratios.size(); ++i) ratios[i].add(values[2 * i], values[2 * i + 1]);
  });
  return ratios;
}

std::vector<double> output_ratios(const Graph& graph, const Graph& quantized, Samples samples,
                                  const ModelOptions& options) {
  std::vector<SignalToNoise> ratios(graph.outputs().size());
  Context wanted(rewritten(graph, options), {.limits = options.limits});
  Context got(rewritten(quantized, options), {.limits = options.limits});
  for (const std::vector<Tensor>& sample : samples) {
    const std::span<const Tensor> x = wanted.run(sample), y = got.run(sample);
    for (size_t i = 0; i < ratios.size(); ++i) {
      if (x[i].dtype() == DType::kFloat32 && x[i].shape() == y[i].shape()) ratios[i].add(x[i], y[i]);
    }
  }
  std::vector<double> db(ratios.size());
  std::transform(ratios.begin(), ratios.end(), db.begin(), [](const SignalToNoise& ratio) { return ratio.db(); });
  return db;
}

GraphNotes notes_of(const Model& model) {
  GraphNotes notes{model.metadata(), {}, {}};
  for (const ValueInfo& output : model.outputs()) notes.declared.push_back(output.fact);
  return notes;
}

}  // namespace

QuantizedModel quantize(const Model& model, Samples samples, const QuantizeOptions& options) {
  check_options(model, samples, options);
  check_float(model_graph(model));
  const Graph graph = folded(declared_graph(model));
  const ModelOptions& model_options = model.options();
  Selection selection(graph, options);
  QuantizedParts parts = place(graph, selection.layers(), samples, options, model_options);
  if (!samples.empty() &&
      selection.note(layer_ratios(graph, parts, samples, options, model_options), options.least_snr_db)) {
    parts = place(graph, selection.layers(), samples, options, model_options);
  }
  const Graph quantized = quantized_graph(graph, parts, options);
  return {make_model(quantized, model_options, notes_of(model)), selection.report(),
          output_ratios(graph, quantized, samples, model_options)};
}

}  // namespace linnet
