#include "linnet/quantize.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "command/session.h"
#include "command/verbs.h"
#include "linnet/onnx.h"
#include "quantize/samples.h"
#include "report/report.h"

namespace linnet::tool {
namespace {

QuantizeOptions quantize_options(const QuantizeFlags& flags) {
  static const std::map<std::string, QuantizeMode> kModes{
      {"static", QuantizeMode::kStatic}, {"dynamic", QuantizeMode::kDynamic}, {"int4", QuantizeMode::kInt4}};
  static const std::map<std::string, CalibrationMethod> kMethods{{"minmax", CalibrationMethod::kMinMax},
                                                                 {"percentile", CalibrationMethod::kPercentile},
                                                                 {"entropy", CalibrationMethod::kEntropy}};
  QuantizeOptions options;
  options.mode = kModes.at(flags.mode);
  options.method = kMethods.at(flags.method);
  options.percentile = flags.percentile;
  options.per_channel = flags.per_channel;
  options.reduce_range = flags.reduce_range;
  options.block_size = flags.block_size;
  options.exclude.insert(flags.exclude.begin(), flags.exclude.end());
  options.least_snr_db = flags.exclude_below;
  return options;
}

/// The quantised layer with the lowest ratio; nullptr if no ratio is known.
const QuantizedLayer* worst_layer(const QuantizedModel& result) {
  const QuantizedLayer* worst = nullptr;
  for (const QuantizedLayer& layer : result.layers) {
    if (layer.quantized && !std::isnan(layer.snr_db) && (!worst || layer.snr_db < worst->snr_db)) worst = &layer;
  }
  return worst;
}

int64_t quantized_count(const QuantizedModel& result) {
  return std::ranges::count_if(result.layers, [](const QuantizedLayer& layer) { return layer.quantized; });
}

std::string text_of(const QuantizedModel& result, int64_t file_bytes) {
  std::string text = "  SNR dB  operator  layer\n";
  for (const QuantizedLayer& layer : result.layers) {
    text += format("%8s  %-8s  ", decibels(layer.snr_db).c_str(), layer.op_type.c_str()) + layer.node +
            (layer.quantized ? "\n" : "  left in floats\n");
  }
  for (size_t i = 0; i < result.output_snr_db.size(); ++i) {
    text +=
        format("%8s  output    ", decibels(result.output_snr_db[i]).c_str()) + result.model.outputs()[i].name + "\n";
  }
  if (const QuantizedLayer* worst = worst_layer(result)) {
    text += "worst: " + decibels(worst->snr_db) + " dB; --exclude '" + worst->node + "' leaves it in floats\n";
  }
  return text + str(quantized_count(result), " of ", result.layers.size(), " layers quantised, the file holds ",
                    human_bytes(file_bytes), "\n");
}

Json json_of(const QuantizedModel& result, int64_t file_bytes) {
  Json json{{"layers", Json::array()}, {"outputs", Json::array()}};
  for (const QuantizedLayer& layer : result.layers) {
    json["layers"].push_back({{"node", layer.node},
                              {"op", layer.op_type},
                              {"snr_db", ratio_json(layer.snr_db)},
                              {"quantized", layer.quantized}});
  }
  for (size_t i = 0; i < result.output_snr_db.size(); ++i) {
    json["outputs"].push_back(
        {{"name", result.model.outputs()[i].name}, {"snr_db", ratio_json(result.output_snr_db[i])}});
  }
  const QuantizedLayer* worst = worst_layer(result);
  json["worst"] = worst ? Json(worst->node) : Json(nullptr);
  json["file_bytes"] = file_bytes;
  return json;
}

}  // namespace

ExitCode quantize_verb(const Options& options) {
  ModelFlags flags = options.model;
  flags.optimization = 0;
  const Model model = load_model(flags);
  const QuantizeFlags& wanted = options.quantize;
  std::vector<std::vector<Tensor>> samples;
  if (!wanted.calibration.empty()) samples = make_samples(model, wanted.calibration, options.input);
  const QuantizedModel result = quantize(model, samples, quantize_options(wanted));
  save_onnx(result.model, wanted.output);
  const auto file_bytes = int64_t(std::filesystem::file_size(wanted.output));
  report(text_of(result, file_bytes), json_of(result, file_bytes), options.json);
  return ExitCode::kOk;
}

}  // namespace linnet::tool
