// Package report writes the results of analyzing a profile as JSON, text, Markdown and CSV.
//
// [Build] asks the same questions as the screens and puts the answers into a [Report], which is plain data; the writers
// only arrange it. The names in the JSON tags are the command line's contract: they do not change. An unknown value is
// an absent key, so fields that can be unknown are pointers, and 0 is always a real 0.
package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report/ages"
	"github.com/memtui/memtui/export/report/calls"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// Schema names of the objects, with a version that increases when the meaning of a name changes.
const (
	SchemaReport   = "memtui.report/1"
	SchemaInfo     = "memtui.info/1"
	SchemaValidate = "memtui.validate/1"
	SchemaIndex    = "memtui.index/1"
)

// Header is the beginning of every command's object.
type Header struct {
	Schema    string    `json:"schema"`
	File      File      `json:"file"`
	Complete  bool      `json:"complete"`
	LostBytes int64     `json:"lost_bytes"`
	Problems  []Problem `json:"problems"`
	Time      Time      `json:"time"`

	NoMatch []places.Unmatched `json:"unmatched_filters,omitzero"` // filters without a match
}

// File describes the file of the object.
type File struct {
	Name        string `json:"name"` // without directories
	Format      string `json:"format,omitzero"`
	Version     *int   `json:"version,omitzero"`
	Bytes       int64  `json:"bytes,omitzero"`       // as stored; 0 until a pipe has ended, as no file is empty
	Compression string `json:"compression,omitzero"` // "gzip", "zstd"
	Sampled     string `json:"sampled,omitzero"`     // how blocks were chosen: then figures are estimates
	Ended       string `json:"ended,omitzero"`       // how the recorded program ended, if that is known and was by an error

	sampling model.Sampling
	weighed  bool // figures of stacks are estimates
}

// Estimated reports whether figures of blocks, or of stacks, are estimates.
func (f *File) Estimated() bool { return f.Sampled != "" || f.weighed }

// Kind returns the format, with its version if formats of the kind have one.
func (f *File) Kind() string {
	if f.Version == nil {
		return f.Format
	}
	return fmt.Sprintf("%s %d", f.Format, *f.Version)
}

// Style returns how figures of the file's blocks look.
func (f *File) Style(s cells.Style) cells.Style {
	s.Estimated, s.Scaled = f.Estimated(), f.weighed
	return s
}

// blocks returns a number of blocks in words: of samples where not all blocks were recorded.
func (f *File) blocks(n uint64) string {
	if f.Sampled != "" {
		return model.Counted(n, "sample")
	}
	return model.Blocks(n)
}

// Problem is a [model.Problem] in the words of the contract.
type Problem struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Count    int64  `json:"count"`
	Offset   *int64 `json:"offset,omitzero"`
	Line     *int64 `json:"line,omitzero"`
}

// Time holds microseconds since the start of the file, except for Start, which is since 1970.
type Time struct {
	Start    *uint64     `json:"start_us,omitzero"`
	Duration *model.Time `json:"duration_us,omitzero"`
	At       *model.Time `json:"at_us,omitzero"`
	From     *model.Time `json:"from_us,omitzero"` // only when the user narrowed the range
	To       *model.Time `json:"to_us,omitzero"`
	Coarse   bool        `json:"estimated,omitzero"` // the file has times at intervals: those of events in between are estimates
	Unit     string      `json:"unit,omitzero"`      // that all times of the object count instead of microseconds, such as "instructions"
}

// Report is everything reported about one file at one instant and over one range.
type Report struct {
	Header
	Trace  *Trace  `json:"trace,omitzero"`
	Heap   *Heap   `json:"heap,omitzero"`
	Stacks *Stacks `json:"stacks,omitzero"`

	Series       []dump.Series `json:"series,omitzero"` // in the file's order
	SeriesEvents []dump.Event  `json:"series_events,omitzero"`
	DumpCounts   *dump.Lengths `json:"row_counts,omitzero"` // of a memory dump
	Pages        *dump.Pages   `json:"pages,omitzero"`

	Tree       *Tree             `json:"tree,omitzero"`   // only if requested; then it is the only table
	Events     *SingleEvents     `json:"events,omitzero"` // likewise
	Lines      *SourceLines      `json:"lines,omitzero"`  // likewise
	Around     *Around           `json:"around,omitzero"` // likewise
	Alone                        // likewise
	AroundType *calls.AroundType `json:"around_type,omitzero"` // of a snapshot; likewise

	// Results about single rows of a snapshot.
	Object   *HeapObject     `json:"object,omitzero"`
	Path     []HeapStep      `json:"path,omitzero"`
	Found    []HeapRow       `json:"rows,omitzero"`
	FoundBy  []members.Found `json:"row_groups,omitzero"` // instead of Found: counts by a common property
	FoundAll *int            `json:"row_count,omitzero"`  // of rows found, before the limit

	rowsLeft []rowsLeft    // nil for complete tables
	sorted   []sortedTable // by columns, the last one counts
}

// GroupedBy returns the grouping of Groups.
func (t *Trace) GroupedBy() analysis.Group { return t.grouped }

// Trace holds the results for an allocation trace. Sums cover the complete range, regardless of the limit of tables.
type Trace struct {
	Events           uint64 `json:"events"`
	AllocCount       uint64 `json:"alloc_count"`
	AllocBytes       uint64 `json:"alloc_bytes"`
	FreeCount        uint64 `json:"free_count"`
	FreedCount       uint64 `json:"freed_count"`
	FreedBytes       uint64 `json:"freed_bytes"`
	UnmatchedFrees   uint64 `json:"unmatched_free_count"`
	OverwrittenCount uint64 `json:"overwritten_count"`
	OverwrittenBytes uint64 `json:"overwritten_bytes"`
	UnaddressedCount uint64 `json:"unaddressed_count"`
	UnaddressedBytes uint64 `json:"unaddressed_bytes"`
	GCCount          uint64 `json:"gc_count"`
	GCObjects        uint64 `json:"gc_objects"`
	GCBytes          uint64 `json:"gc_bytes"`
	MarkerCount      uint64 `json:"marker_count"`
	TemporaryCount   uint64 `json:"temporary_count"`
	LiveUpperBound   bool   `json:"live_upper_bound"` // blocks without an address can never be freed
	Saturated        bool   `json:"saturated"`        // a sum did not fit 64 bits and is at 2^64-1

	Peak     *Peak    `json:"peak,omitzero"` // nil if the range has no event
	Live     Live     `json:"live"`
	Growth   *float64 `json:"growth_bytes_per_second,omitzero"` // of live bytes over the range, as verdicts see it; nil without a duration
	regained bool     // what grew was freed at the end

	Findings   []Finding   `json:"findings"`      // most significant first, about the complete run
	Ages       []ages.Site `json:"ages,omitzero"` // of the first findings that are verdicts; only if requested
	Sites      []Site      `json:"sites"`
	LiveSites  []Site      `json:"live_sites"`
	PeakSites  []Site      `json:"peak_sites"`
	Leaks      Leaks       `json:"leaks"`
	LateFreed  Late        `json:"late_freed"`
	Functions  []Function  `json:"functions"`
	Groups     []Group     `json:"groups,omitzero"`     // only if grouping was requested
	Filters    []string    `json:"filters,omitzero"`    // of stacks and blocks: "focus main", "cell 4096,never"
	Unfiltered []string    `json:"unfiltered,omitzero"` // tables without Filters; "sums" for the trace's sums
	Threads    []Thread    `json:"threads,omitzero"`    // absent if the file has none
	Markers    []Marker    `json:"markers"`
	Sizes      []Size      `json:"sizes"`
	Lifetimes  []Lifetime  `json:"lifetimes"`
	Grid       []GridCell  `json:"grid"`
	Curve      []Point     `json:"curve"`
	CurvePeak  *Peak       `json:"curve_peak,omitzero"`  // of the curve, if Filters apply to it
	CurveSites []CurveSite `json:"curve_sites,omitzero"` // only if requested, most bytes at its peak first
	Blocks     []Block     `json:"blocks,omitzero"`      // only if requested: those live at the instant
	Born       []Block     `json:"born_blocks,omitzero"` // only if requested: those allocated in the range
	Rows       RowCounts   `json:"row_counts"`           // of the tables before the limit

	left      leftOut             // tables that did not fit into memory
	kept      filtered            // the part of the sums that passes Filters
	histories map[uint64][]uint64 // live bytes over the complete run by stack, of the rows shown; nil if not requested
	grouped   analysis.Group      // the grouping of Groups
}

// Peak is the state just after the event that first reaches the highest live bytes of the range.
type Peak struct {
	Bytes uint64     `json:"bytes"`
	Count uint64     `json:"count"`
	Time  model.Time `json:"time_us"`
}

// Live holds what is live at the instant.
type Live struct {
	Bytes uint64 `json:"bytes"`
	Count uint64 `json:"count"`
}

// Site holds the figures of one stack. Its place is that of the leaf frame.
type Site struct {
	Stack uint64 `json:"stack"`
	places.Place
	AllocBytes     uint64        `json:"alloc_bytes"`
	AllocCount     uint64        `json:"alloc_count"`
	FreedBytes     uint64        `json:"freed_bytes"` // by FREE events, as in Trace
	FreedCount     uint64        `json:"freed_count"`
	OverBytes      uint64        `json:"overwritten_bytes"` // by allocations over their live address
	OverCount      uint64        `json:"overwritten_count"`
	LiveBytes      uint64        `json:"live_bytes"`
	LiveCount      uint64        `json:"live_count"`
	PeakBytes      uint64        `json:"peak_bytes"`
	LeakedBytes    uint64        `json:"leaked_bytes"`
	LeakedCount    uint64        `json:"leaked_count"`
	TemporaryCount uint64        `json:"temporary_count"`
	Verdict        string        `json:"verdict,omitzero"`    // about the complete run; "" if nothing is live at its end
	Sure           *places.Sure  `json:"confidence,omitzero"` // of Verdict
	Owner          places.Owner  `json:"owner,omitzero"`
	Frames         places.Frames `json:"frames,omitzero"`
}

// Leaks holds the blocks of the range that are live at its end and are old enough.
type Leaks struct {
	MinAge model.Time `json:"min_age_us"`
	Bytes  uint64     `json:"bytes"`
	Count  uint64     `json:"count"`
	Sites  []LeakSite `json:"sites"`
}

// Late holds the blocks that lived long and were freed only at the end of the run.
type Late struct {
	Bytes uint64     `json:"bytes"`
	Count uint64     `json:"count"`
	Sites []LeakSite `json:"sites"`
}

// LeakSite holds one stack's leaked blocks. Ages are those at the end of the range.
type LeakSite struct {
	Stack uint64 `json:"stack"`
	places.Place
	Bytes   uint64        `json:"bytes"`
	Count   uint64        `json:"count"`
	Oldest  model.Time    `json:"oldest_us"`
	Newest  model.Time    `json:"newest_us"`
	Median  model.Time    `json:"median_us"`
	First   model.Time    `json:"first_us"` // birth of the oldest, since the start of the file
	Last    model.Time    `json:"last_us"`
	Shape   string        `json:"shape"`                            // Verdict, or "none" if there is no verdict
	Threads []uint16      `json:"threads,omitzero"`                 // absent if the file has none
	Verdict string        `json:"verdict,omitzero"`                 // about the complete run; unknown for one block of a range
	Sure    *places.Sure  `json:"confidence,omitzero"`              // of the verdict
	Growth  *float64      `json:"growth_bytes_per_second,omitzero"` // of a leak
	Owner   places.Owner  `json:"owner,omitzero"`
	Frames  places.Frames `json:"frames,omitzero"`

	history []uint64
	allocs  uint64 // blocks that the site allocated in the range, for the share that leaked
}

// History returns the live bytes of the site over the run, in columns of equal duration.
func (s *LeakSite) History() []uint64 { return s.history }

// Function holds the share of one function name. Totals count a function once per stack.
type Function struct {
	Function   string `json:"function"`
	SelfBytes  uint64 `json:"self_bytes"`
	SelfCount  uint64 `json:"self_count"`
	TotalBytes uint64 `json:"total_bytes"`
	TotalCount uint64 `json:"total_count"`
}

// Group is one group of the requested grouping.
type Group struct {
	Group          string       `json:"group"`
	AllocBytes     uint64       `json:"alloc_bytes"`
	AllocCount     uint64       `json:"alloc_count"`
	LiveBytes      uint64       `json:"live_bytes"`
	LiveCount      uint64       `json:"live_count"`
	PeakBytes      uint64       `json:"peak_bytes"`
	LeakedBytes    uint64       `json:"leaked_bytes"`
	LeakedCount    uint64       `json:"leaked_count"`
	TemporaryCount uint64       `json:"temporary_count"`
	Sites          uint64       `json:"sites,omitzero"`      // in the group; absent if groups divide sites: threads, sizes
	Verdict        string       `json:"verdict,omitzero"`    // the most significant one of its sites
	Sure           *places.Sure `json:"confidence,omitzero"` // of Verdict
}

// Thread holds what one thread allocated.
type Thread struct {
	Thread     uint16 `json:"thread"`
	AllocBytes uint64 `json:"alloc_bytes"`
	AllocCount uint64 `json:"alloc_count"`
}

// Marker is a named moment.
type Marker struct {
	Time model.Time `json:"time_us"`
	Name string     `json:"name"`
}

// Size counts allocations of Min to Max bytes.
type Size struct {
	Min   uint64 `json:"min"`
	Max   uint64 `json:"max"`
	Count uint64 `json:"count"`
	Bytes uint64 `json:"bytes"`
}

// Lifetime counts freed blocks that lived for Min to Max microseconds.
type Lifetime struct {
	Min   uint64 `json:"min_us"`
	Max   uint64 `json:"max_us"`
	Count uint64 `json:"count"`
	Bytes uint64 `json:"bytes"`
}

// GridCell counts the blocks of the range whose sizes and lifetimes are in two powers of two.
type GridCell struct {
	MinSize uint64  `json:"min_bytes"`
	MaxSize uint64  `json:"max_bytes"`
	MinLife *uint64 `json:"min_us,omitzero"` // nil for blocks that were never freed
	MaxLife *uint64 `json:"max_us,omitzero"`
	Count   uint64  `json:"count"`
	Bytes   uint64  `json:"bytes"`
}

// Block is one allocation. Its place is that of the leaf frame.
type Block struct {
	Address *string     `json:"address,omitzero"` // hexadecimal
	Bytes   uint64      `json:"bytes"`
	Born    model.Time  `json:"born_us"`
	Died    *model.Time `json:"died_us,omitzero"` // nil for blocks that were never freed
	Age     model.Time  `json:"age_us"`           // at the instant; of blocks of the range, at the end or when freed
	Thread  *uint16     `json:"thread,omitzero"`  // nil if the file has no threads
	Stack   uint64      `json:"stack"`
	places.Place
	Verdict string       `json:"verdict,omitzero"`    // about its site, in the complete run
	Sure    *places.Sure `json:"confidence,omitzero"` // of Verdict
	Site    places.Site  `json:"site,omitzero"`       // Place is the leaf of the stack
	Owner   places.Owner `json:"owner,omitzero"`

	frames places.Frames // for filters
}

// Point is one column of the live curve: the extremes after any event of the column, and the state at its end.
type Point struct {
	To         model.Time `json:"to_us"`
	MinBytes   uint64     `json:"min_bytes"`
	MaxBytes   uint64     `json:"max_bytes"`
	Bytes      uint64     `json:"bytes"`
	Count      uint64     `json:"count"`
	AllocBytes uint64     `json:"alloc_bytes"`
	CurveParts
}

// RowCounts holds the length of each table before the limit.
type RowCounts struct {
	Sites     int `json:"sites"`
	LiveSites int `json:"live_sites"`
	PeakSites int `json:"peak_sites"`
	Leaks     int `json:"leaks"`
	LateFreed int `json:"late_freed"`
	Functions int `json:"functions"`
	Groups    int `json:"groups"`
	Threads   int `json:"threads"`
	Markers   int `json:"markers"`
	Blocks    int `json:"blocks,omitzero"`
	Born      int `json:"born_blocks,omitzero"`

	left *leftOut
}

// NewHeader returns a header with what a profile's headers record. The times of the schema are left to the caller.
func NewHeader(schema string, p *model.Profile) Header {
	h := Header{
		Schema: schema,
		File: File{Name: p.Meta.Name, Format: p.Meta.Format, Bytes: p.Meta.Size, Compression: p.Meta.Outer, Sampled: p.Meta.Sampled,
			Ended: p.Meta.Ended, sampling: p.Meta.Sampling},
		Complete: p.Complete, LostBytes: p.Lost,
		Problems: make([]Problem, len(p.Problems)),
	}
	if p.Meta.Format != "" && p.Meta.Version != model.NoVersion {
		h.File.Version = &p.Meta.Version
	}
	if p.Meta.HasStart {
		h.Time.Start = &p.Meta.Start
	}
	for i, q := range model.CutFirst(p.Problems) {
		h.Problems[i] = newProblem(q)
	}
	return h
}

// Renew adds what was found in the file since the header was made: snapshots are decoded later than headers.
func (h *Header) Renew(p *model.Profile) {
	now := NewHeader(h.Schema, p)
	for _, q := range h.Problems {
		if !slices.ContainsFunc(now.Problems, func(x Problem) bool { return x.Code == q.Code && x.Message == q.Message }) {
			now.Problems = append(now.Problems, q)
		}
	}
	h.Problems, h.Complete, h.LostBytes = now.Problems, h.Complete && p.Complete, p.Lost
}

func newProblem(q model.Problem) Problem {
	out := Problem{Severity: q.Severity.String(), Code: q.Code, Message: q.Message, Count: q.Count}
	if q.Offset >= 0 {
		out.Offset = &q.Offset
	}
	if q.Line > 0 {
		out.Line = &q.Line
	}
	return out
}

// unmatchedText describes the filters that match nothing, for the line about filters.
func (h *Header) unmatchedText() (out []string) {
	for _, u := range h.NoMatch {
		out = append(out, u.String())
	}
	return out
}

// WriteJSON writes v, a struct of this package's kind, as [object.Write] does.
func WriteJSON(w io.Writer, v any) error { return object.Write(w, v) }
