package v8heap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// The most bytes that a row and a reference take while a snapshot is decoded.
const (
	decodeRowBytes = 56
	decodeRefBytes = 8
)

// decoding is a snapshot being decoded.
type decoding struct {
	*layout
	f        *file
	progress func(float64)
	room     *model.Room // of columns; nil: memory

	h      *model.Heap
	texts  model.Texts // of the file
	more   []string    // of our own, after them
	traces []uint32    // by row: the number of its stack; nil where the file has none
	states []byte      // by row: detachedness; nil where the file has none
	start  []uint32    // by row, shifted by one: how many references; then where they begin
	to     []uint32
	label  []model.EdgeLabel
	kinds  []model.HeapKind // by type of nodes
	edges  []edgeForm       // by type of references

	mu          sync.Mutex
	done, total int64
	bad         map[string]*badNumbers
	large       map[model.Ref]uint64
	dangling    atomic.Int64
	unknown     atomic.Int64
}

// badNumbers counts the invalid numbers of a section.
type badNumbers struct{ first, count int64 }

// edgeForm is how a type of references becomes a label.
type edgeForm struct {
	kind  model.HeapEdgeKind
	form  model.EdgeLabel
	label model.EdgeLabel // without a value
}

func newDecoding(ctx context.Context, f *file, progress func(float64)) *decoding {
	d := &decoding{layout: &layout{ctx: ctx, src: f.src}, f: f, progress: progress, bad: map[string]*badNumbers{},
		total: max(2*f.src.Size(), 1)}
	d.onBytes = d.advance
	return d
}

// Fractions of the work.
const shareOfReading = 0.75

func (d *decoding) advance(n int64) {
	if d.progress == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done += n
	d.progress(shareOfReading * float64(d.done) / float64(max(d.total, d.done)))
}

// reached reports the progress of the work after reading.
func (d *decoding) reached(share float64) {
	if d.progress != nil {
		d.progress(shareOfReading + (0.99-shareOfReading)*share)
	}
}

func (d *decoding) run() (*model.Heap, error) {
	if err := d.walk(false); err != nil {
		return nil, err
	}
	d.total = max(2*d.end, 1)
	if err := d.columns(); err != nil {
		return nil, err
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	if err := d.link(); err != nil {
		return nil, err
	}
	after := []func() error{d.sites, d.detached, d.owners, d.classify}
	for i, part := range after {
		if err := part(); err != nil {
			return nil, err
		}
		d.reached(float64(i+1) / float64(len(after)))
	}
	d.reportFindings()
	for _, text := range d.more { // where they are kept, they need not be put together again
		d.texts.Add([]byte(text))
	}
	d.h.Tables.Packed = d.texts
	d.h.Complete = d.complete()
	return d.h, nil
}

// complete reports whether everything that a graph needs is there.
func (d *decoding) complete() bool {
	return !d.truncated && d.sections["edges"] != nil && d.h.Len() > 0
}

// columns makes the columns of rows and references.
func (d *decoding) columns() error {
	rows := d.sections["nodes"].records(int64(len(d.head.nodeFields)))
	refs := d.sections["edges"].records(int64(len(d.head.edgeFields)))
	switch {
	case rows > math.MaxUint32-1:
		return fmt.Errorf("the snapshot has %d nodes: more than %d cannot be shown", rows, uint32(math.MaxUint32-1))
	case refs > math.MaxUint32-1:
		return fmt.Errorf("the snapshot has %d edges: more than %d cannot be shown", refs, uint32(math.MaxUint32-1))
	}
	need := rows*decodeRowBytes + refs*decodeRefBytes
	b := d.src.Budget()
	if d.room = b.Room(need); !d.room.Fits(b, need) {
		return b.Error("no column of the snapshot was read")
	}
	n := int(rows)
	d.h = &model.Heap{
		Schema: &schema, Kinds: model.MakeColumn[model.HeapKind](d.room, n),
		Size: model.MakeColumn[uint16](d.room, n), Entity: d.numbers(n),
		Names: d.numbers(n), IDs: model.MakeColumn[uint64](d.room, n), Axes: make([][]uint32, numAxes), Tables: &model.HeapTables{},
	}
	d.start, d.to, d.label = d.numbers(n+1), d.numbers(int(refs)), model.MakeColumn[model.EdgeLabel](d.room, int(refs))
	if field(d.head.nodeFields, "trace_node_id") >= 0 && d.tree > 0 {
		d.traces = d.numbers(n)
	}
	if field(d.head.nodeFields, "detachedness") >= 0 {
		d.states = model.MakeColumn[byte](d.room, n)
	}
	d.forms()
	return nil
}

// numbers returns a column of n zeros.
func (d *decoding) numbers(n int) []uint32 { return model.MakeColumn[uint32](d.room, n) }

// forms resolves the types of nodes and references.
func (d *decoding) forms() {
	for _, name := range d.head.nodeTypes {
		kind := kindOther
		for k := range kinds {
			if kinds[k].name == name {
				kind = model.HeapKind(k)
			}
		}
		d.kinds = append(d.kinds, kind)
	}
	for _, name := range d.head.edgeTypes {
		kind, ok := edgeNames[name]
		if !ok {
			kind = edgeOther
		}
		d.edges = append(d.edges, formOf(kind))
	}
}

func formOf(kind model.HeapEdgeKind) edgeForm {
	x := edgeForm{kind: kind, form: model.LabelString}
	if kind == edgeElement || kind == edgeHidden {
		x.form = model.LabelIndex
	}
	x.label, _ = schema.Label(kind, x.form, 0)
	return x
}

// read fills the columns from the file, on all cores. Nodes come first: with the strings, which one goroutine reads
// meanwhile, they tell the classes of rows long before all references are read.
func (d *decoding) read() error {
	nodes, edges := d.sections["nodes"], d.sections["edges"]
	var jobs []func(c *numbers) error
	count, unnamed := newCounting(d), atomic.Int64{} // unnamed: how many parts that classes need are not read yet
	one := func(err error) error {
		if err == nil && unnamed.Add(-1) == 0 {
			count.end()
			return d.nameRows()
		}
		return err
	}
	if nodes != nil && d.h.Len() > 0 {
		r := newNodeReader(d, count)
		for i := range nodes.chunks {
			jobs = append(jobs, func(c *numbers) error { return one(r.chunk(c, i)) })
		}
	}
	unnamed.Store(int64(len(jobs)) + 1)
	if edges != nil && len(d.to) > 0 {
		r := newEdgeReader(d)
		for i := range edges.chunks {
			jobs = append(jobs, func(c *numbers) error { return r.chunk(c, i) })
		}
	}
	return d.readAll(jobs, func() error {
		err := d.readStrings()
		if err == nil {
			count.strings()
		}
		return one(err)
	})
}

// readAll runs jobs on all cores, in their order. One of the cores runs first before.
func (d *decoding) readAll(jobs []func(c *numbers) error, first func() error) error {
	errs := make([]error, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	var next atomic.Int64
	for w := range errs {
		group.Go(func() {
			errs[w] = model.Guarded(func() error {
				if w == 0 {
					if err := first(); err != nil {
						return err
					}
				}
				c := newNumbers(d.ctx, d.src)
				for i := next.Add(1) - 1; i < int64(len(jobs)); i = next.Add(1) - 1 {
					if err := jobs[i](c); err != nil {
						next.Store(int64(len(jobs)))
						return err
					}
				}
				return nil
			})
		})
	}
	group.Wait()
	return cmp.Or(d.ctx.Err(), errors.Join(errs...))
}

// ends collects what a goroutine found wrong in a chunk.
func (d *decoding) ends(c *numbers, section string, bytes int64) error {
	d.advance(bytes)
	if c.bad > 0 {
		d.mu.Lock()
		b := d.bad[section]
		if b == nil {
			b = &badNumbers{first: c.first}
			d.bad[section] = b
		}
		b.first, b.count = min(b.first, c.first), b.count+c.bad
		d.mu.Unlock()
		c.bad = 0
	}
	return c.err
}

// nodeReader reads nodes.
type nodeReader struct {
	*decoding
	s       *section
	columns []byte
	count   *counting
}

// nodeChunk is the results of a chunk that are not in columns.
type nodeChunk struct {
	sizes   []largeSize
	unknown int64
}

type largeSize struct {
	row  model.Row
	size uint64
}

func newNodeReader(d *decoding, count *counting) *nodeReader {
	return &nodeReader{decoding: d, s: d.sections["nodes"], columns: columnsOf(d.head.nodeFields), count: count}
}

// Columns of nodes.
const (
	columnOther = iota
	columnType
	columnName
	columnID
	columnSize
	columnEdges
	columnTrace
	columnState
)

var nodeColumns = map[string]byte{
	"type": columnType, "name": columnName, "id": columnID, "self_size": columnSize, "edge_count": columnEdges,
	"trace_node_id": columnTrace,
	"detachedness":  columnState,
}

// columnsOf returns the meaning of the columns of nodes; the first of equal names counts.
func columnsOf(fields []string) []byte {
	list, seen := make([]byte, len(fields)), map[byte]bool{}
	for i, name := range fields {
		if x := nodeColumns[name]; !seen[x] {
			list[i], seen[x] = x, x != columnOther
		}
	}
	return list
}

func (r *nodeReader) chunk(c *numbers, i int) error {
	first, last, skip := r.s.part(i, int64(len(r.columns)))
	c.span(r.s.chunks[i].from, r.s.end)
	c.skip(skip)
	var odd nodeChunk
	for row := int(first); row < int(last); row++ {
		for _, column := range r.columns {
			if n := c.next(); column != columnOther {
				r.set(row, column, n, &odd)
			}
		}
	}
	r.unknown.Add(odd.unknown)
	if len(odd.sizes) > 0 {
		r.mu.Lock()
		for _, x := range odd.sizes {
			r.h.SetSize(x.row, x.size)
		}
		r.mu.Unlock()
	}
	r.count.rows(int(first), int(last), odd.sizes)
	return r.ends(c, "nodes", c.at()-r.s.chunks[i].from)
}

// set stores the value of a node's column.
func (r *nodeReader) set(row int, column byte, n uint64, odd *nodeChunk) {
	switch column {
	case columnType:
		if n < uint64(len(r.kinds)) {
			r.h.Kinds[row] = r.kinds[n]
		} else {
			r.h.Kinds[row] = kindOther
			odd.unknown++
		}
	case columnName:
		r.h.Names[row] = uint32(min(n, math.MaxUint32))
	case columnID:
		r.h.IDs[row] = n
	case columnSize:
		if n < uint64(model.LargeSize) {
			r.h.Size[row] = uint16(n)
		} else {
			odd.sizes = append(odd.sizes, largeSize{model.Row(row), n})
		}
	case columnEdges:
		r.start[row+1] = uint32(min(n, math.MaxUint32))
	case columnTrace:
		if r.traces != nil {
			r.traces[row] = uint32(min(n, math.MaxUint32))
		}
	case columnState:
		r.states[row] = byte(min(n, math.MaxUint8))
	}
}

// edgeReader reads references.
type edgeReader struct {
	*decoding
	s                     *section
	kindAt, nameAt, rowAt int
	columns, nodeColumns  uint64
	share                 uint64 // 2^64 by nodeColumns, rounded up; 0 for one column
	unknownForm           edgeForm
}

func newEdgeReader(d *decoding) *edgeReader {
	f := d.head.edgeFields
	return &edgeReader{decoding: d, s: d.sections["edges"], kindAt: field(f, "type"),
		nameAt: field(f, "name_or_index"), rowAt: field(f, "to_node"),
		columns: uint64(len(f)), nodeColumns: uint64(len(d.head.nodeFields)),
		share: math.MaxUint64/uint64(len(d.head.nodeFields)) + 1, unknownForm: formOf(edgeOther)}
}

func (r *edgeReader) chunk(c *numbers, i int) error {
	first, last, skip := r.s.part(i, int64(r.columns))
	c.span(r.s.chunks[i].from, r.s.end)
	c.skip(skip)
	values := make([]uint64, r.columns)
	rows, dangling := uint64(len(r.h.Kinds)), int64(0)
	usual := r.columns == 3 && r.kindAt == 0 && r.nameAt == 1 && r.rowAt == 2
	for e := int(first); e < int(last); e++ {
		var kind, name, to uint64
		if usual {
			kind, name, to = c.next(), c.next(), c.next()
		} else {
			for k := range values {
				values[k] = c.next()
			}
			kind, name, to = values[r.kindAt], values[r.nameAt], values[r.rowAt]
		}
		row := r.rowOf(to)
		if row >= rows || row*r.nodeColumns != to {
			row = noRow
			dangling++
		}
		r.to[e], r.label[e] = uint32(row), r.labelOf(e, kind, name)
	}
	r.dangling.Add(dangling)
	return r.ends(c, "edges", c.at()-r.s.chunks[i].from)
}

// rowOf divides the number of a column by how many there are: exactly where it is the first one of a row, and else the
// product is another number.
func (r *edgeReader) rowOf(to uint64) uint64 {
	if r.share == 0 || to > math.MaxUint32 {
		return to / r.nodeColumns
	}
	row, _ := bits.Mul64(to, r.share)
	return row
}

// noRow means "no row".
const noRow = math.MaxUint32

const smallLabel = 1 << 20 // of values that fit whatever the number of kinds

func (r *edgeReader) labelOf(e int, kind, value uint64) model.EdgeLabel {
	form := &r.unknownForm
	if kind < uint64(len(r.edges)) {
		form = &r.edges[kind]
	} else {
		r.unknown.Add(1)
	}
	if value < smallLabel {
		return form.label | model.EdgeLabel(value)<<2
	}
	l, ok := schema.Label(form.kind, form.form, value)
	switch {
	case ok:
		return l
	case form.form == model.LabelIndex:
		r.mu.Lock()
		if r.large == nil {
			r.large = map[model.Ref]uint64{}
		}
		r.large[model.Ref(e)] = value
		r.mu.Unlock()
		return l
	}
	l, _ = schema.Label(form.kind, model.LabelUnknown, 0)
	return l
}
