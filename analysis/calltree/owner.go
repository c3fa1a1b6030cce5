package calltree

import (
	"encoding/binary"
	"regexp"
	"strings"

	"github.com/memtui/memtui/model"
)

// recorders matches the names of the libraries of recorders.
const recorders = `(memtui-hook|libheaptrack_(preload|inject))[^/]*`

// libraries match functions and files of standard libraries and runtimes, by language: they never own a site. Functions
// are matched without return types and arguments.
var libraries = []struct{ functions, files func() *regexp.Regexp }{
	{ // C
		Expression(`^(_dl_|_IO_|__libc_|__GI_|_nl_)|^(call_init|f?open(64|dir)?|fdopen|setvbuf|v?asprintf|getline|getdelim|qsort(_r)?|scandir|glob|regcomp|setlocale|newlocale|tzset|` +
			`getaddrinfo|getpwnam|getpwuid|gethostbyname|pthread_create|allocate_dtv|realpath|getcwd|setenv|putenv|tempnam|open_memstream|str(n)?dup|wcsdup)(@.*)?$`),
		Expression(`(^|/|:)` + recorders + `$|` +
			`(^|/)(libc|libpthread|libdl|libm|librt|libgcc_s|ld|ld-linux|ld-musl|libSystem|libsystem_malloc)[-.][^/]*(so|dylib)[^/]*$|` +
			`(^|\./|/glibc[^/]*/)(elf|malloc|libio|csu|nptl|stdio-common|sysdeps)/.*\.[ch]$`),
	},
	{ // C++
		Expression(`^(std|__gnu_cxx|__gnu_debug|__cxxabiv1)::|^(__cxa_|__invoke|_M_)|^operator (new|delete)`),
		Expression(`/include/c\+\+/|(^|/)lib(std)?c\+\+(abi)?[-.][^/]*$|(^|/)(tcmalloc|libtcmalloc|libjemalloc|libmimalloc)[^/]*$`),
	},
	{ // Rust
		Expression(`^<?&?(mut )?(alloc|core|std|hashbrown|proc_macro)::|^(__rust_|__rdl_|__rg_|rust_begin)`),
		Expression(`(^|/)rustc/[0-9a-f]+/|/rustlib/src/rust/|/hashbrown-[0-9.]+/`),
	},
	{ // Go
		Expression(`^(archive|bufio|bytes|compress|container|context|crypto|database|debug|embed|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|` +
			`log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|sync|syscall|testing|text|time|unicode|unique|vendor)(/[a-z0-9/]+)?\.[A-Za-z(]`),
		Expression(`/go[0-9.]*/src/(archive|bufio|bytes|compress|container|context|crypto|encoding|fmt|internal|io|net|os|reflect|runtime|strconv|strings|sync|syscall)/`),
	},
	{ // Python
		Expression(`^_?Py[A-Z_]`),
		Expression(`(^|/)(Objects|Python|Modules|Parser)/(clinic/)?[^/]+\.[ch]$|(^|/)libpython[0-9.]+[^/]*$|(^|/)bin/python[0-9.]*$`),
	},
	{ // Node
		Expression(`^(v8|node|uv|cppgc)::|^(uv__?|napi_|Builtins_)`),
		Expression(`^node:|/deps/(v8|uv)/|(^|/)libnode[^/]*$|(^|/)bin/node$`),
	},
}

// Owners finds the owners of the memory of stacks: the first frame from the leaf that is neither an allocation function
// nor part of a standard library or a runtime. It is for one goroutine.
type Owners struct {
	stacks *model.Stacks
	sites  *SiteNames // of stacks that are all libraries
	more   *regexp.Regexp
	skips  map[code]bool
}

// code is what the lines of a function in a file have in common.
type code struct {
	function model.FuncID
	file     model.FileID
}

// NewOwners returns Owners of some stacks, which may be nil. more matches further functions and files that own nothing;
// it may be nil.
func NewOwners(s *model.Stacks, more *regexp.Regexp) *Owners {
	return &Owners{stacks: s, sites: NewSiteNames(s), more: more, skips: map[code]bool{}}
}

// Node returns the owner of a stack with the given leaf, or if all frames belong to libraries the first that is not an
// allocation function.
func (o *Owners) Node(leaf model.NodeID) model.NodeID {
	const far = 256 // no library recurses this deep
	n := leaf
	for range far {
		if n == 0 {
			break
		}
		frame := o.stacks.Frame[n]
		of := code{o.stacks.FrameFunc[frame], o.stacks.FrameFile[frame]}
		skip, known := o.skips[of]
		if !known {
			skip = o.skip(frame)
			o.skips[of] = skip
		}
		if !skip {
			return n
		}
		n = o.stacks.Parent[n]
	}
	return o.sites.Node(leaf)
}

// Frame returns the owner of a stack; ok is false if the file does not define the stack.
func (o *Owners) Frame(id model.StackID) (f model.Frame, ok bool) {
	leaf, ok := o.stacks.Node(id)
	if !ok || leaf == 0 {
		return f, false
	}
	return o.stacks.At(o.stacks.Frame[o.Node(leaf)]), true
}

// Place returns a text that equals that of other stacks whose functions from the leaf to the owner are the same, "" if the
// file does not define the stack.
func (o *Owners) Place(id model.StackID) string {
	n, ok := o.stacks.Node(id)
	if !ok || n == 0 {
		return ""
	}
	var place []byte
	for owner := o.Node(n); n != 0; n = o.stacks.Parent[n] {
		f := o.stacks.Frame[n]
		place = binary.AppendUvarint(place, uint64(o.stacks.FrameFunc[f]))
		place = binary.AppendUvarint(place, uint64(o.stacks.FrameFile[f]))
		if n == owner {
			break
		}
	}
	return string(place)
}

func (o *Owners) skip(frame model.FrameID) bool {
	f := o.stacks.At(frame)
	name, file := model.Matched(f.Function), ending(f.File)
	if allocators().MatchString(name) || o.more != nil && (o.more.MatchString(name) || o.more.MatchString(f.File)) {
		return true
	}
	name = declared(name)
	for _, l := range libraries {
		if l.functions().MatchString(name) || file != "" && l.files().MatchString(file) {
			return true
		}
	}
	return false
}

// declared returns a C++ name without arguments, and without the return type that names of templates begin with. Other
// names are returned unchanged.
func declared(name string) string {
	if i := strings.Index(name, "operator "); i >= 0 && (i == 0 || name[i-1] == ':' || name[i-1] == ' ') {
		return name[max(strings.LastIndexByte(name[:i], ' ')+1, 0):]
	}
	depth, from := 0, 0
	for i := range len(name) {
		switch name[i] {
		case '<':
			depth++
		case '>':
			depth--
		case '(':
			if depth == 0 && i > from && name[i-1] != '.' && !strings.HasPrefix(name[i:], "(anonymous") {
				return name[from:i]
			}
		case ' ':
			if depth == 0 && i+1 < len(name) && name[i+1] != '(' {
				from = i + 1
			}
		}
	}
	return name[from:]
}
