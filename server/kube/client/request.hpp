// Requests to the API server as values: what is sent, without how.
//
//   source  https://kubernetes.io/docs/reference/using-api/api-concepts/ and
//           docs/facts.md#list, #watch, #compare-and-swap (read 2026-11)
#pragma once

#include "base/fair_queue.hpp"
#include "base/result.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace tpuwh::server::kube::client {

// Objects of one kind. `ns` empty: all namespaces, or a kind that has none.
struct Resource {
  std::string group;  // "" for core
  std::string version;
  std::string plural;  // "pods", "rayclusters"
  std::string ns;

  // "/api/v1/namespaces/NS/pods"
  std::string path() const;
  // "pods", "rayclusters.ray.io": as RBAC and kubectl name it.
  std::string name() const { return group.empty() ? plural : plural + "." + group; }
};

// Whose turns a request takes (limits::api). None can use up another's.
enum class Purpose {
  watch,     // lists and watches of the store: without them no place is given
  question,  // a user's command, or the creation of a Pod, cannot continue without the answer
  upkeep,    // no caller waits: for example, the ledger frees ids of Ray workers
  claim,     // a Pod waits for what its resource claims ask for
  paid,      // the caller has already taken a turn of another purpose
};
inline constexpr std::size_t purpose_count = 4;  // number of purposes with turns: all except `paid`

struct Request {
  std::string method;
  std::string target;  // path and query, percent-encoded
  std::string body;
  std::string content_type;  // "" without a body
  Purpose purpose = Purpose::question;
  base::FairQueue::Path whose = {};  // tenant that waits for the answer: a namespace, an owner
  bool dry = false;                  // a dry run

  // Whether it changes nothing, so that it may be sent twice.
  bool reads() const { return method == "GET" || dry; }
};

struct Selectors {
  std::string labels;  // "ray.io/cluster,app in (a,b)"
  std::string fields;  // "status.phase!=Succeeded"
};

// The query parameters of a list request. An empty `version` asks for the most recent state, which
// a caller that assigns unique ids needs. With the version "0", the API server may return an older
// state than in its previous answer.
struct ListOptions {
  unsigned limit = 0;          // 0: no pages
  std::string continue_token;  // of the page before, else ""
  std::string version;
  std::string version_match;  // "Exact", "NotOlderThan", or ""
};
Request list(const Resource& resource, const Selectors& selectors, const ListOptions& options);

struct WatchOptions {
  std::string version;             // events after it
  std::chrono::seconds timeout{};  // 0: the server's own, 30 to 60 min
  // A watch-list (KEP-3157): every object as ADDED first, then a bookmark that ends
  // them. Without `version`, consistent.
  bool initial_events = false;
};
// Always with bookmarks.
Request watch(const Resource& resource, const Selectors& selectors, const WatchOptions& options);

Request get(const Resource& resource, std::string_view name);
Request create(const Resource& resource, std::string object_json);
// Returns the request to create the object as a dry run: the API server does admission and
// validation, but does not store the object. A field that the API server does not know is an error,
// as in kubectl.
Request try_create(const Resource& resource, std::string object_json);

// PUT, which the API server refuses with 409 if the object has changed since `object_json`
// was read. Fails with base::Errc::bad_value if there is no metadata.resourceVersion in it: a
// ConfigMap without one would be written over.
Result<Request> update(const Resource& resource, std::string_view name, std::string object_json);

// The conditions under which an object is deleted. If a condition is not met, the API server
// answers 409.
struct Preconditions {
  std::string version;  // "" for any
  std::string uid;      // "" for any
};
Request remove(const Resource& resource, std::string_view name, const Preconditions& conditions);

// Percent-encoded, all but RFC 3986's unreserved characters.
std::string escaped(std::string_view text);

}  // namespace tpuwh::server::kube::client
