#include "kubectl/text/printed.hpp"

namespace tpuwh::server::text {

Printed printed_lines(std::string_view text, Literal margin) {
  Printed out;
  for (;;) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (!line.empty()) out += margin;
    out += printed("{}", line);
    if (end == std::string_view::npos) return out;
    out += "\n";
    text.remove_prefix(end + 1);
  }
}

}  // namespace tpuwh::server::text
