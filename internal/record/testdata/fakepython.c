// A program that has the functions of Python, by their names, but is another one: fakepython. Its version is in the
// environment, as the hook asks for it before the program runs.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct allocator { void *ctx; void *(*malloc)(void *, size_t); void *(*calloc)(void *, size_t, size_t); void *(*realloc)(void *, void *, size_t); void (*free)(void *, void *); };
static void *a(void *c, size_t n) { (void)c; return malloc(n); }
static void *b(void *c, size_t n, size_t m) { (void)c; return calloc(n, m); }
static void *r(void *c, void *p, size_t n) { (void)c; return realloc(p, n); }
static void f(void *c, void *p) { (void)c; free(p); }
static struct allocator all[3] = {{0, a, b, r, f}, {0, a, b, r, f}, {0, a, b, r, f}};

static uint64_t object[256]; // everything is this
uint64_t PyCode_Type[64];
int asked;

void PyMem_GetAllocator(int d, struct allocator *to) { *to = all[d]; }
void PyMem_SetAllocator(int d, struct allocator *from) { all[d] = *from; }
const char *Py_GetVersion(void) { return getenv("FAKE_VERSION"); }
int Py_IsInitialized(void) { return 1; }
int Py_AddPendingCall(int (*call)(void *), void *arg) { asked++; call(arg); return 0; }
int PyCode_Addr2Line(void *code, int lasti) { (void)code; return lasti; }
void *PyEval_GetFrame(void) { return object; }
void *PyObject_GetAttrString(void *o, const char *name) { (void)o; (void)name; return object; }
void *PyUnicode_FromString(const char *s) { (void)s; return object; }
void Py_DecRef(void *o) { (void)o; }
void PyErr_Clear(void) {}
const char *PyUnicode_AsUTF8AndSize(void *o, int64_t *n) { (void)o; *n = 0; return (const char *)object + 40; }
long PyLong_AsLong(void *o) { (void)o; return 7; }
void *PyObject_Malloc(size_t n) { return all[2].malloc(all[2].ctx, n); }
void PyObject_Free(void *p) { all[2].free(all[2].ctx, p); }
void _PyEval_EvalFrameDefault(void) {}
void *_PyThreadState_UncheckedGet(void) { return object; }
void *PyThreadState_GetUnchecked(void) { return object; }
void *PyGILState_GetThisThreadState(void) { return object; }
#ifdef DEBUG_BUILD
void _Py_NegativeRefcount(void) {}
#endif

static void *volatile keep;
__attribute__((noinline)) void leaking(size_t n) { keep = PyObject_Malloc(n); }

int main(void) {
  for (uint64_t i = 0; i < 256; i++) object[i] = (uint64_t)&object[i * 7 % 200]; // pointers to itself
  for (int i = 0; i < 50; i++) leaking(100);
  return 0;
}
