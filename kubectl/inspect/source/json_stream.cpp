#include "kubectl/inspect/source/json_stream.hpp"

#include "base/json/reader.hpp"
#include "base/result.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace tpuwh::server::source {

namespace {

// Keeps nothing but where JSON ends to be JSON.
struct Place final : nlohmann::json_sax<nlohmann::json> {
  std::size_t at = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    at = position;
    return false;
  }
};

// How far the brackets and strings of a value reach.
struct Extent {
  std::size_t end;
  bool closed = true;
  bool too_deep = false;
};

Extent extent_of(std::string_view text) {
  unsigned depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
      if (at >= text.size()) break;
    } else if (c == '{' || c == '[') {
      if (++depth > base::json::Reader::max_depth) return {at, true, true};
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    } else {
      continue;
    }
    if (depth == 0) return {at + 1};
  }
  return {text.size(), depth == 0};
}

// What is wrong with the first value of a text that some reader has refused; nothing where it is
// one, which ends at `end`.
std::optional<JsonStream::Fault> fault_of(std::string_view text, std::size_t& end) {
  const Extent extent = extent_of(text);
  end = extent.end;
  if (extent.too_deep)
    return JsonStream::Fault{extent.end,
                             Error(base::Errc::too_deep, "nested deeper than 64 levels")};
  Place place;
  if (nlohmann::json::sax_parse(text.substr(0, extent.end), &place)) return std::nullopt;
  if (!extent.closed && place.at > text.size())
    return JsonStream::Fault{
        text.size(), Error(base::Errc::bad_json, "the text ends inside a value: it is cut off")};
  return JsonStream::Fault{std::min(place.at, text.size()),
                           Error(base::Errc::bad_json, "not JSON")};
}

// As far as it is JSON, at the pace of one who looks for a fault.
JsonStream look(std::string_view text) {
  JsonStream out;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) return out;
    std::size_t end = 0;
    if (auto fault = fault_of(text.substr(at), end)) {
      fault->at += at;
      out.fault = std::move(fault);
      return out;
    }
    out.values.push_back(text.substr(at, end));
    at += end;
  }
}

}  // namespace

JsonStream json_stream(std::string_view text) {
  JsonStream out;
  base::json::Reader reader;
  bool fine = reader.start(text);
  while (fine && !reader.finish()) {  // what follows a value is no fault here
    reader.clear_error();
    fine = reader.raw_value(out.values.emplace_back());
  }
  if (fine) return out;
  out = look(text);
  if (!out.fault)  // control characters and bytes that nlohmann passes over
    out.fault = JsonStream::Fault{0, reader.error()};
  return out;
}

Spot spot_at(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return {1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
          before.size() - (before.rfind('\n') + 1)};  // npos + 1 is 0
}

}  // namespace tpuwh::server::source
