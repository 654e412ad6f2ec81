#include "webhook/read/selector_order.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tpuwh::webhook::read {

namespace {

constexpr std::size_t few = 32;  // are sorted as they are, and so are those alike for longer:
constexpr std::size_t longest_alike = 64;

struct Place {
  std::uint64_t word;
  std::uint32_t index;
};

// Of the bytes from `from` on the first eight, as a number in their order; 0 where there are none.
std::uint64_t word_of(std::string_view key, std::size_t from) {
  if (key.size() <= from) return 0;
  std::uint64_t word = 0;
  std::memcpy(&word, key.data() + from, std::min(key.size() - from, sizeof word));
  if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
  return word;
}

class Sorter {
 public:
  explicit Sorter(const std::vector<Selector>& selectors) : selectors_(selectors) {
    places_.resize(selectors.size());
    for (std::size_t i = 0; i < places_.size(); ++i)
      places_[i].index = static_cast<std::uint32_t>(i);
  }

  std::vector<Selector> sorted() {
    sort(0, places_.size(), 0);
    std::vector<Selector> out;
    out.reserve(places_.size());
    for (const Place& place : places_) out.push_back(selectors_[place.index]);
    return out;
  }

 private:
  const std::string_view& key(const Place& place) const { return selectors_[place.index].key; }

  // Those in [begin, end), which are alike in front of `from`.
  void sort(std::size_t begin, std::size_t end, std::size_t from) {
    const auto first = places_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = places_.begin() + static_cast<std::ptrdiff_t>(end);
    if (end - begin <= few || from >= longest_alike) {
      std::sort(first, last, [&](const Place& a, const Place& b) { return key(a) < key(b); });
      return;
    }
    for (auto place = first; place != last; ++place) place->word = word_of(key(*place), from);
    std::sort(first, last, [](const Place& a, const Place& b) { return a.word < b.word; });
    for (std::size_t i = begin, next = begin; i < end; i = next) {
      while (next < end && places_[next].word == places_[i].word) ++next;
      if (next - i > 1) sort(i, next, from + sizeof places_[i].word);
    }
  }

  const std::vector<Selector>& selectors_;
  std::vector<Place> places_;
};

}  // namespace

void sort_by_key(std::vector<Selector>& selectors) {
  if (selectors.size() <= few)
    std::ranges::sort(selectors, {}, &Selector::key);
  else if (!std::ranges::is_sorted(selectors, {}, &Selector::key))
    selectors = Sorter(selectors).sorted();
}

}  // namespace tpuwh::webhook::read
