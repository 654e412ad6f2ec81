#include "kubectl/inspect/source/input_files.hpp"

#include "tests/support/folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace tpuwh::server::source {
namespace {

class InputFiles : public test::FolderTest {
 protected:
  InputFiles() { std::filesystem::create_directories(folder_ / "deeper.yaml"); }

  std::string file(const std::string& name) const { return write(name, "x"); }
  std::string folder() const { return folder_.string(); }
};

TEST_F(InputFiles, of_a_folder_are_its_manifests_by_name) {
  const auto c = file("c.yml"), a = file("a.yaml"), b = file("b.json");
  file("notes.txt");
  file(".hidden.yaml");
  EXPECT_THAT(*input_files({folder()}), testing::ElementsAre(a, b, c));
}

// As cluster-info dump and must-gather leave them.
TEST_F(InputFiles, of_a_folder_are_those_of_its_folders) {
  std::filesystem::create_directory_symlink(folder(), folder() + "/again");
  const auto nodes = file("nodes.json"), pods = file("ml/core/pods.yaml"),
             in = file("deeper.yaml/x.yml");
  file("..data/x.yaml");
  file("ml/logs.txt");
  EXPECT_THAT(*input_files({folder()}), testing::ElementsAre(in, pods, nodes));
}

TEST_F(InputFiles, keep_the_order_in_which_they_are_named) {
  const auto b = file("b.txt"), a = file("a.yaml");
  EXPECT_THAT(*input_files({b, "-", a}), testing::ElementsAre(b, "-", a));
}

TEST_F(InputFiles, that_cannot_be_read_are_named) {
  const auto said = [](const std::vector<std::string>& names) {
    return input_files(names).error().text();
  };
  EXPECT_EQ(said({folder()}), "folder " + folder() +
                                  " holds no .yaml, .yml or .json file; expected a file, a folder "
                                  "with .yaml, .yml or .json files, or - for standard input");
  EXPECT_THAT(
      said({"/no/such"}),
      testing::StartsWith("cannot read /no/such: No such file or directory; expected a file"));
  EXPECT_THAT(said({"-", "-"}), testing::StartsWith("- is given twice"));
}

}  // namespace
}  // namespace tpuwh::server::source
