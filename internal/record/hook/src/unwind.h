// Stacks, by the tables that compilers write for exceptions (.eh_frame), which nearly all code has, with or without
// frame pointers. What such a table says at an address is kept, so that a frame costs two reads and an addition. Code
// without tables, as of just-in-time compilers, is walked by frame pointers, reading carefully.

#if defined(__x86_64__)
enum { REG_FP = 6, REG_SP = 7, REG_RA = 16 };
#define CODE(p) (p)
#elif defined(__aarch64__)
enum { REG_FP = 29, REG_SP = 31, REG_RA = 30 };
#define CODE(p) ((p) & 0xffffffffffffu) // without the signature of pointer authentication
#else
#error "no unwinder for this machine"
#endif

// A rule is how to step from a frame to its caller: the CFA is a register plus an offset, or what memory holds there. Bits
// say which register (BY_FP: FP, else SP), whether memory is read (DEREF), and whether the caller was interrupted instead
// of calling (SIGNAL).
enum { GONE, AT_CFA, AT_SP, SAME }; // where a register of the caller is: nowhere, at CFA+off, at SP+off, still there
typedef uint64_t rule; // 24 bits of the CFA's offset, 8 of how, 16 each of where the return address and the caller's FP are
enum { BY_FP = 1 << 24, DEREF = 1 << 25, RA_AT = 26, FP_AT = 28, SIGNAL = 1 << 30 };
#define JIT (1ull << 31) // by frame pointers, as there are no tables
#define CFA_OF(r) ((int32_t)((uint32_t)(r) << 8) >> 8)
#define RA_OF(r) ((int16_t)((r) >> 32))
#define FP_OF(r) ((int16_t)((r) >> 48))

struct cursor { const uint8_t *p, *end; };

static uint64_t uleb(struct cursor *c) {
  uint64_t v = 0;
  for (int shift = 0; c->p < c->end; shift += 7) {
    uint8_t b = *c->p++;
    if (shift < 64) v |= (uint64_t)(b & 127) << shift;
    if (!(b & 128)) break;
  }
  return v;
}

static int64_t sleb(struct cursor *c) {
  uint64_t v = 0;
  int shift = 0;
  uint8_t b = 0;
  while (c->p < c->end) {
    b = *c->p++;
    if (shift < 64) v |= (uint64_t)(b & 127) << shift;
    shift += 7;
    if (!(b & 128)) break;
  }
  if (shift < 64 && b & 64) v |= ~0ull << shift;
  return (int64_t)v;
}

static uint64_t fixed(struct cursor *c, int n) {
  uint64_t v = 0;
  if (c->end - c->p < n) { c->p = c->end; return 0; }
  memcpy(&v, c->p, n);
  c->p += n;
  return v;
}

// Returns a pointer in one of the encodings that compilers write, *ok = 0 for any other.
static uint64_t encoded(struct cursor *c, uint8_t enc, uint64_t hdr, int *ok) {
  uint64_t at = (uintptr_t)c->p, v;
  switch (enc & 15) {
  case 0: case 4: case 12: v = fixed(c, 8); break;
  case 1: v = uleb(c); break;
  case 2: v = fixed(c, 2); break;
  case 3: v = fixed(c, 4); break;
  case 9: v = (uint64_t)sleb(c); break;
  case 10: v = (uint64_t)(int16_t)fixed(c, 2); break;
  case 11: v = (uint64_t)(int32_t)fixed(c, 4); break;
  default: *ok = 0; return 0;
  }
  switch (enc & 0x70) {
  case 0: return v;
  case 0x10: return v + at;
  case 0x30: return v + hdr;
  }
  *ok = 0;
  return 0;
}

// Returns the frame description whose code begins at or before pc, by the sorted table of .eh_frame_hdr.
static const uint8_t *description(struct module *m, uint64_t pc) {
  const uint8_t *h = (const uint8_t *)m->hdr;
  if (!h || h[0] != 1 || h[3] != 0x3b) return NULL;
  struct cursor c = {h + 4, h + 64};
  int ok = 1;
  encoded(&c, h[1], m->hdr, &ok);
  uint64_t n = encoded(&c, h[2], m->hdr, &ok);
  if (!ok || n == 0) return NULL;
  const int32_t *t = (const int32_t *)c.p;
  uint64_t lo = 0, hi = n;
  while (hi - lo > 1) {
    uint64_t mid = lo + (hi - lo) / 2;
    if (m->hdr + (int64_t)t[2 * mid] <= pc) lo = mid;
    else hi = mid;
  }
  return m->hdr + (int64_t)t[2 * lo] <= pc ? h + t[2 * lo + 1] : NULL;
}

struct cie { uint64_t code, ra; int64_t data; uint8_t enc, signal, augmented; struct cursor program; };

static int parse_cie(const uint8_t *p, struct cie *r) {
  uint32_t len;
  memcpy(&len, p, 4);
  if (len == 0 || len == 0xffffffff) return 0;
  struct cursor c = {p + 8, p + 4 + len};
  uint8_t version = (uint8_t)fixed(&c, 1);
  const char *aug = (const char *)c.p;
  if (version != 1 && version != 3) return 0;
  while (c.p < c.end && *c.p) c.p++;
  c.p++;
  r->code = uleb(&c);
  r->data = sleb(&c);
  r->ra = version == 1 ? fixed(&c, 1) : uleb(&c);
  r->enc = 0;
  r->signal = 0;
  if ((r->augmented = *aug == 'z')) {
    uint64_t n = uleb(&c);
    struct cursor a = {c.p, c.p + n};
    int ok = 1;
    for (aug++; *aug; aug++) switch (*aug) {
      case 'R': r->enc = (uint8_t)fixed(&a, 1); break;
      case 'P': { uint8_t e = (uint8_t)fixed(&a, 1); encoded(&a, e & 0x7f, 0, &ok); if (!ok) return 0; break; }
      case 'L': fixed(&a, 1); break;
      case 'S': r->signal = 1; break;
      case 'B': case 'G': break; // pointers are signed; memory is tagged
      default: return 0;
      }
    c.p += n;
  } else if (*aug) return 0;
  r->program = c;
  return r->ra == REG_RA;
}

struct where { uint8_t at; int64_t off; };
struct state { uint64_t reg; int64_t off; uint8_t deref, bad; struct where ra, fp; };

// Reads an expression that adds to a register, and may read memory there: others are too rare.
static int simple(struct cursor *c, uint64_t *reg, int64_t *off, uint8_t *deref) {
  uint64_t n = uleb(c);
  struct cursor e = {c->p, c->p + n};
  c->p += n;
  uint8_t op = (uint8_t)fixed(&e, 1);
  if (op < 0x70 || op > 0x8f) return 0;
  *reg = op - 0x70;
  *off = sleb(&e);
  *deref = e.p < e.end && *e.p == 6;
  return e.p + *deref == e.end;
}

static struct where *slot_of(struct state *s, uint64_t reg) { return reg == REG_RA ? &s->ra : reg == REG_FP ? &s->fp : NULL; }

static void put_at(struct state *s, uint64_t reg, uint8_t at, int64_t off) {
  struct where *w = slot_of(s, reg);
  if (w) *w = (struct where){at, off};
}

// Runs call frame instructions up to pc.
static int run(struct cursor c, const struct cie *ci, uint64_t loc, uint64_t pc, const struct state *first, struct state *s) {
  struct state kept[8];
  int depth = 0;
  while (c.p < c.end) {
    uint8_t op = *c.p++, low = op & 63;
    uint64_t reg;
    switch (op >> 6) {
    case 1: loc += low * ci->code; if (loc > pc) return 1; continue;
    case 2: put_at(s, low, AT_CFA, (int64_t)uleb(&c) * ci->data); continue;
    case 3: if (first && slot_of(s, low)) *slot_of(s, low) = *slot_of((struct state *)first, low); continue;
    }
    switch (op) {
    case 0x00: break;
    case 0x01: { int ok = 1; loc = encoded(&c, ci->enc, 0, &ok); if (!ok) return 0; if (loc > pc) return 1; break; }
    case 0x02: loc += fixed(&c, 1) * ci->code; if (loc > pc) return 1; break;
    case 0x03: loc += fixed(&c, 2) * ci->code; if (loc > pc) return 1; break;
    case 0x04: loc += fixed(&c, 4) * ci->code; if (loc > pc) return 1; break;
    case 0x05: reg = uleb(&c); put_at(s, reg, AT_CFA, (int64_t)uleb(&c) * ci->data); break;
    case 0x06: reg = uleb(&c); if (first && slot_of(s, reg)) *slot_of(s, reg) = *slot_of((struct state *)first, reg); break;
    case 0x07: put_at(s, uleb(&c), GONE, 0); break;
    case 0x08: put_at(s, uleb(&c), SAME, 0); break;
    case 0x09: reg = uleb(&c); uleb(&c); put_at(s, reg, GONE, 0); break;
    case 0x0a: if (depth == 8) return 0; kept[depth++] = *s; break;
    case 0x0b: if (depth == 0) return 0; *s = kept[--depth]; break;
    case 0x0c: s->reg = uleb(&c); s->off = (int64_t)uleb(&c); s->deref = s->bad = 0; break;
    case 0x0d: s->reg = uleb(&c); break;
    case 0x0e: s->off = (int64_t)uleb(&c); break;
    case 0x0f: s->bad = !simple(&c, &s->reg, &s->off, &s->deref); break;
    case 0x10: { // saved where an expression says
      uint64_t by = 0; int64_t off = 0; uint8_t deref = 0;
      reg = uleb(&c);
      int ok = simple(&c, &by, &off, &deref) && by == REG_SP && !deref;
      put_at(s, reg, ok ? AT_SP : GONE, off);
      break;
    }
    case 0x11: reg = uleb(&c); put_at(s, reg, AT_CFA, sleb(&c) * ci->data); break;
    case 0x12: s->reg = uleb(&c); s->off = sleb(&c) * ci->data; s->deref = s->bad = 0; break;
    case 0x13: s->off = sleb(&c) * ci->data; break;
    case 0x14: reg = uleb(&c); uleb(&c); put_at(s, reg, GONE, 0); break;
    case 0x15: reg = uleb(&c); sleb(&c); put_at(s, reg, GONE, 0); break;
    case 0x16: { uint64_t n; reg = uleb(&c); n = uleb(&c); c.p += n; put_at(s, reg, GONE, 0); break; }
    case 0x2d: break; // the signature of the return address changes: it is masked anyway
    case 0x2e: uleb(&c); break;
    case 0x2f: reg = uleb(&c); put_at(s, reg, AT_CFA, -(int64_t)uleb(&c) * ci->data); break;
    default: return 0;
    }
  }
  return 1;
}

static int fits(int64_t v, int64_t most) { return v >= -most && v <= most; }

// Returns the rule at pc, JIT where the tables have none that is understood.
static rule rule_of(struct module *m, uint64_t pc) {
  const uint8_t *f = description(m, pc);
  if (!f) return JIT;
  uint32_t len, back;
  memcpy(&len, f, 4);
  memcpy(&back, f + 4, 4);
  struct cie ci;
  if (len == 0 || len == 0xffffffff || !parse_cie(f + 4 - back, &ci)) return JIT;
  struct cursor c = {f + 8, f + 4 + len};
  int ok = 1;
  uint64_t begin = encoded(&c, ci.enc, 0, &ok), size = encoded(&c, ci.enc & 15, 0, &ok);
  if (!ok || pc < begin || pc >= begin + size) return JIT;
  if (ci.augmented) { uint64_t n = uleb(&c); c.p += n; }
  struct state s = {.reg = REG_SP, .ra = {SAME, 0}, .fp = {SAME, 0}}, first;
  if (!run(ci.program, &ci, begin, ~0ull, NULL, &s)) return JIT;
  first = s;
  if (!run(c, &ci, begin, pc, &first, &s)) return JIT;
  if (s.bad || (s.reg != REG_SP && s.reg != REG_FP) || !fits(s.off, (1 << 23) - 1) || !fits(s.ra.off, 32000) || !fits(s.fp.off, 32000)) return JIT;
  return ((uint64_t)s.off & 0xffffff) | (s.reg == REG_FP ? BY_FP : 0) | (s.deref ? DEREF : 0) | (uint64_t)s.ra.at << RA_AT | (uint64_t)s.fp.at << FP_AT |
    (ci.signal ? SIGNAL : 0) | (uint64_t)(uint16_t)s.ra.off << 32 | (uint64_t)(uint16_t)s.fp.off << 48;
}

// ---- Rules that were found, by address. A slot is claimed by its key, and read only when it is complete.

enum { RULES = 1 << 17, PROBES = 16 };
struct kept { _Atomic uint64_t pc, rule; };
static struct kept *kept;

// Finds the rule at pc, and keeps it where a slot is free.
static __attribute__((noinline)) rule find_rule(uint64_t pc) {
  struct module *m = module_of(atomic_load_explicit(&known, memory_order_acquire), pc);
  if (!m) m = module_of(modules_now(), pc);
  rule r = m ? rule_of(m, pc) : JIT;
  uint64_t i = mix(pc);
  for (int tries = 0; tries < PROBES; tries++, i++) {
    struct kept *k = &kept[i & (RULES - 1)];
    uint64_t empty = 0;
    if (!atomic_compare_exchange_strong(&k->pc, &empty, 1)) continue;
    atomic_store_explicit(&k->rule, r, memory_order_relaxed);
    atomic_store_explicit(&k->pc, pc, memory_order_release);
    break;
  }
  return r;
}

static inline rule rule_at(uint64_t pc) {
  uint64_t i = mix(pc);
  for (int tries = 0; tries < PROBES; tries++, i++) {
    struct kept *k = &kept[i & (RULES - 1)];
    uint64_t at = atomic_load_explicit(&k->pc, memory_order_acquire);
    if (likely(at == pc)) return atomic_load_explicit(&k->rule, memory_order_relaxed);
    if (at == 0) break;
  }
  return find_rule(pc);
}

static void forget_rules(void) { madvise(kept, RULES * sizeof *kept, MADV_DONTNEED); }

// Reports whether 8 bytes at p can be read, by a call that reads them and then refuses.
static int readable(uint64_t p) {
  if (p < 4096 || p & 7) return 0;
  int e = errno;
  long rc = syscall(SYS_rt_sigprocmask, ~0, p, NULL, 8);
  int bad = rc == -1 && errno == EFAULT;
  errno = e;
  return !bad;
}

static uint64_t word_at(uint64_t p) { return *(uint64_t *)p; }

// The frame that called into this library, as the function that is called finds it.
struct caller { uint64_t pc, sp; const uint64_t *frame; };
#define CALLER (struct caller){(uintptr_t)__builtin_return_address(0), (uintptr_t)__builtin_dwarf_cfa(), __builtin_frame_address(0)}

// Writes the addresses of the calls that led to a call into ip, innermost first, and returns how many.
static int walk(struct caller from, uint64_t *ip, int most) {
  uint64_t sp = from.sp, fp = from.frame[0], pc = CODE(from.pc), exact = 0;
  int n = 0;
  while (pc > 4096 && n < most) {
    uint64_t at = pc - 1 + exact, cfa, next;
    ip[n++] = at;
    rule r = rule_at(at);
    cfa = (r & BY_FP ? fp : sp) + (uint64_t)(int64_t)CFA_OF(r);
    exact = 0;
    if (likely((r & (JIT | SIGNAL | DEREF | 3 << RA_AT)) == AT_CFA << RA_AT)) { // nearly all code
      if (cfa < sp || cfa - sp > 64 << 20 || cfa & 7) break;
      next = word_at(cfa + (uint64_t)(int64_t)RA_OF(r));
    } else if (r & JIT) { // [fp] is the caller's fp, and above it the return address
      if (fp < sp || fp - sp > 1 << 20 || !readable(fp) || !readable(fp + 8)) { atomic_fetch_add_explicit(&R->cut, 1, memory_order_relaxed); break; }
      sp = fp + 16;
      pc = CODE(word_at(fp + 8));
      fp = word_at(fp);
      continue;
    } else {
      if (r & DEREF) { if (!readable(cfa)) break; cfa = word_at(cfa); }
      exact = r & SIGNAL ? 1 : 0;
      if ((cfa < sp || cfa - sp > 64 << 20 || cfa & 7) && !exact) break; // a signal may come on a stack of its own
      if ((r >> RA_AT & 3) == AT_CFA) next = word_at(cfa + (uint64_t)(int64_t)RA_OF(r));
      else if ((r >> RA_AT & 3) == AT_SP) next = word_at(sp + (uint64_t)(int64_t)RA_OF(r));
      else break; // the outermost frame
    }
    uint64_t where = r >> FP_AT & 3;
    if (where == AT_CFA) fp = word_at(cfa + (uint64_t)(int64_t)FP_OF(r));
    else if (where == AT_SP) fp = word_at(sp + (uint64_t)(int64_t)FP_OF(r));
    else if (where == GONE) fp = 0;
    next = CODE(next);
    if (cfa == sp && next == pc) break;
    sp = cfa;
    pc = next;
  }
  return n;
}
