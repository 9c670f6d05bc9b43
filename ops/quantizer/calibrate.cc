#include "quantizer/calibrate.h"

#include <algorithm>
#include <cmath>

#include "run/model_graph.h"

namespace linnet {
namespace {

struct Groups {
  std::vector<ValueId> values;
  std::vector<size_t> group;  // The group of each value.

  explicit Groups(const std::vector<std::vector<ValueId>>& groups) {
    for (size_t i = 0; i < groups.size(); ++i) {
      values.insert(values.end(), groups[i].begin(), groups[i].end());
      group.resize(values.size(), i);
    }
  }
};

void include(ValueRange& range, const Tensor& tensor, const std::string& name) {
  for (const float value : tensor.values<float>()) {
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::kModel, str("'", name, "' holds ", value, ": calibration needs finite values"));
    }
    range.include({value, value});
  }
}

}  // namespace

Model rewritten(Graph graph, ModelOptions options) {
  options.optimization = 2;
  return make_model(std::move(graph), options);
}

void observe(Graph graph, const ModelOptions& options, const std::vector<ValueId>& values, Samples samples,
             const std::function<void(std::span<const Tensor>)>& see) {
  const size_t own = graph.outputs().size();
  for (const ValueId value : values) graph.add_output(graph.value(value).name, value);
  Context context(rewritten(std::move(graph), options), {.limits = options.limits});
  for (const std::vector<Tensor>& sample : samples) see(context.run(sample).subspan(own));
}

std::vector<ValueRange> calibrate(const Graph& graph, const std::vector<std::vector<ValueId>>& groups, Samples samples,
                                  const QuantizeOptions& options, const ModelOptions& model_options) {
  const Groups all(groups);
  std::vector<ValueRange> ranges(groups.size());
  observe(graph, model_options, all.values, samples, [&](std::span<const Tensor> seen) {
    for (size_t i = 0; i < seen.size(); ++i) include(ranges[all.group[i]], seen[i], graph.value(all.values[i]).name);
  });
  if (options.method == CalibrationMethod::kMinMax) return ranges;
  std::vector<Histogram> histograms(ranges.begin(), ranges.end());
  observe(graph, model_options, all.values, samples, [&](std::span<const Tensor> seen) {
    for (size_t i = 0; i < seen.size(); ++i) histograms[all.group[i]].add(seen[i].values<float>());
  });
  std::transform(histograms.begin(), histograms.end(), ranges.begin(), [&](const Histogram& histogram) {
    return options.method == CalibrationMethod::kEntropy ? histogram.entropy()
                                                         : histogram.percentile(options.percentile);
  });
  return ranges;
}

}  // namespace linnet
