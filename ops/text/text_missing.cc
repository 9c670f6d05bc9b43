#include "op_list.h"

// Stands in for the operators that need libunistring or RE2 where Linnet is built without them.
namespace linnet {
namespace {

void add_missing(Registry& registry, const std::string& op_type, int64_t since, const std::string& library) {
  registry.add(op_type, {.since = since}, [library](const NodeSpec&) -> std::unique_ptr<Op> {
    throw Error(ErrorKind::kUnsupported, "needs " + library + ", without which this Linnet was built; install it and " +
                                             "configure with -DLINNET_WITH_TEXT=ON");
  });
}

}  // namespace

void register_regex_full_match(Registry& registry) {
  add_missing(registry, "RegexFullMatch", 20, "RE2 (package libre2-dev)");
}

void register_string_normalizer(Registry& registry) {
  add_missing(registry, "StringNormalizer", 10, "libunistring (package libunistring-dev)");
}

void register_string_split(Registry& registry) {
  add_missing(registry, "StringSplit", 20, "libunistring (package libunistring-dev)");
}

}  // namespace linnet
