package symbols

import (
	"context"
	"path"
	"slices"
	"sort"
	"strconv"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Frame is a function that contains an address.
type Frame struct {
	Function string // demangled if possible; "" if only the position is known
	File     string // "" is unknown
	Line     int64  // from 1, 0 is unknown
	Inlined  bool   // its code is in the function of the next frame
}

// Why is why an address has no frames.
type Why uint8

const (
	Known       Why = iota // it has frames
	NotMapped              // no module is there
	NoFile                 // the module's file does not exist, or is not a file
	Mismatch               // the file is not the recorded one
	Damaged                // the file cannot be read as ELF
	NoSymbol               // no symbol covers the address
	NotResolved            // it was not looked up
)

var whys = [...]string{"known", "no module is mapped there", "the file is not there",
	"the file is not the one that was recorded", "the file cannot be read",
	"no symbol covers it", "not looked up"}

// String describes the reason in lower case.
func (w Why) String() string { return whys[min(int(w), len(whys)-1)] }

// Named returns the frames of an ID as [Table.Frames] does, with a name for what has none: the address in the file of its
// module, whose path is also the file where none is known. There is at least one.
func (t *Table) Named(id int) []Frame {
	m, mapped := t.Module(id)
	address := t.Looked(id)
	if mapped {
		address -= m.Base
	}
	list := slices.Clone(t.Frames(id))
	if len(list) == 0 {
		list = []Frame{{}}
	}
	for i := range list {
		if list[i].Function == "" {
			list[i].Function = Unnamed(address, m.Path)
		}
		if list[i].File == "" {
			list[i].File = m.Path
		}
	}
	return list
}

// Unnamed returns a name for code without one: its address in the file of a module, "libz.so.1+0x2f40", whose path may
// be "".
func Unnamed(address uint64, module string) string {
	name := "0x" + strconv.FormatUint(address, 16)
	if module != "" {
		return path.Base(module) + "+" + name
	}
	return name
}

// UnnamedAt returns a name for code of which only the address in the memory of a process is known: "0x7f40 in libz.so.1".
func UnnamedAt(address, module string) string {
	if module == "" {
		return address
	}
	return address + " in " + path.Base(module)
}

// limits of a table, so that a hostile recording takes no more memory than its own size explains.
const (
	maxModules = 1 << 20
	maxSame    = 1 << 10 // modules of the same path and base
	maxFrames  = 256     // of one address
)

// Table collects the addresses of a recording and finds their functions. Only one goroutine may use it.
type Table struct {
	opt     loaders.Symbols
	modules []Module
	known   map[at][]int // modules by base and path
	spans   []span       // of current mappings; sorted by start if ordered
	ordered bool
	ids     map[place]int
	places  []place
	answers []answer
}

// place is an address to look up, in a module; module is -1 if there is none.
type place struct {
	module int
	addr   uint64 // to look up: already adjusted to the call
}

// answer is the result for a place.
type answer struct {
	frames []Frame
	why    Why
}

// at is the key of most modules.
type at struct {
	path string
	base uint64
}

// NewTable returns a table without modules.
func NewTable(opt loaders.Symbols) *Table {
	return &Table{opt: opt, ids: map[place]int{}, known: map[at][]int{}}
}

// Add adds the mapping of a module from now on. It hides others that it overlaps.
func (t *Table) Add(m Module) {
	key := at{m.Path, m.Base}
	same := t.known[key]
	i := slices.IndexFunc(same, func(id int) bool { return t.modules[id].equal(&m) })
	if i < 0 {
		if len(t.modules) >= maxModules || len(same) >= maxSame {
			return
		}
		i, same = len(same), append(same, len(t.modules))
		t.known[key] = same
		t.modules = append(t.modules, m)
	}
	id := same[i]
	t.spans = append(t.spans, t.modules[id].spans(id)...)
	t.ordered = false
}

// Forget removes all mappings. IDs stay.
func (t *Table) Forget() { t.spans = t.spans[:0] }

// Address returns the ID of an address in the current mappings; equal ones have one ID, and IDs count from 0. returned
// reports that it is a return address, which is after the call.
func (t *Table) Address(addr uint64, returned bool) int {
	if returned && addr > 0 {
		addr--
	}
	p := place{t.find(addr), addr}
	id, ok := t.ids[p]
	if !ok {
		id = len(t.places)
		t.ids[p] = id
		t.places = append(t.places, p)
	}
	return id
}

// find returns the module at an address, -1 for none.
func (t *Table) find(addr uint64) int {
	if !t.ordered {
		slices.SortStableFunc(t.spans, func(a, b span) int {
			switch {
			case a.start < b.start:
				return -1
			case a.start > b.start:
				return 1
			}
			return 0
		})
		t.ordered = true
	}
	after := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].start > addr })
	for i := after - 1; i >= 0 && i >= after-8; i-- { // overlapping ones are few, or the recording is damaged
		if addr < t.spans[i].end {
			return t.spans[i].module
		}
	}
	return -1
}

// Module returns the module that contains an ID's address.
func (t *Table) Module(id int) (m Module, ok bool) {
	if p := t.places[id].module; p >= 0 {
		return t.modules[p], true
	}
	return Module{}, false
}

// Looked returns the address of an ID as looked up: for a return address, the byte before.
func (t *Table) Looked(id int) uint64 { return t.places[id].addr }

// Frames returns the functions at an ID's address, leaf first: the last one has the code, the others are inlined into
// it.
func (t *Table) Frames(id int) []Frame {
	if id >= len(t.answers) {
		return nil
	}
	return t.answers[id].frames
}

// Why returns why an ID has no frames.
func (t *Table) Why(id int) Why {
	if id >= len(t.answers) {
		return NotResolved
	}
	return t.answers[id].why
}

// Resolve looks up all IDs that no earlier call looked up. The error is that of ctx; problems report defects of files,
// at most one for each.
func (t *Table) Resolve(ctx context.Context) ([]model.Problem, error) {
	byModule := make([][]int, len(t.modules))
	for id := len(t.answers); id < len(t.places); id++ {
		a := answer{why: NotResolved}
		if p := t.places[id]; p.module < 0 {
			a.why = NotMapped
		} else {
			byModule[p.module] = append(byModule[p.module], id)
		}
		t.answers = append(t.answers, a)
	}
	var problems []model.Problem
	if t.opt.Off {
		return nil, ctx.Err()
	}
	for i, ids := range byModule {
		if err := ctx.Err(); err != nil {
			return problems, err
		}
		if len(ids) > 0 {
			for _, p := range t.resolveModule(ctx, &t.modules[i], ids) {
				problems = model.AddProblem(problems, p)
			}
		}
	}
	return problems, ctx.Err()
}
