// A text in memory of its own that nobody can read once it is over: a view that is looked at later
// ends the test, with a sanitizer and without.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>

namespace tpuwh::test {

class OwnMapping {
 public:
  // The text ends where the memory does, but for `readable` bytes behind it.
  explicit OwnMapping(std::string_view text, std::size_t readable = 0) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t used = text.size() + readable;
    bytes_ = (used + page - 1) / page * page + page;
    void* const at =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<char*>(at);
    char* const last = begin_ + bytes_ - page;  // a page behind it that is never readable
    mprotect(last, page, PROT_NONE);
    std::memcpy(last - used, text.data(), text.size());
    text_ = {last - used, text.size()};
  }
  OwnMapping(const OwnMapping&) = delete;
  OwnMapping& operator=(const OwnMapping&) = delete;
  ~OwnMapping() { munmap(begin_, bytes_); }

  std::string_view text() const { return text_; }

 private:
  char* begin_ = nullptr;
  std::size_t bytes_ = 0;
  std::string_view text_;
};

}  // namespace tpuwh::test
