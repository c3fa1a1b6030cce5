package export

import (
	"bufio"
	"context"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// devToolsPolicy is the name of the policy that snapshots of V8 have, and no others.
const devToolsPolicy = "devtools"

// The types of nodes and of edges in V8's snapshots, in the order in which V8 writes them.
var (
	v8NodeTypes = []string{"hidden", "array", "string", "object", "code", "closure", "regexp", "number", "native", "synthetic",
		"concatenated string", "sliced string", "symbol", "bigint", "object shape", "wasm object"}
	v8EdgeTypes = []string{"context", "element", "property", "internal", "hidden", "shortcut", "weak"}
)

// Indexes of types of nodes and edges that rows of other formats have.
const (
	v8Object, v8Code, v8Closure, v8Synthetic, v8Shape = 3, 4, 5, 9, 14
	v8Element, v8Property, v8Internal, v8Weak         = 1, 2, 3, 6
	v8Shortcut                                        = 5
)

// v8Fields is how many numbers a node has.
const v8Fields = 7

// v8Meta is what follows the types in the description of a snapshot.
const v8Meta = `"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],` +
	`"trace_node_fields":["id","function_info_index","count","size","children"],"sample_fields":["timestamp_us","last_assigned_id"],` +
	`"location_fields":["object_index","script_id","line","column"]},`

// WriteHeapSnapshot writes a snapshot of any format as one of V8, which Chrome DevTools and others open. Objects of V8
// keep their types. Of other formats, rows are objects named after their types, those that describe types are shapes
// with the names of these, functions are closures, and roots are synthetic. References that keep nothing alive are weak,
// so that retained sizes are the same. Contents of strings are not written. Nothing is held but the numbers of the
// names.
func WriteHeapSnapshot(ctx context.Context, w io.Writer, h *model.Heap, holding heapgraph.Holding) ([]Loss, error) {
	_, own := h.Schema.PolicyNamed(devToolsPolicy)
	style := textStyle{rows: true, edges: true, named: true, marked: !own}
	if !own {
		style.element = "[]"
	}
	texts, err := newHeapTexts(ctx, h, style)
	if err != nil {
		return nil, err
	}
	s := &v8Snapshot{ctx: ctx, out: bufio.NewWriterSize(w, 1<<16), holding: holding, h: h, own: own, texts: texts}
	s.prepare()
	for _, step := range []func() error{s.head, s.nodes, s.edges, s.strings} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s.lost.list, s.out.Flush()
}

type v8Snapshot struct {
	ctx   context.Context
	out   *bufio.Writer
	buf   []byte
	h     *model.Heap
	own   bool // the snapshot is one of V8
	texts *heapTexts
	lost  losses

	holding heapgraph.Holding

	nodeType []int // by kind of row
	edgeType []int // by kind of reference, -1 for the one that fits its form
	detached int   // axis of detachedness, -1 for none
	held     []bool
}

// prepare finds how kinds are written, and what cannot be.
func (s *v8Snapshot) prepare() {
	s.detached = -1
	if axis, ok := s.h.Schema.AxisNamed("detachedness"); ok && axis < len(s.h.Axes) && len(s.h.Axes[axis]) == s.h.Len() {
		s.detached = axis
	}
	for i := range s.h.Schema.Kinds {
		s.nodeType = append(s.nodeType, s.node(&s.h.Schema.Kinds[i]))
	}
	for i := range s.h.Schema.Edges {
		kind := -1
		if s.own {
			kind = v8Edge(s.h.Schema.Edges[i].Name)
		}
		s.edgeType = append(s.edgeType, kind)
	}
	if !s.own {
		s.lost.add("the identities of objects are not written: they are numbered")
		s.lost.add("names of objects other than those that describe types are not written: objects are named after their types")
		s.lost.add("kinds of references are not written: those that keep nothing alive are weak")
	}
	if s.own {
		s.lost.add("allocation stacks, times of allocation and places in scripts are not written")
	}
	s.lost.add("contents of strings are not written")
	if uint64(s.h.Len()) > math.MaxUint32/v8Fields {
		s.lost.add("Chrome DevTools cannot open snapshots of more than 613,566,756 objects")
	}
}

// node returns the type of the nodes of a kind of rows.
func (s *v8Snapshot) node(k *model.HeapKindInfo) int {
	own := slices.Index(v8NodeTypes, strings.ReplaceAll(k.Name, "-", " "))
	switch {
	case s.own && own >= 0:
		return own
	case k.Virtual:
		return v8Synthetic
	case k.Marked && k.Name == "function":
		return v8Closure
	case k.Marked && k.Name == "code":
		return v8Code
	case k.Marked:
		return v8Shape
	}
	return v8Object
}

// v8Edge returns the type of the edges of V8 that the loader calls by a name, -1 for the one that fits its form.
func v8Edge(name string) int {
	switch name {
	case "inner shortcut":
		return v8Shortcut
	case "by the WeakMap's table":
		return v8Internal
	}
	return slices.Index(v8EdgeTypes, name)
}

// flush writes buf to out, and reports whether the context is done.
func (s *v8Snapshot) flush() error {
	_, err := s.out.Write(s.buf)
	s.buf = s.buf[:0]
	return firstOf(err, s.ctx.Err())
}

// filled flushes a buffer that is full.
func (s *v8Snapshot) filled() error {
	if len(s.buf) < 1<<15 {
		return nil
	}
	return s.flush()
}

func (s *v8Snapshot) numbers(first bool, list ...uint64) {
	for i, n := range list {
		if i > 0 || !first {
			s.buf = append(s.buf, ',')
		}
		s.buf = strconv.AppendUint(s.buf, n, 10)
	}
}

// head writes everything before the nodes.
func (s *v8Snapshot) head() error {
	s.buf = append(s.buf, `{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],"node_types":[`...)
	s.names(v8NodeTypes)
	s.buf = append(s.buf, `,"string","number","number","number","number","number"],"edge_fields":["type","name_or_index","to_node"],"edge_types":[`...)
	s.names(v8EdgeTypes)
	s.buf = append(s.buf, `,"string_or_number","node"],`+v8Meta+`"node_count":`...)
	s.numbers(true, uint64(s.h.Len()))
	s.buf = append(s.buf, `,"edge_count":`...)
	s.numbers(true, uint64(s.h.To.Len()))
	s.buf = append(s.buf, `,"trace_function_count":0},`+"\n"...)
	return s.flush()
}

func (s *v8Snapshot) names(list []string) {
	for i, name := range list {
		s.buf = append(s.buf, "[,"[min(i, 1)])
		s.buf = model.AppendJSONString(s.buf, name)
	}
	s.buf = append(s.buf, ']')
}

func (s *v8Snapshot) nodes() error {
	s.buf = append(s.buf, `"nodes":[`...)
	for i := range s.h.Len() {
		r := model.Row(i)
		id := 2*uint64(i) + 1
		if s.own && i < len(s.h.IDs) {
			id = s.h.IDs[i]
		}
		size := s.h.Bytes(r)
		if size > math.MaxUint32 {
			s.lost.add("Chrome DevTools counts the size of an object modulo 4 GiB")
		}
		to, _ := s.h.Out(r)
		s.numbers(i == 0, uint64(s.nodeType[s.h.Kinds[r]]), s.name(r), id, size, uint64(to.Len()), 0, s.state(r))
		s.buf = append(s.buf, '\n')
		if err := s.filled(); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, "],\n"...)
	return s.flush()
}

// name returns the string of a row's name. That of the root is the first one, which is empty.
func (s *v8Snapshot) name(r model.Row) uint64 {
	if r == model.RootRow {
		return 0
	}
	return uint64(s.texts.row(r)) + 1
}

// state returns a row's detachedness.
func (s *v8Snapshot) state(r model.Row) uint64 {
	if s.detached < 0 {
		return 0
	}
	return uint64(max(0, slices.Index([]string{"", "attached", "detached"}, s.h.OnAxis(s.detached, r))))
}

func (s *v8Snapshot) edges() error {
	s.buf = append(s.buf, `"edges":[`...)
	for i := range s.h.Len() {
		to, first := s.h.Out(model.Row(i))
		if !s.own {
			s.held = s.holding.Of(model.Row(i), s.held)
		}
		for k, t := range to.All() {
			e := first + model.Ref(k)
			kind, name := s.edge(e, s.own || s.held[k])
			s.numbers(e == 0, uint64(kind), name, uint64(t)*v8Fields)
			s.buf = append(s.buf, '\n')
			if err := s.filled(); err != nil {
				return err
			}
		}
	}
	s.buf = append(s.buf, "],\n"...)
	return s.flush()
}

// edge returns the type and the name or index of a reference.
func (s *v8Snapshot) edge(e model.Ref, holds bool) (kind int, name uint64) {
	l := s.h.Label[e]
	form := v8Property
	switch l.Form() {
	case model.LabelIndex:
		form, name = v8Element, uint64(s.h.Schema.LabelValue(l))
	case model.LabelLarge:
		form, name = v8Element, s.h.LargeIndex[e]
	case model.LabelUnknown:
		form, name = v8Internal, uint64(s.texts.edge(e))+1
	default:
		name = uint64(s.texts.edge(e)) + 1
	}
	if kind = s.edgeType[s.h.Schema.LabelKind(l)]; kind >= 0 {
		return kind, name
	}
	if holds {
		return form, name
	}
	if form == v8Element {
		name = uint64(s.texts.edge(e)) + 1 // weak edges have no index
	}
	return v8Weak, name
}

// strings writes the texts, and the sections that have nothing.
func (s *v8Snapshot) strings() error {
	s.buf = append(s.buf, `"trace_function_infos":[],"trace_tree":[],"samples":[],"locations":[],`+"\n"+`"strings":[""`...)
	for text := range s.texts.all() {
		s.buf = model.AppendJSONString(append(s.buf, ",\n"...), model.Clean(text))
		if err := s.filled(); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, "]}\n"...)
	return s.flush()
}
