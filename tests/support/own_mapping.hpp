// A text in memory of its own that is gone when this is: a view that is looked at later, or a read
// beyond the end, ends the program, with a sanitizer and without.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <string_view>

namespace tpuwh::test {

class OwnMapping {
 public:
  // The text ends where its pages do, but for `readable` bytes behind it. Its addresses are not
  // used again before a GiB of others has come and gone, so that none may live that long.
  //   throws  std::bad_alloc
  explicit OwnMapping(std::string_view text, std::size_t readable = 0) {
    static Addresses addresses;
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t used = text.size() + readable;
    size_ = std::max<std::size_t>((used + page - 1) / page, 1) * page;
    pages_ = addresses.take(size_, page);
    if (::mprotect(pages_, size_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    char* const begin = pages_ + size_ - used;
    std::ranges::copy(text, begin);
    text_ = {begin, text.size()};
  }
  // New pages without access in their place: what was in the old ones is gone.
  ~OwnMapping() {
    ::mmap(pages_, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0);
  }
  OwnMapping(const OwnMapping&) = delete;
  OwnMapping& operator=(const OwnMapping&) = delete;

  std::string_view text() const { return text_; }

 private:
  // Without memory. Those of one text follow those of the one before it.
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

    // With a page behind them that is never readable.
    char* take(std::size_t wanted, std::size_t page) {
      if (wanted + page > size) throw std::bad_alloc();
      if (used + wanted + page > size) used = 0;
      char* const taken = begin + used;
      used += wanted + page;
      return taken;
    }
  };

  char* pages_ = nullptr;
  std::size_t size_ = 0;  // of the pages
  std::string_view text_;
};

}  // namespace tpuwh::test
