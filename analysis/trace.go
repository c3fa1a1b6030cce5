// Package analysis defines the questions about a memory profile, independent of screens and file formats: [Trace] has
// those about a trace, which package traceindex answers, and [Findings] says what is worth looking at first. The
// packages below it answer the questions about the other parts of a profile. Everything takes a context, may be called
// from any goroutine, and answers for what is loaded so far.
package analysis

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// Trace answers questions about one allocation trace, at one instant or over one range, while it is being read or
// afterwards. Answers are exact for what is loaded; [Status] reports whether that is all. The caller owns the result.
// If a query has a filter of stacks, groups are made of the filtered stacks, and their keys are valid with the same
// filter only, except for stacks, threads and sizes. Totals, Live, Peak, Curve, Grid and Histograms always cover all
// stacks.
type Trace interface {
	Status() Status
	// Totals sums the events of r.
	Totals(ctx context.Context, r Range) (Totals, error)
	// Live returns the level at an instant.
	Live(ctx context.Context, at Instant) (Level, error)
	// Peak returns the first event in r after which live bytes are highest (the level carried into r does not count).
	// ok is false if r has no event.
	Peak(ctx context.Context, r Range) (p Peak, ok bool, err error)
	// Curve divides r into n columns of equal duration. It does not average: every spike shows at every zoom.
	Curve(ctx context.Context, r Range, n int) ([]Column, error)
	// Chart is Curve for drawing, within a fraction of a frame: inner edges of columns may be off by up to two fifths
	// of a column where that avoids reading events. The columns state their edges; events of an edge's very microsecond
	// may be on either side.
	Chart(ctx context.Context, r Range, n int) ([]Column, error)
	// LiveOf is Curve for the blocks that a query selects, and for parts of them. It walks all events of the range.
	LiveOf(ctx context.Context, q LiveQuery) (LiveCurves, error)
	// Sites returns one row per group with an allocation in q.Range or a live block at q.At, unsorted.
	Sites(ctx context.Context, q Query) ([]Site, error)
	// Functions returns self and total allocations in r per function name, unsorted. A function counts once per stack.
	Functions(ctx context.Context, r Range, in Cell) ([]Function, error)
	// Leaks returns the blocks that were never freed, by site, most bytes first.
	Leaks(ctx context.Context, q LeakQuery) (Leaks, error)
	// LateFreed returns the blocks freed in the last 2 % of the duration after living at least half of it, by site,
	// most bytes first.
	LateFreed(ctx context.Context, in Cell) (Leaks, error)
	// Weights returns one cost per stack, aligned with StackIDs; q.By is ignored.
	Weights(ctx context.Context, c Cost, q Query) ([]uint64, error)
	// StackIDs maps a dense stack index to the file's id, in order of first use. The slice only ever grows.
	StackIDs() []model.StackID
	// History returns the live bytes of each key's group over everything that is loaded, in n columns of equal
	// duration. Histories of many keys cost little more than one.
	History(ctx context.Context, by Group, only calltree.Filter, keys []Key, n int) ([][]uint64, error)
	// Verdicts returns what became of the memory of every group of stacks over the complete run, regardless of the
	// instant: leaks, caches, memory that merely stays. Their keys are those of the groups; a group without live blocks
	// at the end has none. It returns nothing while the trace is being read.
	Verdicts(ctx context.Context, by Group, only calltree.Filter) (verdict.List, error)
	// Lifetimes summarizes how long the freed blocks of a group, allocated in r, lived, and how old the others are.
	Lifetimes(ctx context.Context, by Group, key Key, r Range, only calltree.Filter) (Lifetimes, error)
	// Lives counts the lifetimes and ages of the blocks of some stacks, over the complete run. Those of sites that were
	// judged cost nothing.
	Lives(ctx context.Context, keys []Key) ([]Lives, error)
	// HeldAtPeak returns for how long at least half of the bytes that a stack has at the peak of the run were live, 0 if
	// it has more than MostPeakBlocks then.
	HeldAtPeak(ctx context.Context, key Key) (model.Time, error)
	// Blocks returns single blocks, read lazily.
	Blocks(ctx context.Context, q BlockQuery) (BlockList, error)
	// Uses returns the blocks that ever had an address, by birth: the last limit of them, and their total number. It
	// finds nothing for address 0, which is unknown, and nothing in a file whose addresses are invented.
	Uses(ctx context.Context, addr uint64, limit int) (blocks []Block, total int, err error)
	// Events returns the events of a range in order, at most q.Limit of them, and how many events of the range follow
	// those that were looked at, whatever they are about.
	Events(ctx context.Context, q EventQuery) (list []Event, left int, err error)
	// Grid counts blocks by size and lifetime.
	Grid(ctx context.Context, q GridQuery) (*Grid, error)
	// Histograms counts allocations of r by size, and freed blocks allocated in r by lifetime, in powers of two.
	Histograms(ctx context.Context, r Range) (sizes, lifetimes []Bucket, err error)
	// Marks returns the markers and GC events of r in order, thinned evenly to at most limit, and their total number.
	Marks(ctx context.Context, r Range, limit int) (marks []Mark, total int, err error)
	// Neighbor returns the time of the event nearest to t before (dir < 0) or after (dir > 0) it; ok is false if there
	// is none.
	Neighbor(t model.Time, dir int) (model.Time, bool)
	// Landmark is Neighbor among markers and GC events only.
	Landmark(t model.Time, dir int) (model.Time, bool)
}

// Status describes how much of a trace is loaded.
type Status struct {
	Events     uint64
	Duration   model.Time // time of the last event
	Stacks     int        // distinct stacks in use
	Final      bool       // the input has been read to its end, or to where it becomes unreadable
	Stopped    bool       // reading was canceled or reached its memory budget: the file has more
	Offset     int64      // input bytes read
	Size       int64      // size of the input in bytes, -1 while unknown
	Revision   uint64     // increases whenever an answer may have changed
	Unfreed    bool       // some blocks have no address and can never be freed: live figures are upper bounds
	Saturated  bool       // a sum did not fit 64 bits and is capped at 2^64-1
	FreesNever bool       // no free matches an allocation, and the file does not say that it records them
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

// Range holds the events with From < time ≤ To. From = model.NoTime includes time 0: the command line and the screens
// set it for a From of 0.
type Range struct{ From, To model.Time }

// FullRange is the range of all events.
var FullRange = Range{model.NoTime, model.MaxTime}

// IsFull reports whether r is the range of all events.
func (r Range) IsFull() bool { return r.From < 0 && r.To == model.MaxTime }

// Totals are sums over the events of a range.
type Totals struct {
	Events           uint64
	AllocCount       uint64
	AllocBytes       uint64
	FreeCount        uint64 // every FREE event
	FreedCount       uint64 // blocks ended by a FREE event
	FreedBytes       uint64 // bytes of these blocks
	UnmatchedFrees   uint64 // FREEs of an address without a known live block
	OverwrittenCount uint64 // blocks ended by an ALLOC at their live address
	OverwrittenBytes uint64
	UnaddressedCount uint64 // ALLOCs without an address
	UnaddressedBytes uint64
	GCCount          uint64
	GCObjects        uint64
	GCBytes          uint64
	MarkerCount      uint64
	TemporaryCount   uint64 // blocks allocated in the range and freed by the very next event of the trace
}

// Level is the live memory at an instant.
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

// Column is one column of the live curve: the levels within (From, To], including the one carried in.
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

// Group is a key by which allocations are grouped.
type Group uint8

const (
	ByStack    Group = iota
	ByFunction       // of the leaf frame
	ByOwner          // the owner's function, see [calltree.Owners]
	ByFile           // of the leaf frame
	ByModule         // a library file itself, else the file's directory
	ByThread
	BySizeClass // bit length of the size: class b holds sizes 2^(b-1) … 2^b-1, class 0 the size 0
	GroupCount
)

// Next returns the group that follows when screens go through them: owners come before functions, which in many languages
// are those that allocate for all others.
func (g Group) Next() Group {
	switch g {
	case ByStack:
		return ByOwner
	case ByOwner:
		return ByFunction
	case ByFunction:
		return ByFile
	}
	return (g + 1) % GroupCount
}

// NoThreads is the name of the only group by thread of a file that does not record threads.
const NoThreads = "threads not recorded"

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

// Key identifies a member of a group: a dense stack index, a dense thread index, a size class, or an index into the
// group's own names. Keys stay valid while a trace loads, but those of functions, owners, files and modules only once
// the symbols are read.
type Key uint32

// Query asks for groups at an instant and over a range.
type Query struct {
	At    Instant // for live figures
	Range Range   // for all other figures
	By    Group
	Cell  Cell // only blocks in it

	NoPeaks bool // leave out Site.PeakBytes, which may take a walk over all events
}

// Site is one group's figures. Peak is the highest live bytes of the group alone within the range.
type Site struct {
	Key   Key
	Name  string        // the group as text; a function name, file, directory, "thread 3", "64 … 127 B"; not cleaned
	Where string        // file:line for stacks, else ""
	Stack model.StackID // for ByStack the file's id, for other groups the stack that allocated most in it
	Node  model.NodeID  // that stack's leaf, 0 when the file does not define it
	Sites uint64        // number of stacks summed up; 0 for groups that divide stacks, such as threads

	AllocBytes, AllocCount uint64 // in the range
	FreedBytes, FreedCount uint64 // blocks of this group ended by a FREE in the range
	Temporary              uint64 // blocks of the range freed by the very next event
	LiveBytes, LiveCount   uint64 // at the instant
	PeakBytes              uint64
	LeakBytes, LeakCount   uint64 // allocated in the range and live at its end

	OverwrittenBytes, OverwrittenCount uint64 // blocks ended by an ALLOC at their live address in the range
}

// None reports whether no block of the group was allocated, live or freed.
func (s *Site) None() bool {
	return s.AllocCount == 0 && s.LiveCount == 0 && s.FreedCount == 0 && s.OverwrittenCount == 0
}

// MeanSize returns the rounded mean size of the blocks allocated in the range, 0 without any.
func (s *Site) MeanSize() uint64 {
	if s.AllocCount == 0 {
		return 0
	}
	return model.Mean(s.AllocBytes, s.AllocCount)
}

// TemporaryShare returns the fraction of temporary blocks, 0 … 1.
func (s *Site) TemporaryShare() float64 { return ratio(s.Temporary, s.AllocCount) }

// LeakShare returns the fraction of allocated blocks that were never freed, 0 … 1.
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

// LeakQuery asks for blocks allocated in Range and still live at its end, where they are at least MinAge old.
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

// LeakSite is one group of blocks that were never freed (or freed late).
type LeakSite struct {
	Site                      // figures of the whole group in the same range; Live* are those at the range's end
	Bytes, Count   uint64     // of the leaked blocks
	Oldest, Newest model.Time // ages at the end of the range
	Median         model.Time // median age
	First, Last    model.Time // births of the oldest and of the newest block
	History        []uint64   // leaked bytes in HistoryColumns columns; nil except for the largest few thousand groups
	Threads        []uint16   // threads that allocated them, at most 8, ascending
}

// HistoryColumns is the number of columns of a history.
const HistoryColumns = 64

// Lives counts blocks by how long they lived, and by how old those are that were never freed. It has no pointers: index
// files store it as is.
type Lives struct {
	Freed, NeverFreed uint64

	Lived [LifeClasses]uint64 // freed blocks by class of lifetime
	Ages  [LifeClasses]uint64 // blocks that were never freed, by class of their age at the end of the run

	Longest model.Time // longest lifetime of a freed block
	Oldest  model.Time // age of the oldest one that was never freed
}

// Died counts a freed block.
func (l *Lives) Died(lifetime model.Time) {
	l.Freed++
	l.Lived[timeClass(lifetime)]++
	l.Longest = max(l.Longest, lifetime)
}

// Stayed counts a block that was never freed.
func (l *Lives) Stayed(age model.Time) {
	l.NeverFreed++
	l.Ages[timeClass(age)]++
	l.Oldest = max(l.Oldest, age)
}

// Add adds the counts of other blocks.
func (l *Lives) Add(o *Lives) {
	l.Freed += o.Freed
	l.NeverFreed += o.NeverFreed
	for c := range o.Lived {
		l.Lived[c] += o.Lived[c]
		l.Ages[c] += o.Ages[c]
	}
	l.Longest, l.Oldest = max(l.Longest, o.Longest), max(l.Oldest, o.Oldest)
}

// Lifetimes summarizes how long blocks lived. Median is exact.
type Lifetimes struct {
	Lives
	Min, Median model.Time
	Mean        float64  // µs
	Threads     []uint16 // threads that allocated the blocks, at most 8, ascending
}

// BlockQuery asks for single blocks of one group: those live at At; with Leaked set those allocated in Range, live at
// its end and at least MinAge old there; with Born set all those allocated in Range.
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
	Addr   uint64 // only blocks at this address, 0 for all
	Sort   BlockOrder

	NoAddr bool // leave out Block.Addr: it may have to be read from the input
}

// BlockOrder is the order of a list of blocks; ties are in order of birth.
type BlockOrder uint8

const (
	LargestFirst BlockOrder = iota
	OldestFirst
	NewestFirst
	LowestFirst   // by address; unknown ones come first
	ShortestFirst // by lifetime over the complete run; never freed ones come last
)

// BlockList is a sorted list of blocks. Its methods may be called from any goroutine.
type BlockList interface {
	Len() int
	Bytes() uint64 // sum of all blocks, 2^64-1 if it does not fit
	Row(i int) Block
}

// Block is one allocation.
type Block struct {
	Addr   uint64 // 0 when unknown
	Size   uint64
	Born   model.Time
	Died   model.Time // model.NoTime if never freed
	Stack  model.StackID
	Thread uint16
}

// Holds reports whether an address is inside the block. A block of size 0 holds its own address.
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

// Bucket counts values Min ≤ v ≤ Max; bounds are powers of two.
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

// Cost is a figure that stacks are weighted by.
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

// Rate returns n per second of d. An empty duration counts as one microsecond, so the rate is never infinite.
func Rate(n uint64, d model.Time) float64 {
	return float64(n) / (math.Max(float64(d), 1) / 1e6)
}
