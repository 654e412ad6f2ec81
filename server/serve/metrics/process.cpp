#include "server/serve/metrics/process.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

namespace tpuwh::server::metrics {

namespace {

// Fields of /proc/self/stat, counted as in proc(5).
struct Stat {
  double user_ticks = 0, system_ticks = 0, start_ticks = 0, resident_pages = 0, bytes = 0;
};

std::optional<Stat> read_stat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The second field is the program's name in brackets, and may hold spaces.
  const auto name_end = line.rfind(')');
  if (!file || name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(name_end + 1));
  Stat stat;
  std::string word;
  for (int field = 3; field <= 24 && rest >> word; ++field) {
    double* const wanted = field == 14   ? &stat.user_ticks
                           : field == 15 ? &stat.system_ticks
                           : field == 22 ? &stat.start_ticks
                           : field == 23 ? &stat.bytes
                           : field == 24 ? &stat.resident_pages
                                         : nullptr;
    if (wanted != nullptr) *wanted = std::stod(word);
  }
  return stat;
}

// When the machine was started, in seconds of the Unix clock.
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  while (file >> word) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return std::nullopt;
}

std::optional<double> open_files() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return std::nullopt;
  // One of them is this reading.
  return static_cast<double>(std::distance(begin(files), end(files)) - 1);
}

}  // namespace

void process_metrics(Samples& out) {
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  if (const auto stat = read_stat()) {
    out.counter("process_cpu_seconds_total", "User and system CPU time in seconds",
                (stat->user_ticks + stat->system_ticks) / ticks);
    out.gauge("process_resident_memory_bytes", "Resident memory in bytes",
              stat->resident_pages * page);
    out.gauge("process_virtual_memory_bytes", "Virtual memory in bytes", stat->bytes);
    if (const auto boot = boot_time())
      out.gauge("process_start_time_seconds", "Start of the process in seconds since 1970",
                *boot + stat->start_ticks / ticks);
  }
  if (const auto open = open_files()) out.gauge("process_open_fds", "Open files", *open);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    out.gauge("process_max_fds", "Maximum number of open files",
              static_cast<double>(limit.rlim_cur));
}

}  // namespace tpuwh::server::metrics
