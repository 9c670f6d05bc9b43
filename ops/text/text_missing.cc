#include "registration.h"

// Replaces the operators that need libunistring or RE2 in builds without these libraries.
namespace linnet {
namespace {

void add_missing(Registry& registry, const std::string& op_type, const OpVersion& version, const std::string& library) {
  registry.add(op_type, version, [library](const NodeSpec&) -> std::unique_ptr<Op> {
    throw Error(ErrorKind::kUnsupported, "needs " + library + ", without which this Linnet was built; install it and " +
                                             "configure with -DLINNET_WITH_TEXT=ON");
  });
}

}  // namespace

LINNET_REGISTER(regex_full_match)(Registry& registry) {
  add_missing(registry, "RegexFullMatch", {.since = 20}, "RE2 (package libre2-dev)");
}

LINNET_REGISTER(string_normalizer)(Registry& registry) {
  add_missing(registry, "StringNormalizer", {.since = 10}, "libunistring (package libunistring-dev)");
}

LINNET_REGISTER(string_split)(Registry& registry) {
  add_missing(registry, "StringSplit", {.since = 20}, "libunistring (package libunistring-dev)");
}

LINNET_REGISTER(tokenizer)(Registry& registry) {
  add_missing(registry, "Tokenizer", {.domain = kMicrosoft}, "RE2 (package libre2-dev)");
}

}  // namespace linnet
