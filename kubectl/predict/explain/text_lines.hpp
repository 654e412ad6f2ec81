// Builds the text output of `kubectl tpu explain` from lines, headings and blocks, with or without
// colours. Limits the number of printed items of a list.
#pragma once

#include "kubectl/predict/explain/text.hpp"
#include "kubectl/text/printed.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tpuwh::server::explain {

class TextLines {
 public:
  explicit TextLines(TextStyle style) : style_(style) {}

  const TextStyle& style() const { return style_; }
  text::Printed paint(const text::Printed& text, text::Ink ink) const {
    return text::paint(text, ink, style_.colour);
  }
  // Text of others.
  text::Printed paint(std::string_view text, text::Ink ink) const {
    return paint(text::printed("{}", text), ink);
  }
  // So many are shown, unless all are.
  std::size_t most(std::size_t number) const { return style_.all ? SIZE_MAX : number; }

  void add(const text::Printed& text) { out_ += text; }
  // line("  {}: {}", name, what)
  template <class... Args>
  void line(text::Sentence<std::type_identity_t<Args>...> sentence, const Args&... args) {
    out_ += text::printed<Args...>(sentence, args...);
    out_ += "\n";
  }
  void gap() { out_ += "\n"; }
  void heading(std::string_view text) {
    out_ += text::printed("\n  {}\n", paint(text, text::Ink::bold));
  }
  // Several lines, each behind four blanks.
  void block(std::string_view text) {
    out_ += text::printed_lines(text, "    ");
    out_ += "\n";
  }
  // Adds a drawing from kubectl/reference/catalog/picture.hpp, and keeps its colours. Each line of
  // the drawing is indented by four spaces, as in block().
  void picture(std::string_view drawn) {
    for (;;) {
      const auto end = drawn.find('\n');
      const std::string_view line = drawn.substr(0, end);
      if (!line.empty()) out_ += text::Printed("    ") + text::Printed::trusted(std::string(line));
      out_ += "\n";
      if (end == std::string_view::npos) return;
      drawn.remove_prefix(end + 1);
    }
  }

  text::Printed take() { return std::move(out_); }

 private:
  const TextStyle style_;
  text::Printed out_;
};

}  // namespace tpuwh::server::explain
