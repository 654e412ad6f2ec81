#include "server/log/output.hpp"

#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace tpuwh::server::log {
namespace {

// A pipe that is ready to write takes at least this much without blocking (POSIX).
constexpr std::size_t block_bytes = 4096;

std::atomic<bool> standard_error_torn{false};

}  // namespace

bool standard_error_is_torn() {
  return standard_error_torn;
}

std::size_t Output::write_now(std::string_view bytes) {
  error_ = 0;
  if (bytes.empty() || (cut_ && write_some("\n") == 0)) return 0;
  cut_ = false;
  const std::size_t done = write_some(bytes);
  cut_ = failed() && within_a_line_;
  return done;
}

// At an error it stops, whatever it is: of a full disk, a quota and a reader that has gone none is
// waited for.
std::size_t Output::write_some(std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const long written = try_to_write(bytes.substr(done));
    if (written > 0) {
      done += static_cast<std::size_t>(written);
      set_within_a_line(bytes[done - 1] != '\n');
    } else if (written == 0 || errno == EAGAIN) {
      return done;
    } else if (errno != EINTR) {
      error_ = errno;
      return done;
    }
  }
  return done;
}

void Output::set_within_a_line(bool within) {
  within_a_line_ = within;
  if (file_ == STDERR_FILENO) standard_error_torn = within;
}

// As write(2) on a descriptor with O_NONBLOCK. That flag itself would be everybody's who holds the
// file: standard error is often a terminal that a shell holds, too
// (docs/facts.md#write-without-waiting).
long Output::try_to_write(std::string_view bytes) {
  ++calls_;
  if (can_decline_) {
    const iovec all{const_cast<char*>(bytes.data()), bytes.size()};
    const long written = ::pwritev2(file_, &all, 1, -1, RWF_NOWAIT);
    const bool cannot = errno == EOPNOTSUPP || errno == EINVAL || errno == ENOSYS;
    if (written >= 0 || (!cannot && errno != EAGAIN)) return written;
    if (cannot) can_decline_ = false;  // a named pipe, a terminal, a file, an older Linux
  }
  // Of a file the kernel may decline for ever what poll() calls ready.
  if (!wait(std::chrono::milliseconds(0))) return 0;
  return ::write(file_, bytes.data(), std::min(bytes.size(), block_bytes));
}

bool Output::wait(std::chrono::milliseconds most) const {
  pollfd ready{.fd = file_, .events = POLLOUT, .revents = 0};
  return ::poll(&ready, 1, static_cast<int>(most.count())) != 0;
}

}  // namespace tpuwh::server::log
