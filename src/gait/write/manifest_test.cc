#include "gait/write/manifest.h"

#include <gtest/gtest.h>

namespace gait::write {
namespace {

TEST(ManifestText, SaysOnlyWhatIsKnown) {
  Manifest manifest{"1.2", R"({"steps":[3]})", R"({"before":null})", {}, {}, {}};
  EXPECT_EQ(ManifestText(manifest),
            "{\"gait\":\"1.2\",\n\"capture\":{\"steps\":[3]},\n\"uncaptured\":{\"before\":null},\n"
            "\"files\":[],\n\"devices\":[],\n\"losses\":[]}\n");
  manifest.files = {{"vm.xplane.pb", 7, 2, "vm:9012"}, {"a \"b\"", 1}};
  manifest.devices = {{"GPU 0", 5}};
  manifest.losses = {{LossKind::kDropped, "byte 3", "negative", 2}};
  const std::string text = ManifestText(manifest);
  EXPECT_NE(text.find(R"("files":[{"name":"vm.xplane.pb","bytes":7,"events":2,"program":"vm:9012"},)"
                      R"({"name":"a \"b\"","bytes":1}])"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("devices":[{"name":"GPU 0","events":5}])"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("losses":[{"kind":"dropped","place":"byte 3","reason":"negative","count":2}])"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace gait::write
