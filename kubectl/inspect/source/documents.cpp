#include "kubectl/inspect/source/documents.hpp"

#include "kubectl/inspect/source/encoding.hpp"
#include "kubectl/inspect/source/json_stream.hpp"
#include "kubectl/text/yaml.hpp"
#include "server/text/json_text.hpp"
#include "webhook/read/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tpuwh::server::source {

namespace {

constexpr std::string_view blanks = " \t\r\n";

// A broken JSON text of more is not tried as YAML, which takes seventy times its size.
constexpr std::size_t most_flow_yaml = std::size_t{8} << 20;

// What stands between two marks, and how many lines before it.
using Segment = text::YamlPart;

// Where the next line begins so; the end of the text where none does.
std::size_t find_line(std::string_view text, std::string_view begin, std::size_t from) {
  auto at = text.find(begin, from);
  while (at != text.npos && at > 0 && text[at - 1] != '\n') at = text.find(begin, at + 1);
  return std::min(at, text.size());
}

// Cuts a text at its marks and passes over logs. No value of JSON, and no document of YAML, has a
// line that begins so.
std::vector<Segment> segments_of(std::string_view text) {
  std::vector<Segment> out;
  for (std::size_t from = 0, lines = 0; from < text.size();) {
    const std::size_t log = find_line(text, "==== START logs for ", from);
    for (const Segment& each : text::split_documents(text.substr(from, log - from)))
      out.push_back({each.text, lines + each.lines_before});
    const std::size_t last = find_line(text, "==== END logs for ", log);
    const std::size_t end = std::min(text.find('\n', last), text.size() - 1) + 1;
    lines += static_cast<std::size_t>(std::ranges::count(text.substr(from, end - from), '\n'));
    from = end;
  }
  return out;
}

// Comments in front of a value and a mark, and a "---" itself, are none of it.
void skip_comments(Segment& segment) {
  while (!segment.text.empty()) {
    const auto end = segment.text.find('\n');
    const std::string_view line = segment.text.substr(0, end);
    const std::size_t mark = text::is_document_mark(line, "---") ? 3 : 0;
    const auto word = line.find_first_not_of(blanks, mark);
    if (word != std::string_view::npos && line[word] != '#') return;
    segment.text.remove_prefix(end == std::string_view::npos ? segment.text.size() : end + 1);
    ++segment.lines_before;
  }
}

// Spaces for lines of comments: no string of JSON has a line that begins so.
std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at < out.size();) {
    const std::size_t end = std::min(out.find('\n', at), out.size());
    const auto word = out.find_first_not_of(" \t", at);
    if (word != std::string::npos && word < end && out[word] == '#')
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(word),
                out.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    at = end + 1;
  }
  return out;
}

// Whether a text that begins with a bracket was to be JSON, whose keys have quotes.
bool is_like_json(std::string_view text) {
  const auto second = text.find_first_not_of(" \t\r\n{[", 0);
  return second == std::string_view::npos || text[second] == '"' || text[second] == '}' ||
         text[second] == ']';
}

}  // namespace

class Documents::Reading {
 public:
  Reading(Documents& out, text::Twice twice) : out_(out), yaml_(out.text().size(), twice) {}

  // False: the fault is told.
  bool read(Segment segment) {
    const Segment whole = segment;
    skip_comments(segment);
    if (is_blank(segment.text)) return true;
    const char first = segment.text[segment.text.find_first_not_of(blanks)];
    return first == '{' || first == '[' ? read_json(segment) : read_yaml(whole);
  }

 private:
  bool read_json(const Segment& segment) {
    JsonStream stream = json_stream(segment.text);
    if (!stream.fault) return take(stream, segment);
    std::string plain = without_comments(segment.text);
    if (plain != segment.text) {
      webhook::read::Body body(keep(std::move(plain)));
      JsonStream again = json_stream(body.bytes());
      if (!again.fault) return take(again, {body.bytes(), segment.lines_before});
    }
    const bool small = segment.text.size() <= most_flow_yaml;
    if (small && read_yaml(segment)) return true;
    if (small && !is_like_json(segment.text)) return false;
    take(stream, segment);
    tell(*stream.fault, segment);
    return false;
  }

  bool take(const JsonStream& stream, const Segment& segment) {
    std::size_t line = segment.lines_before + 1;
    const char* counted = segment.text.data();
    for (const std::string_view value : stream.values) {
      line += static_cast<std::size_t>(std::count(counted, value.data(), '\n'));
      counted = value.data();
      out_.all_.push_back({.json = value, .line = line});
    }
    return true;
  }

  void tell(const JsonStream::Fault& fault, const Segment& segment) {
    const bool at_end = fault.at >= segment.text.size();
    const std::size_t end = segment.text.find_last_not_of(blanks) + 1;
    const Spot spot = spot_at(segment.text, at_end ? end : fault.at);
    const std::size_t line = segment.lines_before + spot.line;
    const std::string where = at_end ? fmt::format("line {}", line)
                                     : fmt::format("line {}, column {}", line, spot.column);
    out_.fault_ = Error(fault.error.code(), fmt::format("{}: {}", where, fault.error.message()));
  }

  bool read_yaml(const Segment& segment) {
    out_.fault_.reset();
    auto document = yaml_.read(segment.text, segment.lines_before);
    if (!document) {
      out_.fault_ = document.error();
      return false;
    }
    if (document->value.is_null()) return true;
    Segment first = segment;
    skip_comments(first);
    webhook::read::Body body(keep(text::dump_or_throw(document->value)));
    const std::string_view lines =
        segment.text.substr(0, segment.text.find_last_not_of(blanks) + 1);
    out_.all_.push_back({.json = body.bytes(),
                         .line = first.lines_before + 1,
                         .last_line = segment.lines_before + spot_at(lines, lines.size()).line,
                         .yaml = true,
                         .notes = std::move(document->notes)});
    return true;
  }

  std::string& keep(std::string text) {
    return *out_.texts_.emplace_back(std::make_unique<std::string>(std::move(text)));
  }

  Documents& out_;
  text::YamlStream yaml_;
};

Documents::Documents(std::string bytes, text::Twice twice, std::size_t lines_before) {
  auto text = as_utf8(std::move(bytes));
  if (!text) {
    texts_.push_back(std::make_unique<std::string>());
    fault_ = text.error();
    return;
  }
  std::string& whole = *texts_.emplace_back(std::make_unique<std::string>(*std::move(text)));
  const std::string_view padded = webhook::read::Body(whole).bytes();
  Reading reading(*this, twice);
  for (Segment segment : segments_of(padded)) {
    segment.lines_before += lines_before;
    if (!reading.read(segment)) return;
  }
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(blanks) == std::string_view::npos;
}

}  // namespace tpuwh::server::source
