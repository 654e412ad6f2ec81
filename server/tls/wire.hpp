// A socket as OpenSSL sees it: a BIO that reads a record's bytes a turn and then says "not now".
//
// OpenSSL handles what is not application data (key updates, refused renegotiations, warnings)
// inside one SSL_read, for as long as the socket has more of it. A peer that sends nothing
// else would keep a thread in there, and with it every other connection of that thread.
#pragma once

#include <openssl/bio.h>

#include <cstddef>

namespace tpuwh::server::tls {

// In a turn, this many bytes of application data may be read in addition to the limit of the turn.
// The limit of 16.5 KiB (one_record) and these 32 KiB make 48.5 KiB, so a review of 48 KiB (the
// largest recorded one) is read in one turn. TLS records without application data count fully.
inline constexpr std::size_t uncounted_data = 32u << 10;

// The limit of a turn. A TLS record of full size is read in one turn. A peer can also send 600 key
// updates in a turn, the smallest messages that cost CPU time: 10 ms if each one asks for an
// answer.
inline constexpr std::size_t one_record = (16u << 10) + 512;

// The state that a BIO and its stream share. The BIO owns the state.
struct Wire {
  int socket = -1;
  std::size_t turn = one_record;  // bytes of a turn; fewer where no data comes
  std::size_t turn_left = 0;      // bytes that may still be read in this turn
  std::size_t data_left = 0;      // the part of uncounted_data that is left in this turn
  bool turn_over = false;         // the last read was refused because turn_left was 0
  bool ended = false;             // the peer has closed its side
  std::size_t chatter = 0;        // bytes read since the last byte of application data

  // Begins a new turn, after other connections have had theirs.
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
