// A program whose allocations are known: known MODE. It prints what it allocated and what it never freed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *volatile keep;

__attribute__((noinline)) void *leaking(size_t n) { keep = malloc(n); return keep; }
__attribute__((noinline)) void churn(int rounds) {
  for (int i = 0; i < rounds; i++) {
    void *volatile p = malloc(1000 + i % 10);
    free(p);
  }
}

static void family(void) { // each member once, and how they end
  void *volatile a = malloc(11), *volatile b = calloc(3, 7), *volatile d = aligned_alloc(64, 128), *volatile e = realloc(NULL, 31);
  void *c = NULL;
  if (posix_memalign(&c, 256, 77)) abort();
  e = realloc(e, 100000);
  e = realloc(e, 41);
  void *volatile failed = realloc(e, (size_t)-1 / 4); // e stays
  if (failed) abort();
  free(a); free(b); free(c); free(d);
  keep = e;
}

struct pass { pthread_mutex_t m; void *block; } box[64];
static void *passing(void *arg) { // blocks go from thread to thread
  unsigned seed = (unsigned)(size_t)arg;
  for (int i = 0; i < 20000; i++) {
    struct pass *b = &box[rand_r(&seed) % 64];
    void *fresh = malloc(16 + rand_r(&seed) % 200);
    pthread_mutex_lock(&b->m);
    void *old = b->block;
    b->block = fresh;
    pthread_mutex_unlock(&b->m);
    free(old);
  }
  return NULL;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "plain";
  setvbuf(stdout, NULL, _IONBF, 0);
  if (!strcmp(mode, "plain")) {
    churn(10000);
    for (int i = 0; i < 50; i++) leaking(100 + i);
  } else if (!strcmp(mode, "family")) {
    family();
  } else if (!strcmp(mode, "threads")) {
    pthread_t t[4];
    for (int i = 0; i < 64; i++) pthread_mutex_init(&box[i].m, NULL);
    for (size_t i = 0; i < 4; i++) pthread_create(&t[i], NULL, passing, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  } else if (!strcmp(mode, "kill")) {
    churn(1000);
    leaking(4321);
    kill(getpid(), SIGKILL);
  } else if (!strcmp(mode, "fork")) {
    leaking(111);
    if (fork() == 0) {
      churn(500);
      leaking(222);
      _exit(7);
    }
    int status;
    wait(&status);
    leaking(333);
  } else if (!strcmp(mode, "exec")) {
    churn(10);
    execl("/proc/self/exe", "known", "plain", NULL);
  } else if (!strcmp(mode, "closed")) { // a program may close all that it has not opened
    for (int fd = 3; fd < 256; fd++) close(fd);
    churn(100);
    leaking(4444);
  } else if (!strcmp(mode, "much")) { // 20 MiB in blocks of 1,000 bytes
    for (int i = 0; i < 20972; i++) leaking(1000);
  } else if (!strcmp(mode, "chroot") || !strcmp(mode, "user")) { // as root
    leaking(10);
    if (!strcmp(mode, "user") ? setuid(65534) : chroot("/proc") || chdir("/")) return 1;
    churn(1000);
    leaking(20);
  } else if (!strcmp(mode, "many")) { // 10 million blocks, of which 1,000 stay
    for (int i = 0; i < 1000; i++) {
      churn(9999);
      leaking(i);
    }
  } else if (!strcmp(mode, "long")) {
    for (;;) {
      churn(200);
      leaking(10);
      usleep(500);
    }
  } else if (!strcmp(mode, "sleep")) {
    leaking(5555);
    puts("ready");
    pause();
  }
  return 0;
}
