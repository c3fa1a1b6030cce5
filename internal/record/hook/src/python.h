// Python: what CPython's own allocators give and take, and the frames of Python code as stacks. No header of Python is
// needed: functions are found by name, and the layouts that are read are those of each version. Before any frame is
// read, all of them are compared with what Python itself says of its frames, at a moment when it may be asked.
//
// The allocators for memory and objects are wrapped before Python starts, without Python code, so that it makes no
// difference how Python is started, or by which program. Its third one calls malloc, which is seen anyway. In a program
// that runs already they are wrapped between two instructions of Python, where no thread is in them.

#define PY_FRAME (1ull << 63) // in a stack: the number of a frame of Python, not an address

enum { PY_NONE, PY_FOUND, PY_FRAMES, PY_DEBUG, PY_FREE_THREADED, PY_OLD, PY_UNKNOWN }; // as ring.go has it
enum { WAITING = 1, ASKED, VERIFIED, REFUSED };

struct allocator { // PyMemAllocatorEx
  void *ctx;
  void *(*malloc)(void *, size_t);
  void *(*calloc)(void *, size_t, size_t);
  void *(*realloc)(void *, void *, size_t);
  void (*free)(void *, void *);
};

static struct {
  _Atomic int state;
  int minor, wrapped, layers; // wrapped: our allocators were called
  // Offsets: of the frame in the thread's state, maybe by one step more; in frames; in code; in text.
  uint32_t frame, step, code, back, instr, lasti, scale, owner, adaptive, file, name, ascii, wide, kind;
  uint64_t code_type; // all code objects are of it
  uint64_t eval, eval_end; // the interpreter's loop
  const char *(*version)(void);
  int (*initialized)(void);
  void *(*current)(void), *(*own)(void); // thread states
  void (*get)(int, struct allocator *), (*set)(int, struct allocator *);
  int (*pending)(int (*)(void *), void *);
  int (*line)(void *, int);
  // What Python is asked once.
  void *(*top)(void), *(*attribute)(void *, const char *), *(*text)(const char *), *(*allocate)(size_t);
  void (*release)(void *), (*forget_error)(void), (*deallocate)(void *);
  const char *(*utf8)(void *, int64_t *);
  long (*number)(void *);
} P;

enum { LAYERS = 2 };
static struct allocator python_layers[LAYERS][3]; // what was wrapped: before Python began, and later if it chose others

// ---- Frames

enum { CACHED = 1 << 16, GENERATIONS = 1 << 12, MOST_TEXT = 1000, HIDDEN = (1 << 24) - 1 };
static _Atomic uint64_t cached_frames[CACHED]; // 40 bits of a hash, 24 of a frame's number
static _Atomic uint32_t generations[GENERATIONS]; // by the address of code: counts code that is gone
static struct set codes; // addresses of code whose frames are cached
static _Atomic(struct stacks *) frames;
static uint32_t last_frame;

struct text { const uint8_t *at; uint64_t n; uint32_t kind; };

static inline uint64_t py_word(uint64_t p) { return *(uint64_t *)p; }

static struct text text_of(uint64_t o) {
  uint32_t state = *(uint32_t *)(o + 32), kind = state >> P.kind & 7, compact = state >> (P.kind + 3) & 1, ascii = state >> (P.kind + 4) & 1;
  uint64_t n = py_word(o + 16);
  if (!compact || (kind != 1 && kind != 2 && kind != 4)) return (struct text){(const uint8_t *)"?", 1, 1};
  return (struct text){(const uint8_t *)o + (ascii ? P.ascii : P.wide), n < MOST_TEXT ? n : MOST_TEXT, kind};
}

static uint32_t letter(struct text t, uint64_t i) {
  uint32_t c = 0;
  memcpy(&c, t.at + i * t.kind, t.kind);
  return c;
}

// Writes text as UTF-8, unless to is NULL, and returns its length.
static uint64_t put_text(uint8_t *to, struct text t) {
  uint64_t n = 0;
  for (uint64_t i = 0; i < t.n; i++) {
    uint32_t c = letter(t, i), more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t first[4] = {0, 0xc0, 0xe0, 0xf0};
    if (to) {
      to[n] = (uint8_t)(first[more] | c >> 6 * more);
      for (uint32_t k = 1; k <= more; k++) to[n + k] = (uint8_t)(0x80 | (c >> 6 * (more - k) & 63));
    }
    n += more + 1;
  }
  return n;
}

static uint64_t hash_text(uint64_t h, struct text t) {
  for (uint64_t i = 0; i < t.n; i++) h = (h ^ letter(t, i)) * 0x9e3779b97f4a7c15u;
  return mix(h ^ t.n);
}

static int same_text(struct text t, const char *s) {
  uint64_t i = 0;
  while (i < t.n && s[i] && letter(t, i) == (uint8_t)s[i]) i++;
  return i == t.n && !s[i];
}

static uint32_t report_frame(uint64_t key, struct text file, struct text name, int line) { // the lock is held
  struct stacks *t = atomic_load_explicit(&frames, memory_order_relaxed);
  uint32_t id = find_stack(t, key);
  if (id || last_frame >= HIDDEN - 1 || (t->used * 2 >= t->cap && !(t = grown(&frames)))) return id;
  uint64_t nf = put_text(NULL, file), nn = put_text(NULL, name), size = padded(GRAIN + nf + nn);
  struct event *e = reserve(size, 0);
  if (!e) return 0;
  e->id = id = ++last_frame;
  e->ns = stamp();
  e->addr = nf | nn << 32;
  e->size = line > 0 ? (uint64_t)line : 0;
  put_text((uint8_t *)(e + 1), file);
  put_text((uint8_t *)(e + 1) + nf, name);
  publish(e, PYFRAME, size);
  keep_stack(t, key, id);
  return id;
}

// Returns the number of a frame that was not met lately, 0 where there is no room to report it.
static __attribute__((noinline)) uint32_t new_frame(uint64_t code, int lasti) {
  if (*(int32_t *)code == 0 || !py_word(code + P.file) || !py_word(code + P.name)) return HIDDEN; // it is being freed
  struct text file = text_of(py_word(code + P.file)), name = text_of(py_word(code + P.name));
  if (same_text(file, "<shim>")) return HIDDEN; // Python's own glue
  int line = P.line((void *)code, lasti);
  uint64_t key = hash_text(hash_text((uint64_t)(uint32_t)line + 1, file), name) | 2;
  lock();
  uint32_t id = report_frame(key, file, name, line);
  if (!has(&codes, code) && !keep(&codes, code)) id = 0;
  unlock();
  return id;
}

static inline uint32_t frame_number(uint64_t code, int lasti) {
  uint64_t h = (code ^ (uint64_t)(uint32_t)lasti << 40) * 0x9e3779b97f4a7c15u + atomic_load_explicit(&generations[code >> 4 & (GENERATIONS - 1)], memory_order_relaxed);
  h = mix(h);
  _Atomic uint64_t *c = &cached_frames[h & (CACHED - 1)];
  uint64_t tag = h & ~(uint64_t)HIDDEN, v = atomic_load_explicit(c, memory_order_acquire);
  if (likely((v & ~(uint64_t)HIDDEN) == tag && v & HIDDEN)) return v & HIDDEN;
  uint32_t id = new_frame(code, lasti);
  if (id) atomic_store_explicit(c, tag | id, memory_order_release);
  return id;
}

// Forgets the frames of code that is freed; the lock is held.
static void forget_python_code(uint64_t p) {
  if (drop(&codes, p)) atomic_fetch_add_explicit(&generations[p >> 4 & (GENERATIONS - 1)], 1, memory_order_relaxed);
}

static void python_in_child(void) { // whose recorder knows no frame yet
  if (!P.state) return;
  memset((void *)cached_frames, 0, sizeof cached_frames);
  memset(&codes, 0, sizeof codes);
  last_frame = 0;
  if (P.state == ASKED) P.state = WAITING;
  if (P.state == VERIFIED) atomic_store(&R->python, PY_FRAMES);
}

// Returns the state of this thread, NULL unless it holds the lock of the interpreter.
static inline uint64_t thread_state(void) {
  void *t = P.current();
  return t && (!P.own || t == P.own()) ? (uint64_t)t : 0;
}

// Writes the frames of Python in this thread, innermost first, and returns how many.
static int walk_python(uint64_t *ip, int most) {
  uint64_t t = thread_state(), f;
  int n = 0;
  if (!t || !(f = py_word(t + P.frame)) || (P.step != ~0u && !(f = py_word(f + P.step)))) return 0;
  for (int i = 0; f && n < most && i < 1 << 16; i++, f = py_word(f + P.back)) {
    uint64_t code = py_word(f + P.code) & ~7ull;
    if (!code || py_word(code + 8) != P.code_type || (P.owner && *(uint8_t *)(f + P.owner) == 3)) continue; // where C calls the interpreter
    int lasti = P.instr ? (int)(py_word(f + P.instr) - code - P.adaptive) : *(int *)(f + P.lasti) * (int)P.scale;
    uint32_t id = frame_number(code, lasti);
    if (id && id != HIDDEN) ip[n++] = PY_FRAME | id;
  }
  return n;
}

// Writes the stack of a call: the frames of Python where there are some, after those that the interpreter called if
// they are wanted, else the native ones.
static int any_stack(struct caller from, uint64_t *ip, int most) {
  if (likely(P.state != VERIFIED)) return walk(from, ip, most);
  if (!(flags & NATIVE)) {
    int n = walk_python(ip, most);
    return n ? n : walk(from, ip, most);
  }
  uint64_t python[MAX_FRAMES];
  int m = walk_python(python, most), n = walk(from, ip, most);
  if (!m) return n;
  for (int i = 0; i < n; i++)
    if (ip[i] >= P.eval && ip[i] < P.eval_end) n = i;
  if (m > most - n) m = most - n;
  memcpy(ip + n, python, 8 * (uint64_t)m);
  return n + m;
}

// ---- The comparison with what Python says. It runs where Python runs what was left for later, between instructions.

static int peek(uint64_t p, uint64_t *v) {
  if (!readable(p)) return 0;
  *v = py_word(p);
  return 1;
}

// Learns the layout of text from text that is known.
static int learn_text(void) {
  static const struct { const char *utf8; uint32_t kind, letter; } known_texts[] = {{"memtui", 1, 'm'}, {"\xc3\xa9t\xc3\xa9", 1, 0xe9}, {"\xe2\x82\xac", 2, 0x20ac}, {"\xf0\x9f\x98\x80", 4, 0x1f600}};
  static const uint32_t kinds[] = {2, 8, 16};
  uint64_t o[4];
  int good = 0, n = 0;
  for (; n < 4; n++) if (!(o[n] = (uint64_t)P.text(known_texts[n].utf8))) break;
  int64_t length;
  const char *at = n == 4 ? P.utf8((void *)o[0], &length) : NULL;
  P.ascii = (uint32_t)((uint64_t)at - o[0]); // text of ASCII is its own UTF-8
  for (int k = 0; at && k < 3 && !good; k++) for (uint32_t wide = 16; wide <= 24 && !good; wide += 8) {
    P.kind = kinds[k];
    P.wide = P.ascii + wide;
    good = P.ascii == 40 || P.ascii == 48;
    for (int i = 0; i < 4 && good; i++) {
      struct text t = text_of(o[i]);
      good = t.kind == known_texts[i].kind && letter(t, 0) == known_texts[i].letter && put_text(NULL, t) == strlen(known_texts[i].utf8);
    }
  }
  while (n > 0) P.release((void *)o[--n]);
  return good;
}

static int equal_text(void *o, struct text t) {
  int64_t n = 0;
  const char *s = P.utf8(o, &n);
  uint8_t have[4 * MOST_TEXT];
  return s && (uint64_t)n <= sizeof have && put_text(NULL, t) == (uint64_t)n && put_text(have, t) && !memcmp(have, s, (uint64_t)n);
}

// Compares what is read of a frame with what Python says, *inner = where the frame is.
static int right_frame(void *f, uint64_t *inner) {
  void *code = P.attribute(f, "f_code"), *line = P.attribute(f, "f_lineno"), *file = NULL, *name = NULL;
  uint64_t have = 0, instr = 0, v = 0;
  int good = code && line;
  *inner = (uint64_t)f;
  good = good && (P.minor <= 10 || peek((uint64_t)f + 24, inner)); // from 3.11 on the object refers to the frame
  good = good && peek(*inner + P.code, &have) && (have & ~7ull) == (uint64_t)code && peek((uint64_t)code + 8, &v) && v == P.code_type;
  if (good && P.instr) good = peek(*inner + P.instr, &instr);
  else if (good) good = readable(*inner + (P.lasti & ~7u));
  if (good) {
    int lasti = P.instr ? (int)(instr - (uint64_t)code - P.adaptive) : *(int *)(*inner + P.lasti) * (int)P.scale;
    long says = P.number(line);
    P.forget_error();
    good = lasti >= -8 && lasti < 1 << 24 && (says <= 0 || P.line(code, lasti) == says);
  }
  if (good) {
    file = P.attribute(code, "co_filename");
    name = P.attribute(code, P.minor >= 11 ? "co_qualname" : "co_name");
    good = file && name && peek((uint64_t)code + P.file, &v) && v == (uint64_t)file && peek((uint64_t)code + P.name, &v) && v == (uint64_t)name &&
      equal_text(file, text_of((uint64_t)file)) && equal_text(name, text_of((uint64_t)name));
  }
  void *all[] = {code, line, file, name};
  for (int i = 0; i < 4; i++) if (all[i]) P.release(all[i]);
  return good;
}

// Finds the frame that runs in the thread's state.
static int right_start(uint64_t inner) {
  uint64_t t = thread_state(), v = 0;
  if (P.frame) return t && peek(t + P.frame, &v) && (P.step == ~0u || peek(v + P.step, &v)) && v == inner;
  for (uint32_t at = 24; t && at < 512; at += 8) if (peek(t + at, &v) && v == inner) {
    P.frame = at;
    return 1;
  }
  return 0;
}

// Reports whether the caller of a frame is found from it, with few of the interpreter's own between.
static int right_back(uint64_t inner, uint64_t caller) {
  for (int i = 0; i < 4; i++) if (!peek(inner + P.back, &inner) || inner == caller) return inner == caller;
  return 0;
}

// Returns 1 if all is as expected, 0 if it is not, -1 where there is nothing to compare yet.
static int right(void) {
  void *f = P.top();
  uint64_t inner = 0, before = 0, type = 0, other = 0;
  int good = f && peek((uint64_t)f + 8, &type) ? learn_text() : -1;
  for (int i = 0; good > 0 && f && i < 64; i++) {
    good = right_frame(f, &inner) && (i ? right_back(before, inner) : right_start(inner));
    before = inner;
    void *back = good ? P.attribute(f, "f_back") : NULL;
    if (i) P.release(f); // the first one was lent
    f = back;
    if (f && !(peek((uint64_t)f + 8, &other) && other == type)) { // None: that was the outermost
      P.release(f);
      break;
    }
  }
  P.forget_error();
  return good;
}

static void wrap(void), quicken(void);

// Runs between instructions of Python.
static int compare(void *unused) {
  int e0 = errno, r;
  (void)unused;
  P.wrapped = 0;
  void *p = P.allocate(16);
  if (p) P.deallocate(p);
  if (!P.wrapped) wrap(); // Python has chosen other allocators since, as with PYTHONMALLOC, or runs already
  r = right();
  P.state = r > 0 ? VERIFIED : r < 0 ? WAITING : REFUSED;
  if (r >= 0) atomic_store(&R->python, r ? PY_FRAMES : PY_UNKNOWN);
  if (r >= 0) quicken();
  errno = e0;
  return 0;
}

static __attribute__((noinline)) void ask_python(void) {
  int e0 = errno, waiting = WAITING;
  if (*on && P.initialized() && thread_state() && atomic_compare_exchange_strong(&P.state, &waiting, ASKED) && P.pending(compare, NULL)) P.state = WAITING;
  errno = e0;
}

static inline void maybe_ask(void) {
  if (unlikely(P.state == WAITING)) ask_python();
}

// ---- The allocators. A block that is malloc's is reported there, and not again. It may lie some bytes before what
// Python gets of it, where Python checks its blocks.
//
// What is not malloc's is reported after it happened: nobody else can get such a block, as this thread holds the lock
// of the interpreter.

enum { MARGIN = 64 };
static inline int of_malloc(uint64_t p, uint64_t malloced) { return p - malloced < MARGIN; }

static void *python_malloc(void *ctx, size_t n) {
  const struct allocator *o = ctx;
  maybe_ask();
  P.wrapped = 1;
  T.got = 0;
  hold();
  void *p = o->malloc(o->ctx, n);
  let();
  if (p && !of_malloc((uintptr_t)p, T.got)) took(p, n, CALLER);
  return p;
}

static void *python_calloc(void *ctx, size_t a, size_t b) {
  const struct allocator *o = ctx;
  maybe_ask();
  T.got = 0;
  hold();
  void *p = o->calloc(o->ctx, a, b);
  let();
  if (p && !of_malloc((uintptr_t)p, T.got)) took(p, a * b, CALLER); // which does not overflow where it was given
  return p;
}

static void *python_realloc(void *ctx, void *q, size_t n) {
  const struct allocator *o = ctx;
  maybe_ask();
  T.got = T.gave = 0;
  hold();
  void *p = o->realloc(o->ctx, q, n);
  let();
  if (!p) return p; // q stays
  uint64_t got = T.got;
  if (q && !of_malloc((uintptr_t)q, T.gave)) gives(q);
  if (of_malloc((uintptr_t)p, got)) return p;
  if (spend(n)) took(p, n, CALLER);
  return p;
}

// Where samples are taken, a block that is malloc's as well is not found there again.
static void sampled_free(void *ctx, void *p) {
  const struct allocator *o = ctx;
  if (unlikely(watched(p)) && p) report_free(p);
  o->free(o->ctx, p);
}

static void python_free(void *ctx, void *p) {
  const struct allocator *o = ctx;
  if (!(flags & FULL)) return sampled_free(ctx, p);
  T.gave = 0;
  o->free(o->ctx, p);
  if (p && !of_malloc((uintptr_t)p, T.gave)) gives(p);
}

static const struct allocator careful = {NULL, python_malloc, python_calloc, python_realloc, python_free};

static struct allocator with(struct allocator a, void *ctx) {
  a.ctx = ctx;
  return a;
}

static void wrap(void) {
  if (P.layers == LAYERS) return;
  int layer = P.layers++;
  for (int domain = 1; domain < 3; domain++) {
    struct allocator *o = &python_layers[layer][domain], ours = with(careful, o);
    P.get(domain, o);
    P.set(domain, &ours);
  }
}

// Where samples are taken by bytes, and Python's own allocator has the small blocks, these do for most blocks what is
// needed by a subtraction. Larger blocks are from malloc, which reports them.

enum { SMALL = 512 };

REST void *noted_quick_malloc(void *ctx, size_t n) {
  const struct allocator *o = ctx;
  void *p = o->malloc(o->ctx, n);
  if (p) took(p, n, CALLER);
  return p;
}

static void *quick_malloc(void *ctx, size_t n) {
  const struct allocator *o = ctx;
  if (n > SMALL) return o->malloc(o->ctx, n);
  return spend(n) ? noted_quick_malloc(ctx, n) : o->malloc(o->ctx, n);
}

REST void *noted_quick_calloc(void *ctx, size_t a, size_t b) {
  const struct allocator *o = ctx;
  void *p = o->calloc(o->ctx, a, b);
  if (p) took(p, a * b, CALLER);
  return p;
}

static void *quick_calloc(void *ctx, size_t a, size_t b) {
  const struct allocator *o = ctx;
  size_t n = a * b;
  if (n > SMALL) return o->calloc(o->ctx, a, b);
  return spend(n) ? noted_quick_calloc(ctx, a, b) : o->calloc(o->ctx, a, b);
}

static const struct allocator quick = {NULL, quick_malloc, quick_calloc, python_realloc, sampled_free};

// Reports whether small blocks of an allocator are not malloc's.
static int plain(const struct allocator *o) {
  T.got = 0;
  hold();
  void *p = o->malloc(o->ctx, SMALL);
  let();
  int yes = p && !of_malloc((uintptr_t)p, T.got);
  o->free(o->ctx, p);
  return yes;
}

// Puts the quick ones in the place of the others, where they do and nobody has wrapped ours.
static void quicken(void) {
  for (int domain = 1; domain < 3 && !(flags & (FULL | COUNTED)); domain++) {
    struct allocator have, ours = with(quick, &python_layers[0][domain]);
    if (!plain(ours.ctx)) continue;
    P.get(domain, &have);
    if (have.malloc == python_malloc && have.ctx == ours.ctx) P.set(domain, &ours);
  }
}

// Finds a function or a variable of Python, and puts its address where to says.
static struct wanted python_symbol(const char *name, void *to) {
  struct wanted w = {.name = name, .passed = 1};
  dl_iterate_phdr(find_in, &w);
  if (to) memcpy(to, &w.at, sizeof w.at);
  return w;
}

// Sets the offsets of a version; those that are not the same in all of them are in a table.
static int know_version(void) {
  static const struct { int minor; uint32_t frame, step, code, back, instr, lasti, scale, owner, file, name; } layouts[] = {
    {8, 24, ~0u, 32, 24, 0, 104, 1, 0, 104, 112},
    {9, 24, ~0u, 32, 24, 0, 104, 1, 0, 104, 112},
    {10, 24, ~0u, 32, 24, 0, 96, 2, 0, 104, 112},
    {11, 56, 8, 32, 48, 56, 0, 0, 0, 112, 128},
    {12, 56, 0, 0, 8, 56, 0, 0, 70, 112, 128},
    {13, 0, ~0u, 0, 8, 56, 0, 0, 70, 112, 128}, // where the frame is in the thread's state is found out
    {14, 0, ~0u, 0, 8, 56, 0, 0, 0, 112, 128},  // and later ones, if they pass
  };
  const char *v = P.version();
  if (v[0] != '3' || v[1] != '.') return PY_OLD;
  P.minor = atoi(v + 2);
  if (P.minor < 8) return PY_OLD;
  if (strstr(v, "free-threading")) return PY_FREE_THREADED;
  if (python_symbol("_Py_NegativeRefcount", NULL).at) return PY_DEBUG;
  int i = P.minor > 14 ? 6 : P.minor - 8;
  P.frame = layouts[i].frame;
  P.step = layouts[i].step;
  P.code = layouts[i].code;
  P.back = layouts[i].back;
  P.instr = layouts[i].instr;
  P.lasti = layouts[i].lasti;
  P.scale = layouts[i].scale;
  P.owner = layouts[i].owner;
  P.file = layouts[i].file;
  P.name = layouts[i].name;
  P.adaptive = (uint32_t)py_word(P.code_type + 32); // tp_basicsize: instructions come after the rest of a code object
  return PY_FOUND;
}

// Wraps Python's allocators, if the program has Python. It runs before the program does, or leaves that for later.
static void find_python(void) {
  if (R == &idle || !*on || !python_symbol("PyMem_SetAllocator", &P.set).at) return;
  const struct { const char *name; void *to; } needed[] = {
    {"PyMem_GetAllocator", &P.get}, {"Py_GetVersion", &P.version}, {"Py_IsInitialized", &P.initialized}, {"Py_AddPendingCall", &P.pending},
    {"PyCode_Addr2Line", &P.line}, {"PyEval_GetFrame", &P.top}, {"PyObject_GetAttrString", &P.attribute}, {"PyUnicode_FromString", &P.text},
    {"Py_DecRef", &P.release}, {"PyErr_Clear", &P.forget_error}, {"PyUnicode_AsUTF8AndSize", &P.utf8}, {"PyLong_AsLong", &P.number},
    {"PyObject_Malloc", &P.allocate}, {"PyObject_Free", &P.deallocate}, {"PyCode_Type", &P.code_type}, {"_PyEval_EvalFrameDefault", &P.eval},
  };
  int state = PY_FOUND;
  for (uint64_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
    struct wanted w = python_symbol(needed[i].name, needed[i].to);
    if (!w.at) state = PY_UNKNOWN;
    P.eval_end = w.at + w.size; // of the last one
  }
  if (state == PY_FOUND) state = know_version();
  python_symbol(P.minor >= 13 ? "PyThreadState_GetUnchecked" : "_PyThreadState_UncheckedGet", &P.current);
  if (P.minor < 12) python_symbol("PyGILState_GetThisThreadState", &P.own); // the other one is of any thread
  if (state == PY_FOUND && (!P.current || (P.minor < 12 && !P.own))) state = PY_UNKNOWN;
  int unused = attached && state == PY_FOUND && !P.initialized(); // it was loaded, perhaps to be used later
  atomic_store(&R->python, unused ? PY_NONE : (uint32_t)state);
  if (state != PY_FOUND) return;
  if (attached) {
    P.state = unused ? WAITING : P.pending(compare, NULL) ? REFUSED : ASKED;
    return;
  }
  wrap();
  P.state = WAITING;
}
