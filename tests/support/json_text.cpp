#include "tests/support/json_text.hpp"

#include <cctype>

namespace tpuwh::test {

namespace {

constexpr std::string_view mark = "@@mark@@";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  const auto at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

void collect(const json& value, const std::string& at, std::vector<std::string>& out) {
  if (!at.empty()) out.push_back(at);
  if (value.is_object())
    for (const auto& [key, member] : value.items())
      collect(member, (json::json_pointer(at) / key).to_string(), out);
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      collect(value[i], at + "/" + std::to_string(i), out);
}

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    constexpr char hex[] = "0123456789ABCdef";
    if (static_cast<unsigned char>(c) < 0x80) {
      out += "\\u00";
      out += hex[c >> 4 & 0xf];
      out += hex[c & 0xf];
    } else {
      out += c;
    }
  }
  return '"' + out + '"';
}

}  // namespace

std::vector<std::string> pointers_of(const json& document) {
  std::vector<std::string> out;
  collect(document, "", out);
  return out;
}

std::string path_of(const std::string& pointer) {
  std::string out;
  json::json_pointer at(pointer);
  std::vector<std::string> steps;
  for (; !at.empty(); at.pop_back()) steps.push_back(at.back());
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const bool index = step->find_first_not_of("0123456789") == std::string::npos;
    if (index)
      out += '[' + *step + ']';
    else
      out += (out.empty() ? "" : ".") + *step;
  }
  return out;
}

std::string with_twice(json document, const std::string& pointer, bool escaped) {
  const json::json_pointer at(pointer);
  json& parent = document[at.parent_pointer()];
  const std::string key = at.back();
  parent[std::string(mark)] = parent.at(key);
  std::string spelled = json(key).dump();
  if (escaped) spelled = escape(key.substr(0, 1)).substr(0, 7) + spelled.substr(2);
  return replaced(document.dump(), json(mark).dump(), spelled);
}

std::string with_raw(json document, const std::string& pointer, std::string_view raw) {
  document[json::json_pointer(pointer)] = mark;
  return replaced(document.dump(), json(mark).dump(), raw);
}

std::string reversed(const json& document) {
  std::string out;
  if (document.is_object()) {
    for (const auto& [key, member] : document.items())
      out = json(key).dump() + ":" + reversed(member) + (out.empty() ? "" : ",") + out;
    return '{' + out + '}';
  }
  if (!document.is_array()) return document.dump();
  for (const json& element : document) out += (out.empty() ? "" : ",") + reversed(element);
  return '[' + out + ']';
}

std::string all_escaped(const json& document) {
  std::string out;
  if (document.is_object()) {
    for (const auto& [key, member] : document.items())
      out += (out.empty() ? "" : ",") + escape(key) + ":" + all_escaped(member);
    return '{' + out + '}';
  }
  if (document.is_string()) return escape(document.get_ref<const std::string&>());
  if (!document.is_array()) return document.dump();
  for (const json& element : document) out += (out.empty() ? "" : ",") + all_escaped(element);
  return '[' + out + ']';
}

}  // namespace tpuwh::test
