#include "webhook/ledger/token.hpp"

#include "base/hash.hpp"
#include "base/names.hpp"

#include <algorithm>

namespace tpuwh::webhook::ledger {

namespace {

constexpr std::size_t mark_digits = 16;

bool is_mark(std::string_view text) {
  return text.size() == mark_digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace

std::string token_mark(std::string_view review_uid) {
  const std::string_view parts[] = {"token", review_uid};
  const base::Hash digits = base::hash(parts);
  return std::string(base::view(digits).substr(0, mark_digits));
}

std::string make_token(topology::Place place, std::string_view review_uid) {
  return std::to_string(place.slice) + '-' + std::to_string(place.host) + '-' +
         token_mark(review_uid);
}

std::optional<topology::Place> place_of_token(std::string_view token) {
  const auto place = parse_token(token);
  return place && is_possible(*place) ? place : std::nullopt;
}

std::optional<topology::Place> parse_token(std::string_view token) {
  const std::size_t first = token.find('-');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = token.find('-', first + 1);
  if (second == std::string_view::npos || !is_mark(token.substr(second + 1))) return std::nullopt;
  const auto slice = base::plain_decimal(token.substr(0, first));
  const auto host = base::plain_decimal(token.substr(first + 1, second - first - 1));
  if (!slice || !host) return std::nullopt;
  return topology::Place{*slice, *host};
}

}  // namespace tpuwh::webhook::ledger
