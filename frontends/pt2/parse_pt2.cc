#include "parse_pt2.h"

#include "exporter/export_error.h"
#include "exporter/rules/rule_list.h"
#include "exporter/writer.h"
#include "linnet_onnx.pb.h"
#include "to_onnx.h"

namespace linnet::pt2 {
namespace {

exporter::ExportOptions newest_forms() {
  exporter::ExportOptions options;
  options.opset = 24;
  return options;
}

exporter::OnnxGraph translated(const Archive& archive, const Limits& limits) {
  static const exporter::Lowerings rules = exporter::standard_lowerings();
  try {
    return to_onnx(archive, rules, newest_forms(), limits);
  } catch (const exporter::ExportError& error) {
    throw Error(ErrorKind::kUnsupported, error.what());
  }
}

}  // namespace

ParsedModel parse_pt2(std::shared_ptr<const ByteSource> source, const Limits& limits) {
  const Archive archive = Archive::of(source, limits);
  const exporter::OnnxGraph graph = translated(archive, limits);
  ParsedModel model{.source = std::move(source)};
  auto& message = model.arena.message<pb::ModelProto>();
  exporter::write_model(
      graph, newest_forms(),
      [&](const Tensor& weight, pb::TensorProto& proto) { return model.given.emplace(&proto, weight).second; },
      message);
  model.message = &message;
  model.has_states = true;
  auto texts = std::make_shared<CountedMemory>();
  texts->add(message.ByteSizeLong());
  model.texts = std::move(texts);
  return model;
}

}  // namespace linnet::pt2
