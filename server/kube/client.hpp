// Speaks to one API server: requests in, answers out, connections kept between.
//
// Used on the thread of its executor, by any number of coroutines there. Nothing throws for
// what the network or the server does; a cancelled coroutine gets a failed answer and is to
// end. Each call turns off throw_if_cancelled for the coroutine that awaits it.
#pragma once

#include "server/asio.hpp"
#include "server/kube/api_config.hpp"
#include "server/kube/connection.hpp"
#include "server/kube/request.hpp"
#include "server/kube/response_parser.hpp"
#include "server/kube/status.hpp"
#include "server/kube/token_bucket.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::kube {

enum class Delivery {
  answered,  // head (and body) are the server's
  failed,    // the server has changed nothing: it was not reached, or the request only reads
  unknown,   // a write that may have happened or not: read again before repeating it
};

struct Response {
  Delivery delivery = Delivery::failed;
  ResponseHead head;
  std::string body;
  std::string error;    // unless answered: a sentence that names the server
  bool silent = false;  // it failed because a limit of time passed

  bool answered() const { return delivery == Delivery::answered; }
  bool ok() const { return answered() && head.ok(); }
  // Of an answer that is not ok().
  Status status() const { return read_status(head.status, body, head.retry_after); }
};

// How long a stream may take. `total` counts from the call, `silence` between two pieces.
struct StreamLimits {
  std::chrono::milliseconds silence;
  std::chrono::milliseconds total;
};

// Takes a 2xx answer as it comes. Outlives the call.
class StreamReader {
 public:
  virtual ~StreamReader() = default;
  virtual void on_head(const ResponseHead&) {}
  // Any piece of the body; false ends the stream and its connection.
  virtual bool on_bytes(std::string_view bytes) = 0;
};

class Client {
 public:
  Client(Executor executor, ApiConfig config);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // One request and its whole answer, at most limits::api::answer_bytes, within `limit`.
  //
  //   429, 5xx  are answers; nothing is repeated
  //   401       an answer too; the credentials are told, so the next request has new ones
  //   a kept connection that turns out closed before a byte of the answer came: tried again
  //             once on a new one, if the request only reads
  Task<Response> send(Request request, std::chrono::milliseconds limit);

  // The same with a 2xx body given to `reader` in pieces. `body` holds the body of any other
  // answer. Answered means that the body came to its end, as HTTP counts it.
  Task<Response> stream(Request request, StreamLimits limits, StreamReader& reader);

  Executor executor() const { return executor_; }
  std::size_t idle_connections() const { return idle_.size(); }

 private:
  struct Exchange;

  Task<Response> run(const Request& request, StreamLimits limits, StreamReader* reader);
  Task<void> attempt(Exchange& exchange, bool may_reuse);
  Task<bool> send_and_read(Exchange& exchange, Connection& connection);
  Task<bool> wait_for_turn(TimePoint until);
  std::string request_text(const Request& request, const std::string& authorization) const;
  ConnectionPtr take_idle();
  void keep(ConnectionPtr connection);

  Executor executor_;
  const ApiConfig config_;
  Dialer dialer_;
  TokenBucket bucket_;
  std::vector<ConnectionPtr> idle_;
};

}  // namespace tpuwh::server::kube
