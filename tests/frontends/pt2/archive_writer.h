#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pt2/archive.h"

namespace linnet::testing {

/// Writes ZIP archives as PyTorch does: uncompressed, with sizes only in the directory, and data at multiples of 64
/// bytes.
class ArchiveWriter {
 public:
  ArchiveWriter& add(const std::string& name, std::string_view data) {
    const size_t header = bytes_.size();
    put(0x04034b50, 4).put(0, 2).put(0x0808, 2).put(0, 2).put(0, 16).put(name.size(), 2);
    const size_t padding = (64 - (bytes_.size() + 2 + name.size()) % 64) % 64;
    put(padding, 2);
    bytes_ += name;
    bytes_.append(padding, 'Z');
    bytes_ += data;
    entries_.push_back({name, header, data.size()});
    return *this;
  }
  template <class T>
  ArchiveWriter& add(const std::string& name, const std::vector<T>& values) {
    return add(name, std::string_view(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }

  /// Returns the archive without a ZIP64 end record.
  std::string finish(uint64_t method = 0) {
    const size_t begin = bytes_.size();
    for (const Entry& entry : entries_) {
      put(0x02014b50, 4).put(0, 4).put(0x0808, 2).put(method, 2).put(0, 4).put(0, 4);
      put(entry.bytes, 4).put(entry.bytes, 4).put(entry.name.size(), 2).put(0, 2).put(0, 2).put(0, 2).put(0, 6);
      put(entry.header, 4);
      bytes_ += entry.name;
    }
    const size_t end = bytes_.size();
    put(0x06054b50, 4).put(0, 4).put(entries_.size(), 2).put(entries_.size(), 2).put(end - begin, 4).put(begin, 4);
    put(0, 2);
    return std::move(bytes_);
  }

 private:
  struct Entry {
    std::string name;
    size_t header, bytes;
  };

  ArchiveWriter& put(uint64_t number, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) bytes_ += i < 8 ? char(number >> 8 * i) : '\0';
    return *this;
  }

  std::string bytes_;
  std::vector<Entry> entries_;
};

/// A program y = relu(x) of x [s0, 2]. Each of its pieces of JSON can be replaced.
struct ProgramText {
  std::string inputs = R"({"as_tensor": {"name": "x"}})";
  std::string nodes = R"({"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": )"
                      R"({"as_tensor": {"name": "x"}}, "kind": 1}], "outputs": [{"as_tensor": {"name": "y"}}], )"
                      R"("metadata": {}})";
  std::string outputs = R"({"as_tensor": {"name": "y"}})";
  std::string values = R"("x": )" + meta("7", symbol() + R"(, {"as_int": 2})", R"({"as_int": 2}, {"as_int": 1})") +
                       R"(, "y": )" + meta("7", symbol() + R"(, {"as_int": 2})", R"({"as_int": 2}, {"as_int": 1})");
  std::string input_specs = R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})";
  std::string output_specs = R"({"user_output": {"arg": {"as_tensor": {"name": "y"}}}})";
  std::string calls = "";
  std::string rest = R"("schema_version": {"major": 8, "minor": 20})";

  static std::string symbol() {
    return R"-({"as_expr": {"expr_str": "Symbol('s0', positive=True, integer=True)", "hint": {"as_int": 5}}})-";
  }
  static std::string meta(const std::string& dtype, const std::string& sizes, const std::string& strides,
                          const std::string& offset = "0") {
    return R"({"dtype": )" + dtype + R"(, "sizes": [)" + sizes + R"(], "requires_grad": false, "device": {"type": )" +
           R"("cpu", "index": null}, "strides": [)" + strides + R"(], "storage_offset": {"as_int": )" + offset +
           R"(}, "layout": 7})";
  }
  std::string text() const {
    return R"({"graph_module": {"graph": {"inputs": [)" + inputs + R"(], "outputs": [)" + outputs + R"(], "nodes": [)" +
           nodes + R"(], "tensor_values": {)" + values + R"(}}, "signature": {"input_specs": [)" + input_specs +
           R"(], "output_specs": [)" + output_specs + R"(]}, "module_call_graph": [)" + calls + R"(]}, )" + rest + "}";
  }
};

/// Begins an archive with a program. Other members can be added before finish().
inline ArchiveWriter program_archive(const std::string& program) {
  ArchiveWriter writer;
  writer.add("m/archive_format", "pt2").add("m/archive_version", "0").add("m/byteorder", "little");
  writer.add("m/models/model.json", program);
  return writer;
}

/// Opens the archive in a separate buffer, `aside` bytes after a multiple of 64 bytes. It has an owner.
inline pt2::Archive open_archive(const std::string& bytes, size_t aside = 0, const Limits& limits = {}) {
  auto memory = std::make_shared<std::vector<std::byte>>(bytes.size() + 128);
  const size_t begin = 64 - reinterpret_cast<uintptr_t>(memory->data()) % 64 + aside;
  std::memcpy(memory->data() + begin, bytes.data(), bytes.size());
  return pt2::Archive::from_bytes(std::span(*memory).subspan(begin, bytes.size()), memory, limits);
}

}  // namespace linnet::testing
