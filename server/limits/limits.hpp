// The limits of the server.
//
// Every wait and every size of serving and of the API client has a name here, with the reason
// for its value. The age of a token is in kube/access/token_file.cpp, those of a group's
// ledger in webhook/ledger/group_ledger.hpp.
#pragma once

#include "webhook/read/body.hpp"

#include <chrono>
#include <cstddef>

namespace tpuwh::server::limits {

using namespace std::chrono_literals;
using Duration = std::chrono::milliseconds;

// --- sizes ---------------------------------------------------------------

// The largest request body. Derived where the review is read.
inline constexpr std::size_t body_bytes = webhook::read::max_review_bytes;

// The number of bytes that are kept of a body at /validate that is larger than body_bytes. The API
// server writes all of the review except the objects within these bytes. The rest of the body is
// discarded as it arrives, and the object is allowed unchecked (docs/threat-model.md).
inline constexpr std::size_t review_start_bytes = 64u << 10;

// The largest size of a body of which only the beginning is kept. The largest object that etcd
// takes, 1.5 MiB, has 9 MiB as JSON if each of its bytes is escaped as six bytes, and an UPDATE
// carries two objects.
inline constexpr std::size_t discarded_bytes = 32u << 20;

// Request line and header fields together. The API server sends well under
// 1 KiB; a bearer token and tracing headers of a proxy fit.
inline constexpr std::size_t header_bytes = 16u << 10;

// Header fields of one request: the API server sends ten at most.
inline constexpr std::size_t header_fields = 64;

// The read buffer of a connection that has something unread: a whole header, or one TLS record
// (16 KiB) and a little of the next. A buffer that grows from nothing is read
// 512 bytes at a time, which doubles the cost of a request (docs/facts.md#beast-buffer).
inline constexpr std::size_t read_buffer_bytes = 17u << 10;

// The largest body that counts as usual. A usual review has 5 to 20 KiB.
inline constexpr std::size_t usual_body_bytes = 32u << 10;

// If at least half of held_bytes stays free, a body of up to this size gets memory for its whole
// length at once. The largest recorded review has 48 KiB.
inline constexpr std::size_t whole_body_bytes = 128u << 10;

// The memory that any other body gets at first. The memory is doubled whenever the body needs more.
// A peer that has sent a single byte therefore does not hold the memory of a whole body.
inline constexpr std::size_t first_body_bytes = 4u << 10;

// The largest number of bytes that all connections together may hold for request bodies, and for
// answers that the callers have not read yet: enough for two of the largest reviews and many usual
// ones. Without this limit 1,024 connections could hold 7 GiB. A request that exceeds the limit
// waits for at most memory_wait, while other connections are closed to free their memory. If that
// does not free enough, the request is answered with 503.
inline constexpr std::size_t held_bytes = 24u << 20;

// The part of held_bytes that may be held by reviews that wait for the ledger or for claims, in all
// namespaces together. One namespace may hold at most half of the bytes that the other namespaces
// leave. A review above this limit does not wait.
inline constexpr std::size_t waiting_bytes = held_bytes / 3;

// The part of held_bytes that is left for 256 reviews of the usual size at a time, however much
// memory large reviews and unread answers use. Without this part, one review in sixty was refused
// when all attacks ran at once.
inline constexpr std::size_t usual_bodies_bytes = held_bytes / 3;

// The size above which a review counts as large. The parsed form of a review takes eight times the
// size of its text. Therefore only one large review is handled at a time, and its memory is freed
// afterwards. The largest recorded review has 48 KiB.
inline constexpr std::size_t large_review_bytes = whole_body_bytes;

// The largest number of bytes that a TLS peer may send in a row without any application data. This
// number is enough for one TLS record, for the bytes that OpenSSL reads ahead, and for more TLS
// protocol messages than any client sends (Go sends none).
inline constexpr std::size_t tls_chatter_bytes = 64u << 10;

// The configuration file: a ConfigMap holds no more.
inline constexpr std::size_t config_bytes = 1u << 20;

// --- counts --------------------------------------------------------------

// Open connections of the TLS port. An API server keeps 25 idle ones and opens
// more in a burst; ten API servers in a burst of 100 each fit. What each holds:
// memory::connection (server/limits/memory.hpp).
inline constexpr std::size_t connections = 1024;

// The largest number of handshakes in progress. One handshake costs 0.45 ms of CPU
// (docs/facts.md#handshake-cost), so 256 handshakes keep one thread busy for 115 ms. This is less
// than patience_when_full, because otherwise handshakes that have already cost CPU time would be
// closed.
inline constexpr std::size_t handshakes = 256;

// The largest number of open connections of each plain port. One kubelet, Prometheus and an
// operator need a handful. If 500 callers come at once, they wait less than a second for the 64
// places, because each place is given for patience_with_newcomers at most.
inline constexpr std::size_t plain_connections = 64;

// Without --threads. One stays free for reviews while the other does handshakes;
// more helps only from some 30,000 reviews a second on.
inline constexpr unsigned threads = 2;
inline constexpr unsigned most_threads = 64;

// --- waits ---------------------------------------------------------------

// How often connections past their limit are looked for, hence how late a limit may be
// noticed. A timer per operation would cost more than it tells.
inline constexpr Duration sweep = 250ms;

// How often an event loop says that it turns.
inline constexpr Duration heartbeat = 250ms;

// TLS handshake: the API server's own limit (docs/facts.md#connection-pool).
inline constexpr Duration handshake = 10s;

// From the first byte of a request, or from the end of the handshake, to the end
// of the header: one segment for every honest client.
inline constexpr Duration header = 10s;

// From the end of the header to the end of the body, if the request names no
// ?timeout=; with it, at most that long. The largest timeoutSeconds is 30.
inline constexpr Duration body = 30s;

// Within it a body has to come at a rate: a peer may keep us waiting for as long as
// body_grace, and gets time back by what it sends. An API server sends all of it at once;
// TCP makes up for two lost segments in 0.6 s.
inline constexpr Duration body_grace = 1s;
inline constexpr std::size_t body_bytes_per_second = 64u << 10;

// For memory (held_bytes), and between two looks.
inline constexpr Duration memory_wait = 1s;
inline constexpr Duration memory_poll = 10ms;

// For our own answer: the ledger has 6 s, and nothing else waits.
inline constexpr Duration answer = 30s;

// One answer into the socket's buffer.
inline constexpr Duration write = 10s;

// Between two requests. Longer than the API server's 90 s, so that it is always
// the client who closes: a POST on a connection that the server closes at the
// same moment is not tried again (docs/facts.md#keep-alive-race).
inline constexpr Duration idle = 120s;

// After the last answer: for the peer to read it and close, while what it still
// sends is thrown away. Closing with unread bytes would reset the connection and
// could take the answer with it.
inline constexpr Duration linger = 2s;

// A connection older than this says Connection: close with its next answer, so
// that replicas added later get their share (docs/facts.md#connection-pool).
// Spread, so that connections opened together do not all come back together.
inline constexpr Duration retirement = 10min;
inline constexpr Duration retirement_spread = 2min;

// The time after which a peer that keeps the server waiting is closed while a caller waits for a
// place or a handshake (server/serve/https/connections.hpp). An honest handshake takes two round
// trips, and an honest request arrives in one piece.
inline constexpr Duration patience_when_full = 250ms;

// The time that replaces patience_when_full for a peer that has not begun its first request, or
// that has received its last answer. An honest caller sends its request as soon as it is connected,
// and closes the connection as soon as it has its answer.
inline constexpr Duration patience_with_newcomers = 100ms;

// The number of reviews after which a connection is closed while callers wait. An honest caller
// pays for one handshake in ten reviews, and a caller that keeps its place by sending reviews gives
// the place to another caller.
inline constexpr unsigned reviews_when_full = 10;

// The time for which callers are assumed to wait after a caller was last seen waiting.
inline constexpr Duration crowded = 1s;

// A connection is unfinished while its peer still has to send or read data. Such a connection ends
// or is closed within patience_when_full, which makes room for a waiting caller. Idle connections
// are therefore closed only while there are fewer than `unfinished_before_idle` unfinished ones, or
// fewer than one for every six waiting callers. Each caller then gets a connection within 1.5 s.
inline constexpr std::size_t unfinished_before_idle = 64;
inline constexpr std::size_t waiting_for_each_unfinished = 6;

// Between two looks whether the cap still holds, and after a failed accept.
inline constexpr Duration accept_pause = 20ms;

// While draining, after the port is closed: how long a connection without a
// request in progress stays, so that a request already under way is answered.
inline constexpr Duration drain_idle = 1s;

// Between two log lines of a kind that peers can cause at will.
inline constexpr Duration repeat = 60s;

// How often a draining server looks whether the last connection is gone.
inline constexpr Duration drain_poll = 20ms;

// How often the certificate files are looked at.
inline constexpr Duration certificate_poll = 1s;

// If the serving certificate expires in less than this time, the log reports it. The alert
// CertificateExpires in docs/operations.md uses the same time. For a certificate with a lifetime
// below 8 weeks, a quarter of its lifetime is used instead. Issuers renew a certificate earlier,
// while at least a third of its lifetime is left.
inline constexpr std::chrono::hours certificate_soon{24 * 14};

// How often that line comes again while nothing changes.
inline constexpr std::chrono::hours certificate_repeat{6};

// An event loop that has not turned for this long is stuck: /livez fails. Only a
// bug does that (a review takes microseconds).
inline constexpr Duration stuck = 10s;

// One that has not for so long ends the process (server/serve/app/watch.hpp). Longer than the
// longest honest turn: one epoll brings 128 connections at most, of which one has a review of 7 MiB
// and the others have up to large_review_bytes; at 60 instructions a byte that is 1.4 billion, 0.6
// s, and 6 s where a container may use a tenth of a core. Shorter than a kubelet takes: it asks
// every 10 s, waits up to 5 s and kills after the third failure, 25 s after the loop of the health
// port stopped at the least; and kills without a word of why.
inline constexpr Duration stuck_for_good = 20s;

// The watchdog's clock advances by at most this much between two of its checks: twice the usual
// interval. If more time has passed, the process was suspended, and the rest is not counted.
inline constexpr Duration watch_step = 2 * heartbeat;

// After --drain-delay and --drain-timeout everything is over but joining threads and a second for
// the last lines of the log. Together with their defaults below the 30 s of
// terminationGracePeriodSeconds.
inline constexpr Duration drain_margin = 3s;

// After a second signal: loops stop at once, and the log has its second.
inline constexpr Duration second_signal = 2s;

// --- client of the API server ----------------------------------------------

namespace api {

// The client's own rate limit for requests of one purpose (client::Purpose): the number of requests
// in a second, and the largest burst after a time without requests. The limits keep a bug, or the
// Pods of one user, from flooding the API server. Each purpose has a limit of its own, so that no
// purpose delays another (docs/decisions/0020). client-go allows 5 requests a second and a burst of
// 10 by default, and controller-runtime 20 and 30. The API server's own fair queueing also applies
// (docs/facts.md#throttling).
struct Rate {
  double per_second;
  double burst;
};

// Lists and watches of the store. The largest cluster we plan for (100,000 Pods, 15,000 Nodes)
// is 232 pages: saved are the turns of two such lists, the start's and one more when its watches
// have to begin again. Their pace is the server's, since a page is asked for when the one before
// it has come. For ever it is 20 a second: a watch that is reopened is one in 5 to 10 min.
inline constexpr Rate watching = {20, 500};

// The ledger, for Pods that wait: a slice of 256 Ray workers that come one by one is 256 writes,
// done in 5 s. A command of an operator has the same.
inline constexpr Rate questions = {40, 64};

// The rate of the ledger's requests for which no caller waits. If 1,000 groups of Ray workers end
// together, one replica removes their 1,000 ledger objects in 50 s. If each removal also needs a
// list request first, the removals take 100 s.
inline constexpr Rate upkeep = {20, 20};

// The rate of questions about claims and templates for which Pods wait. Each claim or template is
// one question, however many Pods ask for it. The rate allows 100 Jobs a second that are each
// applied with a template of their own, and a folder of 200 such Jobs has its answers in two
// seconds (claim_call). The number of saved turns is the number of connections that may be opened
// at once.
inline constexpr Rate claims = {100, 32};

// Objects of one list page: client-go's pager has the same (docs/facts.md#list).
inline constexpr unsigned page_items = 500;

// One object of a list or one event of a watch. etcd takes 1.5 MiB, and what is usual stays
// below 100 KiB; one that is longer as JSON is passed over. Whoever reads it holds it, in a buffer
// that doubles, and an index of four bytes for each of its own: 12 MiB at the most.
inline constexpr std::size_t object_bytes = 2u << 20;

// The largest number of worker groups that are kept in memory for one RayCluster. A Pod of a
// further group is treated as if its group did not exist. A group takes 35 bytes as JSON and 150
// bytes in memory, so without this limit the groups of one object of object_bytes would take 9 MB.
inline constexpr std::size_t worker_groups = 1'000;

// The body of an answer that is kept whole: one object, a Status. The largest of ours is a
// ledger object, to which the API server gives 1 MiB.
inline constexpr std::size_t answer_bytes = 2u << 20;

// Values of an answer that is kept as a tree: a ledger object has some 30 values and 5 levels,
// with all that other tools add to its metadata a few hundred. A value is some 100 bytes at most
// beside its text, so that a tree is 1 MB; without a bound 8 MiB of brackets took 161 MiB.
inline constexpr std::size_t answer_values = 10'000;
inline constexpr unsigned answer_depth = 32;

// Bytes asked for at once, and handled before others run: four TLS records, or six Pods.
inline constexpr std::size_t read_bytes = 64u << 10;

// The header of an answer: a dozen fields, warnings among them.
inline constexpr std::size_t answer_header_bytes = 64u << 10;

// Idle connections kept for the next request, and for how long: a ledger write and a
// quorum list at the same time, twice. The API server closes idle ones after 90 s;
// whoever closes later may write into a closing connection.
inline constexpr std::size_t idle_connections = 4;
inline constexpr Duration idle = 60s;

// Name lookup and TCP to the first address that answers, together.
inline constexpr Duration connect = 10s;

// TLS: two round trips; client-go's limit.
inline constexpr Duration handshake = 10s;

// From the last byte of a request to the answer's header; send() has a limit for
// everything. A watch is answered at once, a page when its snapshot is read, and the
// API server ends what takes longer than 60 s.
inline constexpr Duration answer_header = 65s;

// Between two pieces of a list page, and all of it: the API server gives up after 60 s.
inline constexpr Duration page_silence = 30s;
inline constexpr Duration page = 90s;

// A watch without any byte for so long is taken for dead: two bookmarks, which come
// about every minute, are missing. Below the 150 s after which a stale store stops
// giving ids (docs/decisions/0014), and reopening costs the server next to nothing.
inline constexpr Duration watch_silence = 120s;

// ?timeoutSeconds= of a watch, at random between these: client-go's. The stream may
// then go on for the margin before it is cut from our side.
inline constexpr std::chrono::seconds watch_least = 300s;
inline constexpr std::chrono::seconds watch_most = 600s;
inline constexpr Duration watch_margin = 30s;

// Initial events of a watch-list, from its opening to the bookmark that ends them. A
// server older than 1.27 takes no notice of sendInitialEvents and never sends it.
inline constexpr Duration initial_events = 120s;

// Back-off after failures: client-go's numbers (docs/facts.md#watch). The wait is between
// one and two times a step that doubles from first to last: 0.8 s to 30 s.
inline constexpr Duration backoff_first = 800ms;
inline constexpr Duration backoff_last = 15s;
inline constexpr Duration backoff_reset = 2min;

// The longest pause after an answer with the header Retry-After. The API server itself asks for at
// most 32 s. The pause is shorter than `stale`. Otherwise one such answer could make a watch stale,
// and no ids are assigned while a watch is stale.
inline constexpr Duration retry_after_most = 60s;

// Between two tries of what only a person can mend: a role, a missing CRD.
inline constexpr Duration slow_retry = 30s;

// InternalError inside a watch: tried again from the same version for so long, then
// listed again. The API server's own reflectors have the same.
inline constexpr Duration internal_errors = 30s;

// A watch that ends sooner and brought nothing is suspicious (docs/facts.md#watch).
inline constexpr Duration watch_suspicious = 1s;

// The longest random delay before the client reopens a watch that the API server ended before the
// watch's timeout. An API server that stops ends the watches of all its clients at the same moment.
// The random delay spreads their new requests.
inline constexpr Duration reconnect_spread = 1s;

// Unanswered bytes, and probes of an idle connection: a dead peer is noticed after
// half a minute, not after the kernel's quarter of an hour.
inline constexpr Duration tcp_user_timeout = 30s;
inline constexpr std::chrono::seconds keepalive_idle = 30s;
inline constexpr std::chrono::seconds keepalive_interval = 10s;
inline constexpr int keepalive_probes = 3;

// Without an event or a bookmark for so long, a watch no longer shows who is gone: no ids
// are given (docs/decisions/0014), and no node pool is spoken of (docs/decisions/0023). Bookmarks
// come about every 60 s.
inline constexpr Duration stale = 150s;

// Between two looks whether the watches of Nodes and Pods are stale, which spares each review the
// clock.
inline constexpr Duration pools_look = 1s;

// One read or write of a ledger object, or one quorum list of a group's Pods: well below
// the patience of a question (webhook::ledger::times::patience), which is below the API
// server's 10 s.
inline constexpr Duration ledger_call = 3s;

// One read of a claim that a Pod waits for.
inline constexpr Duration claim_call = 2s;
// So long one that is not there is looked for, again after each pause. With the last read that is
// below the API server's timeout for webhooks, 10 s where the chart does not say less: of an answer
// that comes later, or that asks to be asked again, no caller reads
// (docs/facts.md#retry-after).
inline constexpr Duration claim_wait = 6s;
inline constexpr Duration claim_pause = 250ms;
// The number of Pods that may wait for claims in this way, a quarter of the connections. The number
// is limited because the connection of a waiting Pod is not closed for other callers, and because
// it costs the author of a Pod nothing to name a claim that does not exist. A namespace may have as
// many waiting Pods as are left, and an owner half as many. Any further Pod is answered at once.
inline constexpr std::size_t waiting_pods = connections / 4;

// A session's wait for the ledger: more than that patience, whose answer says why.
inline constexpr Duration ledger_wait = 6s;

// A RayCluster that a Pod names and the store does not have is looked for so often: its first
// Pods may be some milliseconds faster than the watch.
inline constexpr int cluster_looks = 10;
inline constexpr Duration cluster_look = 50ms;

// `ledger_tick` is the interval at which the ledger checks its groups of Ray workers, even if no
// request waits for them. `ledger_list` is the interval at which the ledger lists all ledger
// objects. From these lists a replica learns the ids that a dead replica assigned, and frees them.
inline constexpr Duration ledger_tick = 500ms;

inline constexpr Duration ledger_list = 60s;

// Where there is more to be freed than turns for it, all objects are listed so often: that says
// what the other replicas have removed meanwhile. And so many records are read one by one between
// two lists where no caller waits for them: one list is cheaper than many reads.
inline constexpr std::size_t ledger_handful = 8;
inline constexpr Duration ledger_catch_up = 5s;

// A place that was asked for and not given counts as waited for, although the request was
// answered 503, until its controller has not asked again for so long: KubeRay does every 2 s.
inline constexpr Duration stalled_memory = 120s;

// If a group of Ray workers has waited for an id for longer than this, the operator has to act.
// There is one exception: after the group's ledger object was deleted by hand, even a healthy
// ledger takes up to 70 s (`rebuild` in webhook/ledger/group_ledger.hpp).
inline constexpr Duration stalled = 60s;

// The largest number of groups of Ray workers that are counted as waiting for the ledger. Each
// counted group takes memory, and a caller can invent names of groups.
inline constexpr std::size_t stalled_groups = 4096;

// One request of a command (`slices`, `ledger`, `doctor`), connecting included; a list has the
// limits of its pages. A person waits: longer than `connect` alone, shorter than patience.
inline constexpr Duration command_call = 15s;

// One object that is created as a dry run (`doctor --probe`, `explain --dry-run`). A webhook may
// take 30 s, which is the most that Kubernetes allows one, and it may be called again; the API
// server ends the whole after 60 s.
// source: https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
// #timeouts (read 2026-11)
inline constexpr Duration dry_run = 62s;

// One replica's metrics, read by `doctor` through the API server, which waits longer for a Pod
// that no packet reaches.
inline constexpr Duration doctor_scrape = 5s;

// How often a starting server looks whether everything has been listed once.
inline constexpr Duration sync_poll = 20ms;

}  // namespace api

}  // namespace tpuwh::server::limits
