#include "server/kube/cluster/claims_of_pods.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "server/net/cancelled.hpp"
#include "webhook/read/body.hpp"

#include <boost/asio/this_coro.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace tpuwh::server::kube::cluster {

using places::OwnedClaim;
using webhook::read::Claimed;

namespace {

constexpr std::string_view claims_group = "resource.k8s.io";

// "ResourceClaimTemplate ml/tpus"
std::string title(const OwnedClaim& claim) {
  return base::concat({claim.made ? "ResourceClaimTemplate " : "ResourceClaim ",
                       base::printable(claim.ns), "/", base::printable(claim.name)});
}

Claimed unreadable(std::string why) {
  return {.known = Claimed::Known::unreadable, .why = std::move(why)};
}

// Which another replica may be able to read.
Claimed unreadable_here(std::string why) {
  Claimed out = unreadable(std::move(why));
  out.again = true;
  return out;
}

}  // namespace

client::Resource claim_objects(std::string version) {
  return {std::string(claims_group), std::move(version), "resourceclaims", ""};
}

client::Resource claim_template_objects(std::string version) {
  return {std::string(claims_group), std::move(version), "resourceclaimtemplates", ""};
}

client::Resource device_classes(std::string version) {
  return {std::string(claims_group), std::move(version), "deviceclasses", ""};
}

// A question about one claim or template, whose timer wakes all coroutines that wait for the
// answer.
struct ClaimsOfPods::Question {
  Question(net::Executor executor, OwnedClaim asked, base::FairQueue::Path asks)
      : claim(std::move(asked)),
        whose(std::move(asks)),
        answered(executor, net::TimePoint::max()) {}
  const OwnedClaim claim;
  const base::FairQueue::Path whose;  // path in the queue, by the first Pod that asked
  net::Timer answered;
  std::optional<Claimed> answer;  // the last
  bool over = false;
};

ClaimsOfPods::ClaimsOfPods(client::Client& client, const store::Store& store, net::TaskGroup& tasks)
    : client_(client), store_(store), tasks_(tasks), reader_(store.prefix()) {}

net::Task<places::ReadClaims> ClaimsOfPods::read(std::vector<OwnedClaim> claims, bool patient,
                                                 std::string owner) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  const base::FairQueue::Path whose{claims.front().ns, std::move(owner), std::to_string(++pods_)};
  const std::shared_ptr<base::FairQueue> all = all_waiting_;
  const std::size_t left = limits::api::waiting_pods - all->turns();
  patient = patient && all->turns(whose, 1) < left && 2 * all->turns(whose, 2) < left;
  base::FairQueue::Entry waiting;
  if (patient) all->push(whose, waiting);
  std::vector<QuestionPtr> questions;
  for (const OwnedClaim& each : claims) questions.push_back(question(each, whose));
  places::ReadClaims out;
  for (const QuestionPtr& each : questions) {
    while (!each->over && (patient || !each->answer)) {
      co_await each->answered.async_wait(net::as_result);
      const bool leave = co_await net::cancelled();
      if (leave) break;
    }
    out[each->claim] = each->answer.value_or(unreadable_here(title(each->claim) + " was not read"));
  }
  co_return out;
}

// A task of its own: who asked first may go, and others wait for the same.
ClaimsOfPods::QuestionPtr ClaimsOfPods::question(const OwnedClaim& claim,
                                                 const base::FairQueue::Path& whose) {
  QuestionPtr& there = asked_[claim];
  if (there) return there;
  there = std::make_shared<Question>(client_.executor(), claim, whose);
  const QuestionPtr out = there;
  tasks_.spawn(client_.executor(), ask(out));
  return out;
}

net::Task<void> ClaimsOfPods::ask(QuestionPtr question) {
  try {
    co_await ask_until_it_is_there(*question);
  } catch (const std::exception&) {  // out of memory, say: whoever waits goes on
  }
  asked_.erase(question->claim);
  question->over = true;
  question->answered.cancel();
}

// What is not there yet may be in the same `kubectl apply`.
net::Task<void> ClaimsOfPods::ask_until_it_is_there(Question& question) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  const net::TimePoint last = net::Clock::now() + limits::api::claim_wait;
  const OwnedClaim& claim = question.claim;
  const auto kind = claim.made ? store::Kind::claim_template : store::Kind::claim;
  net::Timer pause(client_.executor());
  for (;;) {
    const bool absent = co_await is_absent(question);
    if (!absent) co_return;
    question.answered.cancel();  // whoever is not patient
    do {
      if (net::Clock::now() >= last) {
        ++status_.absent;
        co_return;
      }
      pause.expires_after(limits::api::claim_pause);
      const auto [error] = co_await pause.async_wait(net::as_result);
      if (error) co_return;
      Claimed brought = store_.claimed({claim.ns, claim.name, claim.made});
      if (brought.known != Claimed::Known::unread) {
        question.answer = std::move(brought);
        ++status_.read;
        co_return;
      }
      // The question is not asked again while the watch is fresh, because a fresh watch brings new
      // objects, or while no turn is free, because first questions go before repeated ones.
    } while (store_.is_fresh(kind, net::Clock::now()) ||
             client_.free_turns(client::Purpose::claim) == 0);
  }
}

net::Task<bool> ClaimsOfPods::is_absent(Question& question) {
  const OwnedClaim& claim = question.claim;
  const auto failed = [&](Claimed why) {
    question.answer = std::move(why);
    ++status_.failed;
    return false;
  };
  if (version_.empty())
    co_return failed(unreadable_here(title(claim) + " cannot be read: which version of " +
                                     std::string(claims_group) + " is served is not known yet"));
  client::Resource objects =
      claim.made ? claim_template_objects(version_) : claim_objects(version_);
  objects.ns = claim.ns;
  // Nobody has checked yet what the Pod says: it is part of a path.
  if (!base::is_host_name(claim.ns) || !base::is_host_name(claim.name))
    co_return failed(unreadable(title(claim) + " is not a name that an object can have"));
  client::Request request = client::get(objects, claim.name);
  request.purpose = client::Purpose::claim;
  request.whose = question.whose;
  client::Response response = co_await client_.send(std::move(request), limits::api::claim_call);
  if (!response.answered())
    co_return failed(unreadable_here(title(claim) + " cannot be read: " + response.error));
  if (!response.ok()) {
    const client::Status status = response.status();
    if (status.code == 404 && status.reason == "NotFound") {
      question.answer = unreadable(title(claim) + " is not there");
      co_return true;
    }
    co_return failed(unreadable(title(claim) + ": " + client::sentence("get", objects, status)));
  }
  const auto bytes = webhook::read::Body(response.body).bytes();
  const auto object = claim.made ? reader_.claim_template(bytes) : reader_.claim(bytes);
  if (!object) co_return failed(unreadable(title(claim) + " cannot be understood"));
  question.answer = store_.asked_by(object->spec);
  ++status_.read;
  co_return false;
}

}  // namespace tpuwh::server::kube::cluster
