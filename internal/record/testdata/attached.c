// A program that is attached to: it allocates before and, after a line came, known sums. attached [LIBRARY]: from a
// library, too, that it loads then.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *kept[2000];

__attribute__((noinline)) void *before(size_t n) { return malloc(n); }
__attribute__((noinline)) void *after(size_t n) { return malloc(n); }
__attribute__((noinline)) void *moved(void *p, size_t n) { return realloc(p, n); }

static void *in_thread(void *unused) {
  (void)unused;
  for (int i = 1000; i < 1100; i++) kept[i] = after(3000);
  return NULL;
}

static int line(void) {
  char text[8];
  return fgets(text, sizeof text, stdin) != NULL;
}

int main(int argc, char **argv) {
  setvbuf(stdin, malloc(100), _IOFBF, 100);
  for (int i = 0; i < 1000; i++) kept[i] = before(1000);
  if (!line()) return 1;
  kept[1999] = moved(kept[999], 70000);
  for (int i = 0; i < 999; i++) free(kept[i]);
  for (int i = 0; i < 500; i++) kept[i] = after(2000);
  for (int i = 0; i < 500; i += 2) free(kept[i]);
  pthread_t t;
  if (pthread_create(&t, NULL, in_thread, NULL) || pthread_join(t, NULL)) return 2;
  if (argc > 1) {
    void *library = dlopen(argv[1], RTLD_NOW);
    void *(*plugged)(size_t) = library ? (void *(*)(size_t))dlsym(library, "plugged") : NULL;
    if (!plugged) return 3;
    for (int i = 1200; i < 1210; i++) kept[i] = plugged(5000);
  }
  puts("done");
  fflush(stdout);
  return !line();
}
