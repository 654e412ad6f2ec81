// A Pod's first process: waits until it is told to end, and reaps what is left to it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void on_end(int number) {
  (void)number;
  _exit(0);
}

static void on_child(int number) {
  (void)number;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

int main(void) {
  const struct sigaction end = {.sa_handler = on_end};
  const struct sigaction child = {.sa_handler = on_child, .sa_flags = SA_NOCLDSTOP};
  sigaction(SIGTERM, &end, NULL);
  sigaction(SIGINT, &end, NULL);
  sigaction(SIGCHLD, &child, NULL);
  for (;;) {
    pause();
  }
}
