// What became of a request.
#pragma once

#include "server/kube/client/status.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tpuwh::server::kube::client {

struct ResponseHead {
  unsigned status = 0;
  std::string content_type;
  // Of Retry-After in seconds; the API server sends no dates.
  std::optional<std::chrono::seconds> retry_after;
  // Of Warning (RFC 9111 5.5) with code 299, what the API server and webhooks say beside the
  // answer; the text alone.
  std::vector<std::string> warnings = {};

  bool ok() const { return status >= 200 && status < 300; }
};

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
  // The server does not know whom our credentials are.
  bool rejected() const { return answered() && head.status == 401; }
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

}  // namespace tpuwh::server::kube::client
