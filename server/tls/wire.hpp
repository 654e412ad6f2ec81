// A socket as OpenSSL sees it: a BIO that reads a record's bytes a turn and then says "not now".
//
// OpenSSL handles what is not application data (key updates, refused renegotiations, warnings)
// inside one SSL_read, for as long as the socket has more of it. A peer that sends nothing
// else would keep a thread in there, and with it every other connection of that thread.
#pragma once

#include <openssl/bio.h>

#include <cstddef>

namespace tpuwh::server::tls {

// The largest number of bytes of application data in a turn that do not count against the turn. A
// review of up to 48 KiB is therefore read in one turn, while other TLS records are still limited.
inline constexpr std::size_t uncounted_data = 32u << 10;

// A record of full size in one read. Key updates are the smallest thing that costs us something,
// 600 of them in so many bytes, and 10 ms where each wants an answer.
inline constexpr std::size_t one_record = (16u << 10) + 512;

// State that the BIO and its stream share. The BIO owns it.
struct Wire {
  int socket = -1;
  std::size_t turn = one_record;  // bytes of a turn; fewer where no data comes
  std::size_t turn_left = 0;      // bytes that may still be read in this turn
  std::size_t data_left = 0;      // of uncounted_data, what is left in this turn
  bool turn_over = false;         // the last read was refused because they were used up
  bool ended = false;             // the peer has closed its side
  std::size_t chatter = 0;        // bytes read since the last byte of application data

  // A new turn: others have run since the last.
  void begin_turn();
  // Records that OpenSSL has read `size` bytes of application data.
  void see_data(std::size_t size);
};

// A BIO on a socket, which it does not close, and its Wire.
struct WireBio {
  BIO* bio;
  Wire* wire;
};
// Throws std::bad_alloc.
WireBio make_wire(int socket, std::size_t turn = one_record);

}  // namespace tpuwh::server::tls
