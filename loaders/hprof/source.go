package hprof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const sizesLayout = loaders.SizesLayout

// Format returns the .hprof format.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "Java heap dumps: every object of a JVM or of an Android app, and what refers to it",
		Extensions: []string{".hprof"},
		Heap:       newSchema(),
		Sizes:      "gaps (the distances between objects where addresses show them, the default) or layout (computed from fields)",
		Sniff:      sniff,
		Load:       load,
		Info:       info,
		Validate:   validate,
	}
}

func sniff(head []byte) loaders.Confidence {
	if bytes.HasPrefix(head, []byte(magic)) || len(head) > 4 && bytes.HasPrefix([]byte(magic), head) {
		return loaders.Sure
	}
	return loaders.No
}

// load publishes the file once: dumps are decoded on request.
func load(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
	f, err := open(ctx, src)
	if err != nil {
		return err
	}
	f.sizes, f.kept = opt.Sizes, opt.Kept
	f.state.Publish(store, &model.Profile{Meta: f.describe(), Heaps: f, Problems: f.problems, Complete: !model.HasError(f.problems)})
	return nil
}

// info reads records, but no dump.
func info(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
	f, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	return &model.Profile{Meta: f.describe(), Problems: f.problems}, nil
}

// describe returns what the records state.
func (f *file) describe() model.Meta {
	m := model.Meta{
		Path: f.src.Path(), Name: f.src.Name(), Format: formatName, Version: f.version,
		Size: f.src.StoredSize(), Outer: f.src.Outer(),
	}
	number := func(key, label string, n int64) {
		m.Facts = append(m.Facts, model.Fact{Key: key, Label: label, Value: model.Group(uint64(n)), Int: n, HasInt: true})
	}
	number("snapshots", "Heap dumps", int64(len(f.dumps)))
	number("classes", "Loaded classes", int64(len(f.classes)))
	number("strings", "Names", int64(len(f.strings.list)))
	number("id_bytes", "Bytes of an id", int64(f.ids))
	if f.clock > 0 && f.clock < 1<<43 {
		m.Facts = append(m.Facts, model.Fact{Key: "written_ms", Label: "Written", Value: time.UnixMilli(f.clock).UTC().Format(time.RFC3339),
			Int: f.clock, HasInt: true})
	}
	return m
}

// Schema implements [model.HeapSource], as do the methods below.
func (f *file) Schema() *model.HeapSchema { return &schema }

func (f *file) Len() int { return len(f.dumps) }

func (f *file) Info(i int) model.HeapInfo {
	if exact, ok := f.state.Counted(i); ok {
		return exact
	}
	info := model.NoHeapInfo()
	info.Time = model.Time(f.dumps[i].time)
	return info
}

func (f *file) has(i int) error {
	if i < 0 || i >= len(f.dumps) {
		return fmt.Errorf("no snapshot %d", i)
	}
	return nil
}

func (f *file) Open(ctx context.Context, i int, progress func(done float64)) (*model.Heap, error) {
	if err := f.has(i); err != nil {
		return nil, err
	}
	p := &places{}
	q := loaders.HeapRequest{Schema: &schema, Cache: f.kept, I: i,
		Way: map[bool]string{true: "layout"}[f.sizes == sizesLayout], Extra: p.sections}
	made, err := q.Open(ctx, func() (*loaders.DecodedHeap, error) { return f.decode(ctx, i, p, progress) })
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.places[i] = p
	f.mu.Unlock()
	return f.state.Decoded(i, made, 0, progress), nil
}

// decode decodes a dump, and stores the positions of its rows in p.
func (f *file) decode(ctx context.Context, i int, p *places, progress func(done float64)) (*loaders.DecodedHeap, error) {
	d := &decoding{f: f, ctx: ctx, i: i, progress: progress}
	h, err := d.run()
	if err != nil {
		return nil, err
	}
	info := f.Info(i)
	loaders.CountHeap(h, &info)
	p.note(d)
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

// loaderNames names class loaders by their ids: by their class, with a number for further ones of one class.
func (k *classes) loaderNames() map[uint64]string {
	names, count := map[uint64]string{0: "<bootstrap>"}, map[string]int{}
	for i := range k.list {
		id := k.list[i].loader
		if _, ok := names[id]; ok {
			continue
		}
		name := k.loaderClass[id]
		if name == "" {
			name = "<loader " + hexID(id) + ">"
		}
		if count[name]++; count[name] > 1 {
			name += " #" + strconv.Itoa(count[name])
		}
		names[id] = name
	}
	return names
}

// validate reports every broken rule: those of records first, then those of each dump.
func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	f, err := open(ctx, src)
	if loaders.ReportRefusal(err, "truncated", report) {
		return nil
	}
	if err != nil {
		return err
	}
	problems := f.problems
	for i := range f.dumps {
		d := &decoding{f: f, ctx: ctx, i: i}
		_, err := d.run()
		if short := (*model.MemoryError)(nil); errors.As(err, &short) {
			problems = model.AddProblem(problems, src.Budget().Problem(fmt.Sprintf("dump %d was not checked", i)))
		} else if err != nil {
			return err
		}
		for _, p := range d.problems {
			problems = model.AddProblem(problems, p)
		}
	}
	loaders.Report(problems, report)
	return nil
}

// Clock implements join.Clock of package model.
func (f *file) Clock() (at model.Time, ok bool) {
	if f.clock <= 0 || f.clock >= 1<<43 {
		return 0, false
	}
	return model.Time(f.clock * 1000), true
}
