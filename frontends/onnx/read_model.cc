#include "read_model.h"

#include "linnet/error.h"
#ifdef LINNET_HAS_PT2
#include "pt2/parse_pt2.h"
#endif

namespace linnet {
namespace {

constexpr std::string_view kArchive("PK\3\4");

bool is_archive(const ByteSource& source) {
  std::string head(kArchive.size(), '\0');
  return source.read_some(reinterpret_cast<std::byte*>(head.data()), head.size(), 0) == head.size() && head == kArchive;
}

ParsedModel read_pt2(std::unique_ptr<const ByteSource> source, const Limits& limits) {
#ifdef LINNET_HAS_PT2
  return pt2::parse_pt2(std::move(source), limits);
#else
  static_cast<void>(limits);
  throw Error(ErrorKind::kUnsupported, str(source->name(), " is a ZIP archive, as PyTorch writes programs; this build ",
                                           "cannot read these: LINNET_BUILD_PT2 was OFF"));
#endif
}

}  // namespace

bool begins_as(const ByteSource& source, Format format) {
  return format == Format::kAny || is_archive(source) == (format == Format::kPt2);
}

ParsedModel read_model(std::unique_ptr<const ByteSource> source, Format format, const Limits& limits) {
  if (format == Format::kAny) format = is_archive(*source) ? Format::kPt2 : Format::kOnnx;
  return format == Format::kPt2 ? read_pt2(std::move(source), limits) : parse_model(std::move(source), limits);
}

}  // namespace linnet
