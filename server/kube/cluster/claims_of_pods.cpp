#include "server/kube/cluster/claims_of_pods.hpp"

#include "base/concat.hpp"
#include "base/names.hpp"
#include "webhook/read/body.hpp"

#include <boost/asio/this_coro.hpp>

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

}  // namespace

client::Resource claim_objects(std::string version) {
  return {std::string(claims_group), std::move(version), "resourceclaims", ""};
}

client::Resource claim_template_objects(std::string version) {
  return {std::string(claims_group), std::move(version), "resourceclaimtemplates", ""};
}

// Who waits for it is woken by its timer.
struct ClaimsOfPods::Question {
  Question(net::Executor executor, OwnedClaim asked)
      : claim(std::move(asked)), answered(executor, net::TimePoint::max()) {}
  const OwnedClaim claim;
  net::Timer answered;
  std::optional<Claimed> answer;
};

ClaimsOfPods::ClaimsOfPods(client::Client& client, net::TaskGroup& tasks, std::string prefix)
    : client_(client), tasks_(tasks), reader_(std::move(prefix)) {}

net::Task<places::ReadClaims> ClaimsOfPods::read(std::vector<OwnedClaim> claims) {
  co_await boost::asio::this_coro::throw_if_cancelled(false);
  std::vector<QuestionPtr> questions;
  for (const OwnedClaim& each : claims) questions.push_back(question(each));
  places::ReadClaims out;
  for (const QuestionPtr& each : questions) {
    if (!each->answer) co_await each->answered.async_wait(net::as_result);
    out[each->claim] = each->answer.value_or(unreadable(title(each->claim) + " was not read"));
  }
  co_return out;
}

// A task of its own: who asked first may go, and others wait for the same.
ClaimsOfPods::QuestionPtr ClaimsOfPods::question(const OwnedClaim& claim) {
  QuestionPtr& there = asked_[claim];
  if (there) return there;
  there = std::make_shared<Question>(client_.executor(), claim);
  const QuestionPtr out = there;
  tasks_.spawn(client_.executor(), ask(out));
  return out;
}

net::Task<void> ClaimsOfPods::ask(QuestionPtr question) {
  try {
    Claimed found = co_await get(question->claim);
    question->answer = std::move(found);
  } catch (const std::exception&) {  // out of memory, say: whoever waits goes on
  }
  asked_.erase(question->claim);
  question->answered.cancel();
}

net::Task<Claimed> ClaimsOfPods::get(OwnedClaim claim) {
  if (version_.empty())
    co_return unreadable(title(claim) + " cannot be read: which version of " +
                         std::string(claims_group) + " is served is not known yet");
  client::Resource objects =
      claim.made ? claim_template_objects(version_) : claim_objects(version_);
  objects.ns = claim.ns;
  // Nobody has checked yet what the Pod says: it is part of a path.
  if (!base::is_host_name(claim.ns) || !base::is_host_name(claim.name))
    co_return unreadable(title(claim) + " is not a name that an object can have");
  client::Request request = client::get(objects, claim.name);
  request.purpose = client::Purpose::claim;
  client::Response response = co_await client_.send(std::move(request), limits::api::claim_call);
  if (!response.answered()) {
    ++status_.failed;
    co_return unreadable(title(claim) + " cannot be read: " + response.error);
  }
  if (!response.ok()) {
    const client::Status status = response.status();
    const bool absent = status.code == 404 && status.reason == "NotFound";
    ++(absent ? status_.absent : status_.failed);
    if (absent) co_return unreadable(title(claim) + " is not there (yet)");
    co_return unreadable(title(claim) + ": " + client::sentence("get", objects, status));
  }
  const auto bytes = webhook::read::Body(response.body).bytes();
  auto object = claim.made ? reader_.claim_template(bytes) : reader_.claim(bytes);
  ++(object ? status_.read : status_.failed);
  if (!object) co_return unreadable(title(claim) + " cannot be understood");
  co_return std::move(object->asked);
}

}  // namespace tpuwh::server::kube::cluster
