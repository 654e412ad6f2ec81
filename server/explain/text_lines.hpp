// What the parts of the text are printed with: lines, colours, how much is folded.
#pragma once

#include "server/explain/text.hpp"
#include "server/text/ink.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tpuwh::server::explain {

class TextLines {
 public:
  explicit TextLines(TextStyle style) : style_(style) {}

  const TextStyle& style() const { return style_; }
  std::string paint(std::string_view text, text::Ink ink) const {
    return text::paint(text, ink, style_.colour);
  }
  // So many are shown, unless all are.
  std::size_t most(std::size_t number) const { return style_.all ? SIZE_MAX : number; }

  void raw(const std::string& text) { out_ += text; }
  void line(const std::string& text) { out_ += text + '\n'; }
  void gap() { out_ += '\n'; }
  void heading(const std::string& text) { out_ += "\n  " + paint(text, text::Ink::bold) + '\n'; }
  // Several lines, each behind four blanks.
  void block(std::string text) {
    constexpr auto margin = "    ";
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      if (at + 1 < text.size() && text[at + 1] != '\n') text.insert(at + 1, margin);
    line(margin + text);
  }

  std::string take() { return std::move(out_); }

 private:
  const TextStyle style_;
  std::string out_;
};

}  // namespace tpuwh::server::explain
