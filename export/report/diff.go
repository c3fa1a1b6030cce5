package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// SchemaDiff is the name of the object that compares two files.
const SchemaDiff = "memtui.diff/1"

// Diff says what changed between two files, or between two snapshots of one. The header is about the file after, but for
// completeness, losses and problems, which are those of both.
type Diff struct {
	Header
	Before DiffSide    `json:"before"`
	After  DiffSide    `json:"after"`
	Totals DiffFigures `json:"totals"` // over all rows, whatever the limit
	Rows   []DiffRow   `json:"rows"`   // by the size of the change in bytes
	Count  int         `json:"row_count"`
	Event  *string     `json:"event,omitzero"`  // of profiles of stacks
	Metric *string     `json:"metric,omitzero"` // of profiles of stacks: what the fields of bytes hold

	counted string // of profiles of stacks: what the fields of counts hold
	what    string // what a row is, for people: "type", "stack"
	changed int    // rows that are not the same on both sides; they stand first
}

// DiffSide is one of the two.
type DiffSide struct {
	File     File        `json:"file"`
	Snapshot *int        `json:"snapshot,omitzero"`
	At       *model.Time `json:"at_us,omitzero"`
}

// DiffFigures are the figures of both sides. A change that does not fit 63 bits stands at the largest that does.
type DiffFigures struct {
	BeforeBytes uint64 `json:"before_bytes"`
	AfterBytes  uint64 `json:"after_bytes"`
	DeltaBytes  int64  `json:"delta_bytes"`
	BeforeCount uint64 `json:"before_count"`
	AfterCount  uint64 `json:"after_count"`
	DeltaCount  int64  `json:"delta_count"`
}

// DiffRow is what is matched by Key on both sides.
type DiffRow struct {
	Key  string  `json:"key"`
	Type *string `json:"type,omitzero"` // of heap snapshots
	Repr *string `json:"repr,omitzero"` // of heap snapshots
	DiffFigures
	Status string `json:"status"` // "new", "gone", "grown", "shrunk", "same"

	// Of page layouts: what became of the bits, page by page; not in CSV.
	NewlyOccupied *uint64 `json:"newly_occupied_bits,omitzero" csv:"-"`
	NewlyFree     *uint64 `json:"newly_free_bits,omitzero" csv:"-"`
	SameOccupied  *uint64 `json:"same_occupied_bits,omitzero" csv:"-"`

	named  bool   // Key stands, even where it is empty
	frames Frames // of traces; Key is made of them when the row is shown
}

// newFigures computes the changes.
func newFigures(beforeBytes, afterBytes, beforeCount, afterCount uint64) DiffFigures {
	return DiffFigures{
		BeforeBytes: beforeBytes, AfterBytes: afterBytes, DeltaBytes: delta(beforeBytes, afterBytes),
		BeforeCount: beforeCount, AfterCount: afterCount, DeltaCount: delta(beforeCount, afterCount),
	}
}

func delta(before, after uint64) int64 {
	if after >= before {
		return int64(min(after-before, math.MaxInt64))
	}
	return -int64(min(before-after, math.MaxInt64))
}

// status says in a word what happened: by bytes, and where those are equal by count.
func (f DiffFigures) status() string {
	change := cmp.Or(cmp.Compare(f.DeltaBytes, 0), cmp.Compare(f.DeltaCount, 0))
	switch {
	case change == 0:
		return "same"
	case f.BeforeBytes == 0 && f.BeforeCount == 0:
		return "new"
	case f.AfterBytes == 0 && f.AfterCount == 0:
		return "gone"
	case change > 0:
		return "grown"
	}
	return "shrunk"
}

// HeapSide is one snapshot to compare.
type HeapSide struct {
	Profile  *model.Profile
	Snapshot int
	Heap     *model.Heap
}

func (s HeapSide) side() DiffSide {
	h := NewHeader(SchemaDiff, s.Profile)
	return DiffSide{File: h.File, Snapshot: &s.Snapshot, At: newSnapshot(s.Snapshot, s.Profile.Heaps.Info(s.Snapshot)).Time}
}

// DiffHeaps compares the objects of two snapshots by type and representation; n rows at most, 0 for all.
func DiffHeaps(before, after HeapSide, n int) *Diff {
	d := newDiff(before.Profile, after.Profile, before.side(), after.side())
	d.Complete = d.Complete && before.Heap.Complete && after.Heap.Complete
	d.what = "type"
	for _, c := range analysis.DiffTypes(before.Heap, after.Heap) {
		d.add(DiffRow{
			Key: c.Name + " [" + c.Repr + "]", Type: &c.Name, Repr: &c.Repr,
			DiffFigures: newFigures(c.BeforeBytes, c.AfterBytes, c.BeforeCount, c.AfterCount),
		})
	}
	d.finish(n)
	return d
}

// newDiff joins the headers of two profiles.
func newDiff(before, after *model.Profile, b, a DiffSide) *Diff {
	d := &Diff{Header: NewHeader(SchemaDiff, after), Before: b, After: a, Rows: []DiffRow{}}
	d.Time.At = a.At
	if before.Meta.Path == after.Meta.Path {
		return d
	}
	old := NewHeader(SchemaDiff, before)
	d.Complete = d.Complete && old.Complete
	d.LostBytes += old.LostBytes
	for _, p := range old.Problems {
		p.Message = old.File.Name + ": " + p.Message
		d.Problems = append(d.Problems, p)
	}
	return d
}

func (d *Diff) add(r DiffRow) {
	if r.Status == "" {
		r.Status = r.status()
	}
	if r.Status != "same" {
		d.changed++
	}
	d.Rows = append(d.Rows, r)
	t := &d.Totals
	t.BeforeBytes, _ = model.SaturatingAdd(t.BeforeBytes, r.BeforeBytes)
	t.AfterBytes, _ = model.SaturatingAdd(t.AfterBytes, r.AfterBytes)
	t.BeforeCount, _ = model.SaturatingAdd(t.BeforeCount, r.BeforeCount)
	t.AfterCount, _ = model.SaturatingAdd(t.AfterCount, r.AfterCount)
}

// finish sorts the rows by the size of the change in bytes, then in count, keeps n of them, and names those.
func (d *Diff) finish(n int) {
	d.Totals = newFigures(d.Totals.BeforeBytes, d.Totals.AfterBytes, d.Totals.BeforeCount, d.Totals.AfterCount)
	slices.SortStableFunc(d.Rows, func(x, y DiffRow) int {
		return cmp.Or(
			cmp.Compare(magnitude(y.DeltaBytes), magnitude(x.DeltaBytes)), cmp.Compare(magnitude(y.DeltaCount), magnitude(x.DeltaCount)),
			cmp.Compare(max(y.BeforeBytes, y.AfterBytes), max(x.BeforeBytes, x.AfterBytes)), cmp.Compare(x.Key, y.Key))
	})
	d.Count = len(d.Rows)
	d.Rows = limit(d.Rows, n)
	for i := range d.Rows {
		if r := &d.Rows[i]; r.Key == "" && !r.named {
			r.Key = r.frames.cell()
		}
	}
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}
