/* LD_PRELOAD: the wall clock of a program, TPUWH_CLOCK_SHIFT seconds away from the machine's. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec* now) {
  const int failed = (int)syscall(SYS_clock_gettime, clock, now);
  const char* shift = getenv("TPUWH_CLOCK_SHIFT");
  if (!failed && clock == CLOCK_REALTIME && shift) now->tv_sec += atol(shift);
  return failed;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
