// A C++ program whose allocations are known: exceptions that carry memory, a timer that interrupts allocations, a library
// that is opened, and a static object whose destructor frees and allocates after main.
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <sys/time.h>

static void *volatile keep;

__attribute__((noinline)) static void *kept(size_t n) { return keep = std::malloc(n); }

struct Last {
  void *block = kept(777);
  ~Last() {
    std::free(block);
    kept(55);
  }
};
static Last last;

static volatile sig_atomic_t ticks;
static void tick(int) { ticks++; }

__attribute__((noinline)) static void raises(int n) { throw std::runtime_error(std::string(100 + n, 'x')); }

__attribute__((noinline)) static void churn(int n) {
  for (int i = 0; i < n; i++) {
    keep = std::malloc(10 + i % 100);
    std::free(keep);
  }
}

int main() {
  signal(SIGALRM, tick);
  itimerval often = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (int i = 0; i < 100; i++) {
    try {
      raises(i);
    } catch (const std::runtime_error &e) {
      keep = (void *)e.what();
    }
  }
  void *library = dlopen("libm.so.6", RTLD_NOW);
  churn(200000);
  while (!ticks) {
  }
  often = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  if (library) dlclose(library);
  churn(1000);
  return 0;
}
