#include "kubectl/certificate/renewal.hpp"

#include "kubectl/certificate/times.hpp"
#include "kubectl/x509/certificates.hpp"
#include "kubectl/x509/issuing.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tpuwh::server::certificate {
namespace {

using namespace std::chrono_literals;

const std::string host = "tpu-webhook.tpu-webhook-system.svc";
constexpr auto day = 24h;

// One keeper and its two clocks.
struct OneKeeper {
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
  // The first CA, which no entry trusts; then the certificate.
  Contents first() { return written(written({}, false), true); }
};

bool serves(const Contents& contents, const std::string& trusted, tls::SystemTime now) {
  return x509::belongs_to(contents.leaf.key, contents.leaf.certificates) &&
         x509::verify_chain(contents.leaf.certificates, trusted, host, now).has_value();
}

TEST(RenewalTest, empty_secret_gets_ca_and_certificate) {
  OneKeeper keeper;
  const Contents begun = keeper.written({}, false);
  EXPECT_EQ(begun.bundle(), begun.authority.certificates);
  EXPECT_EQ(begun.leaf, tls::Pair());
  EXPECT_FALSE(keeper.look(begun, false).write) << "no entry trusts the CA yet";
  const Contents issued = keeper.written(begun, true);
  EXPECT_EQ(issued.authority, begun.authority);
  EXPECT_TRUE(serves(issued, begun.bundle(), keeper.now));
  EXPECT_FALSE(keeper.look(issued).write);
}

// A keeper that is killed remembers nothing; servers may still serve what the Secret has lost.
TEST(RenewalTest, a_new_ca_is_trusted_beside_what_the_entries_trust) {
  OneKeeper first, second;
  const Contents lost = first.first();
  const auto step = second.renewal.next(
      {.contents = {}, .trusted_already = lost.bundle(), .now = second.now, .at = second.at});
  ASSERT_TRUE(step.write);
  EXPECT_NE(step.write->authority, lost.authority);
  EXPECT_TRUE(serves(lost, step.write->bundle(), second.now));
  EXPECT_FALSE(second.look(*step.write, true).write) << "API servers may not know it yet";
  second.at += times::settle;
  const Contents issued = second.written(*step.write, true);
  EXPECT_TRUE(serves(issued, issued.bundle(), second.now));
  EXPECT_TRUE(serves(lost, issued.bundle(), second.now));
  EXPECT_FALSE(second.look(issued).write);
  second.at += times::keep_old;
  EXPECT_EQ(second.written(issued).bundle(), issued.authority.certificates);
}

TEST(RenewalTest, certificate_is_renewed_on_request_once_every_entry_has_its_ca) {
  OneKeeper keeper;
  const Contents issued = keeper.first();
  EXPECT_FALSE(keeper.look(issued, false, Asked::leaf).write);
  const Renewal::Step step = keeper.look(issued, true, Asked::leaf);
  ASSERT_TRUE(step.write);
  EXPECT_TRUE(step.answers);
  EXPECT_NE(step.write->leaf, issued.leaf);
  EXPECT_EQ(step.write->authority, issued.authority);
}

TEST(RenewalTest, certificate_is_renewed_when_a_third_of_its_life_has_passed) {
  OneKeeper keeper;
  const Contents issued = keeper.first();
  keeper.now += times::leaf_life - times::leaf_left - day;
  EXPECT_FALSE(keeper.look(issued).write);
  keeper.now += 2 * day;
  const Contents renewed = keeper.written(issued);
  EXPECT_NE(renewed.leaf, issued.leaf);
  EXPECT_EQ(renewed.authority, issued.authority);  // no configuration has to change
  EXPECT_TRUE(serves(renewed, issued.bundle(), keeper.now + times::leaf_life - day));
}

TEST(RenewalTest, every_step_of_a_new_ca_is_trusted_by_who_saw_the_step_before) {
  OneKeeper keeper;
  const Contents issued = keeper.first();
  const Renewal::Step begun = keeper.look(issued, true, Asked::authority);
  ASSERT_TRUE(begun.write);
  EXPECT_TRUE(begun.answers);
  const Contents both = *begun.write;
  EXPECT_EQ(both.leaf, issued.leaf);
  EXPECT_NE(both.bundle(), issued.bundle());
  EXPECT_TRUE(serves(both, issued.bundle(), keeper.now));

  EXPECT_FALSE(keeper.look(both, false).write);  // the entries still hold one
  keeper.at += 10 * times::settle;
  EXPECT_FALSE(keeper.look(both, false).write);
  EXPECT_FALSE(keeper.look(both, true).write);  // from now on all hold both
  keeper.at += times::settle - 1s;
  EXPECT_FALSE(keeper.look(both, true).write);
  keeper.at += 1s;
  const Contents renewed = keeper.written(both);
  EXPECT_EQ(renewed.authority, both.next_authority);
  EXPECT_EQ(renewed.old_authority, issued.authority.certificates);
  EXPECT_EQ(renewed.bundle(), both.bundle());  // no configuration has to change
  EXPECT_TRUE(serves(renewed, renewed.authority.certificates, keeper.now));
  EXPECT_TRUE(serves(issued, renewed.bundle(), keeper.now));  // a keeper that lags behind

  EXPECT_FALSE(keeper.look(renewed).write);
  keeper.at += times::keep_old - 1s;
  EXPECT_FALSE(keeper.look(renewed).write);
  keeper.at += 1s;
  const Contents whole = keeper.written(renewed);
  EXPECT_EQ(whole.bundle(), renewed.authority.certificates);
  EXPECT_TRUE(serves(whole, whole.bundle(), keeper.now));
  EXPECT_FALSE(keeper.look(whole).write);
}

// An entry that lost the new CA may be one that an API server still has.
TEST(RenewalTest, wait_begins_again_when_an_entry_no_longer_holds_both) {
  OneKeeper keeper;
  const Contents both = keeper.written(keeper.first(), true, Asked::authority);
  EXPECT_FALSE(keeper.look(both, true).write);
  keeper.at += times::settle - 1s;
  EXPECT_FALSE(keeper.look(both, false).write);
  keeper.at += times::settle;
  EXPECT_FALSE(keeper.look(both, true).write);
  keeper.at += times::settle;
  EXPECT_TRUE(keeper.look(both, true).write);
}

TEST(RenewalTest, ca_is_renewed_half_a_year_before_its_end) {
  OneKeeper keeper;
  Contents contents = keeper.first();
  const auto due = keeper.now + times::authority_life - times::authority_left;
  while (keeper.now + day < due) {
    keeper.now += day;
    keeper.at += day;
    const Renewal::Step step = keeper.look(contents);
    if (!step.write) continue;
    EXPECT_EQ(step.write->authority, contents.authority);
    contents = *step.write;
  }
  keeper.now = due + 1h;
  EXPECT_NE(keeper.written(contents).next_authority, tls::Pair());
}

TEST(RenewalTest, emptied_secret_gets_back_what_this_keeper_serves) {
  OneKeeper keeper;
  const Contents issued = keeper.first();
  EXPECT_FALSE(keeper.look(issued).write);
  EXPECT_EQ(keeper.written({}), issued);
  Contents half = issued;
  half.leaf.key.clear();
  EXPECT_EQ(keeper.written(half), issued);
}

TEST(RenewalTest, new_keeper_uses_the_ca_that_is_left) {
  OneKeeper first;
  Contents contents = first.first();
  contents.leaf = {};
  OneKeeper second;
  const Contents repaired = second.written(contents);
  EXPECT_EQ(repaired.authority, contents.authority);
  EXPECT_TRUE(serves(repaired, contents.bundle(), second.now));
}

TEST(RenewalTest, certificate_without_its_ca_key_is_served_until_a_new_ca_signs) {
  OneKeeper keeper;
  Contents contents = keeper.first();
  contents.authority.key.clear();
  const Contents both = keeper.written(contents);
  EXPECT_EQ(both.leaf, contents.leaf);
  EXPECT_NE(both.next_authority, tls::Pair());
}

TEST(RenewalTest, certificate_of_another_host_is_replaced) {
  OneKeeper here;
  Renewal elsewhere{"tpu-webhook.elsewhere.svc"};
  const auto begun = elsewhere.next({.contents = {}, .now = here.now, .at = here.at});
  ASSERT_TRUE(begun.write);
  const auto there =
      elsewhere.next({.contents = *begun.write, .trusted = true, .now = here.now, .at = here.at});
  ASSERT_TRUE(there.write);
  const Contents moved = here.written(*there.write);
  EXPECT_EQ(moved.authority, there.write->authority);
  EXPECT_TRUE(serves(moved, moved.bundle(), here.now));
}

TEST(RenewalTest, next_ca_that_cannot_sign_is_dropped) {
  OneKeeper keeper;
  Contents contents = keeper.first();
  contents.next_authority = {contents.authority.certificates, "no key"};
  EXPECT_EQ(keeper.written(contents).next_authority, tls::Pair());
}

// Two keepers of one Secret, as when one is moved to another node, the second of which has a clock
// that is so far ahead. Both look every eight seconds for so long.
struct TwoClocks {
  explicit TwoClocks(std::chrono::hours ahead) { second.now = first.now + ahead; }

  void look(OneKeeper& keeper) {
    const Renewal::Step step = keeper.look(secret);
    if (!step.write) return;
    ++writes;
    secret = *step.write;
  }
  void turn(net::Clock::duration time) {
    for (net::Clock::duration passed{}; passed < time; passed += 8s) {
      for (OneKeeper* each : {&first, &second}) {
        look(*each);
        each->now += 8s;
        each->at += 8s;
      }
    }
  }

  OneKeeper first, second;
  Contents secret;
  int writes = 0;
};

// As many looks as are enough for each to write all that it may at once, twice over.
constexpr auto while_both_look = 5min;

TEST(RenewalTest, clocks_that_cannot_agree_write_seldom) {
  for (const auto ahead : {0 * day, 29 * day, 61 * day, 560 * day, 800 * day, 5000 * day}) {
    TwoClocks two(ahead);
    two.turn(while_both_look);
    constexpr double seconds = std::chrono::duration<double>(while_both_look).count();
    const int bucket = static_cast<int>(secret_writes.burst + seconds * secret_writes.per_second);
    EXPECT_LE(two.writes, 2 * bucket + 2) << ahead.count();
    if (ahead < 30 * day) {
      EXPECT_LE(two.writes, 3) << ahead.count();
    }
  }
}

// The world around the keeper. Every keeper is killed after one write, of the Secret or of a
// configuration. API servers learn of a configuration some seconds late, and servers learn of the
// Secret up to 150 s late.
struct World {
  static constexpr auto late_api_server = 20s, late_kubelet = 150s;

  Contents secret;
  std::string bundles[2];  // of the two configurations
  net::Clock::duration now{};
  std::vector<std::pair<net::Clock::duration, std::string>> trusted[2];
  std::vector<std::pair<net::Clock::duration, Contents>> mounted;
  mutable std::set<std::pair<std::size_t, std::size_t>> verified[2];
  int writes = 0;
  Asked asked = Asked::nothing;

  World() { note(); }
  void note() {
    for (int i : {0, 1}) trusted[i].emplace_back(now, bundles[i]);
    if (secret.leaf != tls::Pair()) mounted.emplace_back(now, secret);
  }
  // One look of a keeper. Returns whether it has written, after which it may be killed.
  bool look(OneKeeper& keeper) {
    const std::string bundle = secret.bundle();
    const Renewal::Step step =
        keeper.renewal.next({.contents = secret,
                             .asked = asked,
                             .trusted = bundles[0] == bundle && bundles[1] == bundle,
                             .trusted_already = bundles[0],
                             .now = keeper.now + now,
                             .at = keeper.at + now});
    if (step.write) {
      secret = *step.write;
      if (step.answers) asked = Asked::nothing;
      return true;
    }
    for (std::string& each : bundles) {
      if (each == secret.bundle()) continue;
      each = secret.bundle();
      return true;
    }
    return false;
  }
  // Returns whether every API server trusts every replica. An API server may still use a bundle of
  // CAs that was replaced less than late_api_server ago, and a replica may still use a certificate
  // that was replaced less than late_kubelet ago. Each pair of a bundle and a certificate is
  // verified only when it first occurs, because a certificate does not expire within the minutes of
  // a test.
  bool all_calls_succeed(tls::SystemTime time) const {
    for (const int of : {0, 1})
      for (std::size_t i = 0; i < trusted[of].size(); ++i) {
        const auto& all = trusted[of];
        const bool known = i + 1 == all.size() || all[i + 1].first > now - late_api_server;
        for (std::size_t j = 0; known && j < mounted.size(); ++j) {
          const bool served = j + 1 == mounted.size() || mounted[j + 1].first > now - late_kubelet;
          if (!served || !verified[of].emplace(i, j).second) continue;
          if (!serves(mounted[j].second, all[i].second, time)) return false;
        }
      }
    return true;
  }
};

// From an empty Secret through a renewal of the certificate and of the CA. The first certificate is
// served only when API servers that are not late trust it, which is what an installation waits for.
TEST(RenewalTest, no_call_fails_if_the_keeper_is_killed_after_each_write) {
  World world;
  std::optional<OneKeeper> keeper(std::in_place);
  const OneKeeper clock = *keeper;
  const auto turn = [&](net::Clock::duration time) {
    for (const auto end = world.now + time; world.now < end; world.now += 2s) {
      if (!world.look(*keeper)) continue;
      ++world.writes;
      world.note();
      keeper.emplace();
      keeper->now = clock.now;
      keeper->at = clock.at;
    }
  };
  turn(1min);
  ASSERT_TRUE(serves(world.secret, world.bundles[0], clock.now));
  EXPECT_EQ(world.writes, 4);
  for (const Asked asked : {Asked::leaf, Asked::authority}) {
    const Contents before = world.secret;
    world.asked = asked;
    for (int step = 0; step < 300; ++step) {
      turn(2s);
      ASSERT_TRUE(world.all_calls_succeed(clock.now + world.now)) << step;
    }
    EXPECT_NE(world.secret.leaf, before.leaf);
    EXPECT_EQ(world.secret.authority != before.authority, asked == Asked::authority);
    EXPECT_EQ(world.secret.bundle(), world.secret.authority.certificates);
  }
}

// The same of a Secret that is emptied while no keeper runs.
TEST(RenewalTest, no_call_fails_if_the_secret_is_emptied_and_the_keeper_killed) {
  World world;
  OneKeeper first;
  for (int i = 0; i < 10; ++i, world.now += 2s) {
    if (world.look(first)) world.note();
  }
  ASSERT_TRUE(serves(world.secret, world.bundles[0], first.now));
  world.now += 10min;
  world.secret = {};
  OneKeeper second;
  second.now = first.now;
  second.at = first.at;
  for (int step = 0; step < 300; ++step, world.now += 2s) {
    if (world.look(second)) world.note();
    ASSERT_TRUE(world.all_calls_succeed(first.now + world.now)) << step;
  }
  EXPECT_EQ(world.secret.bundle(), world.secret.authority.certificates);
}

}  // namespace
}  // namespace tpuwh::server::certificate
