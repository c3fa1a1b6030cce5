package model

import (
	"slices"
	"strconv"
	"strings"
)

// Indexes into the tables of a [StackProfile].
type (
	RecordID uint32 // of a stack record, in file order, from 0
	MetricID uint16
	DSOID    uint32 // 0 is unknown
	ThreadID uint32 // 0 is unknown

	LabelSetID uint32 // 0 is no labels
)

// NoRecord is the record of a sample or a window's row whose stack the file does not define.
const NoRecord = ^RecordID(0)

// NoEvent is the event of a record that names none.
const NoEvent = ^uint16(0)

// NoCPU is the CPU of a record that names none, or one beyond 65,534.
const NoCPU = ^uint16(0)

// StackProfile is a profile of weighted stacks: records of one stack each under one event, samples and windows of time.
// Its stacks are those of the same revision's [Stacks], whose Leaf map stays empty: a record holds its node itself.
// Records are identified by their position and never merged by the id in the file, because writers reuse ids. Columns
// with equal index spaces have equal lengths; everything is read-only.
type StackProfile struct {
	SourceTool, Command, ToolVersion string // "" if the file does not state it
	FrameOrder, StackIDMode          string // as in the file

	Events  []ProfileEvent
	Shown   uint16          // the event that the file shows first; where it has no stacks, the first that has
	Metrics []ProfileMetric // by MetricID, in order of appearance
	DSOs    []DSO           // [0] is unknown
	Threads []ProfileThread // [0] is unknown

	// By FrameID of Stacks. Equal frames of the file are one.
	FrameDSO    []DSOID
	FrameKind   []FrameKind
	FrameFlags  []FrameFlags
	FrameColumn []uint32 // of the source line; 0 is unknown

	// Labels are the sets of labels that records have, by LabelSetID; [0] is empty. nil if no record has any.
	Labels [][]Label

	Records StackRecords
	Samples []SampleChunk
	Windows []Window
	// Numbers are the numbers of windows, rising, where some were dropped; nil where each is that of its place.
	Numbers []int

	Start, End Time // the header's time range, relative to its start: Start is 0; both are NoTime if it has none
	// AxisUnit is the unit of times that are not microseconds, such as "instructions"; "" for microseconds.
	AxisUnit string
	// StartSeconds is the file's own clock at Time 0.
	StartSeconds float64

	Counts ProfileCounts
	Lines  LineSource // the records as written; nil if they cannot be read again
}

// ProfileCounts counts the records of the file, including unusable ones.
type ProfileCounts struct{ DSOs, Frames, Threads, Stacks, Samples, Windows int64 }

// LineSource reads records of a text file again.
type LineSource interface {
	// Line returns the line at an offset, without its end.
	Line(offset int64) ([]byte, error)
}

// ProfileEvent is an event that stacks are weighted under.
type ProfileEvent struct {
	Name, Kind, Mode string
	PrimaryName      string   // "" if not in the file
	Primary          MetricID // of PrimaryName; meaningless if that is ""
	SamplePeriod     float64  // 0 if not in the file
	PeriodUnit       string   // of SamplePeriod; "" if not in the file
	FrequencyHz      float64  // 0 if not in the file
	Estimated        bool     // values are scaled from samples, possibly of unknown period
	TracksFrees      bool
	HasTimestamps    bool
	Declared         bool // false: only stacks or samples name it
}

// ProfileMetric is one kind of weight.
type ProfileMetric struct {
	Name string
	Unit string // as first stated; "" if never

	// Apart reports that values of different stacks must not be added up, such as mean lifetimes or each stack's own
	// peak.
	Apart bool
}

// State reports whether values describe a moment, such as live bytes: values of several moments are never added up.
func (m *ProfileMetric) State() bool {
	for _, prefix := range []string{"live_", "inuse", "in_use", "leaked_"} {
		if strings.HasPrefix(m.Name, prefix) {
			return true
		}
	}
	return m.NoSum() || slices.Contains([]string{"space", "objects", "goroutine", "threadcreate"}, m.Name)
}

// NoSum reports whether values of different stacks must not be added up: the file says so, or they are high-water
// marks, which are reached at different times.
func (m *ProfileMetric) NoSum() bool { return m.Apart || m.Name == "peak_bytes" }

// Measure states how values of a metric are written.
type Measure struct {
	Bytes bool
	Tick  float64 // microseconds of one unit, if the metric is a time; otherwise 0
}

// Measure returns what the file states, or what the metric's name implies.
func (m *ProfileMetric) Measure() Measure {
	switch m.Unit {
	case "bytes", "byte", "B":
		return Measure{Bytes: true}
	case "seconds", "s":
		return Measure{Tick: 1e6}
	case "milliseconds", "ms":
		return Measure{Tick: 1e3}
	case "microseconds", "us", "µs":
		return Measure{Tick: 1}
	case "nanoseconds", "ns":
		return Measure{Tick: 1e-3}
	case "":
		switch {
		case strings.HasSuffix(m.Name, "_bytes"):
			return Measure{Bytes: true}
		case strings.HasSuffix(m.Name, "_ns"):
			return Measure{Tick: 1e-3}
		case strings.HasSuffix(m.Name, "_us"):
			return Measure{Tick: 1}
		}
	}
	return Measure{}
}

// Measured reports whether values in a unit are written with it, rather than as a count of what their metric's name
// says.
func Measured(unit string) bool {
	m := ProfileMetric{Unit: unit}
	return m.Measure() != Measure{} || unit == "count" || unit == "samples"
}

// DSO is a binary, library or kernel image.
type DSO struct {
	Name, BuildID string
	Kernel        bool
}

// ProfileThread is a thread that the file lists, or that only records name. Numbers are -1 if unknown.
type ProfileThread struct {
	PID, TID int64
	Comm     string
	Declared bool
}

// FrameKind distinguishes user from kernel code.
type FrameKind uint8

const (
	FrameUnknown FrameKind = iota
	FrameUser
	FrameKernel
)

// String returns the format's word for the kind.
func (k FrameKind) String() string { return [...]string{"unknown", "user", "kernel"}[k] }

// FrameFlags are properties of a frame.
type FrameFlags uint8

const (
	FrameInlined    FrameFlags = 1 << iota
	FrameUnresolved            // the function is an address
)

// StackRecords are columns by RecordID.
type StackRecords struct {
	Node   []NodeID // the leaf
	Event  []uint16 // index of Events, or NoEvent
	Thread []ThreadID
	CPU    []uint16
	Offset []int64      // of the record's line in the file
	Labels []LabelSetID // nil if no record has labels
	ID     []uint64
	IDKind []IDKind

	Weights   WeightTable
	Exclusive WeightTable // of the leaf only; no weights if the file has none

	Texts []string // ids that are neither 16 hexadecimal digits nor numbers; ID is their index
}

// IDKind is the form of a record's ID.
type IDKind uint8

const (
	IDHex    IDKind = iota // "0x" and 16 digits
	IDNumber               // a number
	IDText                 // an index of Texts
	IDNone                 // no ID
)

// Len returns the number of records.
func (r *StackRecords) Len() int { return len(r.Node) }

// Name returns a record's id as the file writes it; number reports that it is not a string. The name is "" if there is
// none.
func (r *StackRecords) Name(id RecordID) (name string, number bool) {
	switch r.IDKind[id] {
	case IDHex:
		digits := strconv.FormatUint(r.ID[id], 16)
		return "0x" + "0000000000000000"[len(digits):] + digits, false
	case IDNumber:
		return strconv.FormatUint(r.ID[id], 10), true
	case IDText:
		return r.Texts[r.ID[id]], false
	}
	return "", false
}

// Window is a span of time with weights of its own. Windows may overlap.
type Window struct {
	ID         string
	Start, End Time
	Record     []RecordID // row by row, or NoRecord
	Weights    WeightTable
}

// WindowNumber returns the number of a window: how many there were before it, also those that were dropped since.
func (p *StackProfile) WindowNumber(i int) int {
	if p.Numbers == nil {
		return i
	}
	return p.Numbers[i]
}

// WindowNumbered returns the place of a window of a number, from the end where that is negative; ok is false where
// there is none.
func (p *StackProfile) WindowNumbered(n int) (i int, ok bool) {
	switch {
	case n < 0:
		n += len(p.Windows)
		return n, n >= 0
	case p.Numbers == nil:
		return n, n < len(p.Windows)
	}
	return slices.BinarySearch(p.Numbers, n)
}

// Source returns a frame's line as the file writes it, "" when unknown.
func (p *StackProfile) Source(s *Stacks, f FrameID) string {
	out := s.Files[s.FrameFile[f]]
	if line := s.FrameLine[f]; line != NoLine {
		out += ":" + strconv.FormatInt(line, 10)
		if c := p.FrameColumn[f]; c != 0 {
			out += ":" + strconv.FormatUint(uint64(c), 10)
		}
	}
	return out
}

// Event finds an event by name.
func (p *StackProfile) Event(name string) (int, bool) {
	for i := range p.Events {
		if p.Events[i].Name == name {
			return i, true
		}
	}
	return 0, false
}

// Metric finds a metric by name.
func (p *StackProfile) Metric(name string) (MetricID, bool) {
	for i := range p.Metrics {
		if p.Metrics[i].Name == name {
			return MetricID(i), true
		}
	}
	return 0, false
}
