package redact

import "strings"

// Kept returns the words that are kept if a name is one of them.
func Kept() []string {
	var out []string
	for _, lines := range []string{allocation, starting, words, representations} {
		for _, line := range strings.Split(lines, "\n") {
			for _, word := range strings.Split(line, "|") {
				if word = strings.TrimSpace(word); word != "" {
					out = append(out, word)
				}
			}
		}
	}
	return out
}

// Functions that pass memory on.
const allocation = `malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|free|strdup|strndup|mmap|munmap|brk|sbrk
__libc_malloc|__libc_calloc|__libc_realloc|__libc_memalign|__GI___libc_malloc|__GI___libc_realloc|_rtld_malloc|__rtld_malloc
operator new(unsigned long)|operator new[](unsigned long)|operator new|operator new[]|operator delete(void*)|operator delete[](void*)
operator new(unsigned long, std::nothrow_t const&)|operator new(unsigned long, std::align_val_t)
g_malloc|g_malloc0|g_realloc|xmalloc|xcalloc|xrealloc|??|runtime.mallocgc|__rust_alloc|__rust_alloc_zeroed|__rust_realloc|__rdl_alloc
_PyObject_Malloc|_PyObject_Calloc|_PyObject_Realloc|_PyMem_RawMalloc|_PyMem_RawRealloc|_PyMem_DebugRawAlloc|PyObject_Malloc|PyObject_Calloc|PyObject_Realloc
PyMem_Malloc|PyMem_Calloc|PyMem_Realloc|PyMem_RawMalloc|PyMem_RawCalloc|PyMem_RawRealloc`

// Functions that every program starts with.
const starting = `main|_start|__libc_start_main|__libc_start_main_impl|__libc_start_call_main|start_thread|clone|clone3|_dl_start|_dl_start_user|[unknown]`

// Words of the formats, and of the tools that write them.
const words = `heaptrack|heaptrack_print|perf|dtrace|chrome-cpuprofile|chrome-heaptimeline|chrome-heapsnapshot
leaf_to_root|root_to_leaf|content_addressable|local|period|frequency|event|hardware|software|tracepoint|probe|timer|allocation|deallocation|custom
page-faults|cpu-clock|task-clock|cycles|cpu-cycles|instructions|cache-misses|context-switches|cpu-profile
samples|count|alloc_bytes|alloc_count|live_bytes|live_count|peak_bytes|peak_count|leaked_bytes|leaked_count|freed_bytes|freed_count|overwritten_bytes|overwritten_count|temporary_count|total_bytes|total_count
bytes|events|ns|us|ms|seconds|Unknown`

// Representations of MoarVM: how it stores objects, whatever they are.
const representations = `P6opaque|P6int|P6num|P6str|P6bigint|VMArray|VMHash|VMIter|VMThread|VMException|VMNull|VMAsyncTask|MultiDimArray|CStruct|CPPStruct|CUnion|CArray|CPointer|CStr
MVMString|MVMStaticFrame|MVMStaticFrameSpesh|MVMSpeshLog|MVMOSHandle|MVMContext|MVMCompUnit|MVMCode|MVMCapture|MVMCFunction|MVMContinuation|MVMMultiCache|MVMStat|MVMSpeshPluginState|MVMSpeshCandidate|MVMDLLSym|MVMCallCapture
KnowHOWREPR|KnowHOWAttributeREPR|HashAttrStore|Uninstantiable|NativeRef|NativeCall|NFA|SCRef|Lexotic|ReentrantMutex|Semaphore|ConditionVariable|ConcBlockingQueue|Decoder|MVMCallSite`
