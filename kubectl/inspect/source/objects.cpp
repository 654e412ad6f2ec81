#include "kubectl/inspect/source/objects.hpp"

#include "base/json/reader.hpp"
#include "base/names.hpp"
#include "base/result.hpp"
#include "kubectl/objects/read_json.hpp"
#include "server/text/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tpuwh::server::source {

namespace {

using base::json::RawString;
using base::json::Reader;
using base::json::ValueKind;

constexpr std::string_view list_suffix = "List";

// What the kind of a list that ends in the middle of its kind looks like.
bool is_begun_list(std::string_view kind) {
  return kind.ends_with("L") || kind.ends_with("Li") || kind.ends_with("Lis");
}

bool is_watch_event(std::string_view type) {
  constexpr std::string_view types[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
  return std::ranges::find(types, type) != std::end(types);
}

// The members that matter here, wherever they stand.
struct Head {
  std::string_view kind, api_version, type;
  std::string_view ns, name, uid, resource_version, resume, remaining;
  Reader::Mark items, object;
  bool has_items = false, items_are_null = false, has_status = false;
};

}  // namespace

// Of one document.
class ObjectReader::Walk {
 public:
  Walk(ObjectReader& reader, const source::Document& document, const Each& each)
      : out_(reader), document_(document), each_(each), counted_(document.json.data()) {}

  Result<void> run() {
    line_ = document_.line;
    if (!json_.start(document_.json) || !value({}, {}, false)) {
      if (fault_.code() != ErrorCode()) return fault_;
      return Error(json_.error().code(),
                   fmt::format("line {}: {}", document_.line, json_.error().text()));
    }
    return {};
  }

 private:
  // The value that is next; `kind` and `version` are those of a typed list that it stands in.
  bool value(std::string_view kind, std::string_view version, bool deleted) {
    const auto mark = json_.mark();
    ReadObject object;
    if (!json_.raw_value(object.json)) return false;
    count_lines(object.json.data());
    object.line = line_;
    object.deleted = deleted;
    object.is_object = object.json.starts_with('{');
    if (!object.is_object) {
      each_(object);
      return true;
    }
    const auto behind = json_.mark();
    json_.go_to(mark);
    Head head;
    if (!read_head(head)) return false;
    const bool fine = told(object, head, kind, version);
    json_.go_to(behind);
    return fine;
  }

  bool told(ReadObject& object, const Head& head, std::string_view kind, std::string_view version) {
    if (head.kind.empty() && kind.empty()) {
      if (head.object && is_watch_event(head.type)) return event(head);
      if (head.has_items && document_.yaml) return cut_off("it has items and no kind");
      if (head.has_items) return items(head, {}, {});
    }
    if (head.has_items && head.kind.ends_with(list_suffix)) return list(head);
    if (head.has_items && document_.yaml && is_begun_list(head.kind))
      return cut_off(fmt::format("it has items and ends in kind {}", base::printable(head.kind)));
    object.kind = head.kind.empty() ? kind : head.kind;
    object.api_version = head.api_version.empty() ? version : head.api_version;
    object.named_by_list =
        (head.kind.empty() && !kind.empty()) || (head.api_version.empty() && !version.empty());
    object.ns = head.ns;
    object.name = head.name;
    object.uid = head.uid;
    object.resource_version = head.resource_version;
    object.has_status = head.has_status;
    each_(object);
    return true;
  }

  bool event(const Head& head) {
    if (head.type == "BOOKMARK") return true;
    json_.go_to(head.object);
    return value({}, {}, head.type == "DELETED");
  }

  bool list(const Head& head) {
    const auto kind = head.kind.substr(0, head.kind.size() - list_suffix.size());
    if (!kind.empty()) out_.lists_.typed.emplace(kind);
    if (!head.resume.empty())
      out_.lists_.cut_short.push_back(
          fmt::format("the {} at line {} continues elsewhere: {} more are not in it",
                      base::printable(head.kind), line_,
                      head.remaining.empty() ? "some" : base::printable(head.remaining)));
    return items(head, kind, head.api_version);
  }

  bool items(const Head& head, std::string_view kind, std::string_view version) {
    if (head.items_are_null) return true;
    json_.go_to(head.items);
    const std::string_view of = kind.empty() ? std::string_view() : version;
    return json_.array([&](std::size_t) { return value(kind, of, false); });
  }

  bool cut_off(std::string_view what) {
    fault_ =
        Error(base::Errc::bad_json, fmt::format("line {}: the text ends inside a list, whose kind "
                                                "is written last: {}; it is cut off",
                                                document_.last_line, what));
    return false;
  }

  bool read_head(Head& head) {
    return json_.object([&](std::string_view key) {
      if (key == "kind") return text(head.kind);
      if (key == "apiVersion") return text(head.api_version);
      if (key == "type") return text(head.type);
      if (key == "status") head.has_status = json_.kind() != ValueKind::null;
      if (key == "metadata") return read_metadata(head);
      if (key == "object" && json_.kind() == ValueKind::object) head.object = json_.mark();
      if (key == "items") {
        head.items_are_null = json_.kind() == ValueKind::null;
        head.has_items = head.items_are_null || json_.kind() == ValueKind::array;
        head.items = json_.mark();
      }
      return json_.skip();
    });
  }

  bool read_metadata(Head& head) {
    if (json_.kind() != ValueKind::object) return json_.skip();
    return json_.object([&](std::string_view key) {
      if (key == "namespace") return text(head.ns);
      if (key == "name") return text(head.name);
      if (key == "uid") return text(head.uid);
      if (key == "resourceVersion") return text(head.resource_version);
      if (key == "continue") return text(head.resume);
      if (key == "remainingItemCount") return json_.raw_value(head.remaining);
      return json_.skip();
    });
  }

  // A string that outlives the reader; "" for anything else.
  bool text(std::string_view& out) {
    out = {};
    if (json_.kind() != ValueKind::string) return json_.skip();
    RawString raw;
    if (!json_.raw_string(raw)) return false;
    out = raw.text();
    if (out.find('\\') == std::string_view::npos) return true;
    std::string_view decoded;
    if (!json_.decode(raw, decoded)) {
      json_.clear_error();  // read_json() says where it is
      return true;
    }
    out = out_.kept_.emplace_back(decoded);
    return true;
  }

  void count_lines(const char* at) {
    line_ += static_cast<std::size_t>(std::count(counted_, std::max(counted_, at), '\n'));
    counted_ = std::max(counted_, at);
  }

  ObjectReader& out_;
  const source::Document& document_;
  const Each& each_;
  Reader json_;
  Error fault_;
  std::size_t line_ = 1;
  const char* counted_;
};

ObjectReader::ObjectReader() = default;
ObjectReader::~ObjectReader() = default;

Result<void> ObjectReader::read(const source::Document& document, const Each& each) {
  return Walk(*this, document, each).run();
}

Result<Json> ReadObject::value(std::string* said) const {
  auto out = objects::read_json(json, line, text::Twice::last_holds, said);
  if (!out || !named_by_list || !out->is_object()) return out;
  const auto complete = [&](const char* key, std::string_view text) {
    if (!text.empty() && text::text_member(*out, key).empty()) (*out)[key] = text;
  };
  complete("kind", kind);
  complete("apiVersion", api_version);
  return out;
}

}  // namespace tpuwh::server::source
