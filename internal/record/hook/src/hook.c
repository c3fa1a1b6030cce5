// The hook of memtui record. Preloaded into a program, it reports what the malloc family allocates and frees.
//
// Events go to a ring in memory that is shared with the recorder: no system call on the way, and nothing that was
// reported is lost when the program is killed. The hook allocates nothing but pages of its own, takes no lock where
// every event is reported, and leaves errno alone. It needs no library but the C library.
//
// Order. A FREE is reported before the block is freed, an ALLOC after it was allocated, so that an address that another
// thread gets next is never reported as allocated twice. Reporting is one atomic addition on the head of the ring,
// which orders the events of all threads as they happened.

#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define EXPORT __attribute__((visibility("default")))
#define HIDDEN_TLS static __thread __attribute__((tls_model("initial-exec")))

enum { MAX_FRAMES = 512, GRAIN = 32 };

// ---- The ring, as internal/record/ring.go has it. Offsets are fixed: both sides state them.

enum { RING_MAGIC = 0x4d54524e, VERSION = 2, HEAD = 1 << 16 }; // HEAD: a page of any machine
enum { FULL = 1, DROP = 2, COUNTED = 4, NATIVE = 8 }; // COUNTED: distances between samples are blocks, not bytes; NATIVE: beside the frames of Python
enum { ALLOC = 1, FREE, STACK, MODULE, MODULES, THREAD, PYFRAME };

struct ring {
  uint64_t magic, size;                 // of the data, a power of two
  uint64_t start, period;               // ns of CLOCK_MONOTONIC; mean distance between samples
  uint32_t flags, frames, pid, version; // frames: the most of a stack
  char pad0[64 - 48];
  _Atomic uint64_t head; // bytes reserved by the program, ever
  char pad1[64 - 8];
  _Atomic uint64_t tail; // bytes read by the recorder, ever
  _Atomic uint64_t beat; // ns when the recorder last looked
  _Atomic uint32_t closed, shift; // shift: the period is so many times doubled now
  char pad3[64 - 24];
  _Atomic uint64_t lost_allocs, lost_frees, waits, cut; // cut: stacks that end early for want of unwind tables
  _Atomic uint32_t threads, ready;
  _Atomic uint32_t python; // what became of it
};
_Static_assert(offsetof(struct ring, head) == 64 && offsetof(struct ring, tail) == 128 && offsetof(struct ring, lost_allocs) == 192, "ring.go has these offsets");

// An event is one or more grains of 32 bytes. The word is written last: the recorder waits for it. It clears what it
// has read, so that a word of 0 means "not yet".
struct event {
  _Atomic uint32_t word; // kind | grains << 8
  uint32_t id;           // of the stack, or a length
  uint64_t ns;           // since the ring's start; its upper 16 bits are the thread
  uint64_t addr, size;
};
_Static_assert(sizeof(struct event) == GRAIN, "an event is a grain");

static struct ring *R;
static uint8_t *data; // of the ring, mapped twice in a row: no record wraps
static uint64_t mask, period;
static uint32_t flags, most_frames;

// Whether events are reported. It lies in a page that the kernel clears in forked children, so that one which was made
// without the C library's knowledge never writes to its parent's ring.
static _Atomic int off;
static _Atomic int *on = &off;

struct thread {
  uint64_t left;   // bytes to the next sample; 0 where each block has to be looked at
  uint64_t kept;   // what left is, while it is held at 0
  uint64_t blocks; // to the next sample, where blocks are counted
  uint64_t rng;
  uint32_t id;
  int busy;      // in the hook, or in an allocator that reports for itself
  int held;      // how often left is held
  uint32_t shift; // of the period by which the next sample was chosen
  uint64_t ticks, now; // of the last event
  uint64_t got, gave; // what malloc gave last, and what was freed last
};
HIDDEN_TLS struct thread T;

static inline uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15u;
  return x ^ x >> 29;
}

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static void *pages(size_t n) {
  void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
}

// A lock that waits in the kernel.
static _Atomic uint32_t the_lock;
static void lock(void) {
  uint32_t free = 0;
  if (atomic_compare_exchange_strong_explicit(&the_lock, &free, 1, memory_order_acquire, memory_order_relaxed)) return;
  while (atomic_exchange_explicit(&the_lock, 2, memory_order_acquire)) syscall(SYS_futex, &the_lock, 128, 2, NULL, NULL, 0);
}
static void unlock(void) {
  if (atomic_exchange_explicit(&the_lock, 0, memory_order_release) == 2) syscall(SYS_futex, &the_lock, 129, 1, NULL, NULL, 0);
}

// Reserve returns room for an event of n bytes in the ring, NULL if it cannot be had: the recorder is gone, or keeps to
// dropping allocations where it is slow.
static struct event *reserve(uint64_t n, int may_drop) {
  if (may_drop && (flags & DROP)) { // the last quarter is for frees
    uint64_t used = atomic_load_explicit(&R->head, memory_order_relaxed) - atomic_load_explicit(&R->tail, memory_order_relaxed);
    if (used + n > R->size / 4 * 3) return NULL;
  }
  uint64_t at = atomic_fetch_add_explicit(&R->head, n, memory_order_relaxed);
  if (unlikely(at + n - atomic_load_explicit(&R->tail, memory_order_acquire) > R->size)) {
    atomic_fetch_add_explicit(&R->waits, 1, memory_order_relaxed);
    while (at + n - atomic_load_explicit(&R->tail, memory_order_acquire) > R->size) {
      if (!*on || atomic_load(&R->closed) || now() - atomic_load(&R->beat) > 5000000000u) {
        *on = 0; // the program goes on unrecorded
        return NULL;
      }
      nanosleep(&(struct timespec){0, 50000}, NULL);
    }
  }
  return (struct event *)(data + (at & mask));
}

static void publish(struct event *e, uint32_t kind, uint64_t n) {
  atomic_store_explicit(&e->word, kind | (uint32_t)(n / GRAIN) << 8, memory_order_release);
}

static uint64_t padded(uint64_t n) { return (n + GRAIN - 1) & ~(uint64_t)(GRAIN - 1); }

// Returns a counter of the processor: it shows only that little time has passed.
static inline uint64_t ticks(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t * 16; // it counts some 25 to 1,000 MHz
#endif
}

// Returns the time of an event and its thread. Events a fraction of a microsecond apart may have the same time.
static uint64_t stamp(void) {
  uint64_t t = ticks();
  if (t - T.ticks > 1200) {
    T.ticks = t;
    T.now = (now() - R->start) & 0xffffffffffffu;
  }
  return T.now | (uint64_t)T.id << 48;
}

// ---- Modules: what is mapped, as the unwinder needs it and as the recorder names addresses by it.

struct module {
  uint64_t lo, hi, hdr, bias;
  uint32_t segments, path, length; // words of the text where pairs of segments begin, and bytes where the path does
  uint32_t count;
};
struct modules {
  uint64_t adds, subs, n, room, used, size; // modules; bytes of text
  uint8_t *text;
  struct module m[];
};
static _Atomic(struct modules *) known;

static uint64_t span_of(struct dl_phdr_info *i, uint64_t *lo, uint64_t *hi) { // returns the number of segments
  uint64_t n = 0;
  *lo = ~0ull;
  *hi = 0;
  for (int k = 0; k < i->dlpi_phnum; k++) {
    const ElfW(Phdr) *p = &i->dlpi_phdr[k];
    if (p->p_type != PT_LOAD) continue;
    uint64_t a = i->dlpi_addr + p->p_vaddr, b = a + p->p_memsz;
    if (a < *lo) *lo = a;
    if (b > *hi) *hi = b;
    n++;
  }
  return n;
}

static uint64_t path_of(struct dl_phdr_info *i) {
  uint64_t n = i->dlpi_name ? strlen(i->dlpi_name) : 0;
  return n > 4000 ? 4000 : n;
}

static int count_one(struct dl_phdr_info *i, size_t size, void *arg) {
  struct modules *m = arg;
  uint64_t lo, hi;
  (void)size;
  m->size += 16 * span_of(i, &lo, &hi) + ((path_of(i) + 15) & ~15ull);
  m->room++;
  return 0;
}

static int survey_one(struct dl_phdr_info *i, size_t size, void *arg) {
  struct modules *to = arg;
  (void)size;
  to->adds = i->dlpi_adds;
  to->subs = i->dlpi_subs;
  struct module m = {.bias = i->dlpi_addr};
  uint64_t segments = span_of(i, &m.lo, &m.hi), path = path_of(i), need = 16 * segments + ((path + 15) & ~15ull);
  if (segments == 0 || to->n == to->room || to->used + need > to->size) return 0;
  m.segments = (uint32_t)to->used;
  for (int k = 0; k < i->dlpi_phnum; k++) {
    const ElfW(Phdr) *p = &i->dlpi_phdr[k];
    if (p->p_type == PT_GNU_EH_FRAME) m.hdr = i->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD) continue;
    uint64_t pair[2] = {p->p_vaddr, p->p_memsz};
    memcpy(to->text + to->used, pair, 16);
    to->used += 16;
    m.count++;
  }
  m.path = (uint32_t)to->used;
  m.length = (uint32_t)path;
  memcpy(to->text + to->used, i->dlpi_name, path);
  to->used += (path + 15) & ~15ull;
  to->m[to->n++] = m;
  return 0;
}

static int changed_one(struct dl_phdr_info *i, size_t size, void *arg) {
  uint64_t *c = arg;
  (void)size;
  c[0] = i->dlpi_adds;
  c[1] = i->dlpi_subs;
  return 1;
}

static int unchanged(struct modules *m) {
  uint64_t c[2] = {0, 0};
  dl_iterate_phdr(changed_one, c);
  return m && m->adds == c[0] && m->subs == c[1];
}

// Returns the modules of this moment. It holds no lock of the hook, as the loader's own is taken here, and a thread that
// holds that may be waiting for ours.
static struct modules *modules_now(void) {
  struct modules *m = atomic_load_explicit(&known, memory_order_acquire);
  if (unchanged(m)) return m;
  struct modules count = {.room = 8, .size = 4096};
  dl_iterate_phdr(count_one, &count);
  uint64_t head = sizeof *m + count.room * sizeof m->m[0];
  struct modules *fresh = pages(head + count.size);
  if (!fresh) return m;
  fresh->room = count.room;
  fresh->size = count.size;
  fresh->text = (uint8_t *)fresh + head;
  dl_iterate_phdr(survey_one, fresh);
  atomic_store_explicit(&known, fresh, memory_order_release); // older ones stay: another thread may be reading them
  return fresh;
}

static struct module *module_of(struct modules *m, uint64_t pc) {
  for (uint64_t i = 0; m && i < m->n; i++)
    if (pc >= m->m[i].lo && pc < m->m[i].hi) return &m->m[i];
  return NULL;
}

#include "unwind.h"

// ---- Stacks: each is reported once, before the first event that has it.

struct stack { _Atomic uint64_t key; _Atomic uint32_t id; uint32_t pad; };
struct stacks { uint64_t cap, used; struct stack s[]; };
static _Atomic(struct stacks *) stacks;
static uint32_t last_stack;

static struct stacks *new_stacks(uint64_t cap) {
  struct stacks *t = pages(sizeof *t + cap * sizeof t->s[0]);
  if (t) t->cap = cap;
  return t;
}

static uint32_t find_stack(struct stacks *t, uint64_t key) {
  for (uint64_t i = mix(key) & (t->cap - 1);; i = (i + 1) & (t->cap - 1)) {
    uint64_t k = atomic_load_explicit(&t->s[i].key, memory_order_acquire);
    if (k == key) return t->s[i].id;
    if (k == 0) return 0;
  }
}

static void keep_stack(struct stacks *t, uint64_t key, uint32_t id) { // the lock is held
  uint64_t i = mix(key) & (t->cap - 1);
  while (t->s[i].key) i = (i + 1) & (t->cap - 1);
  t->s[i].id = id;
  atomic_store_explicit(&t->s[i].key, key, memory_order_release);
  t->used++;
}

static struct stacks *grown(_Atomic(struct stacks *) *table) { // the lock is held; the old table stays: another thread may be reading it
  struct stacks *t = atomic_load_explicit(table, memory_order_relaxed), *n = new_stacks(t->cap * 2);
  if (!n) return t->used + 1 < t->cap ? t : NULL;
  for (uint64_t i = 0; i < t->cap; i++)
    if (t->s[i].key) keep_stack(n, t->s[i].key, t->s[i].id);
  atomic_store_explicit(table, n, memory_order_release);
  return n;
}

static struct modules *reported; // under the lock

// Reports what is mapped, if that changed since; the lock is held.
static void report_modules(struct modules *m) {
  if (!m || m == reported) return;
  reported = m;
  struct event *e = reserve(GRAIN, 0);
  if (!e) return;
  e->ns = stamp();
  publish(e, MODULES, GRAIN);
  for (uint64_t i = 0; i < m->n; i++) {
    struct module *o = &m->m[i];
    uint64_t n = padded(GRAIN + 16 * (uint64_t)o->count + o->length);
    if (!(e = reserve(n, 0))) return;
    e->id = o->length;
    e->ns = stamp();
    e->addr = o->bias;
    e->size = o->count;
    memcpy(e + 1, m->text + o->segments, 16 * (uint64_t)o->count);
    memcpy((char *)(e + 1) + 16 * (uint64_t)o->count, m->text + o->path, o->length);
    publish(e, MODULE, n);
  }
}

// Returns the number of a stack, 0 where there is no room to report it.
static uint32_t stack_id(const uint64_t *ip, int n) {
  uint64_t key = 0x6d656d7475690000u + (uint64_t)n;
  for (int i = 0; i < n; i++) {
    key = (key ^ ip[i]) * 0x9e3779b97f4a7c15u;
    key ^= key >> 32;
  }
  key |= 2;
  uint32_t id = find_stack(atomic_load_explicit(&stacks, memory_order_acquire), key);
  if (likely(id)) return id;
  struct modules *m = atomic_load_explicit(&known, memory_order_acquire);
  lock();
  struct stacks *t = atomic_load_explicit(&stacks, memory_order_relaxed);
  if (!(id = find_stack(t, key)) && (t->used * 2 < t->cap || (t = grown(&stacks)))) {
    report_modules(m);
    uint64_t size = padded(GRAIN + 8 * (uint64_t)n);
    struct event *e = reserve(size, 0);
    if (e) {
      e->id = id = ++last_stack;
      e->ns = stamp();
      e->size = (uint64_t)n;
      memcpy(e + 1, ip, 8 * (uint64_t)n);
      publish(e, STACK, size);
      keep_stack(t, key, id);
    }
  }
  unlock();
  return id;
}

// Forgets what is known of code, as other code may be mapped in its place now.
static void forget_code(void) {
  struct stacks *t = new_stacks(1 << 14);
  lock();
  atomic_store(&known, NULL);
  forget_rules();
  if (t) atomic_store_explicit(&stacks, t, memory_order_release);
  unlock();
}

// ---- Samples: at distances in bytes that are distributed exponentially, so that each byte has the same chance.

// Most blocks are neither sampled nor looked at: a subtraction and a branch find those that are. All take that branch
// where all are reported, where blocks are counted, and before a thread has its first distance, as left is 0 there.

static uint64_t *left(void) { return T.held ? &T.kept : &T.left; }

// Holds left at 0, so that what is allocated meanwhile is noted.
static inline void hold(void) {
  if (T.held++) return;
  T.kept = T.left;
  T.left = 0;
}
static inline void let(void) {
  if (!--T.held) T.left = T.kept;
}

// Takes n off left, unless that uses it up, which it reports.
static inline int spend(uint64_t n) {
  int over;
#if defined(__x86_64__)
  __asm__("cmpq %2, %1" : "=@ccbe"(over) : "m"(T.left), "r"(n)); // compilers take two instructions more
#else
  over = T.left <= n;
#endif
  if (unlikely(over)) return 1;
  T.left -= n;
  return 0;
}

static void choose_distance(void) {
  T.shift = atomic_load_explicit(&R->shift, memory_order_relaxed) & 31;
  uint64_t x = T.rng;
  if (!x) x = mix(now() ^ (uint64_t)(uintptr_t)&T ^ (uint64_t)R->pid << 40) | 1;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  T.rng = x;
  uint64_t r = ((x * 0x2545F4914F6CDD1Du) >> 11) + 1; // 1 … 2^53
  int e = 63 - __builtin_clzll(r);
  double m = (double)r / (double)(1ull << e), y = (m - 1) / (m + 1), y2 = y * y; // ln m = 2 atanh y
  double ln = 2 * y * (1 + y2 * (1. / 3 + y2 * (1. / 5 + y2 * (1. / 7 + y2 * (1. / 9 + y2 / 11))))) + (e - 53) * 0.6931471805599453;
  // Of blocks the period is in parts of 2^-20.
  if (flags & COUNTED) T.blocks = (uint64_t)(-ln * (double)period / (1 << 20)) + 1;
  else *left() = (uint64_t)(-ln * (double)(period << T.shift)) + 1;
}

// Takes a block off the distance to the next sample, and reports whether that is reached.
static int reached(size_t n) {
  uint64_t *to = flags & COUNTED ? &T.blocks : left(), step = flags & COUNTED ? 1 : n;
  if (step >= *to) return 1;
  *to -= step;
  return 0;
}

// Addresses to be told of when they are freed: in a table under the lock, and how many of them fall in each slot of a
// filter that frees look at without it.
enum { SLOTS = 1 << 16 };
static _Atomic uint8_t filter[SLOTS];
static inline uint32_t slot(uintptr_t p) { return (uint16_t)(p >> 6); } // neighbors share a line of the cache

struct set { uint64_t *key, cap, used, live; }; // of keys 0 is empty, 1 was taken out
static struct set sampled; // blocks that live

static int grow_set(struct set *s) {
  uint64_t cap = s->live * 4 > s->cap ? s->cap * 2 : s->cap, *old = s->key, n = s->cap;
  if (!cap) cap = 4096;
  uint64_t *key = pages(cap * 8);
  if (!key) return 0;
  *s = (struct set){key, cap, s->live, s->live};
  for (uint64_t i = 0; i < n; i++) if (old[i] > 1) {
    uint64_t at = mix(old[i]) & (cap - 1);
    while (key[at]) at = (at + 1) & (cap - 1);
    key[at] = old[i];
  }
  if (old) munmap(old, n * 8);
  return 1;
}

static int keep(struct set *s, uint64_t p) {
  if (s->used * 2 >= s->cap && !grow_set(s)) return 0;
  uint64_t i = mix(p) & (s->cap - 1);
  while (s->key[i] > 1) i = (i + 1) & (s->cap - 1);
  s->used += s->key[i] == 0;
  s->live++;
  s->key[i] = p;
  _Atomic uint8_t *c = &filter[slot(p)];
  if (*c < 255) atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
  return 1;
}

static uint64_t *find_key(struct set *s, uint64_t p) {
  if (!s->cap) return NULL;
  for (uint64_t i = mix(p) & (s->cap - 1); s->key[i]; i = (i + 1) & (s->cap - 1))
    if (s->key[i] == p) return &s->key[i];
  return NULL;
}

static int has(struct set *s, uint64_t p) { return find_key(s, p) != NULL; }

static int drop(struct set *s, uint64_t p) {
  uint64_t *k = find_key(s, p);
  if (!k) return 0;
  *k = 1;
  s->live--;
  _Atomic uint8_t *c = &filter[slot(p)];
  if (*c < 255) atomic_fetch_sub_explicit(c, 1, memory_order_relaxed);
  return 1;
}

// Reports whether a block may be one to be told of. It is no atomic read, for which compilers take an instruction more:
// who frees a block has it from the thread that was given it, and so sees what that wrote.
static inline int watched(void *p) { return ((const uint8_t *)filter)[slot((uintptr_t)p)]; }

// Where frames of Python are read, in python.h.
static int any_stack(struct caller, uint64_t *, int);
static void forget_python_code(uint64_t);
static void maybe_ask(void);

// ---- Events

static void begin_thread(void) {
  uint32_t id = atomic_fetch_add(&R->threads, 1) + 1;
  T.id = id > 65535 ? 65535 : id;
  struct event *e = reserve(2 * GRAIN, 0);
  if (!e) return;
  e->id = (uint32_t)syscall(SYS_gettid);
  e->ns = stamp();
  e->addr = T.id;
  e->size = 0;
  publish(e, THREAD, 2 * GRAIN);
}

static __attribute__((noinline)) void report_alloc(void *p, size_t n, struct caller from, uint32_t shift) {
  uint64_t ip[most_frames];
  int e0 = errno;
  maybe_ask();
  T.busy++;
  if (unlikely(!T.id)) begin_thread();
  uint32_t id = stack_id(ip, any_stack(from, ip, (int)most_frames));
  int sampling = !(flags & FULL);
  if (sampling) {
    lock();
    if (!keep(&sampled, (uintptr_t)p)) { unlock(); goto lost; }
  }
  struct event *e = reserve(GRAIN, 1);
  if (e) {
    e->id = id;
    e->ns = stamp();
    e->addr = (uintptr_t)p;
    e->size = n | (uint64_t)shift << 56;
    publish(e, ALLOC, GRAIN);
  } else if (sampling) drop(&sampled, (uintptr_t)p);
  if (sampling) unlock();
  if (!e) lost: atomic_fetch_add_explicit(&R->lost_allocs, 1, memory_order_relaxed);
  T.busy--;
  errno = e0;
}

static inline int quiet(void) { return unlikely(!*on) || T.busy; }

// Reports that a block is freed, unless it was not sampled, and whether it did.
static __attribute__((noinline)) int report_free(void *p) {
  T.gave = (uintptr_t)p;
  if (quiet()) return 0;
  int e0 = errno;
  T.busy++;
  int sampling = !(flags & FULL), ours = 1, locked = sampling || watched(p);
  if (unlikely(!T.id)) begin_thread();
  if (locked) {
    lock();
    if (sampling) ours = drop(&sampled, (uintptr_t)p);
    forget_python_code((uintptr_t)p);
  }
  if (ours) {
    struct event *e = reserve(GRAIN, 0);
    if (e) {
      e->id = 0;
      e->ns = stamp();
      e->addr = (uintptr_t)p;
      e->size = 0;
      publish(e, FREE, GRAIN);
    } else atomic_fetch_add_explicit(&R->lost_frees, 1, memory_order_relaxed);
  }
  if (locked) unlock();
  T.busy--;
  errno = e0;
  return ours;
}

static inline int gives(void *p) {
  return flags & FULL || unlikely(watched(p)) ? report_free(p) : 0;
}

// Reports an allocation, if it is one to report.
static __attribute__((noinline)) void took(void *p, size_t n, struct caller from) {
  T.got = (uintptr_t)p;
  if (unlikely(!*on) && __atomic_load_n(&R, __ATOMIC_ACQUIRE)) *left() = UINT64_MAX; // nobody records, for good
  if (quiet()) return;
  if (flags & FULL) report_alloc(p, n, from, 0);
  if (flags & FULL || !reached(n)) return;
  uint32_t shift = T.shift;
  int first = !T.rng; // of the thread: there was no distance yet
  choose_distance();
  if (first && !reached(n)) return;
  if (first) {
    shift = T.shift;
    choose_distance();
  }
  report_alloc(p, n, from, shift);
}

// ---- The malloc family

static void *(*r_malloc)(size_t);
static void *(*r_calloc)(size_t, size_t);
static void *(*r_realloc)(void *, size_t);
static void (*r_free)(void *);
static void early_free(void *);
static void (*unwatched_free)(void *) = early_free; // what frees blocks that no one waits for
static int (*r_posix_memalign)(void **, size_t, size_t);
static void *(*r_aligned_alloc)(size_t, size_t);
static void *(*r_memalign)(size_t, size_t);
static void *(*r_valloc)(size_t);
static void *(*r_pvalloc)(size_t);
static size_t (*r_usable)(void *);
static int (*r_dlclose)(void *);

static void attach(void);
static int is_own(struct dl_phdr_info *);

// The functions that this library stands before are looked up in the modules after it, without dlsym, which allocates,
// and which older C libraries have elsewhere; in all others where the library was attached.
static int attached;

static uint64_t table_at(uint64_t bias, uint64_t p) { return p < bias ? p + bias : p; } // the loader may have added it

static int gnu_hash_find(const uint32_t *h, const ElfW(Sym) *sym, const char *str, const char *name, const ElfW(Sym) **found) {
  uint32_t hash = 5381;
  for (const char *c = name; *c; c++) hash = hash * 33 + (uint8_t)*c;
  uint32_t buckets = h[0], first = h[1], bloom = h[2];
  const uint32_t *bucket = h + 4 + bloom * (sizeof(void *) / 4), *chain = bucket + buckets;
  if (!buckets) return 0;
  for (uint32_t i = bucket[hash % buckets]; i >= first; i++) {
    if ((chain[i - first] | 1) == (hash | 1) && !strcmp(str + sym[i].st_name, name) && sym[i].st_shndx && sym[i].st_value) { *found = &sym[i]; return 1; }
    if (chain[i - first] & 1) break;
  }
  return 0;
}

static int sysv_hash_find(const uint32_t *h, const ElfW(Sym) *sym, const char *str, const char *name, const ElfW(Sym) **found) {
  for (uint32_t i = 1; i < h[1]; i++)
    if (sym[i].st_shndx && sym[i].st_value && !strcmp(str + sym[i].st_name, name)) { *found = &sym[i]; return 1; }
  return 0;
}

struct wanted { const char *name; int passed; uint64_t at, size; }; // passed: this library, or no matter which

static int find_in(struct dl_phdr_info *i, size_t size, void *arg) {
  struct wanted *w = arg;
  const ElfW(Dyn) *d = NULL;
  (void)size;
  int own = is_own(i);
  w->passed |= own;
  if (!w->passed || own) return 0; // up to this library
  for (int k = 0; k < i->dlpi_phnum; k++)
    if (i->dlpi_phdr[k].p_type == PT_DYNAMIC) d = (const void *)(i->dlpi_addr + i->dlpi_phdr[k].p_vaddr);
  if (!d) return 0;
  uint64_t sym = 0, str = 0, gnu = 0, sysv = 0, bias = i->dlpi_addr;
  const ElfW(Sym) *found = NULL;
  for (; d->d_tag; d++) switch (d->d_tag) {
    case DT_SYMTAB: sym = table_at(bias, d->d_un.d_ptr); break;
    case DT_STRTAB: str = table_at(bias, d->d_un.d_ptr); break;
    case DT_GNU_HASH: gnu = table_at(bias, d->d_un.d_ptr); break;
    case DT_HASH: sysv = table_at(bias, d->d_un.d_ptr); break;
    }
  if (!sym || !str) return 0;
  if (gnu ? gnu_hash_find((void *)gnu, (void *)sym, (void *)str, w->name, &found) : sysv && sysv_hash_find((void *)sysv, (void *)sym, (void *)str, w->name, &found)) {
    w->at = bias + found->st_value;
    w->size = found->st_size;
    return 1;
  }
  return 0;
}

static void find_one(void *to, const char *name) {
  struct wanted w = {.name = name, .passed = attached};
  dl_iterate_phdr(find_in, &w);
  *(void **)to = (void *)w.at;
}

static void resolve(void) {
  find_one(&r_calloc, "calloc");
  find_one(&r_realloc, "realloc");
  find_one(&r_free, "free");
  find_one(&r_posix_memalign, "posix_memalign");
  find_one(&r_aligned_alloc, "aligned_alloc");
  find_one(&r_memalign, "memalign");
  find_one(&r_valloc, "valloc");
  find_one(&r_pvalloc, "pvalloc");
  find_one(&r_usable, "malloc_usable_size");
  find_one(&r_malloc, "malloc");
}

static int ready(void) {
  if (unlikely(!r_malloc)) resolve();
  if (unlikely(!R)) attach();
  return r_malloc != NULL;
}

// Other allocators call one another by their public names: what they give within is not reported as well.
#define WITHIN(call) ({ T.busy++; hold(); __typeof__(call) r_ = (call); let(); T.busy--; r_; })

// What nearly every call does is a few instructions, and a jump to the function that this one stands before. The rest is
// in functions that are jumped to as well, so that they find the caller's frame.
#define REST static __attribute__((noinline, noclone))

REST void *noted_malloc(size_t n) {
  if (unlikely(!R) && !ready()) return NULL;
  void *p = r_malloc(n);
  if (p) took(p, n, CALLER);
  return p;
}

EXPORT void *malloc(size_t n) {
  return spend(n) ? noted_malloc(n) : r_malloc(n);
}

REST void *noted_calloc(size_t a, size_t b) {
  if (unlikely(!R) && !ready()) return NULL;
  void *p = WITHIN(r_calloc(a, b));
  if (p) took(p, a * b, CALLER);
  return p;
}

EXPORT void *calloc(size_t a, size_t b) {
  size_t n;
  if (__builtin_mul_overflow(a, b, &n)) { errno = ENOMEM; return NULL; }
  return spend(n) ? noted_calloc(a, b) : WITHIN(r_calloc(a, b));
}

static void early_free(void *p) {
  if (R || ready()) r_free(p);
}

static void reported_free(void *p) { // where all are
  if (p) report_free(p);
  r_free(p);
}

REST void watched_free(void *p) {
  if (p) report_free(p);
  r_free(p);
}

EXPORT void free(void *p) {
  if (likely(!watched(p))) unwatched_free(p);
  else watched_free(p);
}

EXPORT void *realloc(void *q, size_t n) {
  if (unlikely(!R) && !ready()) return NULL;
  T.gave = (uintptr_t)q;
  int gone = q && gives(q);
  void *p = WITHIN(r_realloc(q, n));
  T.got = (uintptr_t)p;
  if (p && spend(n)) took(p, n, CALLER);
  else if (!p && gone && n && r_usable) report_alloc(q, r_usable(q), CALLER, T.shift); // it stays
  return p;
}

EXPORT int posix_memalign(void **out, size_t a, size_t n) {
  if (unlikely(!R) && !ready()) return ENOMEM;
  int rc = WITHIN(r_posix_memalign(out, a, n));
  if (!rc && *out) took(*out, n, CALLER);
  return rc;
}

#define ALIGNED(name, params, args) \
  EXPORT void *name params { \
    if (unlikely(!R) && !ready()) return NULL; \
    void *p = WITHIN(r_##name args); \
    if (p) took(p, n, CALLER); \
    return p; \
  }
ALIGNED(aligned_alloc, (size_t a, size_t n), (a, n))
ALIGNED(memalign, (size_t a, size_t n), (a, n))
ALIGNED(valloc, (size_t n), (n))
ALIGNED(pvalloc, (size_t n), (n))

EXPORT int dlclose(void *h) {
  if (unlikely(!R)) ready();
  if (!r_dlclose) find_one(&r_dlclose, "dlclose");
  if (!r_dlclose) return -1;
  int rc = r_dlclose(h);
  if (*on && !T.busy) {
    T.busy++;
    if (!unchanged(atomic_load_explicit(&known, memory_order_acquire))) forget_code();
    T.busy--;
  }
  return rc;
}

static struct ring idle; // of processes that are not recorded

#include "python.h"

static char beside[108]; // the path of the recorder's socket where this library was attached
#include "attach.h"

// ---- Start

// Asks the recorder, at the socket that the environment names, for a ring. It gives one to the process that it
// started, whatever that executes, and to children if it follows them.
static int ask_for_ring(void) {
  const char *path = attached ? beside : getenv("MEMTUI_RECORDER");
  struct sockaddr_un a = {.sun_family = AF_UNIX};
  if (!path || strlen(path) >= sizeof a.sun_path) return -1;
  strcpy(a.sun_path, path);
  int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), fd = -1;
  if (s < 0) return -1;
  struct timeval patience = {5, 0};
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  uint32_t hello[2] = {RING_MAGIC, VERSION};
  union { struct cmsghdr h; char room[CMSG_SPACE(sizeof fd)]; } control;
  char byte;
  struct iovec v = {&byte, 1};
  struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  if (!connect(s, (struct sockaddr *)&a, sizeof a) && send(s, hello, sizeof hello, MSG_NOSIGNAL) == sizeof hello && recvmsg(s, &m, MSG_CMSG_CLOEXEC) == 1) {
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(c), sizeof fd);
  }
  close(s);
  return fd;
}

static struct ring *map_ring(int fd) {
  struct ring *r = mmap(NULL, HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (r == MAP_FAILED) return NULL;
  uint64_t n = r->size;
  uint8_t *a = r->magic == RING_MAGIC && r->version == VERSION ? mmap(NULL, n * 2, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  kept = pages(RULES * sizeof *kept);
  struct stacks *t = new_stacks(1 << 14), *f = new_stacks(1 << 12);
  if (a == MAP_FAILED || !kept || !t || !f || mmap(a, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, HEAD) == MAP_FAILED ||
      mmap(a + n, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, HEAD) == MAP_FAILED) {
    munmap(r, HEAD);
    return NULL;
  }
  _Atomic int *page = pages(4096);
  if (page) madvise(page, 4096, MADV_WIPEONFORK);
  on = page ? page : &off;
  data = a;
  mask = n - 1;
  period = r->period;
  flags = r->flags;
  most_frames = r->frames < MAX_FRAMES ? r->frames : MAX_FRAMES;
  atomic_store(&stacks, t);
  atomic_store(&frames, f);
  return r;
}

extern char **environ;
static _Atomic int attaching;

static void begin(void) {
  int fd = ask_for_ring();
  struct ring *r = fd < 0 ? NULL : map_ring(fd);
  if (fd >= 0) close(fd);
  unwatched_free = r && flags & FULL ? reported_free : r_free;
  if (r) {
    r->pid = (uint32_t)getpid();
    atomic_store(&r->ready, 1);
    *on = 1;
  }
  __atomic_store_n(&R, r ? r : &idle, __ATOMIC_RELEASE); // now other threads see it
}

// What a forked child has inherited is its parent's: it asks for a ring of its own.
static int forking;
static void before_fork(void) {
  if ((forking = *on)) lock();
}
static void in_parent(void) {
  if (forking) unlock();
}
static void in_child(void) {
  if (!forking) return;
  *on = 0;
  the_lock = 0;
  T = (struct thread){0};
  T.busy = 1;
  memset((void *)filter, 0, sizeof filter);
  memset(&sampled, 0, sizeof sampled);
  last_stack = 0;
  reported = NULL;
  munmap(R, HEAD);
  munmap(data, 2 * (mask + 1));
  begin();
  python_in_child();
  T.busy = 0;
}

static void attach(void) {
  int e0 = errno;
  if (!environ || atomic_exchange(&attaching, 1)) return; // too early, or another thread does, or this one within itself
  T.busy++;
  begin();
  T.busy--;
  errno = e0;
}

__attribute__((constructor)) static void start(void) {
  int (*atfork)(void (*)(void), void (*)(void), void (*)(void)) = NULL; // older C libraries have it only as a static function
  int (*registered)(void (*)(void), void (*)(void), void (*)(void), void *) = NULL;
  attached = was_attached();
  if (attached) { // the malloc family is called from here on
    find_one(&r_dlclose, "dlclose");
    find_one(&r_dlopen, "dlopen");
  }
  ready();
  if (R == &idle) return;
  if (attached) replace_all();
  find_python();
  find_one(&registered, "__register_atfork");
  find_one(&atfork, "pthread_atfork");
  if (registered) registered(before_fork, in_parent, in_child, NULL);
  else if (atfork) atfork(before_fork, in_parent, in_child);
}
