#include "webhook/read/vocabulary.hpp"

#include <cstdint>

namespace tpuwh::webhook::read {

namespace {

// A slot for each key, by its length and two of its characters, so that one look says of nearly
// every other key that it is not in the table, and of one of ours which it is. A factor is
// tried while compiling until no two keys share a slot.
template <std::size_t N>
class Slots {
 public:
  consteval explicit Slots(const std::array<Key, N>& keys) {
    while (!fill(keys)) ++factor_;  // does not compile where there is none
  }

  // The index of the only key that may be this text; N for none. It is not empty.
  std::size_t find(std::string_view text) const { return slots_[slot(text)]; }

 private:
  static constexpr std::size_t size = 128;

  constexpr std::size_t slot(std::string_view text) const {
    const std::size_t length = text.size();
    const std::size_t last = static_cast<unsigned char>(text.data()[length - 1]);
    const std::size_t inner = static_cast<unsigned char>(text.data()[length * 3 / 4]);
    return (length + last + inner * factor_) % size;
  }
  constexpr bool fill(const std::array<Key, N>& keys) {
    slots_.fill(N);
    for (std::size_t i = 0; i < N; ++i) {
      std::uint8_t& index = slots_[slot(keys[i].text)];
      if (index != N) return false;
      index = static_cast<std::uint8_t>(i);
    }
    return true;
  }

  std::size_t factor_ = 0;
  std::array<std::uint8_t, size> slots_{};
};

constexpr Slots labels_by_slot(label_keys);
constexpr Slots annotations_by_slot(annotation_keys);

template <class Enum, std::size_t N>
std::optional<Enum> find(const std::array<Key, N>& keys, const Slots<N>& slots,
                         std::string_view text, std::string_view prefix) {
  if (text.empty()) return std::nullopt;
  // The first character decides about most keys.
  const bool ours = text.front() == prefix.front() && text.starts_with(prefix);
  if (ours) text.remove_prefix(prefix.size());
  if (text.empty()) return std::nullopt;
  const std::size_t index = slots.find(text);
  if (index == N || keys[index].ours != ours || keys[index].text != text) return std::nullopt;
  return static_cast<Enum>(index);
}

}  // namespace

std::optional<Label> find_label(std::string_view key, std::string_view prefix) {
  return find<Label>(label_keys, labels_by_slot, key, prefix);
}

std::optional<Annotation> find_annotation(std::string_view key, std::string_view prefix) {
  return find<Annotation>(annotation_keys, annotations_by_slot, key, prefix);
}

std::optional<Variable> find_variable(std::string_view name) {
  // Most variables of a Pod are the user's own: two letters decide about them.
  if (name.size() < 8 || (name[0] != 'T' && name[0] != 'M')) return std::nullopt;
  for (std::size_t i = 0; i < variable_count; ++i)
    if (variable_names[i] == name) return static_cast<Variable>(i);
  return std::nullopt;
}

}  // namespace tpuwh::webhook::read
