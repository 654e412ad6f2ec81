#include "server/kube/decode/list_decoder.hpp"
#include "server/kube/decode/watch_decoder.hpp"
#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tpuwh::fuzz {

namespace {

using server::kube::decode::ListDecoder;
using server::kube::decode::WatchDecoder;
using server::kube::decode::WatchEvent;

constexpr std::size_t most_bytes = 512;  // low, so that inputs reach it

// What a decoder said, line by line, and at last why it stopped.
using Said = std::vector<std::string>;

std::string line(const WatchEvent& event) {
  return std::string(event.type_text) + ' ' + std::string(event.version) + ' ' +
         (event.initial_events_end ? "end " : "") + std::string(event.object);
}

// Everything in pieces of `size` bytes.
Said events(std::string_view bytes, std::size_t size) {
  WatchDecoder decoder(most_bytes);
  WatchEvent event;
  Said said;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
    const std::string piece(bytes.substr(0, size));
    decoder.feed(piece);
    for (;;) {
      const auto outcome = decoder.next(event);
      if (outcome == WatchDecoder::Outcome::need_more) break;
      if (outcome != WatchDecoder::Outcome::event) {
        said.push_back(decoder.error());
        return said;
      }
      require(event.object.size() <= most_bytes, "an object beyond the limit");
      said.push_back(line(event));
    }
  }
  said.emplace_back(decoder.between_events() ? "between" : "inside");
  return said;
}

Said items(std::string_view bytes, std::size_t size) {
  ListDecoder decoder(most_bytes);
  Said said;
  auto outcome = ListDecoder::Outcome::need_more;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
    const std::string piece(bytes.substr(0, size));
    decoder.feed(piece);
    std::string_view item;
    while ((outcome = decoder.next(item)) == ListDecoder::Outcome::item ||
           outcome == ListDecoder::Outcome::too_large)
      if (outcome == ListDecoder::Outcome::item) said.emplace_back(item);
    if (outcome != ListDecoder::Outcome::need_more && outcome != ListDecoder::Outcome::end) break;
  }
  if (outcome == ListDecoder::Outcome::overflow) {
    // How much of it was seen depends on the pieces; that it is too long does not.
    said.emplace_back("overflow");
    return said;
  }
  said.push_back(decoder.error());
  said.push_back(decoder.resource_version() + ' ' + decoder.continue_token());
  return said;
}

}  // namespace

void watch(std::string_view bytes) {
  const Said all_events = events(bytes, bytes.size() + 1);
  const Said all_items = items(bytes, bytes.size() + 1);
  for (const std::size_t size : {1u, 2u, 7u, 64u}) {
    require(events(bytes, size) == all_events, "other events in pieces of " + std::to_string(size));
    require(items(bytes, size) == all_items, "other items in pieces of " + std::to_string(size));
  }
}

}  // namespace tpuwh::fuzz
