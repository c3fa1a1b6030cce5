// Loaded into a program that runs already, the hook stands before no other library. So it writes its functions into
// the tables by which the modules of the program call the malloc family (GOT), and into those of modules that are
// loaded later.

#define OWN(name) extern __typeof__(name) own_##name __attribute__((alias(#name), visibility("hidden"), copy(name)))
OWN(malloc); OWN(calloc); OWN(realloc); OWN(free); OWN(posix_memalign); OWN(aligned_alloc); OWN(memalign); OWN(valloc); OWN(pvalloc); OWN(dlclose);

static void *(*r_dlopen)(const char *, int);
static void *own_dlopen(const char *, int);

static const struct { const char *name; void *own; void *real; } replaced[] = { // real: a pointer to where the function is
  {"malloc", own_malloc, &r_malloc}, {"calloc", own_calloc, &r_calloc}, {"realloc", own_realloc, &r_realloc}, {"free", own_free, &r_free},
  {"posix_memalign", own_posix_memalign, &r_posix_memalign}, {"aligned_alloc", own_aligned_alloc, &r_aligned_alloc}, {"memalign", own_memalign, &r_memalign},
  {"valloc", own_valloc, &r_valloc}, {"pvalloc", own_pvalloc, &r_pvalloc}, {"dlclose", own_dlclose, &r_dlclose}, {"dlopen", own_dlopen, &r_dlopen},
};
enum { REPLACED = sizeof replaced / sizeof replaced[0] };

#if defined(__x86_64__)
enum { CALLS = R_X86_64_JUMP_SLOT, NAMES = R_X86_64_GLOB_DAT, POINTS = R_X86_64_64 };
#else
enum { CALLS = R_AARCH64_JUMP_SLOT, NAMES = R_AARCH64_GLOB_DAT, POINTS = R_AARCH64_ABS64 };
#endif

// What the tables of a module need: where they are, and which pages the loader has made read-only.
struct tables {
  uint64_t bias, lo, hi, sealed, sealed_end;
  const ElfW(Sym) *sym;
  const char *str;
  const ElfW(Rela) *list[2];
  uint64_t bytes[2];
};

static int tables_of(struct dl_phdr_info *i, struct tables *t) {
  const ElfW(Dyn) *d = NULL;
  uint64_t page = (uint64_t)getpagesize();
  *t = (struct tables){.bias = i->dlpi_addr};
  span_of(i, &t->lo, &t->hi);
  for (int k = 0; k < i->dlpi_phnum; k++) {
    const ElfW(Phdr) *p = &i->dlpi_phdr[k];
    if (p->p_type == PT_DYNAMIC) d = (const void *)(t->bias + p->p_vaddr);
    if (p->p_type == PT_GNU_RELRO) {
      t->sealed = (t->bias + p->p_vaddr) & ~(page - 1);
      t->sealed_end = (t->bias + p->p_vaddr + p->p_memsz) & ~(page - 1);
    }
  }
  for (; d && d->d_tag; d++) switch (d->d_tag) {
    case DT_SYMTAB: t->sym = (const void *)table_at(t->bias, d->d_un.d_ptr); break;
    case DT_STRTAB: t->str = (const void *)table_at(t->bias, d->d_un.d_ptr); break;
    case DT_RELA: t->list[0] = (const void *)table_at(t->bias, d->d_un.d_ptr); break;
    case DT_RELASZ: t->bytes[0] = d->d_un.d_val; break;
    case DT_JMPREL: t->list[1] = (const void *)table_at(t->bias, d->d_un.d_ptr); break;
    case DT_PLTRELSZ: t->bytes[1] = d->d_un.d_val; break;
    }
  return t->sym && t->str;
}

// Writes a function into a table, on a page that may be read-only.
static void put(const struct tables *t, uint64_t slot, void *own) {
  uint64_t size = (uint64_t)getpagesize(), page = slot & ~(size - 1);
  int sealed = page >= t->sealed && page < t->sealed_end;
  if (sealed && mprotect((void *)page, size, PROT_READ | PROT_WRITE)) return;
  __atomic_store_n((void **)slot, own, __ATOMIC_RELEASE);
  if (sealed) mprotect((void *)page, size, PROT_READ);
}

static void replace_in(const struct tables *t, const ElfW(Rela) *r) {
  uint64_t type = ELF64_R_TYPE(r->r_info), slot = t->bias + r->r_offset;
  if ((type != CALLS && type != NAMES && type != POINTS) || slot & 7 || slot < t->lo || slot + 8 > t->hi) return;
  const char *name = t->str + t->sym[ELF64_R_SYM(r->r_info)].st_name;
  for (int k = 0; k < REPLACED; k++) {
    void *now = __atomic_load_n((void **)slot, __ATOMIC_ACQUIRE), *real = *(void *const *)replaced[k].real;
    if (strcmp(name, replaced[k].name) || !real || now == replaced[k].own) continue;
    if (type == POINTS && now != real) continue;
    if (!now || (t->bias && (uintptr_t)now < t->hi - t->bias)) continue; // it is not relocated yet
    put(t, slot, replaced[k].own);
  }
}

static int is_own(struct dl_phdr_info *i) {
  uint64_t lo, hi;
  span_of(i, &lo, &hi);
  return (uintptr_t)&is_own >= lo && (uintptr_t)&is_own < hi;
}

static int replace_one(struct dl_phdr_info *i, size_t size, void *arg) {
  struct tables t;
  (void)size, (void)arg;
  if (is_own(i) || !tables_of(i, &t)) return 0;
  for (int k = 0; k < 2; k++)
    for (uint64_t n = 0; t.list[k] && n < t.bytes[k] / sizeof *t.list[k]; n++) replace_in(&t, &t.list[k][n]);
  return 0;
}

static void replace_all(void) {
  T.busy++;
  dl_iterate_phdr(replace_one, NULL);
  T.busy--;
}

// Whether the loader searches the folders of a module for libraries.
struct searched { uint64_t pc; int folders; };
static int searched_one(struct dl_phdr_info *i, size_t size, void *arg) {
  struct searched *s = arg;
  uint64_t lo, hi;
  (void)size;
  span_of(i, &lo, &hi);
  if (s->pc < lo || s->pc >= hi) return 0;
  for (int k = 0; k < i->dlpi_phnum; k++) {
    const ElfW(Dyn) *d = (const void *)(i->dlpi_addr + i->dlpi_phdr[k].p_vaddr);
    if (i->dlpi_phdr[k].p_type != PT_DYNAMIC) continue;
    for (; d->d_tag; d++) s->folders |= d->d_tag == DT_RUNPATH || d->d_tag == DT_RPATH;
  }
  return 1;
}
static __attribute__((noinline)) int searched(uint64_t pc) {
  struct searched s = {pc, 0};
  dl_iterate_phdr(searched_one, &s);
  return s.folders;
}

// The loader searches a library by the folders of the module that calls dlopen: where that has some, it is called as if
// by that module, and what it loads is seen to when the next one is loaded. Tables are written when no thread loads.
static _Atomic int loading;
static void *own_dlopen(const char *name, int how) {
  if (name && !strchr(name, '/') && searched((uintptr_t)__builtin_return_address(0))) return r_dlopen(name, how);
  atomic_fetch_add(&loading, 1);
  void *h = r_dlopen(name, how);
  if (atomic_fetch_sub(&loading, 1) == 1 && h && *on) replace_all();
  return h;
}

// The name by which this library was loaded tells whether it was attached: then the socket is next to it.
static int path_one(struct dl_phdr_info *i, size_t size, void *arg) {
  (void)size;
  if (!is_own(i)) return 0;
  *(const char **)arg = i->dlpi_name;
  return 1;
}

static int was_attached(void) {
  static const char own[] = "/memtui-attach.so", socket[] = "/socket";
  const char *path = NULL;
  dl_iterate_phdr(path_one, &path);
  uint64_t n = path ? strlen(path) : 0, folder = n - (sizeof own - 1);
  if (n < sizeof own || strcmp(path + folder, own) || folder + sizeof socket > sizeof beside) return 0;
  memcpy(beside, path, folder);
  memcpy(beside + folder, socket, sizeof socket);
  return 1;
}
