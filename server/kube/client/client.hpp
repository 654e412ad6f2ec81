// Speaks to one API server: requests in, answers out, connections kept between.
//
// Used on the thread of its executor, by any number of coroutines there. Nothing throws for
// what the network or the server does; a cancelled coroutine gets a failed answer and is to
// end. Each call turns off throw_if_cancelled for the coroutine that awaits it.
#pragma once

#include "server/kube/access/api_config.hpp"
#include "server/kube/access/token_file.hpp"
#include "server/kube/client/connection.hpp"
#include "server/kube/client/request.hpp"
#include "server/kube/client/response.hpp"
#include "server/kube/client/turns.hpp"
#include "server/net/asio.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tpuwh::server::kube::client {

class Client {
 public:
  Client(net::Executor executor, access::ApiConfig config);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // One request and its whole answer, at most limits::api::answer_bytes, within `limit`.
  //
  //   turn      waited for, by the request's purpose (turns.hpp)
  //   429, 5xx  are answers; nothing is repeated. After a 429 with Retry-After all calls fail,
  //             until it is over
  //   401       the token is read again and, if it differs, the request is sent once more: a 401
  //             has changed nothing. Otherwise it is also an answer
  //   a kept connection that turns out closed before a byte of the answer came: tried again
  //             once on a new one, if the request only reads
  net::Task<Response> send(Request request, std::chrono::milliseconds limit);

  // The same with a 2xx body given to `reader` in pieces. `body` holds the body of any other
  // answer. Answered means that the body came to its end, as HTTP counts it.
  net::Task<Response> stream(Request request, StreamLimits limits, StreamReader& reader);

  // How many calls of this purpose could be sent now, without waiting.
  std::size_t free_turns(Purpose purpose) { return turns_.free(purpose, net::Clock::now()); }

  Queue& turns(Purpose purpose) { return turns_.queue(purpose); }

  net::Executor executor() const { return executor_; }
  std::size_t idle_connections() const { return idle_.size(); }

 private:
  struct Exchange;

  net::Task<Response> run(const Request& request, StreamLimits limits, StreamReader* reader);
  net::Task<void> exchange_once(Exchange& exchange, const std::string& authorization);
  net::Task<void> attempt(Exchange& exchange, bool may_reuse);
  net::Task<bool> send_and_read(Exchange& exchange, Connection& connection);
  net::Task<void> exchange_with_token(Exchange& exchange);
  void obey(const Request& request, const Response& response);
  std::string request_text(const Request& request, const std::string& authorization) const;
  ConnectionPtr take_idle();
  void keep(ConnectionPtr connection);

  net::Executor executor_;
  const access::ApiConfig config_;
  access::TokenFile token_;
  Dialer dialer_;
  Turns turns_;
  std::vector<ConnectionPtr> idle_;
};

}  // namespace tpuwh::server::kube::client
