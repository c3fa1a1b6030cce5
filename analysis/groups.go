package analysis

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/memtui/memtui/model"
)

// names are what stacks and threads are called.
type names struct {
	store    *model.Store    // for symbols, which arrive when they are read; nil in an index nothing was built into
	stackIDs []model.StackID // by dense index
	threads  []uint16        // by dense index
	groups   groupCache
}

func (ix *names) profile() *model.Profile {
	if ix.store == nil {
		return nil
	}
	return ix.store.Current()
}

// stacks returns the symbols as far as they are read, nil before.
func (ix *names) stacks() *model.Stacks {
	if p := ix.profile(); p != nil {
		return p.Stacks
	}
	return nil
}

// groupCache keeps what is derived from symbols and from whole passes until more is loaded. Its lock is taken inside the
// index's read lock, never the other way round.
type groupCache struct {
	mu     sync.Mutex
	folds  [GroupCount]*fold
	passes [GroupCount]*pass
	labels labels
	set    *stackSet // of the filter asked for last; nil before the first

	cellPeaks cellPeaks
}

// cellPeaks are the peaks of groups that were asked for last of a cell. Read-only once made.
type cellPeaks struct {
	key  cellPeaksKey
	fold *fold
	peak []uint64 // by key
}

type cellPeaksKey struct {
	by     Group
	in     scope
	lo, hi int // events
	keys   int
}

// labels are how stacks are shown, by dense index: the search for the telling frame is too slow to repeat at every instant.
type labels struct {
	stacks *model.Stacks // made from these symbols
	of     []label
}

type label struct {
	name, where string
	leaf        model.NodeID
}

// labelsOf returns the labels of all stacks. They are read-only once made; later ones are appended.
func (ix *names) labelsOf(s *model.Stacks) []label {
	ix.groups.mu.Lock()
	defer ix.groups.mu.Unlock()
	l := &ix.groups.labels
	if l.stacks != s {
		*l = labels{stacks: s}
	}
	for _, id := range ix.stackIDs[len(l.of):] {
		name, where, leaf := siteName(s, id)
		l.of = append(l.of, label{name, where, leaf})
	}
	return l.of
}

// fold maps dense stack indexes to the keys of a group that is derived from stacks. Read-only once made.
type fold struct {
	stacks *model.Stacks // derived from these symbols
	of     []Key         // by dense stack index
	names  []string      // by key
	labels []label       // by key, of stacks after a filter
	drops  bool          // the last key is that of the stacks that a filter leaves out
}

// dimOf is the dimension whose sums a group needs.
func dimOf(by Group) dim {
	switch by {
	case ByThread:
		return dimThread
	case BySizeClass:
		return dimSize
	}
	return dimStack
}

// foldOf returns the mapping of stacks to groups, nil for groups that are a dimension themselves.
func (ix *names) foldOf(by Group) *fold {
	if by == ByStack || dimOf(by) != dimStack {
		return nil
	}
	symbols := ix.stacks()
	ix.groups.mu.Lock()
	defer ix.groups.mu.Unlock()
	if f := ix.groups.folds[by]; f != nil && f.stacks == symbols && len(f.of) == len(ix.stackIDs) {
		return f
	}
	f := &fold{stacks: symbols, of: make([]Key, len(ix.stackIDs))}
	keys := map[string]Key{}
	for i, id := range ix.stackIDs {
		name := stackGroupName(by, symbols, id)
		k, ok := keys[name]
		if !ok {
			k = Key(len(f.names))
			keys[name] = k
			f.names = append(f.names, name)
		}
		f.of[i] = k
	}
	ix.groups.folds[by] = f
	return f
}

// keyOf is the group's key of a dimension's key.
func (f *fold) keyOf(dimKey uint32) Key {
	if f == nil {
		return Key(dimKey)
	}
	return f.of[dimKey]
}

// Names of what the file does not tell.
const (
	UnknownFile = "<unknown file>"
	NoFunction  = "<no name>"
)

// stackGroupName is the name of the group that a stack's leaf frame belongs to.
func stackGroupName(by Group, s *model.Stacks, id model.StackID) string {
	leaf, ok := s.Node(id)
	if by == ByFunction {
		if !ok || leaf == 0 {
			return model.UnknownStack(id)
		}
		return FunctionName(s, leaf)
	}
	file := ""
	if ok {
		file = s.At(s.Frame[leaf]).File
	}
	if file == "" {
		return UnknownFile
	}
	if by == ByModule {
		return Module(file)
	}
	return file
}

// FunctionName names a node's function, or its file and line where it has no function.
func FunctionName(s *model.Stacks, n model.NodeID) string { return frameFunction(s, s.Frame[n]) }

// frameFunction is [FunctionName] of a frame.
func frameFunction(s *model.Stacks, frame model.FrameID) string {
	f := s.At(frame)
	switch {
	case f.Function != "":
		return f.Function
	case f.File != "":
		return Where(f)
	}
	return NoFunction
}

// Where is a frame's file and line as "file.c:42", the file without its directory; "" when there is no file.
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

var library = expression(`\.(so|dylib|dll|pyd|node|jar|exe)(\.[0-9.]+)?$`)

// ending returns the last bytes of a path: more of it tells nothing about its suffix.
func ending(file string) string { return file[max(0, len(file)-256):] }

// Module is what a file belongs to: itself when it is a library, else its directory.
func Module(file string) string {
	if library().MatchString(ending(file)) {
		return path.Base(file)
	}
	if dir := path.Dir(file); dir != "." {
		return dir
	}
	return file
}

// allocators are functions that a site is never named after while it has another caller: they only pass memory on.
var allocators = expression(`^(__libc_|__GI_+|__GI___libc_|_*rtld_)?(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|free|strdup|strndup)$|` +
	`^operator new|^std::(__1::)?(__new_allocator|allocator|allocator_traits|__allocate_|_Vector_base|__cxx11::basic_string<.*>::_M_create)|` +
	`^_?Py(Mem|Object|DataMem)_(Raw)?(Malloc|Calloc|Realloc|MALLOC)|^_PyObject_(Malloc|Calloc|Realloc|GC_)|^_PyMem_|^_PyBytes_FromSize$|` +
	`^__rust_alloc|^__rdl_alloc|^alloc::alloc::|^<alloc::alloc::Global|^runtime\.mallocgc$|^g_malloc|^xmalloc$|^xrealloc$|^xcalloc$|^\?\?$`)

// SiteNode is the frame a stack is best named after: the leaf, or the first caller that is no allocation function.
func SiteNode(s *model.Stacks, leaf model.NodeID) model.NodeID {
	const far = 12 // callers of an allocation function are near
	n := leaf
	for range far {
		if n == 0 || !allocators().MatchString(model.Matched(s.Functions[s.FrameFunc[s.Frame[n]]])) {
			break
		}
		n = s.Parent[n]
	}
	if n == 0 {
		return leaf
	}
	return n
}

// siteName is the name and place of a stack as tables show it.
func siteName(s *model.Stacks, id model.StackID) (name, where string, leaf model.NodeID) {
	leaf, ok := s.Node(id)
	if !ok || leaf == 0 {
		return model.UnknownStack(id), "", 0
	}
	n := SiteNode(s, leaf)
	return FunctionName(s, n), Where(s.At(s.Frame[n])), leaf
}

// dimensionName names a key of a dimension that is a group itself, other than stacks.
func (ix *names) dimensionName(by Group, k Key) string {
	if by == ByThread {
		return "thread " + strconv.Itoa(int(ix.threads[k]))
	}
	lo, hi := sizeBounds(uint32(k))
	if lo == hi {
		return fmt.Sprintf("%d B", lo)
	}
	return strings.TrimSuffix(model.Bytes(lo).String(), " B") + " … " + sizeEnd(hi)
}

func sizeEnd(hi uint64) string {
	if hi < 1024 {
		return fmt.Sprintf("%d B", hi)
	}
	return "<" + model.Bytes(hi+1).String()
}

// sizeBounds is the smallest and largest value of bit length b.
func sizeBounds(b uint32) (lo, hi uint64) {
	if b == 0 {
		return 0, 0
	}
	lo = 1 << (b - 1)
	return lo, lo + (lo - 1)
}
