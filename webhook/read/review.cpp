#include "webhook/read/review.hpp"

#include "base/json/optional.hpp"
#include "base/names.hpp"
#include "base/result.hpp"
#include "webhook/findings/errc.hpp"
#include "webhook/read/body.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tpuwh::webhook::read {

namespace {

constexpr std::string_view operations[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};

bool read_kind(base::json::Reader& in, Review& review) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "group")
      return in.first(seen, 0) && base::json::optional_text(in, review.kind_group);
    if (key == "version")
      return in.first(seen, 1) && base::json::optional_text(in, review.kind_version);
    if (key == "kind") return in.first(seen, 2) && base::json::optional_text(in, review.kind);
    return in.skip();
  });
}

// Where objects are kept for later, when their kind is known: a Binding's fields are not a Pod's.
struct KeepObject {
  bool operator()() const { return false; }
};

// The object is taken by `take_object`, or skipped where that returns false.
template <class F>
bool read_request(base::json::Reader& in, Review& review, F& take_object) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "uid") return in.first(seen, 0) && in.string(review.uid);
    if (key == "kind") return in.first(seen, 1) && read_kind(in, review);
    if (key == "subResource")
      return in.first(seen, 2) && base::json::optional_text(in, review.sub_resource);
    if (key == "name") return in.first(seen, 3) && base::json::optional_text(in, review.name);
    if (key == "namespace") return in.first(seen, 4) && base::json::optional_text(in, review.ns);
    if (key == "operation") return in.first(seen, 5) && in.string(review.operation);
    if (key == "dryRun") return in.first(seen, 6) && base::json::optional_flag(in, review.dry_run);
    if (key == "object") {
      if (!in.first(seen, 7) || in.take_null()) return !in.failed();
      review.object = in.mark();
      review.has_object = true;
      if (take_object()) return true;
    }
    if (key == "oldObject") {
      if (!in.first(seen, 8) || in.take_null()) return !in.failed();
      review.old_object = in.mark();
    }
    return in.skip();
  });
}

template <class F>
bool read_members(base::json::Reader& in, Review& review, std::string_view& kind, bool& has_request,
                  F& take_object) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "apiVersion") return in.first(seen, 0) && in.string(review.api_version);
    if (key == "kind") return in.first(seen, 1) && in.string(kind);
    if (key == "request") {
      if (!in.first(seen, 2) || in.take_null()) return !in.failed();
      has_request = true;
      return read_request(in, review, take_object);
    }
    return in.skip();
  });
}

bool not_a_review(base::json::Reader& in, std::string message, std::string_view path) {
  in.fail(findings::Errc::not_a_review, std::move(message));
  in.within(path);
  return false;
}

bool check_envelope(base::json::Reader& in, const Review& review, std::string_view kind,
                    bool has_request) {
  if (kind != "AdmissionReview")
    return not_a_review(in,
                        kind.empty() ? "missing, expected AdmissionReview"
                                     : "expected AdmissionReview, got " + base::printable(kind),
                        "kind");
  if (review.api_version != "admission.k8s.io/v1" &&
      review.api_version != "admission.k8s.io/v1beta1")
    return not_a_review(in,
                        review.api_version.empty()
                            ? "missing, expected admission.k8s.io/v1 or admission.k8s.io/v1beta1"
                            : "expected admission.k8s.io/v1 or admission.k8s.io/v1beta1, got " +
                                  base::printable(review.api_version),
                        "apiVersion");
  if (!has_request)
    return not_a_review(in, "missing or null; there is nothing to review", "request");
  if (review.uid.empty())
    return not_a_review(in, "missing or empty; the answer must carry it", "request.uid");
  if (std::ranges::find(operations, review.operation) == std::end(operations))
    return not_a_review(in,
                        review.operation.empty()
                            ? "missing, expected CREATE, UPDATE, DELETE or CONNECT"
                            : "expected CREATE, UPDATE, DELETE or CONNECT, got " +
                                  base::printable(review.operation),
                        "request.operation");
  return true;
}

template <class F>
bool read_around(std::string_view text, base::json::Reader& in, Review& review, F& take_object) {
  review = Review();
  if (text.size() > max_review_bytes)
    return in.fail(base::Errc::too_large,
                   "body larger than " + std::to_string(max_review_bytes) + " bytes");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return in.fail(base::Errc::empty, "the body is empty, expected an AdmissionReview");

  std::string_view kind;
  bool has_request = false;
  if (!in.start(text)) return false;
  if (!read_members(in, review, kind, has_request, take_object) || !in.finish()) return false;
  return check_envelope(in, review, kind, has_request);
}

// The API server sends kind and operation in front of the object, so a Pod is read in passing.
// Nothing promises that order: otherwise it is read at the end. What is wrong around a Pod is told
// before what is wrong in it, which waits here.
struct ReadInPassing {
  base::json::Reader& in;
  const Review& review;
  std::string_view prefix;
  Pod& pod;
  bool done = false;
  std::optional<Error> wrong = {};

  bool operator()() {
    if (!review.is_pod_creation()) return false;
    done = read_into_empty_pod(in, prefix, pod);
    if (done) return true;
    wrong = in.error();
    in.clear_error();
    in.go_to(review.object);
    return false;
  }
};

}  // namespace

bool read_envelope(std::string_view text, base::json::Reader& in, Review& review) {
  KeepObject kept;
  return read_around(text, in, review, kept);
}

bool read_review(std::string_view text, std::string_view prefix, base::json::Reader& in,
                 Review& review, Pod& pod) {
  ReadInPassing passing{in, review, prefix, pod};
  if (!read_around(text, in, review, passing)) return false;
  if (!review.is_pod_creation() || passing.done) return true;

  if (passing.wrong) {
    in.fail(std::move(*passing.wrong));
  } else {
    in.go_to(review.object);
    if (read_pod(in, prefix, pod)) return true;
  }
  in.within("request.object");
  return false;
}

}  // namespace tpuwh::webhook::read
