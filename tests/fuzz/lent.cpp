#include "tests/fuzz/lent.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>

namespace tpuwh::fuzz {
namespace {

// Addresses without memory. Those of one Lent follow those of the one before it, and come
// round again after some thousand of them.
struct Addresses {
  static constexpr std::size_t size = std::size_t{1} << 30;
  char* begin;
  std::size_t used = 0;

  Addresses() {
    void* const got =
        ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    begin = static_cast<char*>(got);
  }

  // With a page behind them that is never mapped.
  char* take(std::size_t wanted, std::size_t page) {
    if (wanted + page > size) throw std::bad_alloc();
    if (used + wanted + page > size) used = 0;
    char* const taken = begin + used;
    used += wanted + page;
    return taken;
  }
};

}  // namespace

Lent::Lent(std::string_view bytes) {
  static Addresses addresses;
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  size_ = std::max<std::size_t>((bytes.size() + page - 1) / page, 1) * page;
  pages_ = addresses.take(size_, page);
  if (::mprotect(pages_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  char* const begin = pages_ + size_ - bytes.size();
  std::ranges::copy(bytes, begin);
  bytes_ = {begin, bytes.size()};
}

Lent::~Lent() {
  // New pages without access in their place: what was in the old ones is gone.
  ::mmap(pages_, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace tpuwh::fuzz
