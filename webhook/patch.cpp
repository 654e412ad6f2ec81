#include "webhook/patch.hpp"

namespace tpuwh::webhook {

void Patch::clear(std::string_view prefix) {
  json_.clear();
  undeclared_ = false;
  if (prefix == prefix_) return;
  prefix_ = prefix;
  escaped_prefix_.clear();
  for (const char c : prefix) {
    if (c == '~')
      escaped_prefix_ += "~0";
    else if (c == '/')
      escaped_prefix_ += "~1";
    else
      escaped_prefix_ += c;
  }
}

std::string_view Patch::finish() {
  if (!json_.empty()) json_.append(']');
  return json_.view();
}

namespace {

bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

}  // namespace

void append_json_string(Buffer& out, std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  out.append('"');
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (!needs_escape(c)) continue;
    out.append(text.substr(from, at - from));
    from = at + 1;
    if (c == '"' || c == '\\') {
      out.add('\\', c);
    } else {
      out.add(std::string_view("\\u00"), hex[static_cast<unsigned char>(c) >> 4],
              hex[static_cast<unsigned char>(c) & 0xf]);
    }
  }
  out.append(text.substr(from));
  out.append('"');
}

}  // namespace tpuwh::webhook
