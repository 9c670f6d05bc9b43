#include "read_model.h"

#include <string_view>

#include "linnet/error.h"
#ifdef LINNET_HAS_PT2
#include "pt2/parse_pt2.h"
#endif
#ifdef LINNET_HAS_ORT_FORMAT
#include "ort/parse_ort.h"
#endif

namespace linnet {
namespace {

/// The bytes that files of a format have at some offset near their beginning.
struct Mark {
  Format format;
  int64_t offset;
  std::string_view bytes;
};
constexpr Mark kMarks[] = {{Format::kPt2, 0, {"PK\3\4", 4}}, {Format::kOrt, 4, "ORTM"}};

bool has(const ByteSource& source, const Mark& mark) {
  std::string found(mark.bytes.size(), '\0');
  auto* to = reinterpret_cast<std::byte*>(found.data());
  return source.read_some(to, found.size(), mark.offset) == found.size() && found == mark.bytes;
}

Format format_of(const ByteSource& source) {
  for (const Mark& mark : kMarks) {
    if (has(source, mark)) return mark.format;
  }
  return Format::kOnnx;
}

[[noreturn, maybe_unused]] void throw_left_out(const ByteSource& source, const char* what, const char* option) {
  throw Error(ErrorKind::kUnsupported,
              str(source.name(), " is ", what, "; this build cannot read these: ", option, " was OFF"));
}

ParsedModel read_pt2(std::unique_ptr<const ByteSource> source, [[maybe_unused]] const Limits& limits) {
#ifdef LINNET_HAS_PT2
  return pt2::parse_pt2(std::move(source), limits);
#else
  throw_left_out(*source, "a ZIP archive, as PyTorch writes programs", "LINNET_BUILD_PT2");
#endif
}

ParsedModel read_ort(std::unique_ptr<const ByteSource> source, [[maybe_unused]] const Limits& limits) {
#ifdef LINNET_HAS_ORT_FORMAT
  return ort_format::parse_ort(std::move(source), limits);
#else
  throw_left_out(*source, "a model in ONNX Runtime's own format", "LINNET_BUILD_ORT_FORMAT");
#endif
}

}  // namespace

bool begins_as(const ByteSource& source, Format format) {
  return format == Format::kAny || format_of(source) == format;
}

ParsedModel read_model(std::unique_ptr<const ByteSource> source, Format format, const Limits& limits) {
  switch (format == Format::kAny ? format_of(*source) : format) {
    case Format::kPt2:
      return read_pt2(std::move(source), limits);
    case Format::kOrt:
      return read_ort(std::move(source), limits);
    default:
      return parse_model(std::move(source), limits);
  }
}

}  // namespace linnet
