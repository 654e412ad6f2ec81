// A folder for one test's files, named for the test and gone after it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace tpuwh::test {

class FolderTest : public testing::Test {
 protected:
  FolderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + "_" + test->name();
    std::ranges::replace(name, '/', '_');
    folder_ = std::filesystem::temp_directory_path() / ("tpuwh_" + name);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }

  // Writes `text` into the file `name` and returns its path. The file gets another inode, so the
  // change is noticed even if the file's time stays the same.
  std::string write(const std::string& name, const std::string& text) const {
    const auto path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path.string() + ".new") << text;
    std::filesystem::rename(path.string() + ".new", path);
    return path;
  }
  std::string path(const std::string& name) const { return folder_ / name; }

  std::filesystem::path folder_;
};

}  // namespace tpuwh::test
