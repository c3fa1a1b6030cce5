package v8profile

import (
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// reader reads one file.
type reader struct {
	*weighted.Reading
	*json.Cursor
	heap bool

	nodes   []node
	levels  []level // open ones
	parents map[int64]int64
	scripts map[string]bool
	steps   int
	err     error

	samples    []int64 // ids of nodes; nil if the file has none
	hasSamples bool
	times      []int64 // differences, or instants
	instants   bool
	start, end float64
	heapCount  int64 // samples of a heap profile
}

func newReader(of *weighted.Reading, heap bool) *reader {
	r := &reader{Reading: of, heap: heap, parents: map[int64]int64{}, scripts: map[string]bool{}}
	r.Profile.SourceTool = "V8"
	r.Meta.FrameNote = "root first: the file is a tree of callers"
	return r
}

// read reads everything.
func (r *reader) read() error {
	r.Anywhere()
	r.Cursor = r.JSON(r.Ctx)
	if r.Next() != '{' {
		r.Say(model.Error, "json", 0, 1, "an object is missing")
		r.Stop()
	}
	for first := true; ; {
		name, ok := r.Member(&first)
		if !ok {
			break
		}
		r.top(string(name[:min(len(name), 32)]))
	}
	r.Unread(r.Cursor)
	if r.err == nil {
		r.err = r.Cursor.Err()
	}
	r.build()
	return r.err
}

// top reads a member of the file.
func (r *reader) top(name string) {
	switch name {
	case "head":
		r.tree()
	case "nodes":
		r.array(r.flat)
	case "samples":
		r.hasSamples = true
		r.array(r.sample)
	case "timeDeltas", "timestamps":
		r.instants = name == "timestamps"
		r.array(func() {
			if r.Value() == json.Number {
				n, _ := json.Float(r.Text())
				r.times = append(r.times, int64(max(-1<<53, min(1<<53, n))))
			}
		})
	case "startTime", "endTime":
		if r.Value() == json.Number {
			n, _ := json.Float(r.Text())
			if name == "startTime" {
				r.start = n
			} else {
				r.end = n
			}
		}
	case "title":
		if r.Value() == json.String {
			r.Fact("title", "Title", model.KeptName(string(r.Text())))
		}
	default:
		r.Value()
	}
}

// array calls f for each element of the next array, which f reads. Anything else is skipped.
func (r *reader) array(f func()) {
	if r.Peek() != '[' {
		r.Value()
		return
	}
	r.Next()
	for first := true; r.Element(&first); {
		f()
		r.ask()
	}
}

// ask checks at intervals whether reading must stop.
func (r *reader) ask() {
	if r.steps++; r.steps%model.AskEvery != 0 || r.err != nil {
		return
	}
	if r.err = r.Ask(); r.err != nil {
		r.Stop()
	}
}

// flat reads a node of a list, which refers to its children by id.
func (r *reader) flat() {
	if !r.enter(none) {
		return
	}
	at := len(r.nodes) - 1
	var children []int64
	l := &r.levels[len(r.levels)-1]
	for {
		name, ok := r.Member(&l.first)
		if !ok {
			break
		}
		switch string(name) {
		case "children":
			r.array(func() {
				if r.Value() == json.Number {
					if id, ok := json.Int(r.Text()); ok && id >= 0 {
						children = append(children, id)
					}
				}
			})
		case "parent":
			if r.Value() == json.Number {
				if id, ok := json.Int(r.Text()); ok {
					r.nodes[at].parent = r.byParent(id)
				}
			}
		default:
			r.member(l, string(name[:min(len(name), 32)]))
		}
	}
	r.leave()
	if !r.nodes[at].hasID {
		return
	}
	for _, c := range children {
		if _, known := r.parents[c]; !known {
			r.parents[c] = r.nodes[at].id
		}
	}
}

// byParent keeps the id of a parent until all nodes are known.
func (r *reader) byParent(id int64) int {
	r.parents[-1-int64(len(r.nodes)-1)] = id // no id is negative
	return none
}

// sample reads a sample: the id of a node; in heap profiles an object, which is only counted, as the tree is correct.
func (r *reader) sample() {
	if r.heap {
		r.heapCount++
		r.Value()
		return
	}
	if r.Value() != json.Number {
		at, line := r.At()
		r.Say(model.Error, "samples", at, line, "a sample is not a number")
		r.samples = append(r.samples, -1)
		return
	}
	n, ok := json.Int(r.Text())
	if !ok {
		n = -1
	}
	r.samples = append(r.samples, n)
}
