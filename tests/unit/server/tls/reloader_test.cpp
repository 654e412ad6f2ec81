#include "server/tls/reloader.hpp"

#include "tests/support/folder.hpp"
#include "tests/support/issued.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <utility>

namespace tpuwh::server::tls {
namespace {

namespace fs = std::filesystem;

const SystemTime start = std::chrono::system_clock::now();
const std::array<std::string, 1> localhost = {"localhost"};

class ReloaderTest : public test::FolderTest {
 protected:
  ReloaderTest() { write_pair(test::issue(localhost, start).pair); }
  void write_pair(const Pair& pair) {
    write("tls.crt", pair.certificates);
    write("tls.key", pair.key);
  }

  using Change = decltype(std::declval<Reloader>().poll(start));
  static void takes(const Change& change) {
    ASSERT_TRUE(change);
    EXPECT_NE(change->context, nullptr);
    EXPECT_EQ(change->error, "");
  }
  static void says(const Change& change, const char* what) {
    ASSERT_TRUE(change);
    EXPECT_EQ(change->context, nullptr);
    EXPECT_NE(change->error.find(what), std::string::npos) << change->error;
  }

  Reloader reloader() { return {folder_ / "tls.crt", folder_ / "tls.key"}; }
};

TEST_F(ReloaderTest, sees_a_new_pair_once) {
  auto files = reloader();
  takes(files.poll(start));
  EXPECT_FALSE(files.poll(start));
  write_pair(test::issue(localhost, start).pair);
  takes(files.poll(start));
  EXPECT_FALSE(files.poll(start));
}

TEST_F(ReloaderTest, sees_a_mounted_secret_swap_its_link) {
  for (const char* version : {"..1", "..2"}) {
    const auto pair = test::issue(localhost, start).pair;
    write(version + std::string("/tls.crt"), pair.certificates);
    write(version + std::string("/tls.key"), pair.key);
  }
  fs::create_directory_symlink("..1", folder_ / "..data");
  Reloader files(folder_ / "..data/tls.crt", folder_ / "..data/tls.key");
  files.poll(start);
  fs::create_directory_symlink("..2", folder_ / "..new");
  fs::rename(folder_ / "..new", folder_ / "..data");
  takes(files.poll(start));
}

TEST_F(ReloaderTest, the_same_bytes_again_are_no_change) {
  const auto pair = test::issue(localhost, start).pair;
  write_pair(pair);
  auto files = reloader();
  files.poll(start);
  write_pair(pair);
  EXPECT_FALSE(files.poll(start));
}

TEST_F(ReloaderTest, says_once_that_halves_do_not_match_and_takes_the_other_half) {
  auto files = reloader();
  files.poll(start);
  const auto next = test::issue(localhost, start).pair;
  write("tls.crt", next.certificates);
  says(files.poll(start), "key");
  EXPECT_FALSE(files.poll(start));
  write("tls.key", next.key);
  takes(files.poll(start));
}

TEST_F(ReloaderTest, the_old_pair_back_again_ends_the_error) {
  const auto pair = test::issue(localhost, start).pair;
  write_pair(pair);
  auto files = reloader();
  files.poll(start);
  write("tls.crt", "no certificate");
  EXPECT_TRUE(files.poll(start));
  write("tls.crt", pair.certificates);
  EXPECT_FALSE(files.poll(start));
  write("tls.crt", "no certificate");
  EXPECT_TRUE(files.poll(start)) << "a second accident is said again";
}

TEST_F(ReloaderTest, names_a_file_that_has_gone) {
  auto files = reloader();
  files.poll(start);
  fs::remove(folder_ / "tls.key");
  says(files.poll(start), "tls.key");
}

TEST_F(ReloaderTest, refuses_dates_outside_now) {
  auto files = reloader();
  files.poll(start);
  write_pair(test::issue(localhost, start + std::chrono::hours(3)).pair);
  says(files.poll(start), "not valid before");
  takes(files.poll(start + std::chrono::hours(3)));  // its day has come, the files are the same

  write_pair(test::issue(localhost, start - test::issued_life - std::chrono::hours(1)).pair);
  says(files.poll(start), "expired");
}

TEST_F(ReloaderTest, waits_for_files_that_do_not_exist_yet) {
  fs::remove(folder_ / "tls.crt");
  fs::remove(folder_ / "tls.key");
  auto files = reloader();
  says(files.poll(start), "tls.crt");
  EXPECT_FALSE(files.poll(start)) << "the same error is reported once";
  write_pair(test::issue(localhost, start).pair);
  takes(files.poll(start));
}

TEST_F(ReloaderTest, waits_for_a_file_to_have_content) {
  write("tls.key", "");
  auto files = reloader();
  says(files.poll(start), "tls.key");
}

TEST_F(ReloaderTest, a_first_certificate_out_of_its_dates_is_taken_on_its_day) {
  write_pair(test::issue(localhost, start + std::chrono::hours(3)).pair);
  auto files = reloader();
  says(files.poll(start), "not valid before");
  takes(files.poll(start + std::chrono::hours(3)));
}

}  // namespace
}  // namespace tpuwh::server::tls
