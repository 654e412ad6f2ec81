#include "server/serve/https/reply.hpp"

#include "webhook/answer/respond.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace tpuwh::server::https {
namespace {

struct Status {
  unsigned code;
  std::string_view phrase;
  std::string_view reason;  // metav1.StatusReason; "" where it has none
};

constexpr std::array statuses = {
    Status{200, "OK", ""},
    Status{400, "Bad Request", "BadRequest"},
    Status{404, "Not Found", "NotFound"},
    Status{405, "Method Not Allowed", "MethodNotAllowed"},
    Status{408, "Request Timeout", "Timeout"},
    Status{411, "Length Required", "BadRequest"},
    Status{413, "Content Too Large", "RequestEntityTooLarge"},
    Status{415, "Unsupported Media Type", "UnsupportedMediaType"},
    Status{431, "Request Header Fields Too Large", "BadRequest"},
    Status{500, "Internal Server Error", "InternalError"},
    Status{501, "Not Implemented", "BadRequest"},
    Status{503, "Service Unavailable", "ServiceUnavailable"},
    Status{505, "HTTP Version Not Supported", "BadRequest"},
};

const Status& find_status(unsigned code) {
  static constexpr Status unknown{0, "", ""};
  const auto found = std::find_if(statuses.begin(), statuses.end(),
                                  [code](const Status& status) { return status.code == code; });
  return found == statuses.end() ? unknown : *found;
}

}  // namespace

std::string status_object(unsigned status, std::string_view message) {
  return webhook::answer::status_text(status, find_status(status).reason, message);
}

void write_reply(std::string& out, const Reply& reply, std::string_view date, bool omit_body) {
  auto end = std::back_inserter(out);
  fmt::format_to(
      end, FMT_COMPILE("HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n"),
      reply.status, find_status(reply.status).phrase, date, reply.content_type, reply.body.size());
  if (!reply.allow.empty()) fmt::format_to(end, FMT_COMPILE("Allow: {}\r\n"), reply.allow);
  if (reply.retry_after > 0) {
    fmt::format_to(end, FMT_COMPILE("Retry-After: {}\r\n"), reply.retry_after);
  }
  if (reply.close) out += "Connection: close\r\n";
  out += "\r\n";
  if (!omit_body) out += reply.body;
}

}  // namespace tpuwh::server::https
