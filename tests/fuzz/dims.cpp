#include "tests/fuzz/targets.hpp"
#include "topology/slice.hpp"

#include <algorithm>

namespace tpuwh::fuzz {

namespace {

using topology::Dims;

bool is_sentence(const std::string& message) {
  constexpr std::size_t longest = 400;
  return !message.empty() && message.size() < longest && is_printable(message);
}

void check_slice(const topology::SliceRequest& request) {
  const auto slice = topology::make_slice(request);
  if (!slice) return require(is_sentence(slice.error().message()), slice.error().message());
  const std::uint64_t per_host = request.chips_per_container * request.containers_per_pod;
  require(slice->chips == request.dims.chips(), "chips");
  require(slice->chips_per_host == per_host, "chips per host");
  require(slice->hosts * per_host == slice->chips, "hosts times chips per host");
  require(slice->processes == slice->hosts * request.containers_per_pod, "processes");
  require(slice->multi_host() == (slice->hosts > 1), "multi-host");
  const auto bounds = slice->host_bounds();
  const std::uint64_t in_bounds = std::uint64_t{bounds[0]} * bounds[1] * bounds[2];
  require(in_bounds == 0 || in_bounds == slice->processes, "host bounds");
  static_cast<void>(slice->accelerator_type());
  static_cast<void>(slice->wrap());
}

void check_slices(const Dims& dims) {
  check_slice({"", dims, 4, 1});
  check_slice({"tpu-v9-slice", dims, 4, 1});
  for (const topology::Generation& generation : topology::generations())
    for (const std::uint64_t chips : {1u, 2u, 3u, 4u, 8u, 16u})
      for (const std::uint32_t containers : {1u, 2u})
        check_slice({generation.label, dims, chips, containers});
}

}  // namespace

void dims(std::string_view bytes) {
  const auto parsed = Dims::parse(bytes);
  if (!parsed) return require(is_sentence(parsed.error().message()), parsed.error().message());
  require(parsed->text() == bytes, "says " + parsed->text());
  require(parsed->rank() == 2 || parsed->rank() == 3, "rank");
  require(parsed->chips() >= 1 && parsed->chips() <= Dims::max_product, "product");
  require(parsed->divisible_by(*parsed) && parsed->fits_in(*parsed), "not in itself");
  check_slices(*parsed);
}

}  // namespace tpuwh::fuzz
