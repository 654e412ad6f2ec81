// What goes back: an HTTP/1.1 answer as a value, and its bytes.
#pragma once

#include "server/serve/https/request.hpp"

#include <string>
#include <string_view>

namespace tpuwh::server::https {

// Views: to constants, to the worker's buffers, or to the Refusal they came from.
struct Reply {
  unsigned status = 200;
  std::string_view content_type = "application/json";
  std::string_view body;
  std::string_view allow = {};  // value of an Allow header, for 405
  unsigned retry_after = 0;     // seconds, 0 for no such header
  bool close = false;           // the connection ends with this answer
};

// The v1 Status object that says `message`: what the API server shows to the user
// in place of "unknown". JSON and a newline.
std::string status_object(unsigned status, std::string_view message);

// Appends a whole answer to `out`: status line, header fields, body (unless the
// request was HEAD). `date`: the value of Date. No Server header: nobody needs to know.
void write_reply(std::string& out, const Reply& reply, std::string_view date,
                 bool omit_body = false);

// Between an Expect: 100-continue and its body.
inline constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace tpuwh::server::https
