// Package madeup is an invented format of heap snapshots. Tests use it along with the real ones to show that a format
// with an object graph needs only its own folder: its kinds of rows and references, its axes and its policies all
// differ from MoarVM's.
//
// A file is text, one line per item, with fields separated by tabs:
//
//	made-up heap
//	snapshot  time in µs
//	row       kind  class  package  region  bytes  identity  text
//	ref       from  to     kind     name, or [index], or nothing
package madeup

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// The kinds of rows.
const (
	kindRoot model.HeapKind = iota
	kindStack
	kindCell
	kindBlob
	kindClass
)

// The axes other than the class.
const (
	axisPackage = 1
	axisRegion  = 2
)

const magic = "made-up heap\n"

var schema = model.HeapSchema{
	Kinds: []model.HeapKindInfo{
		kindRoot:  {Name: "ground", Title: "The Ground", Virtual: true},
		kindStack: {Name: "stack", Title: "stack", Naming: model.NamedByType, Virtual: true},
		kindCell:  {Name: "cell", Title: "cell", Naming: model.NamedByType},
		kindBlob:  {Name: "blob", Title: "blob", Naming: model.NamedByType},
		kindClass: {Name: "class", Title: "class", Naming: model.NamedByType, Marked: true},
	},
	Sets: []model.HeapSet{
		{Key: "things", One: "thing", Many: "things", Kinds: model.KindsOf(kindCell, kindBlob), Naming: model.NamedByType, Column: true},
		{Key: "classes", One: "loaded class", Many: "loaded classes", Kinds: model.KindsOf(kindClass),
			Naming: model.NamedByType, Column: true},
	},
	Axes: []model.HeapAxis{
		{Key: "class", One: "class", Many: "classes", Word: "class"},
		axisPackage: {Key: "package", One: "package", Many: "packages", Word: "package"},
		axisRegion:  {Key: "region", One: "region", Many: "regions", Word: "region", ByRow: true},
	},
	Edges: []model.HeapEdgeInfo{{Name: "strong"}, {Name: "weak", Marked: true}},
	Policies: []model.HeapPolicy{
		{Name: "strong", Help: "weak references keep alive only what no strong one reaches", Skip: 1 << 1},
		{Name: "everything", About: "and weak references", Note: "retained, weak references included",
			Help: "weak references keep memory alive like strong ones"},
	},
	IDs: model.HeapIDForm{Prefix: "0x", Base: 16},
}

// Format returns the format.
func Format() loaders.Format {
	return loaders.Format{
		Name: "made-up", Summary: "heap snapshots of an invented format", Extensions: []string{".madeup"}, Heap: &schema,
		Sniff: func(head []byte) loaders.Confidence {
			if bytes.HasPrefix(head, []byte(magic)) {
				return loaders.Sure
			}
			return loaders.No
		},
		Load: load,
		Info: func(_ context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
			return &model.Profile{Meta: meta(src)}, nil
		},
		Validate: func(context.Context, *loaders.Source, func(loaders.Violation)) error { return nil },
	}
}

func meta(src *loaders.Source) model.Meta {
	return model.Meta{Path: src.Path(), Name: src.Name(), Format: "made-up", Version: 1, Size: src.StoredSize()}
}

func load(ctx context.Context, src *loaders.Source, _ loaders.Options, store *model.Store) error {
	text := make([]byte, 1<<20)
	n, err := src.ReadSome(ctx, text, 0)
	for n < len(text) && err == nil {
		var more int
		more, err = src.ReadSome(ctx, text[n:], int64(n))
		n += more
	}
	f := &file{src: src}
	at := int64(len(magic))
	for line := range strings.Lines(string(text[len(magic):n])) {
		if err := f.line(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), at); err != nil {
			return &loaders.FormatError{Format: "made-up", Path: src.Path(), Offset: at, Err: err}
		}
		at += int64(len(line))
	}
	for i := range f.snaps {
		f.snaps[i].finish(f)
	}
	store.Publish(&model.Profile{Meta: meta(src), Heaps: f, Complete: true})
	return nil
}

// file is the source of the snapshots of a file.
type file struct {
	src    *loaders.Source
	tables model.HeapTables
	names  map[string]uint32
	types  map[string]uint32 // by class and package
	snaps  []snapshot
}

// snapshot is a heap, and the positions of its texts in the file.
type snapshot struct {
	heap  model.Heap
	time  model.Time
	texts []span // by row
	refs  [][]reference
}

type span struct {
	offset int64
	length int
}

type reference struct {
	to    model.Row
	label model.EdgeLabel
	index uint64 // if it does not fit the label
}

func (f *file) name(s string) uint32 {
	if f.names == nil {
		f.names, f.types, f.tables.Axes = map[string]uint32{}, map[string]uint32{}, make([][]uint32, len(schema.Axes))
	}
	i, ok := f.names[s]
	if !ok {
		i = uint32(len(f.tables.Strings))
		f.names[s], f.tables.Strings = i, append(f.tables.Strings, s)
	}
	return i
}

func (f *file) typ(class, pkg string) uint32 {
	name, key := f.name(class), class+"\t"+pkg
	i, ok := f.types[key]
	if !ok {
		i = uint32(len(f.tables.Types))
		f.types[key], f.tables.Types = i, append(f.tables.Types, model.HeapType{Name: name})
		f.tables.Axes[axisPackage] = append(f.tables.Axes[axisPackage], f.name(pkg))
	}
	return i
}

// line reads a line that begins at an offset.
func (f *file) line(fields []string, at int64) error {
	switch what := fields[0]; {
	case what == "snapshot" && len(fields) == 2:
		us, err := strconv.ParseInt(fields[1], 10, 64)
		h := model.Heap{Schema: &schema, Axes: make([][]uint32, len(schema.Axes)), Complete: true}
		f.snaps = append(f.snaps, snapshot{heap: h, time: model.Time(us)})
		return err
	case what == "row" && len(fields) == 8 && len(f.snaps) > 0:
		return f.row(&f.snaps[len(f.snaps)-1], fields, at)
	case what == "ref" && len(fields) == 5 && len(f.snaps) > 0:
		return f.ref(&f.snaps[len(f.snaps)-1], fields)
	}
	return fmt.Errorf("the line means nothing: %q", fields)
}

func (f *file) row(s *snapshot, fields []string, at int64) error {
	kind, ok := schema.KindNamed(fields[1])
	size, err := strconv.ParseUint(fields[5], 10, 63)
	id, err2 := strconv.ParseUint(fields[6], 16, 64)
	if !ok || err != nil || err2 != nil {
		return fmt.Errorf("the row means nothing: %q", fields)
	}
	h, r := &s.heap, model.Row(len(s.heap.Kinds))
	h.Kinds, h.Size, h.IDs = append(h.Kinds, kind), append(h.Size, 0), append(h.IDs, id)
	h.SetSize(r, size)
	h.Entity = append(h.Entity, f.typ(fields[2], fields[3]))
	h.Axes[axisRegion] = append(h.Axes[axisRegion], f.name(fields[4]))
	text := fields[7]
	s.texts = append(s.texts, span{at + int64(len(strings.Join(fields, "\t"))-len(text)), len(text)})
	s.refs = append(s.refs, nil)
	return nil
}

func (f *file) ref(s *snapshot, fields []string) error {
	from, err := strconv.ParseUint(fields[1], 10, 64)
	to, err2 := strconv.ParseUint(fields[2], 10, 64)
	kind := model.HeapEdgeKind(0)
	if fields[3] == "weak" {
		kind = 1
	}
	if err != nil || err2 != nil || from >= uint64(len(s.refs)) || to >= uint64(len(s.refs)) {
		return fmt.Errorf("the reference means nothing: %q", fields)
	}
	form, value := model.LabelUnknown, uint64(0)
	if digits, ok := strings.CutPrefix(fields[4], "["); ok {
		if value, err = strconv.ParseUint(strings.TrimSuffix(digits, "]"), 10, 63); err != nil {
			return err
		}
		form = model.LabelIndex
	} else if fields[4] != "" {
		form, value = model.LabelString, uint64(f.name(fields[4]))
	}
	label, _ := schema.Label(kind, form, value)
	s.refs[from] = append(s.refs[from], reference{model.Row(to), label, value})
	return nil
}

// finish arranges the references by row.
func (s *snapshot) finish(f *file) {
	h := &s.heap
	h.Start, h.Tables, h.LargeIndex = model.Column[model.Ref]{Narrow: make([]uint32, 1)}, &f.tables, map[model.Ref]uint64{}
	for _, refs := range s.refs {
		for _, x := range refs {
			if x.label.Form() == model.LabelLarge {
				h.LargeIndex[model.Ref(h.To.Len())] = x.index
			}
			h.To.Append(x.to)
			h.Label = append(h.Label, x.label)
		}
		h.Start.Append(model.Ref(h.To.Len()))
	}
}

// Schema implements [model.HeapSource], as do the methods below.
func (f *file) Schema() *model.HeapSchema { return &schema }

func (f *file) Len() int { return len(f.snaps) }

func (f *file) Info(i int) model.HeapInfo {
	info := model.NoHeapInfo()
	info.Time = f.snaps[i].time
	return info
}

func (f *file) Open(_ context.Context, i int, _ func(float64)) (*model.Heap, error) {
	return &f.snaps[i].heap, nil
}

func (f *file) Scores(context.Context, int) (s model.HeapScores, ok bool, err error) {
	return s, false, nil
}

func (f *file) Tables(context.Context, int) (*model.HeapTables, error) { return &f.tables, nil }

// Text implements [model.HeapTexts].
func (f *file) Text(_ context.Context, i int, _ *model.Heap, r model.Row, most int) (text string, whole, ok bool, err error) {
	at := f.snaps[i].texts[r]
	buf := make([]byte, min(at.length, most))
	if _, err := f.src.ReadAt(buf, at.offset); err != nil {
		return "", false, false, err
	}
	return string(buf), at.length <= most, at.length > 0, nil
}
