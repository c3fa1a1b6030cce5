package objects

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"sync"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// CodeTruncated is the code of problems with an incomplete last line.
const CodeTruncated = "truncated"

// Form states how the dumps of a format are read.
type Form struct {
	Schema *model.HeapSchema
	Kinds  Kinds
	// Start begins a pass over a file.
	Start func() Pass
}

// Pass is a loader's part in decoding a file once.
type Pass interface {
	// Parser returns the parser for a goroutine. Any goroutine may call it, one at a time.
	Parser(*Names) Parser
	// Sort returns what the type of an object depends on.
	Sort(u *Unit, i int) Sort
	// TypeName returns the type of objects whose class is not in the file, from what their lines say.
	TypeName(kind model.HeapKind, name string) string
	// ClassName returns the name that an object gives to objects of which it is the class, "" for none.
	ClassName(u *Unit, i int) string
	// Rows sets the entities and axes of rows. References are still identities; they may be named.
	Rows(*Build) error
	// Roots is called once all references between objects are known.
	Roots(*Build)
	// Axes sets the values of types on the axes. All types are known.
	Axes(*Build)
}

// File is an open file, and the source of its only snapshot. Formats embed it.
type File struct {
	Src      *loaders.Source
	Size     int64
	Problems []model.Problem // found while opening
	Kept     sections.Cache  // stores the decoded dump for the next run; nil for no store

	form  Form
	state loaders.HeapState
	mu    sync.Mutex
	dump  *Dump
}

// Open waits until all of a source has arrived.
func Open(ctx context.Context, src *loaders.Source, form Form) (*File, error) {
	f := &File{Src: src, Size: src.Size(), form: form}
	if f.Size < 0 {
		if _, err := src.ReadSome(ctx, make([]byte, 1), math.MaxInt64/2); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		f.Size = src.Size()
	}
	return f, nil
}

// Dumped is a file of a format that embeds [File].
type Dumped interface {
	model.HeapSource
	// Describe returns what the file states about itself.
	Describe() model.Meta
	// Base returns what the format embeds.
	Base() *File
}

// Base implements [Dumped].
func (f *File) Base() *File { return f }

// Load returns what publishes a file that was opened. Its dump is decoded on request.
func Load[F Dumped](open func(context.Context, *loaders.Source) (F, error)) func(context.Context, *loaders.Source,
	loaders.Options, *model.Store) error {
	return func(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
		file, err := open(ctx, src)
		if err != nil {
			return err
		}
		f := file.Base()
		f.Kept = opt.Kept
		f.state.Publish(store, &model.Profile{Meta: file.Describe(), Heaps: file, Problems: f.Problems,
			Complete: !model.HasError(f.Problems)})
		return nil
	}
}

// Info returns what describes a file that was opened.
func Info[F Dumped](open func(context.Context, *loaders.Source) (F, error)) func(context.Context, *loaders.Source,
	loaders.Options) (*model.Profile, error) {
	return func(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
		file, err := open(ctx, src)
		if err != nil {
			return nil, err
		}
		return &model.Profile{Meta: file.Describe(), Problems: file.Base().Problems}, nil
	}
}

// Schema implements [model.HeapSource], as do the methods below.
func (f *File) Schema() *model.HeapSchema { return f.form.Schema }

// Len is 1: a file is a snapshot.
func (f *File) Len() int { return 1 }

// Info returns figures once the snapshot was decoded.
func (f *File) Info(int) model.HeapInfo {
	if exact, ok := f.state.Counted(0); ok {
		return exact
	}
	return model.NoHeapInfo()
}

// Scores returns none.
func (f *File) Scores(context.Context, int) (s model.HeapScores, ok bool, err error) {
	return s, false, nil
}

// Tables decodes the snapshot.
func (f *File) Tables(ctx context.Context, i int) (*model.HeapTables, error) {
	h, err := f.Open(ctx, i, nil)
	if err != nil {
		return nil, err
	}
	return h.Tables, nil
}

// Open decodes the snapshot.
func (f *File) Open(ctx context.Context, i int, progress func(done float64)) (*model.Heap, error) {
	if i != 0 {
		return nil, fmt.Errorf("no snapshot %d", i)
	}
	dump := &Dump{}
	q := loaders.HeapRequest{Schema: f.form.Schema, Cache: f.Kept, I: i, Extra: dump.sections}
	made, err := q.Open(ctx, func() (*loaders.DecodedHeap, error) {
		b, err := f.decode(ctx, progress)
		if err != nil {
			return nil, err
		}
		*dump = *b.Dump
		info := f.Info(0)
		loaders.CountHeap(b.Heap, &info)
		return &loaders.DecodedHeap{Heap: b.Heap, Info: info, Problems: b.problems, Room: b.room}, nil
	})
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.dump = dump
	f.mu.Unlock()
	return f.state.Decoded(i, made, 0, progress), nil
}

// decode reads all lines and builds a heap.
func (f *File) decode(ctx context.Context, progress func(done float64)) (*Build, error) {
	var mu sync.Mutex
	done := int64(0)
	pass := f.form.Start()
	room, scratch := f.Src.Budget().Room(f.Size), f.Src.Budget().Room(f.Size)
	defer scratch.Close()
	count := newCounting(ctx, pass, f.form.Schema)
	units, names, err := read(ctx, f.Src, f.Size, scratch, count, func(n int64) {
		mu.Lock()
		defer mu.Unlock()
		if done += n; progress != nil {
			progress(0.9 * float64(done) / float64(f.Size))
		}
	}, pass.Parser)
	if err != nil {
		return nil, err
	}
	count.end()
	b := &Build{ctx: ctx, src: f.Src, room: room, scratch: scratch, Units: units, names: names, kinds: f.form.Kinds,
		Strings: newStrings(), frames: map[model.HeapFrame]uint32{}}
	b.Types = newTypes(b.Strings)
	if err := b.rows(f.form.Schema); err != nil {
		return nil, err
	}
	b.Heap.Complete = true
	if err := pass.Rows(b); err != nil {
		return nil, err
	}
	if err := b.resolve(); err != nil {
		return nil, err
	}
	pass.Roots(b)
	if err := b.link(); err != nil {
		return nil, err
	}
	pass.Axes(b)
	b.report()
	t := b.Heap.Tables
	t.Strings, t.Types = b.Strings.List, b.Types.list
	b.keep()
	return b, nil
}

// Validate reports every broken rule.
func (f *File) Validate(ctx context.Context, report func(loaders.Violation)) error {
	problems := f.Problems
	b, err := f.decode(ctx, nil)
	if short := (*model.MemoryError)(nil); errors.As(err, &short) {
		problems = model.AddProblem(problems, f.Src.Budget().Problem("the dump was not checked"))
	} else if err != nil {
		return err
	} else {
		for _, p := range b.problems {
			problems = model.AddProblem(problems, p)
		}
	}
	loaders.Report(problems, report)
	return nil
}

// Dump returns the positions of the snapshot's lines; it decodes it if necessary.
func (f *File) Dump(ctx context.Context) (*Dump, error) {
	f.mu.Lock()
	d := f.dump
	f.mu.Unlock()
	if d != nil {
		return d, nil
	}
	if _, err := f.Open(ctx, 0, nil); err != nil {
		return nil, err
	}
	return f.Dump(ctx)
}

// Line reads the line of an object's row; nil for rows that have none.
func (f *File) Line(ctx context.Context, r model.Row) ([]byte, error) {
	d, err := f.Dump(ctx)
	if err != nil {
		return nil, err
	}
	u := sort.Search(len(d.units), func(i int) bool { return model.Row(d.units[i].first) > r }) - 1
	if u < 0 || uint64(r)-uint64(d.units[u].first) >= uint64(len(d.units[u].line)) {
		return nil, nil
	}
	p := &d.units[u]
	at := p.from + int64(p.line[uint64(r)-uint64(p.first)])
	var line []byte
	lines := lineReader{ctx: ctx, src: f.Src, size: f.Size}
	err = lines.each(at, min(at+1, f.Size), func(b []byte, _ int64, _ bool) error {
		line = b
		return nil
	}, func(int64) {})
	return line, err
}

// Lines calls visit with the lines of all objects in the order of the file, until visit returns an error, which Lines
// returns. A line is valid until visit returns.
func (f *File) Lines(ctx context.Context, visit func(r model.Row, line []byte) error) error {
	d, err := f.Dump(ctx)
	if err != nil {
		return err
	}
	lines := lineReader{ctx: ctx, src: f.Src, size: f.Size}
	for _, u := range d.units {
		next := 0
		err := lines.each(u.from, min(u.from+unitBytes, f.Size), func(b []byte, at int64, _ bool) error {
			if next >= len(u.line) || at != u.from+int64(u.line[next]) {
				return nil
			}
			next++
			return visit(model.Row(u.first)+model.Row(next-1), b)
		}, func(int64) {})
		if err != nil {
			return err
		}
	}
	return nil
}
