#include "webhook/validate/object.hpp"

#include "base/names.hpp"
#include "base/result.hpp"
#include "webhook/read/vocabulary.hpp"

namespace tpuwh::webhook::validate {

namespace {

bool read_owners(base::json::Reader& in, WorkloadObject& object) {
  if (in.take_null()) return true;
  return in.array([&](std::size_t) {
    std::string_view kind, version;
    bool controller = false;
    const bool read = in.object([&](std::string_view key, base::json::Seen& seen) {
      if (key == "kind") return in.first(seen, 0) && base::json::optional_text(in, kind);
      if (key == "controller")
        return in.first(seen, 1) && base::json::optional_flag(in, controller);
      if (key == "apiVersion") return in.first(seen, 2) && base::json::optional_text(in, version);
      return in.skip();
    });
    if (read && controller) {
      object.owner_kind = kind;
      object.owner_version = version;
    }
    return read;
  });
}

bool read_labels(base::json::Reader& in, WorkloadObject& object) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key != read::spelled(read::Label::kueue_queue_name)) return in.skip();
    std::string_view queue;
    if (!in.first(seen, 0) || !base::json::optional_text(in, queue)) return false;
    object.has_queue = !queue.empty();
    return true;
  });
}

bool read_annotations(base::json::Reader& in, WorkloadObject& object) {
  return in.take_null() || in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key != "kueue.x-k8s.io/job-min-parallelism") return in.skip();
    return in.first(seen, 0) && base::json::optional_text(in, object.min_parallelism);
  });
}

bool read_metadata(base::json::Reader& in, WorkloadObject& object) {
  if (in.take_null()) return true;
  std::string_view name, generated;
  const bool read = in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "name") return in.first(seen, 0) && base::json::optional_text(in, name);
    if (key == "generateName") return in.first(seen, 1) && base::json::optional_text(in, generated);
    if (key == "labels") return in.first(seen, 2) && read_labels(in, object);
    if (key == "annotations") return in.first(seen, 5) && read_annotations(in, object);
    if (key == "ownerReferences") return in.first(seen, 3) && read_owners(in, object);
    return in.skip();
  });
  object.name =
      name.empty() ? std::string(bounded(generated)) + "xxxxx" : std::string(bounded(name));
  return read;
}

bool take_number(base::json::Reader& in, std::string_view text, std::optional<std::uint32_t>& out) {
  out = base::plain_decimal(text);
  if (out) return true;
  return in.fail(base::Errc::bad_value,
                 base::printable(text) + " is not a whole number from 0 to 4294967295");
}

}  // namespace

bool read_object(base::json::Reader& in, WorkloadObject& object) {
  return in.object([&](std::string_view key, base::json::Seen& seen) {
    if (key == "metadata") return in.first(seen, 0) && read_metadata(in, object);
    if (key == "spec") return in.first(seen, 1) && keep_place(in, object.spec);
    return in.skip();
  });
}

bool optional_number(base::json::Reader& in, std::optional<std::uint32_t>& out) {
  if (in.take_null()) return true;
  std::string_view text;
  return in.number(text) && take_number(in, text, out);
}

bool optional_count(base::json::Reader& in, std::optional<std::uint32_t>& out) {
  if (in.take_null()) return true;
  std::string_view text;
  if (!in.number(text)) return false;
  const bool negative = text.front() == '-' && base::plain_decimal(text.substr(1));
  return take_number(in, negative ? "0" : text, out);
}

bool keep_place(base::json::Reader& in, base::json::Reader::Mark& out) {
  if (in.take_null()) return true;
  out = in.mark();
  return in.skip();
}

bool member_at(base::json::Reader& in, base::json::Reader::Mark place, std::string_view wanted,
               base::json::Reader::Mark& out) {
  return object_at(in, place, [&](std::string_view key, base::json::Seen& seen) {
    return key == wanted ? in.first(seen, 0) && keep_place(in, out) : in.skip();
  });
}

bool read_template_spec(base::json::Reader& in, base::json::Reader::Mark place, TemplateSpec& out,
                        std::string_view step) {
  const auto read_member = [&](std::string_view key) {
    if (key == "restartPolicy") return base::json::optional_text(in, out.words.restart_policy);
    if (key != "activeDeadlineSeconds") return in.skip();
    out.words.has_deadline = in.kind() != base::json::ValueKind::null;
    return in.skip();
  };
  const bool read = member_at(in, place, "spec", out.spec) &&
                    below("spec", object_at(in, out.spec, read_member), in);
  return below(step, read, in);
}

}  // namespace tpuwh::webhook::validate
