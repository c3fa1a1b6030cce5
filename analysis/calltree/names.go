package calltree

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// Names of what the file does not record.
const (
	UnknownFile = "<unknown file>"
	NoFunction  = "<no name>"
	Unnamed     = "(unknown)" // for display only: in data it is ""
)

// FunctionName returns the function of a node, or its file and line if it has no function.
func FunctionName(s *model.Stacks, n model.NodeID) string { return FrameFunction(s, s.Frame[n]) }

// FrameFunction is [FunctionName] of a frame.
func FrameFunction(s *model.Stacks, frame model.FrameID) string {
	f := s.At(frame)
	switch {
	case f.Function != "":
		return f.Function
	case f.File != "":
		return Where(f)
	}
	return NoFunction
}

// Where returns a frame's file and line as "file.c:42", the file without its directory; "" if there is no file.
func Where(f model.Frame) string {
	if f.File == "" {
		return ""
	}
	base := path.Base(f.File)
	if f.Line == model.NoLine || f.Line == 0 {
		return base
	}
	return base + ":" + strconv.FormatInt(f.Line, 10)
}

var library = Expression(`\.(so|dylib|dll|pyd|node|jar|exe)(\.[0-9.]+)?$`)

// ending returns the last bytes of a path, which is enough to find its suffix.
func ending(file string) string { return file[max(0, len(file)-256):] }

// Module returns the module of a file: itself if it is a library, else its directory.
func Module(file string) string {
	if library().MatchString(ending(file)) {
		return path.Base(file)
	}
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return file
}

// allocators are functions that only pass memory on: a site is not named after one if it has another caller.
var allocators = Expression(`^(__libc_|__GI_+|__GI___libc_|_*rtld_|_*interceptor_)?(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|free|strdup|strndup)$|` +
	`^operator new|^std::(__1::)?(__new_allocator|allocator|allocator_traits|__allocate_|_Vector_base|__cxx11::basic_string<.*>::_M_create)|` +
	`^_?Py(Mem|Object|DataMem)_(Raw)?(Malloc|Calloc|Realloc|MALLOC)|^_PyObject_(Malloc|Calloc|Realloc|GC_)|^_PyMem_|^_PyBytes_FromSize$|` +
	`^__rust_alloc|^__rdl_alloc|^alloc::alloc::|^<alloc::alloc::Global|^runtime\.(mallocgc\w*|new(object|array)|makeslice(64|copy)?|growslice|makemap\w*|makechan(64)?|rawstring|rawbyteslice|concatstrings?\w*)$|^g_malloc|^\?\?$|` +
	`^` + recorders + `\+0x|` +
	`^(\w+::)*\w*(malloc|calloc|realloc|reallocarray|memalign|strdup|strndup)(\(.*)?$`) // wrappers, such as xmalloc and zmalloc

// SiteNode returns the frame that a stack is named after: the leaf, or the first caller that is not an allocation
// function. [SiteNames] finds those of many stacks faster.
func SiteNode(s *model.Stacks, leaf model.NodeID) model.NodeID { return NewSiteNames(s).Node(leaf) }

// SiteNames finds the frames that stacks are named after. It looks at each function once, and is for one goroutine.
type SiteNames struct {
	stacks    *model.Stacks
	allocates map[model.FuncID]bool
	starts    map[model.FuncID]bool
}

// NewSiteNames returns SiteNames of some stacks, which may be nil.
func NewSiteNames(s *model.Stacks) *SiteNames {
	return &SiteNames{stacks: s, allocates: map[model.FuncID]bool{}, starts: map[model.FuncID]bool{}}
}

// Node returns the frame that the stack with a leaf is named after.
func (t *SiteNames) Node(leaf model.NodeID) model.NodeID {
	const far = 12 // callers of an allocation function are near the leaf
	n := leaf
	for range far {
		if n == 0 || !t.Allocates(t.stacks.FrameFunc[t.stacks.Frame[n]]) {
			break
		}
		n = t.stacks.Parent[n]
	}
	if n == 0 {
		return leaf
	}
	return n
}

// Allocates reports whether a function is an allocation function.
func (t *SiteNames) Allocates(f model.FuncID) bool {
	return t.matches(t.allocates, allocators, f)
}

// matches reports whether a function matches an expression. known has the answers so far.
func (t *SiteNames) matches(known map[model.FuncID]bool, expression func() *regexp.Regexp, f model.FuncID) bool {
	is, ok := known[f]
	if !ok {
		is = expression().MatchString(model.Matched(t.stacks.Functions[f]))
		known[f] = is
	}
	return is
}

// starters are functions between the start of a program or thread and its own first function, as recorders name them:
// valgrind has one name for what runs before main, and inlined functions without their namespaces.
var starters = Expression(`^_start$|^\(below main\)$|^__libc_start_|^_*(clone3?|start_thread|pthread_start)$|^thread_start$|^execute_native_thread_routine$|` +
	`\bstd::thread::_|\bstd::__invoke|^__invoke(_impl)?<|^_M_invoke<|^operator\(\)$|^(0x[0-9a-fA-F]+ in )?libstdc\+\+\.so[.0-9]*(\+0x[0-9a-f]+)?$`)

// Starts reports whether a function starts a program or a thread, where it is outermost.
func (t *SiteNames) Starts(f model.FuncID) bool {
	return t.matches(t.starts, starters, f)
}

// Name returns the name and place of a stack as tables show them.
func (t *SiteNames) Name(id model.StackID) (name, where string, leaf model.NodeID) {
	leaf, ok := t.stacks.Node(id)
	if !ok || leaf == 0 {
		return model.UnknownStack(id), "", 0
	}
	n := t.Node(leaf)
	return FunctionName(t.stacks, n), Where(t.stacks.At(t.stacks.Frame[n])), leaf
}

// InModule returns a name with its module: a library or a program. A source file follows only if the name alone says
// nothing: an address, or no name.
func InModule(name, file string) string {
	base := file[strings.LastIndexByte(file, '/')+1:]
	module := library().MatchString(ending(file)) || !strings.Contains(base, ".")
	nameless := name == NoFunction || strings.HasPrefix(name, "0x")
	if in := " in " + base; base != "" && (module || nameless) && !strings.HasSuffix(name, in) && !strings.HasPrefix(name, base+"+0x") {
		return name + in
	}
	return name
}
