#include "kubectl/x509/issuing.hpp"

#include "tests/support/issued.hpp"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace tpuwh::server::x509 {
namespace {

using CertificatePtr = std::unique_ptr<X509, decltype(&X509_free)>;

CertificatePtr read(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  CertificatePtr certificate(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr), X509_free);
  BIO_free(bio);
  return certificate;
}

// Whether a client that trusts only `ca` accepts `leaf` as a server at `now`.
bool is_trusted(X509* ca, X509* leaf, tls::SystemTime now) {
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, ca);
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf, nullptr);
  X509_STORE_CTX_set_time(context, 0, std::chrono::system_clock::to_time_t(now));
  X509_VERIFY_PARAM_set_purpose(X509_STORE_CTX_get0_param(context), X509_PURPOSE_SSL_SERVER);
  X509_VERIFY_PARAM_set_flags(X509_STORE_CTX_get0_param(context), X509_V_FLAG_X509_STRICT);
  const bool ok = X509_verify_cert(context) == 1;
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return ok;
}

const tls::SystemTime now = std::chrono::system_clock::now();
const std::array<std::string, 3> names = {"tpu-webhook.tpu-webhook-system.svc", "127.0.0.1", "::1"};

TEST(IssuingTest, leaf_is_trusted_through_the_ca) {
  const auto issued = test::issue(names, now);
  const auto ca = read(issued.ca);
  const auto leaf = read(issued.pair.certificates);
  ASSERT_TRUE(ca && leaf);
  EXPECT_TRUE(is_trusted(ca.get(), leaf.get(), now));
  EXPECT_TRUE(is_trusted(ca.get(), leaf.get(), now - std::chrono::minutes(59)));
  EXPECT_FALSE(is_trusted(ca.get(), leaf.get(), now - std::chrono::minutes(61)));
  EXPECT_FALSE(is_trusted(ca.get(), leaf.get(), now + test::issued_life + std::chrono::hours(1)));
  EXPECT_FALSE(is_trusted(read(test::issue(names, now).ca).get(), leaf.get(), now)) << "another CA";
}

int count_names(X509* certificate) {
  auto* list = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  const int count = sk_GENERAL_NAME_num(list);
  GENERAL_NAMES_free(list);
  return count;
}

// Also not *.svc: who has the key would be any Service of the cluster.
TEST(IssuingTest, leaf_names_nothing_else) {
  const auto leaf = read(test::issue(names, now).pair.certificates);
  EXPECT_EQ(count_names(leaf.get()), 3);
  EXPECT_EQ(X509_check_host(leaf.get(), "another.svc", 0, 0, nullptr), 0);
}

TEST(IssuingTest, leaf_is_ecdsa_p256_of_hosts_and_addresses_and_no_ca) {
  const auto leaf = read(test::issue(names, now).pair.certificates);
  EXPECT_EQ(X509_check_host(leaf.get(), names[0].c_str(), 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(leaf.get(), "localhost", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ip_asc(leaf.get(), "127.0.0.2", 0), 0);
  std::array<char, 32> group{};
  EXPECT_EQ(
      EVP_PKEY_get_group_name(X509_get0_pubkey(leaf.get()), group.data(), group.size(), nullptr),
      1);
  EXPECT_STREQ(group.data(), "prime256v1");
  EXPECT_EQ(X509_check_ca(leaf.get()), 0);
}

TEST(IssuingTest, every_certificate_has_its_own_key_and_serial) {
  const auto one = test::issue(names, now);
  const auto two = test::issue(names, now);
  EXPECT_NE(one.pair.key, two.pair.key);
  EXPECT_NE(one.ca, two.ca);
  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(read(one.pair.certificates).get()),
                             X509_get0_serialNumber(read(two.pair.certificates).get())),
            0);
}

TEST(IssuingTest, makes_a_context) {
  EXPECT_NE(tls::make_context(test::issue(names, now).pair, now), nullptr);
}

TEST(IssuingTest, refuses_what_is_no_host_name) {
  for (const std::string bad : {"", "a,b", "a b", "DNS:evil", "a\nb", "ä"}) {
    const std::array<std::string, 1> list = {bad};
    EXPECT_THROW(test::issue(list, now), std::runtime_error) << bad;
  }
  EXPECT_THROW(test::issue({}, now), std::runtime_error);
}

}  // namespace
}  // namespace tpuwh::server::x509
