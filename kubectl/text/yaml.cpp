#include "kubectl/text/yaml.hpp"

#include "base/json/reader.hpp"
#include "base/names.hpp"
#include "base/result.hpp"
#include "server/text/json_text.hpp"
#include "server/text/visible.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace tpuwh::server::text {

namespace {

using Pointer = Json::json_pointer;

bool one_of(std::string_view text, std::initializer_list<std::string_view> set) {
  return std::ranges::find(set, text) != set.end();
}

std::optional<Json> number(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  if (!base::is_json_number(digits)) return std::nullopt;
  Json parsed = parse_or_discard(digits);
  if (parsed.is_discarded()) return std::nullopt;
  return parsed;
}

// A plain scalar by YAML 1.1's rules.
Json resolve(const std::string& text) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"}))
    return true;
  if (one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"}))
    return false;
  if (auto parsed = number(text)) return *parsed;
  return text;
}

struct Converter {
  // Aliases may make a small text a huge tree.
  static constexpr std::size_t most_nodes = 1'000'000;
  std::size_t nodes = 0;
  std::size_t bytes = 0;      // of scalars and keys, and of the places that are noted
  std::size_t own_bytes = 0;  // of the text
  Error error;
  int error_line = 0;              // of the document, from 0
  LocatedYaml* located = nullptr;  // notes lines there, and goes on after a key that repeats
  std::vector<std::string>* notes = nullptr;  // goes on with the last of such keys, and says so
  int line_offset = 0;                        // lines of the stream before this document

  bool fail(const YAML::Mark& mark, ErrorCode code, const std::string& what) {
    error = Error(code, what);
    error_line = mark.line;
    return false;
  }

  bool take_bytes(const YAML::Node& node, std::size_t more) {
    bytes += more;
    if (bytes <= own_bytes + max_repeated_yaml_bytes) return true;
    return fail(node.Mark(), base::Errc::too_large,
                fmt::format("aliases repeat {} bytes and more of the text; expected at most {}",
                            bytes - own_bytes, max_repeated_yaml_bytes));
  }

  bool convert(const YAML::Node& node, unsigned depth, const Pointer& at, Json& out) {
    if (depth > base::json::Reader::max_depth)
      return fail(node.Mark(), base::Errc::too_deep, "nested deeper than 64 levels");
    if (++nodes > most_nodes)
      return fail(node.Mark(), base::Errc::too_large, "more than a million values");
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        if (!take_bytes(node, node.Scalar().size())) return false;
        // yaml-cpp tags quoted scalars "!" and plain ones "?".
        out =
            node.Tag() == "?" || node.Tag().empty() ? resolve(node.Scalar()) : Json(node.Scalar());
        return true;
      case YAML::NodeType::Sequence:
        out = Json::array();
        for (const YAML::Node& item : node) {
          const auto below = note(at, std::to_string(out.size()), item.Mark());
          if (!take_bytes(item, noted_) || !convert(item, depth + 1, below, out.emplace_back()))
            return false;
        }
        return true;
      case YAML::NodeType::Map:
        return convert_map(node, depth, at, out);
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        break;
    }
    out = nullptr;
    return true;
  }

  // A Json looks for a member from its first to its last, so that a map of many keys is put
  // together without looking.
  struct Members {
    Json::object_t& all;
    // Where each is, and whether a merge put it there. Ordered: keys of one hash are easily made.
    std::map<std::string, std::pair<std::size_t, bool>> places = {};

    Json& put(const std::string& name, bool merged) {
      const auto [at, anew] = places.try_emplace(name, all.size(), merged);
      if (anew) return all.emplace_back(name, Json()).second;
      at->second.second = merged;
      return std::next(all.begin(), static_cast<std::ptrdiff_t>(at->second.first))->second;
    }
    // Written here, and not merged.
    bool has_own(const std::string& name) const {
      const auto at = places.find(name);
      return at != places.end() && !at->second.second;
    }
  };

  bool convert_map(const YAML::Node& node, unsigned depth, const Pointer& at, Json& out) {
    out = Json::object();
    Members members{out.get_ref<Json::object_t&>()};
    for (const auto& member : node) {
      const YAML::Node &key = member.first, &value = member.second;
      if (!key.IsScalar()) return fail(key.Mark(), base::Errc::wrong_type, "a key is not a string");
      if (is_merge(key)) {
        if (!merge(value, depth, at, members)) return false;
        continue;
      }
      const std::string& name = key.Scalar();
      if (members.has_own(name)) {
        const std::string what = "duplicate key " + base::printable(name);
        if (!located && !notes)
          return fail(key.Mark(), base::Errc::duplicate_key,
                      what + (depth == 1 ? "; expected --- before a second document" : ""));
        if (located) {
          located->problems.push_back({line_offset + key.Mark().line + 1, what});
          continue;
        }
        tell(key, what + "; the last one holds, as kubectl reads it");
      }
      const auto below = note(at, name, key.Mark());
      if (!take_bytes(key, name.size() + noted_) ||
          !convert(value, depth + 1, below, members.put(name, false)))
        return false;
    }
    return true;
  }

  static bool is_merge(const YAML::Node& key) { return key.Scalar() == "<<" && key.Tag() == "?"; }

  // Of several the first wins.
  bool merge(const YAML::Node& value, unsigned depth, const Pointer& at, Members& members) {
    if (value.IsMap()) return merge_map(value, depth, at, members);
    if (!value.IsSequence())
      return fail(value.Mark(), base::Errc::wrong_type, "the value of << is not a mapping");
    for (std::size_t i = value.size(); i > 0; --i) {
      if (!value[i - 1].IsMap())
        return fail(value.Mark(), base::Errc::wrong_type,
                    "the list of << has an item that is not a mapping");
      if (!merge_map(value[i - 1], depth, at, members)) return false;
    }
    return true;
  }

  bool merge_map(const YAML::Node& value, unsigned depth, const Pointer& at, Members& members) {
    Json merged;
    if (!convert(value, depth + 1, at, merged)) return false;
    for (auto& [name, member] : merged.get_ref<Json::object_t&>()) {
      if (members.has_own(name))
        tell(value, "<< replaces key " + base::printable(name) +
                        " that is before it, as kubectl reads it; other readers keep it");
      members.put(name, true) = std::move(member);
    }
    return true;
  }

  void tell(const YAML::Node& node, const std::string& what) {
    if (notes != nullptr && notes->size() < most_notes)
      notes->push_back("line " + std::to_string(line_offset + node.Mark().line + 1) + ": " + what);
  }
  static constexpr std::size_t most_notes = 100;

  // noted_: the bytes of what it notes, as long as all keys above it together.
  Pointer note(const Pointer& parent, const std::string& part, const YAML::Mark& mark) {
    if (!located) return parent;
    auto at = parent / part;
    std::string place = at.to_string();
    noted_ = place.size();
    located->lines[std::move(place)] = line_offset + mark.line + 1;
    return at;
  }
  std::size_t noted_ = 0;
};

// A scalar on one line, quoted only where it would not read as itself.
std::string scalar(const Json& value) {
  if (!value.is_string()) return dump_or_throw(value);
  const auto& text = value.get_ref<const std::string&>();
  // The emitter writes a carriage return as it is, which ends a line for some who read it.
  const bool control = std::ranges::any_of(text, [](char c) { return c >= 0 && c < ' '; });
  const bool marker = text.starts_with("---") || text.starts_with("...");  // of documents
  YAML::Emitter out;
  if (control || marker || !resolve(text).is_string()) out << YAML::DoubleQuoted;
  out << text;
  return std::string(out.c_str(), out.size());
}

// How a text of several lines begins as a block (YAML 1.1, 9.2 and 9.3): "|" ends in one line feed,
// "|-" in none. Nullptr where a block would not say it, or a reader not see it.
const char* block_of(const Json& value) {
  if (!value.is_string()) return nullptr;
  const std::string_view text = value.get_ref<const std::string&>();
  const bool lines = text.find('\n') != std::string_view::npos;
  if (!lines || text.front() == ' ' || text.front() == '\n' || text.front() == '\t' ||
      text.ends_with("\n\n") || visible(text, true) != text)
    return nullptr;
  return text.ends_with('\n') ? "|" : "|-";
}

class BlockWriter {
 public:
  std::string take() { return std::move(out_); }

  // `value` where the cursor stands; a list or a mapping has its further lines at `indent`.
  void value(const Json& value, std::size_t indent) {
    if (value.is_object() && !value.empty()) {
      bool first = true;
      for (const auto& [name, member] : value.items()) {
        if (!std::exchange(first, false)) line(indent);
        key(name, indent);
        below(member, indent);
      }
    } else if (value.is_array() && !value.empty()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) line(indent);
        out_ += '-';
        item(value[i], indent);
      }
    } else if (const char* block = block_of(value)) {
      out_ += block;
      lines(value.get_ref<const std::string&>(), indent);
    } else {
      out_ += scalar(value);
    }
  }

 private:
  // Keys beyond this are none to a reader that looks for their ":" (YAML 1.1, 7.4.2).
  static constexpr std::size_t longest_key = 1000;

  void line(std::size_t indent) { out_.append("\n").append(indent, ' '); }

  void key(const std::string& name, std::size_t indent) {
    const std::string text = scalar(name);
    const bool is_long = text.size() > longest_key;
    out_ += (is_long ? "? " : "") + text;
    if (is_long) line(indent);
    out_ += ':';
  }

  // Behind a ":".
  void below(const Json& value, std::size_t indent) {
    if (value.is_structured() && !value.empty())
      line(indent + 2);
    else
      out_ += ' ';
    this->value(value, indent + (value.is_structured() ? 2 : 0));
  }

  // Behind a "-".
  void item(const Json& value, std::size_t indent) {
    out_ += ' ';
    this->value(value, indent + (value.is_structured() ? 2 : 0));
  }

  void lines(std::string_view text, std::size_t indent) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (;;) {
      const auto end = text.find('\n');
      const std::string_view each = text.substr(0, end);
      out_ += '\n';
      if (!each.empty()) out_.append(indent + 2, ' ').append(each);
      if (end == std::string_view::npos) return;
      text.remove_prefix(end + 1);
    }
  }

  std::string out_;
};

// What is wrong with a part of a stream; `line` counts through the whole.
struct Unusable {
  Error error;
  std::size_t line;
};

// Where a document begins; what stands in it is passed over.
class Beginning final : public YAML::EventHandler {
 public:
  std::optional<YAML::Mark> mark;

  void OnDocumentStart(const YAML::Mark& at) override { mark = at; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// What stands behind the first value of a part is no part of it, and yaml-cpp does not look at it.
// Behind a block that begins a line it finds nothing, or fails.
std::optional<YAML::Mark> second_value(const std::string& text, const YAML::Node& first) {
  const bool block = first.IsDefined() && (first.IsMap() || first.IsSequence()) &&
                     first.Style() == YAML::EmitterStyle::Block && first.Mark().column == 0;
  if (block || first.IsNull() || !first.IsDefined()) return std::nullopt;
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Beginning beginning;
  if (!parser.HandleNextDocument(beginning)) return std::nullopt;
  beginning.mark.reset();
  return parser.HandleNextDocument(beginning) ? beginning.mark : std::nullopt;
}

// Line `at` of a text, and the one before it: where a reader noticed, and where it went wrong.
std::string_view two_lines(std::string_view text, int at) {
  std::size_t begin = 0, before = 0;
  for (int line = 0; line < at; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) break;
    before = std::exchange(begin, end + 1);
  }
  return text.substr(before, text.find('\n', begin) - before);
}

// "{NAME}" or "{NAME}/more", which YAML takes for a map.
bool has_name_in_braces(std::string_view lines) {
  for (std::size_t at = lines.find('{'); at != std::string_view::npos;
       at = lines.find('{', at + 1)) {
    const std::size_t end =
        lines.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at + 1);
    if (end != std::string_view::npos && end > at + 1 && lines[end] == '}') return true;
  }
  return false;
}

// What may be the matter with a text that is not YAML.
std::string_view template_hint(std::string_view lines) {
  if (lines.find("{{") != std::string_view::npos || lines.find("%{") != std::string_view::npos)
    return "; is it a template that was not rendered?";
  if (has_name_in_braces(lines)) return "; is {NAME} a placeholder that was not filled in?";
  return {};
}

// False where it cannot be read: `wrong` says why.
bool read_part(const YamlPart& part, Converter& converter, Json& value, Unusable& wrong) {
  const auto line_of = [&](int line) {
    return part.lines_before + 1 + static_cast<std::size_t>(std::max(line, 0));
  };
  try {
    const std::string text(part.text);
    const YAML::Node document = YAML::Load(text);
    if (!converter.convert(document, 1, Pointer(), value)) {
      wrong = {converter.error, line_of(converter.error_line)};
      return false;
    }
    if (const auto second = second_value(text, document)) {
      wrong = {Error(base::Errc::bad_json,
                     "a second value follows the first; expected --- between them"),
               line_of(second->line)};
      return false;
    }
    (void)dump_or_throw(value);  // throws what is not UTF-8
    return true;
  } catch (const YAML::Exception& e) {
    wrong = {
        Error(base::Errc::bad_json, fmt::format("not YAML: {}{}", base::printable(e.msg, 200),
                                                template_hint(two_lines(part.text, e.mark.line)))),
        line_of(e.mark.line)};
  } catch (const Json::type_error&) {
    wrong = {Error(base::Errc::bad_json, "the text is not valid UTF-8"), part.lines_before + 1};
  }
  return false;
}

Error with_line(const Unusable& wrong) {
  return Error(wrong.error.code(),
               "line " + std::to_string(wrong.line) + ": " + wrong.error.message());
}

}  // namespace

// Not YAML::LoadAll: of yaml-cpp 0.7 it finds endless documents in ",".
std::vector<YamlPart> split_documents(std::string_view text) {
  std::vector<YamlPart> parts;
  std::size_t from = 0, line = 0, from_line = 0;
  const auto cut = [&](std::size_t to) {
    parts.push_back({text.substr(from, to - from), from_line});
  };
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view rest = text.substr(at);
    if (is_document_mark(rest, "...")) {
      cut(at);
      from = end;
      from_line = line + 1;
    } else if (at > from && is_document_mark(rest, "---")) {
      cut(at);
      from = at;
      from_line = line;
    }
    at = end;
  }
  cut(text.size());
  return parts;
}

bool is_document_mark(std::string_view rest, std::string_view mark) {
  constexpr std::string_view ends = " \t\r\n";
  return rest.starts_with(mark) &&
         (rest.size() == mark.size() || ends.find(rest[mark.size()]) != std::string_view::npos);
}

struct YamlStream::State {
  Converter converter;
};

YamlStream::YamlStream(std::size_t bytes, Twice twice)
    : state_(std::make_unique<State>()), twice_(twice) {
  state_->converter.own_bytes = bytes;
}

YamlStream::~YamlStream() = default;

Result<YamlDocument> YamlStream::read(std::string_view document, std::size_t lines_before) {
  YamlDocument out;
  Converter& converter = state_->converter;
  converter.notes = twice_ == Twice::last_holds ? &out.notes : nullptr;
  converter.line_offset = static_cast<int>(lines_before);
  Unusable wrong;
  const bool fine = read_part({document, lines_before}, converter, out.value, wrong);
  converter.notes = nullptr;
  if (!fine) return with_line(wrong);
  return out;
}

Result<std::vector<Json>> parse_yaml(const std::string& text) {
  std::vector<Json> out;
  YamlStream stream(text.size(), Twice::refused);
  for (const YamlPart& part : split_documents(text)) {
    auto document = stream.read(part.text, part.lines_before);
    if (!document) return document.error();
    if (!document->value.is_null()) out.push_back(std::move(document->value));
  }
  return out;
}

LocatedYaml parse_located_yaml(const std::string& text) {
  LocatedYaml out;
  bool found = false;
  for (const YamlPart& part : split_documents(text)) {
    LocatedYaml document;
    Converter converter;
    converter.located = &document;
    converter.own_bytes = text.size();
    converter.line_offset = static_cast<int>(part.lines_before);
    if (Unusable wrong; !read_part(part, converter, document.value, wrong)) {
      out.value = nullptr;
      out.problems.push_back({static_cast<int>(wrong.line), wrong.error.message()});
      return out;
    }
    if (document.value.is_null()) continue;
    if (found) {
      out.problems.push_back(
          {static_cast<int>(part.lines_before) + 1, "there is a second document; expected one"});
      return out;
    }
    found = true;
    out = std::move(document);
  }
  return out;
}

std::string to_yaml(const Json& value) {
  BlockWriter out;
  out.value(value, 0);
  return out.take() + "\n";
}

}  // namespace tpuwh::server::text
