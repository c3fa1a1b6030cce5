package diff

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// Side is one of the two sets of rows that a comparison matches. It never changes once it is compared; any goroutine
// may read it.
type Side struct {
	Label  string        // the file with its instant, range or snapshot, in words; not cleaned
	File   string        // identifies the file: ids are comparable only if it is equal. "" equals no other
	Stacks *model.Stacks // of the nodes of rows; nil if no row has one
	Rows   []SideRow
	Bases  Bases
	Total  *SideSum // total of the side if it is not the sum of its rows: they overlap, or leave something out
	nested bool     // rows contain others: a function with all it calls
	Sited  bool     // nodes are of allocations, which are named after their site
	sets   bool     // a row's weight is that of a set of things: that of merged rows is at least the largest

	identified bool // rows have the number of objects that the other side has as well

	Estimated bool    // the compared figure is estimated from samples
	Drawn     *Drawn  // how, nil if that is unknown
	both      SideSum // sum of that of its rows, or of those they were grouped from
}

// SideSum is the total of a side.
type SideSum struct{ bytes, count uint64 }

func (s *SideSum) add(n SideSum) {
	s.bytes, _ = model.SaturatingAdd(s.bytes, n.bytes)
	s.count, _ = model.SaturatingAdd(s.count, n.count)
}

// Sum returns the total of the side, with any kind of rows. It saturates.
func (s *Side) Sum() SideSum {
	if s.Total != nil {
		return *s.Total
	}
	var sum SideSum
	for i := range s.Rows {
		sum.bytes, _ = model.SaturatingAdd(sum.bytes, s.Rows[i].Bytes)
		sum.count, _ = model.SaturatingAdd(sum.count, s.Rows[i].Count)
	}
	return sum
}

// SideRow is the weight of one thing on one side. Rows that are the same thing are added up.
type SideRow struct {
	Node     model.NodeID // the thing is the frames from here to the root; 0 if it is identified by the texts
	Key, sub string       // a function, a type and its representation, a page type, …; not cleaned
	nth      int          // distinguishes several things of one name
	own      bool         // the texts are ids, which mean nothing in another file
	Listed   bool         // present even if its weight is 0
	kept     bool         // makes a row even if its weight is 0, but does not count as present then
	unknown  bool         // its weight is unknown: it is not compared
	AtLeast  bool         // Bytes is a lower bound

	Bytes, Count uint64 // Bytes has the compared figure, of any unit
	same         uint64 // objects that the other side has as well, if the side is identified

	sizes uint64 // bytes of the blocks that Bytes counts, see [Drawn]

	both SideSum // what the other side has as well: the same blocks of one recording, which have no error
}

// there reports whether the row is present on the side.
func (r *SideRow) there() bool { return r.Listed || r.Bytes > 0 || r.Count > 0 }

// Bases are the figures by which those of a side can be divided; negative ones are unknown.
type Bases struct {
	duration    model.Time
	allocations int64
	gcs         int64
	markers     int64
}

// NoBases knows only the total.
var NoBases = Bases{model.NoTime, model.NoCount, model.NoCount, model.NoCount}

// Normal is the figure to which both sides are scaled before they are compared.
type Normal uint8

const (
	NormalNone Normal = iota
	NormalTotal
	NormalDuration
	NormalAllocations
	NormalGCs
	NormalMarkers
	NormalCount
)

// String returns the word in flags and JSON.
func (n Normal) String() string {
	return [...]string{"none", "total", "duration", "allocations", "gcs", "markers"}[n]
}

// base returns the divisor for a side; ok is false if it is unknown or 0.
func (n Normal) base(s *Side, total uint64) (base uint64, ok bool) {
	known := int64(0)
	switch n {
	case NormalTotal:
		return total, total > 0
	case NormalDuration:
		known = int64(s.Bases.duration)
	case NormalAllocations:
		known = s.Bases.allocations
	case NormalGCs:
		known = s.Bases.gcs
	case NormalMarkers:
		known = s.Bases.markers
	default:
		return 1, true
	}
	return uint64(max(known, 0)), known > 0
}

// Identified reports whether objects are matched, so that [Row.Objects] is known.
func (c *Comparison) Identified() bool {
	return (c.Before.identified || c.After.identified) && c.Per == NormalNone
}

// NoBaseError reports that a side has no figure to normalize by.
type NoBaseError struct {
	per  Normal
	side string // its label
}

// Error implements error.
func (e *NoBaseError) Error() string {
	return fmt.Sprintf("cannot normalize by %s: %s has none", e.per, e.side)
}

// ChangeStatus is what became of a row.
type ChangeStatus uint8

const (
	ChangeSame ChangeStatus = iota
	ChangeNew
	ChangeGone
	ChangeGrown
	ChangeShrunk
	ChangeUnknown // it is on both sides, and lower bounds do not determine the change
	ChangeCount
)

// String returns the word in tables, flags and JSON.
func (s ChangeStatus) String() string {
	return [...]string{"same", "new", "gone", "grown", "shrunk", "unknown"}[s]
}

// Figures are the weights of a thing on both sides. Those of before are scaled if the sides are normalized.
type Figures struct{ BeforeBytes, AfterBytes, BeforeCount, AfterCount uint64 }

// DeltaBytes returns after − before, limited to 63 bits.
func (f *Figures) DeltaBytes() int64 { return signedChange(f.BeforeBytes, f.AfterBytes) }

// DeltaCount returns after − before, limited to 63 bits.
func (f *Figures) DeltaCount() int64 { return signedChange(f.BeforeCount, f.AfterCount) }

// Percent returns the change of bytes in percent of those before; ok is false if there were none.
func (f *Figures) Percent() (p float64, ok bool) {
	if f.BeforeBytes == 0 {
		return 0, f.AfterBytes == 0
	}
	return (float64(f.AfterBytes) - float64(f.BeforeBytes)) / float64(f.BeforeBytes) * 100, true
}

func signedChange(before, after uint64) int64 {
	d := int64(min(distance(before, after), math.MaxInt64))
	if after < before {
		return -d
	}
	return d
}

// Row is one thing on both sides.
type Row struct {
	Node     model.NodeID // in [Comparison.Joined]; 0 if the row is not a stack
	Key, Sub string       // as on the sides, masked; not cleaned. Key is "" for stacks
	Row      [2]int       // index of the heaviest row of each side; -1 if it has none
	There    [2]bool      // the side has it
	AtLeast  [2]bool      // the side's bytes are a lower bound
	Figures
	Status ChangeStatus
	same   uint64 // objects that both sides have, see [Comparison.Identified]

	sizes [2]uint64 // of each side, as in its file

	Error uint64  // by how much the change of bytes may be off by sampling, see [Comparison.Errors]
	both  SideSum // what both sides have, if they are of one recording
}

// Objects returns how many of the objects of a row are only in after, in both, and only in before.
func (r *Row) Objects() (created, kept, gone uint64) {
	return r.AfterCount - min(r.same, r.AfterCount), r.same, r.BeforeCount - min(r.same, r.BeforeCount)
}

// Certainty is how much is known of the change of a row's bytes.
type Certainty uint8

const (
	CertainChange Certainty = iota
	LeastChange             // it goes in the direction of the figures, and is at least so large
	UnknownChange           // not even the direction is known
)

// Certainty returns how much is known of the change of bytes: lower bounds differ by anything.
func (r *Row) Certainty() Certainty {
	switch r.AtLeast {
	case [2]bool{}:
		return CertainChange
	case [2]bool{true, false}:
		if r.BeforeBytes > r.AfterBytes {
			return LeastChange
		}
	case [2]bool{false, true}:
		if r.AfterBytes > r.BeforeBytes {
			return LeastChange
		}
	}
	return UnknownChange
}

// Sign returns what to write before the change of bytes: "≥ ", or "≤ " before that of a row that shrank by at least so
// much. What is unknown is "?" alone.
func (r *Row) Sign() string {
	switch known := r.Certainty(); {
	case known == UnknownChange:
		return "?"
	case known == LeastChange && r.AfterBytes < r.BeforeBytes:
		return "≤ "
	case known == LeastChange:
		return "≥ "
	}
	return ""
}

// Change returns how much the bytes changed at least, in either direction: 0 for an unknown change.
func (r *Row) Change() uint64 {
	if r.Certainty() == UnknownChange {
		return 0
	}
	return distance(r.BeforeBytes, r.AfterBytes)
}

// Sum sums up rows of one side.
type Sum struct {
	Rows         int
	Bytes, Count uint64
	AtLeast      bool // a part of Bytes is a lower bound
}

// Options choose how rows are matched and scaled.
type Options struct {
	Masks  []Mask
	Match  FrameMatch
	Per    Normal
	Swap   bool          // exchange before and after
	Joined *JoinedStacks // of the stacks of both sides as given, with the same masks and match; nil to compute it

	Libraries *regexp.Regexp // functions and files that own no memory, in addition to the built-in ones; may be nil
}

// Comparison is the change from one side to the other. It is immutable; any goroutine may read it.
type Comparison struct {
	Before, After *Side // as compared: exchanged if Swap is set
	Swapped       bool
	Per           Normal
	Bases         [2]uint64        // bases of the sides; figures of before are those of the file × Bases[1] / Bases[0]
	Rows          []Row            // by size of the change in bytes, then in count, then by the larger side
	Totals        Figures          // of the sides, independent of rows
	Counts        [ChangeCount]int // rows by status
	Unmatched     [2]Sum           // rows of each side without a match: gone and new ones
	Nameless      [2]Sum           // those of them that cannot have one: their file does not identify them
	Merged        [2]int           // rows that were merged with another one of their own side
	Unknown       int              // rows left out because their weight is unknown on one side
	Joined        *JoinedStacks    // nil if no side has stacks

	Errors     bool   // a side is sampled, and rows have the error of their change: in 19 of 20 cases it is off by at most so much
	TotalError uint64 // of the change in total
	Within     int    // rows that changed by no more than their error

	beyond    int            // rows that changed by more than their error
	libraries *regexp.Regexp // of the options
	masks     []Mask
}

// Compare matches the rows of two sides. It fails if ctx ends, and with a [*NoBaseError].
func Compare(ctx context.Context, before, after *Side, opt Options) (*Comparison, error) {
	c := &Comparison{Before: before, After: after, Per: opt.Per, Swapped: opt.Swap, Joined: opt.Joined,
		libraries: opt.Libraries, masks: opt.Masks, Bases: [2]uint64{1, 1}}
	if c.Joined == nil && (before.Stacks != nil || after.Stacks != nil) {
		var err error
		if c.Joined, err = JoinStacks(ctx, before.Stacks, after.Stacks, opt.Masks, opt.Match); err != nil {
			return nil, err
		}
	}
	m := rowMatcher{c: c, nodes: map[model.NodeID]int{}, texts: map[textKey]int{}, unknown: map[int]bool{}}
	m.add(0, before)
	m.add(1, after)
	m.leaveOut()
	if opt.Swap {
		c.swap()
	}
	if err := c.normalize(); err != nil {
		return nil, err
	}
	c.measure()
	c.conclude()
	return c, ctx.Err()
}

// textKey is the key by which a row that is not a stack is matched.
type textKey struct {
	key, sub string
	nth      int
	side     int // 1 or 2 for rows that match only on their own side
}

type rowMatcher struct {
	c       *Comparison
	nodes   map[model.NodeID]int
	texts   map[textKey]int
	unknown map[int]bool // by row of the comparison
}

// leaveOut removes the rows that are unknown on one side, as they are not comparable.
func (m *rowMatcher) leaveOut() {
	if m.c.Unknown = len(m.unknown); m.c.Unknown == 0 {
		return
	}
	rows := m.c.Rows
	m.c.Rows = nil
	for i := range rows {
		if !m.unknown[i] {
			m.c.Rows = append(m.c.Rows, rows[i])
		}
	}
}

// add adds the rows of one side to those of the comparison.
func (m *rowMatcher) add(side int, s *Side) {
	for i := range s.Rows {
		row := &s.Rows[i]
		if !row.there() && !row.kept {
			continue
		}
		at := m.row(side, row)
		out := &m.c.Rows[at]
		if row.unknown {
			m.unknown[at] = true
		}
		merged := s.sets && out.Row[side] >= 0 // sets may overlap
		out.AtLeast[side] = out.AtLeast[side] || row.AtLeast || merged
		out.There[side] = out.There[side] || row.there()
		bytes, count := &out.BeforeBytes, &out.BeforeCount
		if side == 1 {
			bytes, count = &out.AfterBytes, &out.AfterCount
		}
		if merged {
			*bytes = max(*bytes, row.Bytes)
		} else {
			*bytes, _ = model.SaturatingAdd(*bytes, row.Bytes)
		}
		*count, _ = model.SaturatingAdd(*count, row.Count)
		out.sizes[side], _ = model.SaturatingAdd(out.sizes[side], row.sizes)
		out.same += row.same
		if side == 0 { // the other one has the same
			out.both.add(row.both)
		}
		switch best := &out.Row[side]; {
		case *best < 0:
			*best = i
		default:
			m.c.Merged[side]++
			if row.Bytes > s.Rows[*best].Bytes {
				*best = i
			}
		}
	}
}

// row returns the index of a row in the comparison, adding it if necessary.
func (m *rowMatcher) row(side int, row *SideRow) int {
	fresh := Row{Row: [2]int{-1, -1}}
	var at int
	var ok bool
	if row.Node != 0 {
		fresh.Node = m.c.Joined.node[side][row.Node]
		if at, ok = m.nodes[fresh.Node]; !ok {
			m.nodes[fresh.Node] = len(m.c.Rows)
		}
	} else {
		key := m.c.textKey(side, row)
		fresh.Key, fresh.Sub = key.key, key.sub
		if at, ok = m.texts[key]; !ok {
			m.texts[key] = len(m.c.Rows)
		}
	}
	if !ok {
		at = len(m.c.Rows)
		m.c.Rows = append(m.c.Rows, fresh)
	}
	return at
}

// textKey returns the key of a row that is not a stack.
func (c *Comparison) textKey(side int, row *SideRow) textKey {
	sameFile := c.Before.File == c.After.File && c.Before.File != ""
	key := textKey{key: row.Key, sub: row.sub, nth: row.nth}
	if !row.own {
		key.key, key.sub = applyMasks(c.masks, withoutRecordFolder(row.Key)), applyMasks(c.masks, row.sub)
		if !sameFile && funcname.Unnamed(key.key) {
			key.key = funcname.NoName
		}
	} else if !sameFile {
		key.side = side + 1
	}
	return key
}

// MergedRows returns the rows of a side that a row consists of, which is not a stack: several where their names, as
// masked, are the same; the heaviest first, the others in their order.
func (c *Comparison) MergedRows(r *Row, side int) (rows []int) {
	if r.Row[side] < 0 {
		return nil
	}
	s := [...]*Side{c.Before, c.After}[side]
	want := c.textKey(side, &s.Rows[r.Row[side]])
	rows = append(rows, r.Row[side])
	for i := range s.Rows {
		if x := &s.Rows[i]; i != r.Row[side] && x.Node == 0 && (x.there() || x.kept) && c.textKey(side, x) == want {
			rows = append(rows, i)
		}
	}
	return rows
}

func (c *Comparison) swap() {
	c.Before, c.After = c.After, c.Before
	c.Merged[0], c.Merged[1] = c.Merged[1], c.Merged[0]
	if c.Joined != nil {
		c.Joined = &JoinedStacks{Stacks: c.Joined.Stacks, node: [2][]model.NodeID{c.Joined.node[1], c.Joined.node[0]}}
	}
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Row[0], r.Row[1] = r.Row[1], r.Row[0]
		r.There[0], r.There[1] = r.There[1], r.There[0]
		r.AtLeast[0], r.AtLeast[1] = r.AtLeast[1], r.AtLeast[0]
		r.sizes[0], r.sizes[1] = r.sizes[1], r.sizes[0]
		r.Figures = Figures{r.AfterBytes, r.BeforeBytes, r.AfterCount, r.BeforeCount}
	}
}

// normalize computes the totals of both sides, and scales the figures of before so that both have the same base.
func (c *Comparison) normalize() error {
	before, after := c.Before.Sum(), c.After.Sum()
	c.Totals = Figures{before.bytes, after.bytes, before.count, after.count}
	if c.Per == NormalNone {
		return nil
	}
	for i, s := range []*Side{c.Before, c.After} {
		base, ok := c.Per.base(s, [2]uint64{before.bytes, after.bytes}[i])
		if !ok {
			return &NoBaseError{c.Per, s.Label}
		}
		c.Bases[i] = base
	}
	for i := range c.Rows {
		c.scaleBefore(&c.Rows[i].Figures)
	}
	c.scaleBefore(&c.Totals) // not the sum of rows, each of which was rounded
	return nil
}

func (c *Comparison) scaleBefore(f *Figures) {
	f.BeforeBytes, f.BeforeCount = c.scale(f.BeforeBytes), c.scale(f.BeforeCount)
}

// scale returns n × Bases[1] / Bases[0], rounded, saturating.
func (c *Comparison) scale(n uint64) uint64 {
	hi, lo := bits.Mul64(n, c.Bases[1])
	lo, carry := bits.Add64(lo, c.Bases[0]/2, 0)
	if hi += carry; hi >= c.Bases[0] {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, c.Bases[0])
	return q
}

// Factor returns the factor by which the figures of before were scaled.
func (c *Comparison) Factor() float64 { return float64(c.Bases[1]) / float64(c.Bases[0]) }

// conclude sets the status of each row, and sorts.
func (c *Comparison) conclude() {
	for i := range c.Rows {
		r := &c.Rows[i]
		r.Status = changeStatus(r.There, r.BeforeBytes, r.AfterBytes)
		if r.There == [2]bool{true, true} && r.Certainty() == UnknownChange {
			r.Status = ChangeUnknown
		}
		c.Counts[r.Status]++
		switch {
		case r.Within():
			c.Within++
		case r.Change() > 0:
			c.beyond++
		}
		c.unmatched(r)
	}
	slices.SortStableFunc(c.Rows, func(x, y Row) int {
		return cmp.Or(
			cmp.Compare(y.Change(), x.Change()),
			cmp.Compare(distance(y.BeforeCount, y.AfterCount), distance(x.BeforeCount, x.AfterCount)),
			cmp.Compare(max(y.BeforeBytes, y.AfterBytes), max(x.BeforeBytes, x.AfterBytes)),
			cmp.Compare(x.Key, y.Key), cmp.Compare(x.Sub, y.Sub))
	})
}

// changeStatus returns what became of a row, by the compared figure and the sides that have it.
func changeStatus(there [2]bool, before, after uint64) ChangeStatus {
	switch {
	case !there[0] && there[1]:
		return ChangeNew
	case there[0] && !there[1]:
		return ChangeGone
	case after > before:
		return ChangeGrown
	case after < before:
		return ChangeShrunk
	}
	return ChangeSame
}

// unmatched counts a row that only one side has.
func (c *Comparison) unmatched(r *Row) {
	side, rows := 0, c.Before.Rows
	bytes, count := r.BeforeBytes, r.BeforeCount
	switch r.Status {
	case ChangeGone:
	case ChangeNew:
		side, rows, bytes, count = 1, c.After.Rows, r.AfterBytes, r.AfterCount
	default:
		return
	}
	c.Unmatched[side].Add(bytes, count)
	c.Unmatched[side].AtLeast = c.Unmatched[side].AtLeast || r.AtLeast[side]
	if rows[r.Row[side]].own && (c.Before.File != c.After.File || c.Before.File == "") {
		c.Nameless[side].Add(bytes, count)
		c.Nameless[side].AtLeast = c.Nameless[side].AtLeast || r.AtLeast[side]
	}
}

// Add adds the weight of a row.
func (s *Sum) Add(bytes, count uint64) {
	s.Rows++
	s.Bytes, _ = model.SaturatingAdd(s.Bytes, bytes)
	s.Count, _ = model.SaturatingAdd(s.Count, count)
}

// Only returns the rows with one of the statuses, in order; without a status, those that changed.
func (c *Comparison) Only(statuses ...ChangeStatus) []Row {
	var out []Row
	for _, r := range c.Rows {
		if len(statuses) == 0 && r.Status != ChangeSame || slices.Contains(statuses, r.Status) {
			out = append(out, r)
		}
	}
	return out
}

// Name returns the name of a row: the function that owns the memory of a stack, or its key. It is not cleaned.
func (c *Comparison) Name(r *Row) string {
	if r.Node == 0 {
		return r.Key
	}
	return calltree.FunctionName(c.Joined.Stacks, calltree.NewOwners(c.Joined.Stacks, c.libraries).Node(r.Node))
}

// distance returns |a-b|.
func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }
