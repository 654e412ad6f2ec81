#include "server/tls/reloader.hpp"

#include "tests/support/issued.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tpuwh::server::tls {
namespace {

namespace fs = std::filesystem;

const SystemTime start = std::chrono::system_clock::now();
const std::array<std::string, 1> localhost = {"localhost"};

class ReloaderTest : public testing::Test {
 protected:
  ReloaderTest() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("reloader_") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write(test::issue(localhost, start).pair);
  }
  ~ReloaderTest() override { fs::remove_all(folder_); }

  void write_file(const char* name, const std::string& text) {
    std::ofstream(folder_ / "new") << text;
    fs::rename(folder_ / "new", folder_ / name);  // another inode: seen whatever the clock says
  }
  void write(const Pair& pair) {
    write_file("tls.crt", pair.certificates);
    write_file("tls.key", pair.key);
  }

  fs::path folder_;
  Reloader reloader() { return {folder_ / "tls.crt", folder_ / "tls.key"}; }
};

TEST_F(ReloaderTest, sees_nothing_while_nothing_changes) {
  auto files = reloader();
  const auto first = files.poll(start);
  ASSERT_TRUE(first);
  EXPECT_NE(first->context, nullptr);
  EXPECT_FALSE(files.poll(start));
}

TEST_F(ReloaderTest, sees_a_new_pair_once) {
  auto files = reloader();
  files.poll(start);
  write(test::issue(localhost, start).pair);
  const auto change = files.poll(start);
  ASSERT_TRUE(change);
  EXPECT_NE(change->context, nullptr);
  EXPECT_EQ(change->error, "");
  EXPECT_FALSE(files.poll(start));
}

TEST_F(ReloaderTest, sees_a_mounted_secret_swap_its_link) {
  for (const char* version : {"..1", "..2"}) {
    fs::create_directory(folder_ / version);
    const auto pair = test::issue(localhost, start).pair;
    std::ofstream(folder_ / version / "tls.crt") << pair.certificates;
    std::ofstream(folder_ / version / "tls.key") << pair.key;
  }
  fs::create_directory_symlink("..1", folder_ / "..data");
  Reloader files(folder_ / "..data/tls.crt", folder_ / "..data/tls.key");
  files.poll(start);
  fs::create_directory_symlink("..2", folder_ / "..new");
  fs::rename(folder_ / "..new", folder_ / "..data");
  const auto change = files.poll(start);
  ASSERT_TRUE(change);
  EXPECT_NE(change->context, nullptr);
}

TEST_F(ReloaderTest, the_same_bytes_again_are_no_change) {
  const auto pair = test::issue(localhost, start).pair;
  write(pair);
  auto files = reloader();
  files.poll(start);
  write(pair);
  EXPECT_FALSE(files.poll(start));
}

TEST_F(ReloaderTest, says_once_that_halves_do_not_match_and_takes_the_other_half) {
  auto files = reloader();
  files.poll(start);
  const auto next = test::issue(localhost, start).pair;
  write_file("tls.crt", next.certificates);
  const auto torn = files.poll(start);
  ASSERT_TRUE(torn);
  EXPECT_EQ(torn->context, nullptr);
  EXPECT_NE(torn->error.find("key"), std::string::npos) << torn->error;
  EXPECT_FALSE(files.poll(start));
  write_file("tls.key", next.key);
  const auto whole = files.poll(start);
  ASSERT_TRUE(whole);
  EXPECT_NE(whole->context, nullptr);
}

TEST_F(ReloaderTest, the_old_pair_back_again_ends_the_error) {
  const auto pair = test::issue(localhost, start).pair;
  write(pair);
  auto files = reloader();
  files.poll(start);
  write_file("tls.crt", "no certificate");
  EXPECT_TRUE(files.poll(start));
  write_file("tls.crt", pair.certificates);
  EXPECT_FALSE(files.poll(start));
  write_file("tls.crt", "no certificate");
  EXPECT_TRUE(files.poll(start)) << "a second accident is said again";
}

TEST_F(ReloaderTest, names_a_file_that_has_gone) {
  auto files = reloader();
  files.poll(start);
  fs::remove(folder_ / "tls.key");
  const auto change = files.poll(start);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->context, nullptr);
  EXPECT_NE(change->error.find("tls.key"), std::string::npos) << change->error;
}

TEST_F(ReloaderTest, refuses_dates_outside_now) {
  auto files = reloader();
  files.poll(start);
  write(test::issue(localhost, start + std::chrono::hours(3)).pair);
  const auto early = files.poll(start);
  ASSERT_TRUE(early);
  EXPECT_NE(early->error.find("not valid before"), std::string::npos) << early->error;
  const auto in_time = files.poll(start + std::chrono::hours(3));
  ASSERT_TRUE(in_time) << "its day has come, the files are the same";
  EXPECT_NE(in_time->context, nullptr);

  write(test::issue(localhost, start - test::issued_life - std::chrono::hours(1)).pair);
  const auto late = files.poll(start);
  ASSERT_TRUE(late);
  EXPECT_NE(late->error.find("expired"), std::string::npos) << late->error;
}

TEST_F(ReloaderTest, waits_for_files_that_do_not_exist_yet) {
  fs::remove(folder_ / "tls.crt");
  fs::remove(folder_ / "tls.key");
  auto files = reloader();
  const auto missing = files.poll(start);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->context, nullptr);
  EXPECT_NE(missing->error.find("tls.crt"), std::string::npos) << missing->error;
  EXPECT_FALSE(files.poll(start)) << "the same error is reported once";
  write(test::issue(localhost, start).pair);
  const auto whole = files.poll(start);
  ASSERT_TRUE(whole);
  EXPECT_NE(whole->context, nullptr);
}

TEST_F(ReloaderTest, waits_for_a_file_to_have_content) {
  write_file("tls.key", "");
  auto files = reloader();
  const auto empty = files.poll(start);
  ASSERT_TRUE(empty);
  EXPECT_NE(empty->error.find("tls.key"), std::string::npos) << empty->error;
}

TEST_F(ReloaderTest, a_first_certificate_out_of_its_dates_is_taken_on_its_day) {
  write(test::issue(localhost, start + std::chrono::hours(3)).pair);
  auto files = reloader();
  const auto early = files.poll(start);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->context, nullptr);
  const auto in_time = files.poll(start + std::chrono::hours(3));
  ASSERT_TRUE(in_time);
  EXPECT_NE(in_time->context, nullptr);
}

}  // namespace
}  // namespace tpuwh::server::tls
