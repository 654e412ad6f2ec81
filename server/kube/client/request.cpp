#include "server/kube/client/request.hpp"

#include "base/result.hpp"
#include "server/text/json_text.hpp"

#include <utility>

namespace tpuwh::server::kube::client {
namespace {

constexpr auto json_type = "application/json";

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// The part after '?', in the order of the calls; a parameter without a value is left out.
class Query {
 public:
  Query& add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    text_ += text_.empty() ? '?' : '&';
    text_.append(name).append("=").append(escaped(value));
    return *this;
  }
  Query& add(const Selectors& selectors) {
    return add("labelSelector", selectors.labels).add("fieldSelector", selectors.fields);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string number(std::uint64_t value) {
  return value == 0 ? "" : std::to_string(value);
}

Request reading(std::string target) {
  Request request;
  request.method = "GET";
  request.target = std::move(target);
  return request;
}

Request writing(std::string method, std::string target, std::string body) {
  Request request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.body = std::move(body);
  request.content_type = json_type;
  return request;
}

std::string object_path(const Resource& resource, std::string_view name) {
  return resource.path() + "/" + escaped(name);
}

// Of metadata.resourceVersion; "" if there is none.
std::string version_of(const std::string& object_json) {
  const auto object = text::parse_or_discard(object_json);
  return text::text_member(text::member(object, "metadata"), "resourceVersion");
}

}  // namespace

std::string escaped(std::string_view text) {
  constexpr auto digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

std::string Resource::path() const {
  std::string out = group.empty() ? "/api/" : "/apis/" + escaped(group) + "/";
  out += escaped(version);
  if (!ns.empty()) out += "/namespaces/" + escaped(ns);
  return out + "/" + escaped(plural);
}

Request list(const Resource& resource, const Selectors& selectors, const ListOptions& options) {
  Query query;
  query.add(selectors)
      .add("limit", number(options.limit))
      .add("continue", options.continue_token)
      .add("resourceVersion", options.version)
      .add("resourceVersionMatch", options.version_match);
  return reading(resource.path() + query.text());
}

Request watch(const Resource& resource, const Selectors& selectors, const WatchOptions& options) {
  Query query;
  query.add("watch", "1").add(selectors);
  query.add("resourceVersion", options.version).add("allowWatchBookmarks", "true");
  if (options.initial_events) {
    query.add("sendInitialEvents", "true").add("resourceVersionMatch", "NotOlderThan");
  }
  query.add("timeoutSeconds", number(static_cast<std::uint64_t>(options.timeout.count())));
  return reading(resource.path() + query.text());
}

Request get(const Resource& resource, std::string_view name) {
  return reading(object_path(resource, name));
}

Request create(const Resource& resource, std::string object_json) {
  return writing("POST", resource.path(), std::move(object_json));
}

Request try_create(const Resource& resource, std::string object_json) {
  Query query;
  query.add("dryRun", "All").add("fieldManager", "kubectl-tpu").add("fieldValidation", "Strict");
  Request request = writing("POST", resource.path() + query.text(), std::move(object_json));
  request.dry = true;
  return request;
}

Result<Request> update(const Resource& resource, std::string_view name, std::string object_json) {
  if (version_of(object_json).empty()) {
    return bad_value(
        "a PUT without metadata.resourceVersion would overwrite changes of others; "
        "set it to the one that the object was read with",
        object_path(resource, name));
  }
  return writing("PUT", object_path(resource, name), std::move(object_json));
}

Request remove(const Resource& resource, std::string_view name, const Preconditions& conditions) {
  Json options = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (!conditions.uid.empty()) options["preconditions"]["uid"] = conditions.uid;
  if (!conditions.version.empty()) options["preconditions"]["resourceVersion"] = conditions.version;
  return writing("DELETE", object_path(resource, name), text::dump_or_throw(options));
}

}  // namespace tpuwh::server::kube::client
