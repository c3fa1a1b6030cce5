// Programs that allocate much, to measure what recording costs: workloads MODE.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *volatile keep[4096];

// Writes to a block as programs do.
__attribute__((noinline, noclone)) static void *block(size_t n, unsigned *seed) {
  char *p = malloc(n);
  memset(p, (int)*seed, n);
  *seed = *seed * 1664525 + 1013904223;
  return p;
}

__attribute__((noinline)) static void small(unsigned seed, int rounds) {
  for (int i = 0; i < rounds; i++) {
    unsigned at = seed % 4096;
    free(keep[at]);
    keep[at] = block(16 + seed % 512, &seed);
  }
}

__attribute__((noinline)) static int deep(int depth, unsigned *seed) {
  if (depth > 0) {
    volatile int below = deep(depth - 1, seed);
    return below + 1;
  }
  for (int i = 0; i < 40; i++) free(block(100, seed));
  return 0;
}

static void *thread(void *arg) {
  unsigned seed = (unsigned)(size_t)arg;
  void *own[256] = {0};
  for (int i = 0; i < 1500000; i++) {
    free(own[seed % 256]);
    unsigned at = seed % 256;
    own[at] = block(16 + seed % 256, &seed);
  }
  for (int i = 0; i < 256; i++) free(own[i]);
  return NULL;
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "small";
  unsigned seed = 42;
  if (!strcmp(mode, "small")) small(seed, 10000000);
  if (!strcmp(mode, "deep")) for (int i = 0; i < 100000; i++) deep(30, &seed);
  if (!strcmp(mode, "large")) for (int i = 0; i < 40000; i++) free(block(1 << 18, &seed));
  if (!strcmp(mode, "threads")) {
    pthread_t t[4];
    for (size_t i = 0; i < 4; i++) pthread_create(&t[i], NULL, thread, (void *)(i + 1));
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
  }
  return 0;
}
