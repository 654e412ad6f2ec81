// A workload object as far as its validation reads it, but for what each kind has of its
// own. Views point into the review's text.
#pragma once

#include "base/json/optional.hpp"
#include "base/json/reader.hpp"
#include "webhook/controllers/refusals.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tpuwh::webhook::validate {

// Names are cut to this number of bytes, about four times the length of the longest valid name. A
// name of 7 MB is still refused as too long, but only 1 KiB of it is copied for each of
// max_templates Pod templates.
inline constexpr std::size_t max_name_bytes = 1024;
inline std::string_view bounded(std::string_view name) {
  return name.substr(0, max_name_bytes);
}

struct WorkloadObject {
  std::string name;  // bounded; with five letters more where the API server makes it
  std::string_view owner_kind, owner_version;  // the controller's and its apiVersion, "" for none
  bool has_queue = false;                      // label kueue.x-k8s.io/queue-name
  std::string_view min_parallelism;  // annotation kueue.x-k8s.io/job-min-parallelism
  base::json::Reader::Mark spec;
};

bool read_object(base::json::Reader& in, WorkloadObject& object);

// ---- members of a specification; null is absent (base/json/optional.hpp)

// A whole number, not negative. The API server checks the rest.
bool optional_number(base::json::Reader& in, std::optional<std::uint32_t>& out);
// The same of a number of Pods or of groups of them, of which a negative one makes none: not every
// API refuses it, and what cannot be read is not judged.
bool optional_count(base::json::Reader& in, std::optional<std::uint32_t>& out);
// Keeps the place of a value and goes on behind it.
bool keep_place(base::json::Reader& in, base::json::Reader::Mark& out);
// Keeps the place of one member of the object at `place`, if that is there.
bool member_at(base::json::Reader& in, base::json::Reader::Mark place, std::string_view wanted,
               base::json::Reader::Mark& out);
// `read`, with `step` in front of the path of its error: what is read at a place that was kept does
// not know how it was reached.
inline bool below(std::string_view step, bool read, base::json::Reader& in) {
  if (!read) in.within(step);
  return read;
}
// The fields of a Pod template that controllers check, and the position of the template's spec in
// the review's text.
struct TemplateSpec {
  base::json::Reader::Mark spec;
  controllers::TemplateWords words;
};
// `step` is what leads to it in the object, for errors.
bool read_template_spec(base::json::Reader& in, base::json::Reader::Mark place, TemplateSpec& out,
                        std::string_view step = "template");

// Calls `member(key)` for each member of the object at `place`, as base::json::Reader::object()
// does, and comes back to where the reader was. True, without a call, where there is none.
template <class F>
bool object_at(base::json::Reader& in, base::json::Reader::Mark place, F&& member) {
  if (!place) return true;
  const base::json::Reader::Mark back = in.mark();
  in.go_to(place);
  const bool read = in.object(member);
  if (read) in.go_to(back);
  return read;
}

// Calls `each` with the reader at each element of the array under `wanted` of the object at
// `place`.
template <class F>
bool elements_at(base::json::Reader& in, base::json::Reader::Mark place, std::string_view wanted,
                 F&& each) {
  return object_at(in, place, [&](std::string_view key, base::json::Seen& seen) {
    if (key != wanted) return in.skip();
    return in.first(seen, 0) && (in.take_null() || in.array([&](std::size_t) { return each(); }));
  });
}

}  // namespace tpuwh::webhook::validate
