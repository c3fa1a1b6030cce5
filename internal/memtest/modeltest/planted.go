package modeltest

import (
	"math/rand/v2"

	"github.com/memtui/memtui/model"
)

// Planted is the run of a server-like program whose parts have a known verdict. Each part allocates in a stack of its
// own: "main", the part's function, and malloc.
type Planted struct {
	Events []model.Event
	Stacks *model.Stacks
	Parts  []PlantedPart
}

// PlantedPart is a part of a [Planted] run.
type PlantedPart struct {
	Function string
	Stack    model.StackID
	Truth    string // "leak", "late", "kept" or "fine"
}

// NewPlanted runs the program for a number of requests.
func NewPlanted(seed uint64, requests int) *Planted {
	h := &plantedHeap{rng: rand.New(rand.NewPCG(seed, 77)), total: requests}
	for _, p := range plantedParts {
		h.parts = append(h.parts, plantedSite{heap: h, stack: uint64(len(h.parts)),
			PlantedPart: PlantedPart{Function: p.name, Stack: model.StackID(len(h.parts)), Truth: p.truth}})
	}
	steps := make([]func(), len(plantedParts))
	for i, p := range plantedParts {
		steps[i] = p.start(&h.parts[i])
	}
	for h.now = range requests {
		for _, step := range steps {
			step()
		}
		if h.now == requests/3 {
			h.time *= 4 // idle for long
		}
	}
	out := &Planted{Events: h.events, Stacks: model.NewStacks()}
	s := out.Stacks
	s.Leaf = map[model.StackID]model.NodeID{}
	s.Functions = append(s.Functions, "main", "malloc")
	frame := func(fn int) model.FrameID {
		s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, model.FuncID(fn)), append(s.FrameFile, 0),
			append(s.FrameLine, model.NoLine)
		return model.FrameID(len(s.FrameFunc) - 1)
	}
	node := func(parent model.NodeID, f model.FrameID) model.NodeID {
		s.Parent, s.Frame, s.Depth = append(s.Parent, parent), append(s.Frame, f), append(s.Depth, s.Depth[parent]+1)
		return model.NodeID(len(s.Parent) - 1)
	}
	root, malloc := node(0, frame(len(s.Functions)-2)), frame(len(s.Functions)-1)
	for _, p := range h.parts {
		for _, b := range p.late {
			p.free(b)
		}
		s.Functions = append(s.Functions, p.Function)
		s.Leaf[p.Stack] = node(node(root, frame(len(s.Functions)-1)), malloc)
		out.Parts = append(out.Parts, p.PlantedPart)
	}
	out.Events = h.events
	return out
}

// plantedHeap is the heap of a Planted run.
type plantedHeap struct {
	rng    *rand.Rand
	events []model.Event
	parts  []plantedSite
	addr   uint64
	time   model.Time
	now    int // request
	total  int
}

// plantedSite is the state of a part.
type plantedSite struct {
	PlantedPart
	heap  *plantedHeap
	stack uint64
	late  []uint64 // addresses to free at exit
}

func (s *plantedSite) alloc(size int) uint64 {
	h := s.heap
	h.addr += 16 + uint64(size)&^15
	h.time++
	h.events = append(h.events, model.Event{Kind: model.Alloc, Time: h.time, Addr: h.addr, Size: uint64(size), ID: s.stack})
	return h.addr
}

func (s *plantedSite) free(addr uint64) {
	s.heap.time++
	s.heap.events = append(s.heap.events, model.Event{Kind: model.Free, Time: s.heap.time, Addr: addr})
}

func (s *plantedSite) freeAll(addrs []uint64) {
	for _, a := range addrs {
		s.free(a)
	}
}

func (s *plantedSite) chance(n int) bool { return s.heap.rng.IntN(n) == 0 }

func (s *plantedSite) size(least, spread int) int { return least + s.heap.rng.IntN(spread) }

// plantedPart is the behavior of a part at each request.
type plantedPart struct {
	name, truth string
	start       func(s *plantedSite) (step func())
}

// cache keeps a number of entries and frees the oldest; it requests one of a number of keys.
func cache(entries, keys func(s *plantedSite) int) func(s *plantedSite) func() {
	return func(s *plantedSite) func() {
		held, order := map[int]uint64{}, []int{}
		return func() {
			k := s.heap.rng.IntN(keys(s))
			if held[k] != 0 {
				return
			}
			held[k] = s.alloc(s.size(200, 300))
			if order = append(order, k); len(order) > entries(s) {
				s.free(held[order[0]])
				delete(held, order[0])
				order = order[1:]
			}
		}
	}
}

func number(n int) func(*plantedSite) int { return func(*plantedSite) int { return n } }

// sessions live for some hundred requests; one of lost is never freed, none for 0.
func sessions(lost int) func(s *plantedSite) func() {
	return func(s *plantedSite) func() {
		until := map[uint64]int{}
		var order []uint64
		return func() {
			if s.chance(3) {
				if a := s.alloc(s.size(180, 90)); lost == 0 || !s.chance(lost) {
					until[a], order = s.heap.now+s.size(200, 600), append(order, a)
				}
			}
			if s.heap.now%50 > 0 {
				return
			}
			kept := order[:0]
			for _, a := range order {
				if until[a] < s.heap.now {
					s.free(a)
					delete(until, a)
				} else {
					kept = append(kept, a)
				}
			}
			order = kept
		}
	}
}

// growing returns a vector that doubles; it is freed and starts again after a number of elements, never for 0.
func growing(most int) func(s *plantedSite) func() {
	return func(s *plantedSite) func() {
		room, n, at := 0, 0, uint64(0)
		return func() {
			if n++; n > room {
				room = max(2*room, 4)
				old := at
				if at = s.alloc(8 * room); old != 0 {
					s.free(old)
				}
			}
			if most > 0 && n > most {
				s.free(at)
				room, n, at = 0, 0, 0
			}
		}
	}
}

// queue adds one block at each request, and keeps a number of them.
func queue(most func(s *plantedSite) int) func(s *plantedSite) func() {
	return func(s *plantedSite) func() {
		var q []uint64
		return func() {
			q = append(q, s.alloc(s.size(300, 80)))
			if n := most(s); len(q) > n {
				s.freeAll(q[:len(q)-n])
				q = q[len(q)-n:]
			}
		}
	}
}

// always allocates once in a number of requests and never frees, as long as while returns true.
func always(once int, while func(h *plantedHeap) bool) func(s *plantedSite) func() {
	return func(s *plantedSite) func() {
		return func() {
			if s.chance(once) && (while == nil || while(s.heap)) {
				s.alloc(s.size(24, 60))
			}
		}
	}
}

var plantedParts = []plantedPart{
	{"Audit::record", "leak", func(s *plantedSite) func() {
		return func() {
			if a := s.alloc(s.size(64, 128)); !s.chance(20) {
				s.free(a)
			}
		}
	}},
	{"Sessions::open", "leak", sessions(33)},
	{"Users::add", "leak", always(4, nil)},
	{"Tracker::note", "leak", always(160, nil)},
	{"Late::starter", "leak", always(5, func(h *plantedHeap) bool { return h.now > h.total*2/5 })},
	{"History::remember", "leak", growing(0)},
	{"Plugins::add", "leak", func(s *plantedSite) func() { // some are freed, after any time
		due := map[int][]uint64{}
		return func() {
			if s.chance(5) {
				if a := s.alloc(s.size(60, 60)); s.chance(4) {
					at := s.heap.now + s.heap.rng.IntN(s.heap.total)
					due[at] = append(due[at], a)
				}
			}
			s.freeAll(due[s.heap.now])
		}
	}},
	{"Registry::enroll", "late", func(s *plantedSite) func() {
		return func() {
			if s.chance(5) {
				s.late = append(s.late, s.alloc(s.size(150, 80)))
			}
		}
	}},
	{"Migrator::move", "kept", always(5, func(h *plantedHeap) bool { return h.now < h.total/3 })},
	{"Config::load", "kept", func(s *plantedSite) func() {
		return func() {
			for s.heap.now == 0 && len(s.late) < 1200 {
				s.late = append(s.late, s.alloc(s.size(40, 60)))
			}
		}
	}},
	{"PageCache::get", "fine", cache(number(500), number(3000))},
	{"LateCache::fetch", "fine", cache(func(s *plantedSite) int { return s.heap.total / 3 },
		func(s *plantedSite) int { return s.heap.total })},
	{"SoundSessions::begin", "fine", sessions(0)},
	{"Interner::intern", "fine", func(s *plantedSite) func() {
		known := map[int]bool{}
		return func() {
			for range 2 {
				if w := min(int(1/(0.0004+s.heap.rng.Float64())), 2500); !known[w] {
					known[w] = true
					s.alloc(48)
				}
			}
			if w := s.heap.rng.IntN(900); !known[w] {
				known[w] = true
				s.alloc(48)
			}
		}
	}},
	{"LogRing::append", "fine", queue(number(600))},
	{"Backlog::put", "fine", queue(func(s *plantedSite) int {
		if s.heap.now > s.heap.total*93/100 {
			return 900
		}
		return 40 + s.heap.rng.IntN(30)
	})},
	{"Stats::observe", "fine", growing(400)},
	{"HotSet::touch", "fine", func(s *plantedSite) func() { // any entry is replaced, not the oldest
		var held []uint64
		return func() {
			if len(held) < 800 {
				held = append(held, s.alloc(s.size(90, 60)))
				return
			}
			i := s.heap.rng.IntN(len(held))
			s.free(held[i])
			held[i] = s.alloc(s.size(90, 60))
		}
	}},
	{"Batch::add", "fine", func(s *plantedSite) func() { // a sawtooth
		var rows []uint64
		return func() {
			if rows = append(rows, s.alloc(s.size(60, 120))); len(rows) >= 1300 {
				s.freeAll(rows)
				rows = rows[:0]
			}
		}
	}},
	{"Daily::report", "fine", func(s *plantedSite) func() { // a burst in the middle
		return func() {
			if s.heap.now != s.heap.total/2+11 {
				return
			}
			var rows []uint64
			for range 5000 {
				rows = append(rows, s.alloc(s.size(60, 60)))
			}
			s.freeAll(rows)
		}
	}},
	{"Render::page", "fine", func(s *plantedSite) func() { // temporary
		return func() {
			for range 6 {
				s.free(s.alloc(s.size(20, 60)))
			}
		}
	}},
}
