// Package analysis asks the questions about a memory profile, without a screen and without knowing any format: [Trace]
// has those about a trace, which package traceindex answers, and findings say what is worth looking at first. The
// packages below it answer the questions about the other parts of a profile. Everything takes a context, may be asked
// from any goroutine, and tells the truth about what is loaded so far.
package analysis

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// Trace answers questions about one allocation trace, at one instant or over one range, while it is still being read or
// afterwards. Answers are exact for what is loaded; [Status] says whether that is all. The result belongs to the
// caller. Where a query has a filter of stacks, groups are made of what it leaves of them, and their keys are those of
// the same filter only, but for stacks, threads and sizes. Totals, Live, Peak, Curve, Grid and Histograms are always of
// all stacks.
type Trace interface {
	Status() Status
	// Totals sums the events of r.
	Totals(ctx context.Context, r Range) (Totals, error)
	// Live is the level at an instant.
	Live(ctx context.Context, at Instant) (Level, error)
	// Peak is the first event in r that reaches the highest live bytes after any event of r (what r carries in does not
	// count); ok is false when r has no event.
	Peak(ctx context.Context, r Range) (p Peak, ok bool, err error)
	// Curve divides r into n columns of equal duration. Nothing is averaged: no spike is lost at any zoom.
	Curve(ctx context.Context, r Range, n int) ([]Column, error)
	// Chart is Curve for drawing, within a fraction of a frame: the inner edges of columns may lie up to two fifths of
	// a column off, where the answer is at hand. The columns tell where; the events of that very microsecond may be on
	// either side.
	Chart(ctx context.Context, r Range, n int) ([]Column, error)
	// LiveOf is Curve for blocks that a query chooses, and for parts of them. It follows all events of the range.
	LiveOf(ctx context.Context, q LiveQuery) (LiveCurves, error)
	// Sites returns one row per group that allocated anything in q.Range or lives at q.At, unsorted.
	Sites(ctx context.Context, q Query) ([]Site, error)
	// Functions returns self and total allocations in r per function name, a function once per stack, unsorted.
	Functions(ctx context.Context, r Range, in Cell) ([]Function, error)
	// Leaks lists what was never freed, by site, most bytes first.
	Leaks(ctx context.Context, q LeakQuery) (Leaks, error)
	// LateFreed lists what was freed in the last 2 % of the duration after living at least half of it, by site, most
	// bytes first.
	LateFreed(ctx context.Context, in Cell) (Leaks, error)
	// Weights returns one cost per stack, aligned with StackIDs; q.By is ignored.
	Weights(ctx context.Context, c Cost, q Query) ([]uint64, error)
	// StackIDs maps a dense stack index to the file's id, in order of first use. The slice only ever grows.
	StackIDs() []model.StackID
	// History is the live bytes of one group over the whole of what is loaded, in n columns of equal duration.
	// Histories of many keys of one group cost little more than one.
	History(ctx context.Context, by Group, only calltree.Filter, keys []Key, n int) ([][]uint64, error)
	// Verdicts says what became of the memory of every group of stacks over the whole run, whatever the instant: leaks,
	// caches, what merely lives. The key is that of the group; there is none for groups of which nothing was live at
	// the end. Nothing is said while more is being read.
	Verdicts(ctx context.Context, by Group, only calltree.Filter) (verdict.List, error)
	// Lifetimes sums up how long the freed blocks of a group, allocated in r, lived.
	Lifetimes(ctx context.Context, by Group, key Key, r Range, only calltree.Filter) (Lifetimes, error)
	// Blocks lists single blocks, lazily.
	Blocks(ctx context.Context, q BlockQuery) (BlockList, error)
	// Uses returns the blocks that ever held an address, by birth: the last limit of them, and their full number.
	// Address 0 is unknown and finds nothing. Neither does any of a file whose addresses are invented.
	Uses(ctx context.Context, addr uint64, limit int) (blocks []Block, total int, err error)
	// Grid counts blocks by size and lifetime.
	Grid(ctx context.Context, q GridQuery) (*Grid, error)
	// Histograms counts allocations of r by size, and freed blocks allocated in r by lifetime, in powers of two.
	Histograms(ctx context.Context, r Range) (sizes, lifetimes []Bucket, err error)
	// Marks returns the markers and GC events of r in order, at most limit of them, evenly thinned, and their full
	// number.
	Marks(ctx context.Context, r Range, limit int) (marks []Mark, total int, err error)
	// Neighbor returns the time of the event nearest to t before (dir < 0) or after (dir > 0) it; ok is false if none.
	Neighbor(t model.Time, dir int) (model.Time, bool)
	// Landmark is Neighbor among markers and GC events only.
	Landmark(t model.Time, dir int) (model.Time, bool)
}

// Status is what a trace knows so far.
type Status struct {
	Events     uint64
	Duration   model.Time // time of the last event
	Stacks     int        // distinct stacks in use
	Final      bool       // the input has been read to its end, or to where it ends being readable
	Stopped    bool       // reading was canceled or ran out of its memory budget: there is more in the file
	Offset     int64      // input bytes read
	Size       int64      // input bytes there are, -1 while unknown
	Revision   uint64     // rises whenever an answer may have changed
	Unfreed    bool       // some blocks have no address and can never be freed: live figures are upper bounds
	Saturated  bool       // a sum did not fit 64 bits and stands at 2^64-1
	FreesNever bool       // the trace has no matched free at all, as in profiles that record allocations only
}

// Instant is a state of the trace: after all events with time ≤ T, or after exactly Events events where that is not 0
// (the peak is the state just after one event, and others may share its microsecond).
type Instant struct {
	T      model.Time
	Events uint64
}

// End is the state after everything that is loaded.
var End = Instant{T: model.MaxTime}

// At returns the state after all events with time ≤ t.
func At(t model.Time) Instant { return Instant{T: t} }

// Range holds the events with From < time ≤ To. From = model.NoTime includes time 0; the command line and the screens
// set it for a From of 0.
type Range struct{ From, To model.Time }

// Whole is the range of everything.
var Whole = Range{model.NoTime, model.MaxTime}

// IsWhole reports whether r was never narrowed.
func (r Range) IsWhole() bool { return r.From < 0 && r.To == model.MaxTime }

// Totals are sums over the events of a range.
type Totals struct {
	Events           uint64
	AllocCount       uint64
	AllocBytes       uint64
	FreeCount        uint64 // every FREE event
	FreedCount       uint64 // blocks that a FREE event ended
	FreedBytes       uint64 // bytes of those
	UnmatchedFrees   uint64 // FREEs of an address where nothing was known to live
	OverwrittenCount uint64 // blocks that an ALLOC over their live address ended
	OverwrittenBytes uint64
	UnaddressedCount uint64 // ALLOCs without an address
	UnaddressedBytes uint64
	GCCount          uint64
	GCObjects        uint64
	GCBytes          uint64
	MarkerCount      uint64
	TemporaryCount   uint64 // blocks allocated in the range and freed by the very next event of the trace
}

// Level is what lives at an instant.
type Level struct {
	Time  model.Time // of the last event at or before the instant, or of the instant itself
	Bytes uint64
	Count uint64
}

// Peak is a level and the instant just after the event that first reached it.
type Peak struct {
	Level
	Instant Instant
}

// Column is one column of the live curve: what held at some moment in (From, To], the level carried in included.
type Column struct {
	From, To              model.Time
	MinBytes, MaxBytes    uint64
	LastBytes             uint64
	MinCount, MaxCount    uint64
	LastCount             uint64
	AllocBytes            uint64 // allocated within the column: the rate is this over its duration
	AllocCount, FreeCount uint64
	Events                uint64
}

// Group is what allocations are put together by.
type Group uint8

const (
	ByStack    Group = iota
	ByFunction       // of the leaf frame
	ByOwner          // the function of the owner, see [calltree.Owners]
	ByFile           // of the leaf frame
	ByModule         // a file that is a library, else its directory
	ByThread
	BySizeClass // bit length of the size: class b holds sizes 2^(b-1) … 2^b-1, class 0 the size 0
	GroupCount
)

// GroupNames returns the names of all groups, by group.
func GroupNames() (names []string) {
	for g := range GroupCount {
		names = append(names, g.String())
	}
	return names
}

// String returns the group's name as flags and titles use it.
func (g Group) String() string {
	return [...]string{"stack", "function", "owner", "file", "module", "thread", "size"}[g]
}

// Divides reports whether the blocks of one stack may belong to several groups.
func (g Group) Divides() bool { return g == ByThread || g == BySizeClass }

// Key is a group's member: a dense stack index, a dense thread index, a size class, or an index into the group's own
// names. Keys stay valid while a trace loads, but those of functions, owners, files and modules only from when the
// symbols are read.
type Key uint32

// Query asks for groups at an instant and over a range.
type Query struct {
	At    Instant // live figures
	Range Range   // everything else
	By    Group
	Cell  Cell // only blocks in it

	NoPeaks bool // leave out Site.PeakBytes: they may take a walk over all events
}

// Site is one group's figures. Peak is the highest live bytes of the group alone within the range.
type Site struct {
	Key   Key
	Name  string        // how to show the group; a function name, file, directory, "thread 3", "64 … 127 B"; not cleaned
	Where string        // file:line for stacks, else ""
	Stack model.StackID // for ByStack: the file's id. For others: the stack that allocated most in the group
	Node  model.NodeID  // that stack's leaf, 0 when the file does not define it
	Sites uint64        // stacks of which anything is summed up; 0 of groups that divide stacks, as threads do

	AllocBytes, AllocCount uint64 // in the range
	FreedBytes, FreedCount uint64 // blocks of this group that a FREE ended in the range
	Temporary              uint64 // blocks of the range freed by the very next event
	LiveBytes, LiveCount   uint64 // at the instant
	PeakBytes              uint64
	LeakBytes, LeakCount   uint64 // allocated in the range and live at its end

	OverwrittenBytes, OverwrittenCount uint64 // blocks of this group that an ALLOC over their live address ended in the range
}

// None reports whether nothing of the group was born, lived or ended.
func (s *Site) None() bool {
	return s.AllocCount == 0 && s.LiveCount == 0 && s.FreedCount == 0 && s.OverwrittenCount == 0
}

// MeanSize returns the mean size of the blocks allocated in the range, rounded, 0 without any.
func (s *Site) MeanSize() uint64 {
	if s.AllocCount == 0 {
		return 0
	}
	return model.Mean(s.AllocBytes, s.AllocCount)
}

// TemporaryShare returns the share of temporary blocks, 0 … 1.
func (s *Site) TemporaryShare() float64 { return ratio(s.Temporary, s.AllocCount) }

// LeakShare returns the share of allocated blocks that were never freed, 0 … 1.
func (s *Site) LeakShare() float64 { return ratio(s.LeakCount, s.AllocCount) }

func ratio(a, b uint64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// Function is one function name's allocations in a range.
type Function struct {
	Name                   string
	SelfBytes, SelfCount   uint64
	TotalBytes, TotalCount uint64
}

// LeakQuery asks for blocks allocated in Range and live at its end whose age there is at least MinAge.
type LeakQuery struct {
	Range  Range
	MinAge model.Time
	By     Group
	Cell   Cell // only blocks in it
}

// Leaks is a leak list and its sums.
type Leaks struct {
	Bytes, Count uint64
	Sites        []LeakSite // most bytes first, then count, then stack id
}

// LeakSite is one group of blocks that were not freed (or freed late).
type LeakSite struct {
	Site                      // figures of the whole group in the same range; Live* are those at the range's end
	Bytes, Count   uint64     // of the leaked blocks
	Oldest, Newest model.Time // ages at the end of the range
	Median         model.Time // median age
	First, Last    model.Time // birth of the oldest and of the newest
	History        []uint64   // leaked bytes over the range, HistoryColumns columns; nil beyond the few thousand largest groups
	Threads        []uint16   // threads that allocated them, at most 8, ascending
}

// HistoryColumns is the resolution of histories.
const HistoryColumns = 64

// Lifetimes sums up how long blocks lived. Median is exact.
type Lifetimes struct {
	Freed            uint64
	Min, Median, Max model.Time
	Mean             float64 // µs
	NeverFreed       uint64
	Threads          []uint16 // threads that allocated the blocks, at most 8, ascending
}

// BlockQuery asks for single blocks of one group: those alive at At, or, with Leaked set, those born in Range, alive at
// its end, and at least MinAge old there, or, with Born set, those born in Range, whatever became of them.
type BlockQuery struct {
	At     Instant
	Leaked bool
	Born   bool
	Range  Range
	MinAge model.Time
	By     Group
	Key    Key
	All    bool   // of every group
	Cell   Cell   // only blocks in it
	Addr   uint64 // only blocks that hold this address, 0 for all
	Sort   BlockOrder

	NoAddr bool // leave out Block.Addr: it may have to be read from the input
}

// BlockOrder sorts block lists; ties by birth.
type BlockOrder uint8

const (
	LargestFirst BlockOrder = iota
	OldestFirst
	NewestFirst
	LowestFirst   // by address; unknown ones come first
	ShortestFirst // by lifetime over the whole run; never freed ones come last
)

// BlockList is a sorted list of blocks. Its methods may be called from any goroutine.
type BlockList interface {
	Len() int
	Bytes() uint64 // of all of them, 2^64-1 when that does not fit
	Row(i int) Block
}

// Block is one allocation.
type Block struct {
	Addr   uint64 // 0 when unknown
	Size   uint64
	Born   model.Time
	Died   model.Time // model.NoTime while never freed
	Stack  model.StackID
	Thread uint16
}

// Holds reports whether an address lies in the block; one of no size holds its own.
func (b *Block) Holds(addr uint64) bool {
	return b.Addr != 0 && (addr == b.Addr || addr > b.Addr && addr-b.Addr < b.Size)
}

// Age returns how long the block has lived at an instant, or had lived when it ended before.
func (b *Block) Age(until model.Time) model.Time {
	if b.Died != model.NoTime {
		until = min(until, b.Died)
	}
	return max(until-b.Born, 0)
}

// Bucket counts values Min ≤ v ≤ Max, powers of two.
type Bucket struct {
	Min, Max     uint64
	Count, Bytes uint64
}

// Mark is a marker or a GC event.
type Mark struct {
	Time    model.Time
	GC      bool
	Objects uint64 // GC
	Bytes   uint64 // GC
	ID      uint64 // marker: name id
	Name    string // marker: resolved, not cleaned
}

// Cost is what a stack can be weighed by.
type Cost uint8

const (
	CostLive      Cost = iota // bytes live at the instant
	CostLiveCount             // blocks live at the instant
	CostPeak                  // bytes live at the peak of the range
	CostTotal                 // bytes allocated in the range
	CostCount                 // blocks allocated in the range
	CostLeaked                // bytes allocated in the range and live at its end
	CostTemporary             // temporary blocks of the range
	CostCountOf
)

// String returns the cost's name as flags and titles use it.
func (c Cost) String() string {
	return [...]string{"live", "blocks", "peak", "total", "count", "leaked", "temporary"}[c]
}

// IsBytes reports whether the cost is measured in bytes; otherwise it counts blocks.
func (c Cost) IsBytes() bool {
	return c == CostLive || c == CostPeak || c == CostTotal || c == CostLeaked
}

// Rate is n per second of d, +Inf never: an empty duration counts as one microsecond.
func Rate(n uint64, d model.Time) float64 {
	return float64(n) / (math.Max(float64(d), 1) / 1e6)
}
