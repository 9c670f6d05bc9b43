#include "adapters.h"

#include "adapter_format.h"
#include "arguments.h"
#include "values.h"

namespace linnet::python {

void define_adapters(nb::module_& module) {
  module.def(
      "onnxruntime_read_adapter",
      [](const nb::bytes& contents) {
        const auto* data = static_cast<const std::byte*>(contents.data());
        const ort::Adapter adapter = ort::parse_adapter({data, contents.size()});
        nb::dict arrays;
        for (const auto& [name, tensor] : adapter.parameters) arrays[name.c_str()] = to_python(tensor);
        return nb::make_tuple(adapter.version, adapter.model_version, arrays);
      },
      nb::arg("contents"),
      nb::sig("def onnxruntime_read_adapter(contents: bytes) -> tuple[int, int, dict[str, typing.Any]]"));
  module.def(
      "onnxruntime_write_adapter",
      [](int32_t version, int32_t model_version, const nb::dict& arrays) {
        ort::Adapter adapter{.version = version, .model_version = model_version};
        for (const auto [key, array] : arrays) {
          const std::string name = name_argument("the name of a parameter", key);
          adapter.parameters.emplace(name, to_tensor(array, str("parameter '", name, "'")));
        }
        const std::vector<std::byte> contents = ort::adapter_bytes(adapter);
        return nb::bytes(contents.data(), contents.size());
      },
      nb::arg("version"), nb::arg("model_version"), nb::arg("arrays"),
      nb::sig(
          "def onnxruntime_write_adapter(version: int, model_version: int, arrays: dict[str, typing.Any]) -> bytes"));
}

}  // namespace linnet::python
