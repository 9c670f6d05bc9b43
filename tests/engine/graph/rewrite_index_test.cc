#include <gtest/gtest.h>

#include "graph/rewrite.h"
#include "rewrites/define_rewrite.h"
#include "support/graph_builder.h"

namespace linnet::testing {
namespace {

NodeSpec spec_of(const char* op_type, const char* domain = "") {
  NodeSpec spec;
  spec.op_type = op_type;
  spec.domain = domain;
  return spec;
}

TEST(RewriteIndex, ARewriteIsForItsRootsOfTheirDomains) {
  const std::vector<Rewrite> rewrites{{.name = "two", .roots = RewriteRoots("Conv", internal_op("Conv"))},
                                      {.name = "one", .roots = RewriteRoots("Add")},
                                      {.name = "any"}};
  const RewriteIndex index(rewrites);
  const auto called = [&](const NodeSpec& spec) {
    std::string names;
    for (size_t i = 0; i < rewrites.size(); ++i) {
      if (index.roots_of(i)[index.number_of(spec)]) names += rewrites[i].name + " ";
    }
    return names;
  };
  EXPECT_EQ(called(spec_of("Conv")), "two any ");
  EXPECT_EQ(called(spec_of("Conv", kInternalDomain)), "two any ");
  EXPECT_EQ(called(spec_of("Conv", "com.microsoft")), "any ");
  EXPECT_EQ(called(spec_of("Add")), "one any ");
  EXPECT_EQ(called(spec_of("Sub")), "any ");
}

TEST(RewriteIndex, WithoutRewritesNothingIsCalled) { EXPECT_EQ(RewriteIndex().number_of(spec_of("Add")), 0u); }

}  // namespace
}  // namespace linnet::testing
