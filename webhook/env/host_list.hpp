// Lists with an entry for each host of a slice, or several: TPU_WORKER_HOSTNAMES and the lists of
// addresses.
#pragma once

#include "base/buffer.hpp"
#include "webhook/facts/env_entry.hpp"
#include "webhook/facts/facts.hpp"
#include "webhook/write/json.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tpuwh::webhook::env {

// The longest "NAME=value" that the kernel takes in a program's environment
// (MAX_ARG_STRLEN, 32 pages of 4 KiB, less the NUL): docs/facts.md#environment-limit.
inline constexpr std::size_t max_env_bytes = 131'071;

inline constexpr std::string_view this_machine = "localhost";

// The hosts of the slice one after another: as the user named them, else put together; of
// a slice of one host, this machine.
class HostList {
 public:
  explicit HostList(const facts::Facts& facts)
      : facts_(facts), rest_(facts.slice.multi_host() ? facts.member->hostnames : this_machine) {}

  void next(std::uint32_t host) {
    host_ = host;
    given_ = facts::take_entry(rest_);
  }
  void append_to(write::Json& out) {
    if (!given_.empty()) {
      out << write::in_string(given_);
      return;
    }
    name_.clear();
    facts_.member->names.append(name_, facts_.slice_index, host_);
    out << write::in_string(name_.view()) << "." << write::in_string(facts_.member->subdomain);
  }

 private:
  const facts::Facts& facts_;
  std::string_view rest_, given_;
  std::uint32_t host_ = 0;
  base::Buffer name_;
};

// Bytes of the whole list, known before it is built.
//
//   each        entries of one host
//   port_bytes  what stands behind the names of one host's entries
std::size_t list_bytes(const facts::Facts& facts, std::uint32_t each, std::size_t port_bytes);

// All that the names of a slice's hosts are made of. Two slices never have one key: what is
// put together was checked and holds no comma, and begins with no '=' or '~'.
void begin_key(const facts::Facts& facts, base::Buffer& key);

// The list as a JSON string: each host `each` times, and after its name what `after(i)` adds.
template <class After>
void append_list(const facts::Facts& facts, std::uint32_t each, write::Json& out, After&& after) {
  out << "\"";
  HostList hosts(facts);
  for (std::uint32_t host = 0; host < facts.slice.hosts; ++host) {
    hosts.next(host);
    for (std::uint32_t i = 0; i < each; ++i) {
      if (host + i > 0) out << ",";
      hosts.append_to(out);
      after(i);
    }
  }
  out << "\"";
}

}  // namespace tpuwh::webhook::env
