package mvmheap

import (
	"context"
	"strconv"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Bytes that a row and a reference of a decoded snapshot take.
const (
	keptRowBytes = 19
	keptRefBytes = 8
)

// programBytes is the memory of the program without a snapshot, with a margin for variable parts: stacks of goroutines,
// the file's tables.
const programBytes = 16 << 20

// memoryFor returns how many bytes a snapshot takes until all results are computed: it is decoded, and then its graph
// is built. A budget of that size allows both.
func memoryFor(rows, refs int64) int64 {
	kept := rows*keptRowBytes + refs*keptRefBytes
	return programBytes + max(rows*rowBytes+refs*refBytes, kept+rows*model.GraphRowBytes+refs*model.GraphRefBytes)
}

// info reads headers and names, but no snapshot.
func info(ctx context.Context, src *loaders.Source, _ loaders.Options) (*model.Profile, error) {
	f, _, err := open(ctx, src)
	if err != nil {
		return nil, err
	}
	meta := f.describe()
	t, err := f.tables.get(ctx, len(f.snaps)-1)
	if err != nil {
		return nil, err
	}
	meta.Facts = append(meta.Facts,
		number("strings", "Strings", int64(t.NumStrings())),
		number("types", "Types", int64(len(t.Types))),
		number("frames", "Frames", int64(len(t.Frames))),
	)
	problems := f.problems
	for _, p := range f.tables.problems {
		problems = model.AddProblem(problems, p)
	}
	return &model.Profile{Meta: meta, Problems: problems, Lost: f.lost}, nil
}

func number(key, label string, n int64) model.Fact {
	return model.Fact{Key: key, Label: label, Value: model.Group(uint64(n)), Int: n, HasInt: true}
}

// sum adds counts.
func sum(counts []int64) (n int64) {
	for _, c := range counts {
		n += c
	}
	return n
}

// describe returns what the headers state.
func (f *file) describe() model.Meta {
	m := model.Meta{
		Path: f.src.Path(), Name: f.src.Name(), Format: formatName, Version: f.version,
		Size: f.src.StoredSize(), Outer: f.src.Outer(),
	}
	whole, rows, refs := int64(0), int64(0), int64(0)
	last := model.NoTime
	for i := range f.snaps {
		h := f.stated(i)
		if h.Complete {
			whole++
		}
		// Rows are not stated in version 3; the roots, which no total counts, are a handful.
		rows = max(rows, h.Rows, sum(h.Counts))
		refs = max(refs, h.References)
		last = max(last, h.Time)
	}
	m.Facts = append(m.Facts, number("snapshots", "Snapshots", int64(len(f.snaps))))
	if n := int64(len(f.snaps)) - whole; n > 0 {
		m.Facts = append(m.Facts, number("cut_snapshots", "Snapshots cut short", n))
	}
	if rows > 0 {
		m.Facts = append(m.Facts, number("largest_rows", "Rows at most, about", rows),
			number("largest_references", "References at most", refs))
		memory := memoryFor(rows, refs)
		m.Facts = append(m.Facts, model.Fact{
			Key: "estimated_memory_bytes", Label: "Memory to open, about", Value: model.Bytes(memory).String(), Int: memory, HasInt: true,
		})
	}
	if last != model.NoTime {
		m.Facts = append(m.Facts, model.Fact{Key: "last_snapshot_us", Label: "Last snapshot after",
			Value: last.String(), Int: int64(last), HasInt: true})
	}
	if t := f.meta.Start; t != nil && *t >= 0 {
		m.Facts = append(m.Facts, model.Fact{
			Key: "start_clock_us", Label: "Clock at the start", Value: model.Time(*t).String() +
				" since boot, most likely", Int: *t, HasInt: true,
		})
	}
	if p := f.meta.PID; p != nil {
		m.Facts = append(m.Facts, model.Fact{Key: "pid", Label: "Process", Value: strconv.FormatInt(*p, 10), Int: *p, HasInt: true})
	}
	return m
}
