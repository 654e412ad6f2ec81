#include "server/kube/client/authorizer.hpp"

#include "server/kube/access/errc.hpp"
#include "server/limits/limits.hpp"
#include "server/net/cancelled.hpp"

#include <atomic>
#include <optional>
#include <utility>

namespace tpuwh::server::kube::client {

// Written by the thread, read once `done`.
struct Authorizer::Asking {
  std::atomic<bool> done = false;
  std::optional<Result<std::string>> header;
};

Authorizer::Authorizer(net::Executor executor, std::shared_ptr<access::Credentials> credentials)
    : executor_(executor), credentials_(std::move(credentials)) {}

Authorizer::~Authorizer() {
  if (asking_ != nullptr) credentials_->stop();  // the thread is joined then
}

net::Task<Result<std::string>> Authorizer::authorization(net::TimePoint until) {
  settle();
  const net::TimePoint now = net::Clock::now();
  if (asking_ == nullptr && (credentials_ == nullptr || !credentials_->is_slow(now)))
    co_return ask_now(now);
  if (asking_ == nullptr) ask_aside(now);
  const std::shared_ptr<Asking> asking = asking_;
  net::Timer timer(executor_);
  while (!asking->done) {
    const bool over = co_await net::cancelled();
    if (over || net::Clock::now() >= until)
      co_return Error(access::Errc::api_access, "the credential plugin has not finished yet");
    timer.expires_after(limits::api::plugin_poll);
    co_await timer.async_wait(net::as_result);
  }
  settle();
  co_return *asking->header;
}

Result<std::string> Authorizer::ask_now(net::TimePoint now) {
  if (credentials_ == nullptr) return std::string();
  auto header = credentials_->authorization(now);
  if (header) certificate_ = credentials_->certificate();
  return header;
}

void Authorizer::ask_aside(net::TimePoint now) {
  asking_ = std::make_shared<Asking>();
  thread_ = std::jthread([asking = asking_, credentials = credentials_, now] {
    asking->header = credentials->authorization(now);
    asking->done = true;
  });
}

// Takes the credentials back, if the thread that asks them has ended. Nobody else touches them
// before: they are not thread safe.
void Authorizer::settle() {
  if (asking_ == nullptr || !asking_->done) return;
  thread_.join();
  if (*asking_->header) certificate_ = credentials_->certificate();
  asking_.reset();
}

void Authorizer::rejected() {
  settle();
  // Where they are being asked already, what comes is newer than what was rejected.
  if (asking_ == nullptr && credentials_ != nullptr) credentials_->rejected();
}

}  // namespace tpuwh::server::kube::client
