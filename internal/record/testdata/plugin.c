// Loads ./plugged.so or /plugged.so from a folder, which it is in or has for its root: plugin FOLDER chdir|chroot.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LIBRARY
void *plugged(size_t n) { return malloc(n); }
#else
int main(int argc, char **argv) {
  int inside = argc > 2 && !strcmp(argv[2], "chroot");
  if (argc < 3 || chdir(argv[1]) || (inside && chroot("."))) return 2;
  void *library = dlopen(inside ? "/plugged.so" : "./plugged.so", RTLD_NOW);
  void *(*plugged)(size_t) = library ? (void *(*)(size_t))dlsym(library, "plugged") : NULL;
  if (!plugged) return 3;
  for (int i = 0; i < 10; i++) plugged(5000);
  usleep(200000);
  return 0;
}
#endif
