// The one function the server, the command line and the tests call: review bytes
// in, answer bytes out. No socket, file, clock, log, thread or random number.
#pragma once

#include "webhook/config/config.hpp"
#include "webhook/decide/told.hpp"
#include "webhook/ledger/ledger.hpp"
#include "webhook/outcome/summary.hpp"
#include "webhook/read/body.hpp"
#include "webhook/read/cluster.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace tpuwh::webhook::answer {

// Buffers and the parser, kept between calls so that a steady stream of reviews
// allocates nothing. One per thread; the views in an Answer point into it and
// into the body, and die with the next call.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// The ledger's part in an answer (webhook/ledger/ledger.hpp).
struct LedgerStep {
  enum class Use {
    none,
    ask,   // there is no body yet: ask it, and call admit() again with what it said
    note,  // tell it of the place that the Pod has
    // There is no body yet: read Answer::unread, and call admit() again with a cluster that knows
    // them. Not of the ledger, but a step before the same answer.
    read_claims,
  };
  Use use = Use::none;
  ledger::PlaceRequest request = {};
  topology::Place place = {};  // of note
};

// What to send back.
//
//   http_status  200 with an AdmissionReview; 400 or 413 with a v1 Status whose
//                message names what was unreadable and where (the API server shows
//                it to the user, and failurePolicy decides); 500 likewise for a
//                fault of ours where admitting would be wrong; 503 when another
//                try can succeed: a v1 Status likewise
//   body         JSON, ends with one newline
//   retry_after  seconds for a Retry-After header, 0 for none. With it the answer
//                should also carry Connection: close, so that the retry may reach
//                another replica (docs/facts.md#retry-after)
//   told         who the Pod is, what it asks for and what is written on it, which nobody has to
//   read out of
//                the body again; null where it is no member of a slice
struct Answer {
  unsigned http_status = 200;
  unsigned retry_after = 0;
  std::string_view body;
  outcome::Summary summary;
  LedgerStep ledger = {};
  const decide::Told* told = nullptr;
  std::span<const read::ClaimSource> unread = {};  // of Use::read_claims; views into the body
};

// Answers one review. Never throws: what is unexpected becomes an answer that
// admits the Pod unchanged with a warning, and is marked in the summary.
//
//   place  what the ledger said, null before it was asked
Answer admit(read::Body review, const config::Config& config, const read::ClusterView& cluster,
             Workspace& workspace, const ledger::PlaceAnswer* place = nullptr) noexcept;

// The same with a ledger that answers at once.
Answer admit(read::Body review, const config::Config& config, const read::ClusterView& cluster,
             Workspace& workspace, ledger::Ledger& ledger) noexcept;

}  // namespace tpuwh::webhook::answer
