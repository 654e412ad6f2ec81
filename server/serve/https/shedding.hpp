// Whom to close when the server is full: peers that keep us waiting, from the address that has
// most of these.
#pragma once

#include "server/net/asio.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <vector>

namespace tpuwh::server::https {

// A connection whose peer keeps us waiting.
struct Laggard {
  boost::asio::ip::address peer;
  net::TimePoint since;  // the peer's last byte
  bool idle = false;     // between two requests: it owes us nothing
};

// Indices of at most `count` of them: first those in the middle of something, of the address
// with most of these, oldest first; idle ones only if there are no others. An address of many
// honest callers (an agent through which a whole API server calls) is thus not worse off than
// another: only what its callers leave unfinished counts.
std::vector<std::size_t> choose_to_shed(const std::vector<Laggard>& laggards, std::size_t count);

}  // namespace tpuwh::server::https
