#include "server/tls/clients.hpp"

#include "server/tls/openssl_ptr.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/issued.hpp"

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tpuwh::server::tls {
namespace {

// A certificate of nothing but names.
CertificatePtr named(std::initializer_list<std::string> common_names,
                     const char* alternatives = nullptr) {
  CertificatePtr made(X509_new());
  X509_NAME* subject = X509_get_subject_name(made.get());
  for (const std::string& name : common_names)
    X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(name.data()),
                               static_cast<int>(name.size()), -1, 0);
  if (alternatives == nullptr) return made;
  X509_EXTENSION* extension =
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alternatives);
  X509_add_ext(made.get(), extension, -1);
  X509_EXTENSION_free(extension);
  return made;
}

TEST(HasName, of_the_only_common_name_or_a_dns_name) {
  const std::vector<std::string> names{"a", "kube-apiserver"};
  EXPECT_TRUE(has_name(named({"kube-apiserver"}).get(), names));
  EXPECT_TRUE(has_name(named({"x"}, "DNS:y,DNS:a").get(), names));
  EXPECT_TRUE(has_name(named({}, "DNS:a").get(), names));
  EXPECT_FALSE(has_name(named({}).get(), names));
  EXPECT_FALSE(has_name(named({"x"}).get(), names));
  EXPECT_FALSE(has_name(named({"A"}).get(), names));
  EXPECT_FALSE(has_name(named({"a", "x"}).get(), names));
  EXPECT_FALSE(has_name(named({"x", "a"}).get(), names));
  EXPECT_FALSE(has_name(named({std::string("a\0x", 3)}).get(), names));
  EXPECT_FALSE(has_name(named({"x"}, "DNS:*,email:a,URI:a").get(), names));
}

class ClientsTest : public test::FolderTest {
 protected:
  void write_cas(const std::string& text) const { write("ca.crt", text); }
  static std::string a_ca() {
    const std::array<std::string, 1> names = {"localhost"};
    return test::issue(names, std::chrono::system_clock::now()).ca;
  }

  const std::string path_ = path("ca.crt");
};

TEST_F(ClientsTest, need_a_file_of_certificates) {
  EXPECT_THROW(Clients(path_, {"a"}), std::runtime_error);
  const std::string ca = a_ca();
  for (const std::string& bad : {std::string(), std::string("none"), ca.substr(0, ca.size() / 2),
                                 ca + ca.substr(0, ca.size() / 2)}) {
    write_cas(bad);
    EXPECT_THROW(Clients(path_, {"a"}), std::runtime_error) << bad;
  }
  write_cas(ca + "# a comment\n" + a_ca());
  EXPECT_NO_THROW(Clients(path_, {"a"}));
}

TEST_F(ClientsTest, look_at_their_file_again) {
  write_cas(a_ca());
  Clients clients(path_, {"a"});
  EXPECT_FALSE(clients.poll());
  write_cas("none");
  const auto bad = clients.poll();
  ASSERT_TRUE(bad);
  EXPECT_NE(bad->error.find("holds no PEM certificates"), std::string::npos) << bad->error;
  EXPECT_FALSE(clients.poll());  // said once
  write_cas(a_ca());
  const auto good = clients.poll();
  ASSERT_TRUE(good);
  EXPECT_EQ(good->error, "");
  EXPECT_FALSE(clients.poll());
}

}  // namespace
}  // namespace tpuwh::server::tls
