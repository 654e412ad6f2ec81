#include "server/kube/access/token_file.hpp"

#include "tests/support/folder.hpp"

#include <gtest/gtest.h>

namespace tpuwh::server::kube::access {
namespace {

using namespace std::chrono_literals;

const TokenFile::Time start{1h};

class TokenFileTest : public test::FolderTest {};

TEST(TokenFile, without_a_path_sends_no_header) {
  EXPECT_EQ(*TokenFile("").authorization(start), "");
}

TEST_F(TokenFileTest, is_trimmed_and_kept_for_50_seconds) {
  TokenFile token(write("token", "  one\r\n\n"));
  EXPECT_EQ(*token.authorization(start), "Bearer one");
  write("token", "two");
  EXPECT_EQ(*token.authorization(start + 49s), "Bearer one");
  EXPECT_EQ(*token.authorization(start + 50s), "Bearer two");
}

TEST_F(TokenFileTest, is_read_again_after_401) {
  TokenFile token(write("token", "one"));
  EXPECT_EQ(*token.authorization(start), "Bearer one");
  write("token", "two");
  token.rejected();
  EXPECT_EQ(*token.authorization(start + 1s), "Bearer two");
}

TEST_F(TokenFileTest, keeps_the_old_one_while_the_file_is_unreadable_or_empty) {
  TokenFile token(write("token", "one"));
  EXPECT_EQ(*token.authorization(start), "Bearer one");
  write("token", " \n");
  EXPECT_EQ(*token.authorization(start + 60s), "Bearer one");
  std::filesystem::remove(path("token"));
  EXPECT_EQ(*token.authorization(start + 70s), "Bearer one");
  write("token", "two");
  EXPECT_EQ(*token.authorization(start + 71s), "Bearer two");
}

TEST_F(TokenFileTest, has_no_old_one_after_401) {
  TokenFile token(write("token", "one"));
  EXPECT_TRUE(token.authorization(start));
  token.rejected();
  std::filesystem::remove(path("token"));
  const auto none = token.authorization(start);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "cannot read " + path("token") + ": No such file or directory");
}

TEST_F(TokenFileTest, follows_the_link_that_the_kubelet_swaps) {
  write("..1/token", "one");
  write("..2/token", "two");
  std::filesystem::create_directory_symlink("..1", folder_ / "..data");
  std::filesystem::create_symlink("..data/token", folder_ / "token");
  TokenFile token(path("token"));
  EXPECT_EQ(*token.authorization(start), "Bearer one");
  std::filesystem::create_directory_symlink("..2", folder_ / "..new");
  std::filesystem::rename(folder_ / "..new", folder_ / "..data");
  EXPECT_EQ(*token.authorization(start + 50s), "Bearer two");
}

TEST_F(TokenFileTest, is_no_way_to_add_headers) {
  TokenFile token(write("token", "one\r\nImpersonate-User: root"));
  const auto header = token.authorization(start);
  ASSERT_FALSE(header);
  EXPECT_EQ(header.error().message(),
            path("token") + " holds blanks or control characters; expected one bearer token");
}

}  // namespace
}  // namespace tpuwh::server::kube::access
