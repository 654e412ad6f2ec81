// A request as the router sees it, and what to say when it cannot be served.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::server::https {

enum class Method { get, head, post, other, unknown };  // unknown: to HTTP

// What a request's header says. Kept by a session and cleared for each request,
// so that its strings keep their memory.
struct RequestHead {
  Method method = Method::other;
  std::string target;        // as sent: "/mutate?timeout=10s" or "https://host/mutate"
  std::string content_type;  // "" if there is none; given once
  bool http_1_1 = true;
  bool keep_alive = true;
  bool chunked = false;
  bool expects_continue = false;
  std::optional<std::uint64_t> content_length;

  // Between two requests: frees values that are longer than any honest caller's.
  void give_back_memory();
  void clear();
};

// An answer that ends the matter: a status and one sentence for a person.
struct Refusal {
  unsigned status = 400;
  std::string message;
  std::string_view allow = {};  // value of the Allow header (405), a constant
  unsigned retry_after = 0;     // seconds; 0 for no such header
};

}  // namespace tpuwh::server::https
