package v8heap

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

const formatName = "heapsnapshot"

// Format returns the format of heap snapshots of V8.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "heap snapshots and timelines of V8 (Node.js, Chrome, Electron, Deno): every object, and what refers to it",
		Extensions: []string{".heapsnapshot", ".heaptimeline"},
		Heap:       newSchema(),
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

// sniff recognizes an object that begins with the description of a snapshot, or that names its columns anywhere.
func sniff(head []byte) loaders.Confidence {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	i := json.Blank(head, 0)
	if i == len(head) || head[i] != '{' {
		return loaders.No
	}
	has := func(member string) bool { return bytes.Contains(head, []byte(`"`+member+`"`)) }
	i = json.Blank(head, i+1)
	first := bytes.HasPrefix(head[i:], []byte(`"snapshot"`))
	switch {
	case has("node_fields") || first && has("meta"):
		return loaders.Sure
	case first && has("node_count"):
		return loaders.Maybe
	}
	return loaders.No
}

// file is an open file: the source of its snapshot.
type file struct {
	src  *loaders.Source
	kept sections.Cache // stores the decoded snapshot for the next run
	head head
	at   []model.Problem // found while opening

	state loaders.HeapState
}

var (
	errNoHead   = errors.New(`the member "snapshot", which names the columns, is missing`)
	errNoFields = errors.New("the columns type, name and edge_count of nodes, or type, name_or_index and to_node of edges, are not named")
)

// open reads the description of a file.
func open(ctx context.Context, src *loaders.Source) (*file, error) {
	l := &layout{ctx: ctx, src: src}
	if err := l.walk(true); err != nil {
		return nil, err
	}
	f := &file{src: src, head: l.head, at: l.problems}
	refuse := func(field string, err error) error {
		at := int64(0)
		for _, p := range l.problems {
			if p.Severity == model.Error {
				at = p.Offset
				err = fmt.Errorf("%w: %s", err, p.Message)
				break
			}
		}
		return &loaders.FormatError{Format: formatName, Path: src.Path(), Offset: at, Field: field, Err: err}
	}
	if !l.hasHead {
		return nil, refuse("snapshot", errNoHead)
	}
	for _, need := range []struct {
		fields []string
		names  []string
	}{{l.head.nodeFields, []string{"type", "name", "edge_count"}}, {l.head.edgeFields, []string{"type", "name_or_index", "to_node"}}} {
		for _, name := range need.names {
			if field(need.fields, name) < 0 {
				return nil, refuse("fields", errNoFields)
			}
		}
	}
	return f, nil
}

// load publishes the file once: the snapshot is decoded on request.
func load(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
	f, err := open(ctx, src)
	if err != nil {
		return err
	}
	f.kept = opt.Kept
	f.state.Publish(store, &model.Profile{Meta: f.describe(), Heaps: f, Problems: f.at, Complete: !model.HasError(f.at)})
	return nil
}

// info reads the description, but no objects.
func info(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
	f, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	return &model.Profile{Meta: f.describe(), Problems: f.at}, nil
}

// describe returns what the head states.
func (f *file) describe() model.Meta {
	m := model.Meta{
		Path: f.src.Path(), Name: f.src.Name(), Format: formatName, Version: model.NoVersion,
		Size: f.src.StoredSize(), Outer: f.src.Outer(),
	}
	number := func(key, label string, n int64) {
		if n >= 0 {
			m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: model.Group(uint64(n)), Int: n, HasInt: true})
		}
	}
	number("nodes", "Objects", f.head.nodes)
	number("edges", "References", f.head.edges)
	if f.head.functions > 0 {
		number("functions", "Functions of stacks", f.head.functions)
	}
	if f.head.native > 0 {
		number("extra_native_bytes", "Native bytes outside the objects", f.head.native)
	}
	return m
}

// Schema implements [model.HeapSource], as do the methods below.
func (f *file) Schema() *model.HeapSchema { return &schema }

func (f *file) Len() int { return 1 }

func (f *file) Info(int) model.HeapInfo {
	if exact, ok := f.state.Counted(0); ok {
		return exact
	}
	info := model.NoHeapInfo()
	info.Rows, info.References = max(f.head.nodes, model.NoCount), max(f.head.edges, model.NoCount)
	return info
}

func (f *file) Open(ctx context.Context, i int, progress func(done float64)) (*model.Heap, error) {
	if i != 0 {
		return nil, fmt.Errorf("no snapshot %d", i)
	}
	q := loaders.HeapRequest{Schema: &schema, Cache: f.kept, I: i}
	made, err := q.Open(ctx, func() (*loaders.DecodedHeap, error) { return f.decode(ctx, progress) })
	if err != nil {
		return nil, err
	}
	return f.state.Decoded(i, made, 0, progress), nil
}

// decode reads the snapshot.
func (f *file) decode(ctx context.Context, progress func(done float64)) (*loaders.DecodedHeap, error) {
	d := newDecoding(ctx, f, progress)
	h, err := d.run()
	if err != nil {
		return nil, err
	}
	info := model.NoHeapInfo()
	loaders.CountHeap(h, &info)
	return &loaders.DecodedHeap{Heap: h, Info: info, Problems: d.problems, Room: d.room}, nil
}

func (f *file) Scores(context.Context, int) (s model.HeapScores, ok bool, err error) {
	return s, false, nil
}

func (f *file) Tables(ctx context.Context, i int) (*model.HeapTables, error) {
	h, err := f.Open(ctx, i, nil)
	if err != nil {
		return nil, err
	}
	return h.Tables, nil
}

// validate reports every broken rule.
func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	f, err := open(ctx, src)
	if loaders.ReportRefusal(err, "", report) {
		return nil
	}
	if err != nil {
		return err
	}
	d := newDecoding(ctx, f, nil)
	_, err = d.run()
	if short := (*model.MemoryError)(nil); errors.As(err, &short) {
		d.problems = model.AddProblem(d.problems, src.Budget().Problem("the snapshot was not checked"))
	} else if err != nil {
		return err
	}
	loaders.Report(d.problems, report)
	return nil
}

// reportFindings records the problems found while reading the snapshot.
func (d *decoding) reportFindings() {
	for _, name := range []string{"nodes", "edges"} {
		s := d.sections[name]
		if s == nil {
			if !d.truncated {
				d.problem(model.Error, name, model.NoOffset, 1, "there are no %s", name)
			}
			continue
		}
		if b := d.bad[name]; b != nil {
			d.problem(model.Error, "numbers", b.first, b.count, "%s: a value is not a whole number; it was read as 0", name)
		}
		columns := int64(len(d.head.nodeFields))
		if name == "edges" {
			columns = int64(len(d.head.edgeFields))
		}
		if s.numbers%columns != 0 && !d.truncated {
			d.problem(model.Error, "numbers", s.end, 1, "%s: the last record lacks columns", name)
		}
	}
	at := d.offset("nodes")
	if n := d.head.nodes; n >= 0 && n != int64(d.h.Len()) && !d.truncated {
		d.problem(model.Warning, "node-count", at, 1, "the header says %s nodes, the file has %s",
			model.Group(uint64(n)), model.Group(uint64(d.h.Len())))
	}
	if s := d.sections["edges"]; s != nil && d.head.edges >= 0 && !d.truncated {
		if have := s.records(int64(len(d.head.edgeFields))); have != d.head.edges {
			d.problem(model.Warning, "node-count", s.from, 1, "the header says %s edges, the file has %s",
				model.Group(uint64(d.head.edges)), model.Group(uint64(have)))
		}
	}
	if n := d.dangling.Load(); n > 0 {
		d.problem(model.Warning, "dangling-reference", d.offset("edges"), n, "references lead to nodes that are not in the file")
	}
	if n := d.unknown.Load(); n > 0 {
		d.problem(model.Warning, "unknown-type", at, n, "nodes or edges have a type that the header does not name")
	}
	if d.strings == 0 && !d.truncated {
		d.problem(model.Error, "strings", model.NoOffset, 1, "there are no strings: names are missing")
	}
}
