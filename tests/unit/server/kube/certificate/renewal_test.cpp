#include "server/kube/certificate/renewal.hpp"

#include "server/limits/limits.hpp"
#include "server/tls/certificates.hpp"
#include "server/tls/issuing.hpp"

#include <gtest/gtest.h>

#include "tests/support/named_case.hpp"

namespace tpuwh::server::kube::certificate {
namespace {

using namespace std::chrono_literals;
using test::case_name;
using test::PrintTo;
namespace times = limits::renewal;

const std::string host = "tpu-webhook.tpu-webhook-system.svc";
constexpr auto day = 24h;

// One replica, a Secret that it shares with others, and the two clocks.
struct Replica {
  Renewal renewal{host};
  tls::SystemTime now = std::chrono::system_clock::now();
  net::TimePoint at = net::Clock::now();

  Renewal::Step look(const Contents& contents, bool trusted = true, Asked asked = Asked::nothing) {
    return renewal.next(
        {.contents = contents, .asked = asked, .trusted = trusted, .now = now, .at = at});
  }
  Contents written(const Contents& contents, bool trusted = true, Asked asked = Asked::nothing) {
    const Renewal::Step step = look(contents, trusted, asked);
    EXPECT_TRUE(step.write.has_value());
    return step.write.value_or(contents);
  }
  Contents first() { return written({}, false); }
};

bool serves(const Contents& contents, const std::string& trusted, tls::SystemTime now) {
  return tls::belongs_to(contents.leaf.key, contents.leaf.certificates) &&
         tls::verify_chain(contents.leaf.certificates, trusted, host, now).has_value();
}

TEST(RenewalTest, empty_secret_gets_ca_and_certificate) {
  Replica replica;
  const Contents issued = replica.first();
  EXPECT_TRUE(serves(issued, issued.bundle(), replica.now));
  EXPECT_EQ(issued.bundle(), issued.authority.certificates);
  EXPECT_FALSE(replica.look(issued).write);
}

TEST(RenewalTest, certificate_is_renewed_when_a_third_of_its_life_is_left) {
  Replica replica;
  const Contents issued = replica.first();
  replica.now += times::leaf_life - times::leaf_left - day;
  EXPECT_FALSE(replica.look(issued).write);
  replica.now += 2 * day;
  const Contents renewed = replica.written(issued);
  EXPECT_NE(renewed.leaf, issued.leaf);
  EXPECT_EQ(renewed.authority, issued.authority);  // no configuration has to change
  EXPECT_TRUE(serves(renewed, issued.bundle(), replica.now + times::leaf_life - day));
}

TEST(RenewalTest, certificate_is_renewed_on_request) {
  Replica replica;
  const Contents issued = replica.first();
  const Renewal::Step step = replica.look(issued, true, Asked::leaf);
  ASSERT_TRUE(step.write);
  EXPECT_TRUE(step.answers);
  EXPECT_NE(step.write->leaf, issued.leaf);
  EXPECT_EQ(step.write->authority, issued.authority);
}

TEST(RenewalTest, every_step_of_a_new_ca_is_trusted_by_who_saw_the_step_before) {
  Replica replica;
  const Contents issued = replica.first();
  const Renewal::Step begun = replica.look(issued, true, Asked::authority);
  ASSERT_TRUE(begun.write);
  EXPECT_TRUE(begun.answers);
  const Contents both = *begun.write;
  EXPECT_EQ(both.leaf, issued.leaf);
  EXPECT_NE(both.bundle(), issued.bundle());
  EXPECT_TRUE(serves(both, issued.bundle(), replica.now));

  EXPECT_FALSE(replica.look(both, false).write);  // the entries still hold one
  replica.at += 10 * times::settle;
  EXPECT_FALSE(replica.look(both, false).write);
  EXPECT_FALSE(replica.look(both, true).write);  // from now on all hold both
  replica.at += times::settle - 1s;
  EXPECT_FALSE(replica.look(both, true).write);
  replica.at += 1s;
  const Contents renewed = replica.written(both);
  EXPECT_EQ(renewed.authority, both.next_authority);
  EXPECT_EQ(renewed.old_authority, issued.authority.certificates);
  EXPECT_EQ(renewed.bundle(), both.bundle());  // no configuration has to change
  EXPECT_TRUE(serves(renewed, renewed.authority.certificates, replica.now));
  EXPECT_TRUE(serves(issued, renewed.bundle(), replica.now));  // a replica that lags behind

  EXPECT_FALSE(replica.look(renewed).write);
  replica.at += times::keep_old - 1s;
  EXPECT_FALSE(replica.look(renewed).write);
  replica.at += 1s;
  const Contents whole = replica.written(renewed);
  EXPECT_EQ(whole.bundle(), renewed.authority.certificates);
  EXPECT_TRUE(serves(whole, whole.bundle(), replica.now));
  EXPECT_FALSE(replica.look(whole).write);
}

// An entry that lost the new CA may be one that an API server still has.
TEST(RenewalTest, wait_begins_again_when_an_entry_no_longer_holds_both) {
  Replica replica;
  const Contents both = replica.written(replica.first(), true, Asked::authority);
  EXPECT_FALSE(replica.look(both, true).write);
  replica.at += times::settle - 1s;
  EXPECT_FALSE(replica.look(both, false).write);
  replica.at += times::settle;
  EXPECT_FALSE(replica.look(both, true).write);
  replica.at += times::settle;
  EXPECT_TRUE(replica.look(both, true).write);
}

TEST(RenewalTest, another_replica_finishes_what_one_began) {
  Replica one, other;
  const Contents both = one.written(one.first(), true, Asked::authority);
  EXPECT_FALSE(other.look(both).write);
  other.at += times::settle;
  EXPECT_EQ(other.written(both).authority, both.next_authority);
}

TEST(RenewalTest, ca_is_renewed_half_a_year_before_its_end) {
  Replica replica;
  Contents contents = replica.first();
  const auto due = replica.now + times::authority_life - times::authority_left;
  while (replica.now + day < due) {
    replica.now += day;
    const Renewal::Step step = replica.look(contents);
    if (!step.write) continue;
    EXPECT_EQ(step.write->authority, contents.authority);
    contents = *step.write;
  }
  replica.now = due + 1h;
  EXPECT_NE(replica.written(contents).next_authority, tls::Pair());
}

TEST(RenewalTest, emptied_secret_gets_back_what_this_replica_serves) {
  Replica replica;
  const Contents issued = replica.first();
  EXPECT_FALSE(replica.look(issued).write);
  EXPECT_EQ(replica.written({}), issued);
  Contents half = issued;
  half.leaf.key.clear();
  EXPECT_EQ(replica.written(half), issued);
}

TEST(RenewalTest, new_replica_uses_the_ca_that_is_left) {
  Replica first;
  Contents contents = first.first();
  contents.leaf = {};
  Replica second;
  const Contents repaired = second.written(contents);
  EXPECT_EQ(repaired.authority, contents.authority);
  EXPECT_TRUE(serves(repaired, contents.bundle(), second.now));
}

TEST(RenewalTest, certificate_without_its_ca_key_is_served_until_a_new_ca_signs) {
  Replica replica;
  Contents contents = replica.first();
  contents.authority.key.clear();
  const Contents both = replica.written(contents);
  EXPECT_EQ(both.leaf, contents.leaf);
  EXPECT_NE(both.next_authority, tls::Pair());
}

TEST(RenewalTest, certificate_of_another_host_is_replaced) {
  Replica here;
  Renewal elsewhere{"tpu-webhook.elsewhere.svc"};
  const auto there = elsewhere.next({.contents = {}, .now = here.now, .at = here.at});
  ASSERT_TRUE(there.write);
  const Contents moved = here.written(*there.write);
  EXPECT_EQ(moved.authority, there.write->authority);
  EXPECT_TRUE(serves(moved, moved.bundle(), here.now));
}

TEST(RenewalTest, next_ca_that_cannot_sign_is_dropped) {
  Replica replica;
  Contents contents = replica.first();
  contents.next_authority = {contents.authority.certificates, "no key"};
  EXPECT_EQ(replica.written(contents).next_authority, tls::Pair());
}

// Two replicas of one Secret, the second of which has a clock that is so far ahead; both look every
// eight seconds for so long.
struct TwoClocks {
  explicit TwoClocks(std::chrono::hours ahead) { second.now = first.now + ahead; }

  void look(Replica& replica) {
    const Renewal::Step step = replica.look(secret, trusted);
    if (step.write) {
      ++writes;
      secret = *step.write;
    }
    const tls::Pair& served = step.serve ? *step.serve : secret.leaf;
    // What is served is good by its own clock, and signed by a CA that callers trust.
    Contents own = secret;
    own.leaf = served;
    if (!serves(own, secret.bundle(), replica.now)) ++unserved;
    if (!step.trouble.empty()) ++troubled;
  }
  void turn(net::Clock::duration time) {
    for (net::Clock::duration passed{}; passed < time; passed += 8s) {
      for (Replica* each : {&first, &second}) {
        look(*each);
        each->now += 8s;
        each->at += 8s;
      }
    }
  }

  Replica first, second;
  Contents secret;
  bool trusted = true;
  int writes = 0, unserved = 0, troubled = 0;
};

struct Ahead {
  const char* name;
  std::chrono::hours by;
  int most_writes;
};

class RenewalClocks : public testing::TestWithParam<Ahead> {};

// As many looks as are enough for each to write all that it may at once, twice over.
constexpr auto while_both_look = 5min;

// The one renewed what was due by its clock, the other restored what was good by its own, without
// end.
TEST_P(RenewalClocks, do_not_make_replicas_write_without_end) {
  TwoClocks two(GetParam().by);
  two.turn(while_both_look);
  EXPECT_LE(two.writes, GetParam().most_writes);
  EXPECT_EQ(two.unserved, 0);
}

INSTANTIATE_TEST_SUITE_P(
    , RenewalClocks,
    testing::Values(Ahead{"equal", 0h, 1}, Ahead{"two_hours", 2h, 1}, Ahead{"a_month", 30 * day, 1},
                    Ahead{"two_months", 61 * day, 2}, Ahead{"three_months", 89 * day, 2},
                    Ahead{"a_leafs_life", 100 * day, 2}, Ahead{"a_year", 365 * day, 2}),
    case_name);

// By one clock the CA itself is due or over: what they cannot agree on has a bound.
TEST(RenewalTest, clocks_that_cannot_agree_write_seldom) {
  for (const auto ahead : {560 * day, 800 * day, 5000 * day}) {
    TwoClocks two(ahead);
    two.turn(while_both_look);
    constexpr double seconds = std::chrono::duration<double>(while_both_look).count();
    const int bucket = static_cast<int>(secret_writes.burst + seconds * secret_writes.per_second);
    EXPECT_LE(two.writes, 2 * bucket + 2) << ahead.count();
  }
}

// The CA was made by the clock that is ahead, as the first of all: ours cannot use it, and makes
// one that both can.
TEST(RenewalTest, a_first_ca_of_the_future_is_replaced_once) {
  TwoClocks two(3 * day);
  two.look(two.second);
  EXPECT_EQ(two.writes, 1);
  two.turn(5min);
  EXPECT_EQ(two.writes, 2);
  EXPECT_EQ(two.unserved, 0);
}

// A replica that has just started has nothing to serve meanwhile, and signs it: for itself alone.
TEST(RenewalTest, a_new_replica_serves_its_own_beside_one_of_the_future) {
  TwoClocks two(61 * day);
  two.turn(1min);
  const int before = two.writes;
  Replica fresh;
  fresh.now = two.first.now;
  fresh.at = two.first.at;
  const Renewal::Step step = fresh.look(two.secret);
  EXPECT_FALSE(step.write);
  ASSERT_TRUE(step.serve);
  EXPECT_NE(step.trouble, "");
  EXPECT_EQ(fresh.look(two.secret).serve, step.serve);  // the same each time
  EXPECT_EQ(two.writes, before);
  // Once its time has come, the one in the Secret is served.
  fresh.now += 61 * day;
  EXPECT_FALSE(fresh.look(two.secret).serve);
}

TEST(RenewalTest, a_certificate_of_the_future_is_replaced_on_request) {
  TwoClocks two(61 * day);
  two.turn(1min);
  const Renewal::Step step = two.first.look(two.secret, true, Asked::leaf);
  ASSERT_TRUE(step.write);
  EXPECT_TRUE(step.answers);
  EXPECT_TRUE(serves(*step.write, two.secret.bundle(), two.first.now));
}

}  // namespace
}  // namespace tpuwh::server::kube::certificate
