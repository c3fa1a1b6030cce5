package weights

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"strconv"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// By is what rows of a profile's table represent.
type By uint8

const (
	ByFunctionDSO By = iota // a function of a binary
	ByOwner                 // the function of a stack's owner, see [calltree.Owners]
	ByDSO
	BySourceLine
	ByFile
	ByProfileThread
	ByFrameKind // user or kernel code
	ProfileByCount
)

// String returns the title of the column of names.
func (b By) String() string {
	if b >= byLabel {
		return "label"
	}
	return [...]string{"function", "owner", "DSO", "source line", "file", "thread", "kind"}[b]
}

// Next returns the next grouping in the cycle: by function after the last one, and after a label.
func (b By) Next() By {
	if b+1 >= ProfileByCount {
		return ByFunctionDSO
	}
	return b + 1
}

// Row is one row of a table, with its weights by selection.
type Row struct {
	ID      uint32        // the same for the same profile and grouping, for any selection
	Name    string        // not cleaned; "" for a function, DSO or source that the file does not name
	Frame   model.FrameID // the first frame that belongs to the row; 0 for threads
	Weights []FrameWeight
	First   bool // the first selection reaches it
}

// FrameWeight is the weight of the stacks whose leaf is the row, and of those that contain it, each once.
type FrameWeight struct{ Self, Total model.Amount }

// Table sums up the rows of one grouping under several selections of one profile. Rows that none of them reaches are
// left out; the order is that of first appearance. Self and total of a thread or an owner are both the weight of its
// stacks. libraries matches functions and files that own no memory, in addition to the built-in ones; nil for none.
func Table(ctx context.Context, by By, libraries *regexp.Regexp, selections ...*Selection) ([]Row, error) {
	if len(selections) == 0 {
		return nil, nil
	}
	return NewGrouping(selections[0].Profile, selections[0].Stacks, by, libraries).Table(ctx, selections...)
}

// weigh adds a selection's weights, numbers of any kind, to column k.
func (s *Selection) weigh(ctx context.Context, g *Grouping, k int, rows []Row, hit []bool) error {
	of, totals := g.of, make([]rowTotal, len(rows))
	rec, st := &s.Profile.Records, s.Stacks
	most := math.MaxUint64 / uint64(rec.Len()+1) // rec.Len() weights up to this cannot overflow
	totaled := false
	if !g.wholeStacks() && s.deep(ctx) {
		var err error
		if totaled, err = s.treeTotals(ctx, of, len(rows), func(row uint32, sum uint64) {
			totals[row].sum += sum
			totals[row].last = 1
		}); err != nil {
			return err
		}
	}
	for r := range rec.Len() {
		if r%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		n, ok := s.Weight(model.RecordID(r))
		if !ok {
			continue
		}
		if g.wholeStacks() {
			if row, ok := g.rowOf(s, r); ok {
				w := &rows[row].Weights[k]
				w.Self.Add(n)
				w.Total.Add(n)
				hit[row] = true
			}
			continue
		}
		leaf := s.Node(model.RecordID(r))
		if leaf != 0 {
			self, _ := s.Self(model.RecordID(r))
			rows[of[st.Frame[leaf]]].Weights[k].Self.Add(self)
		}
		if totaled {
			continue
		}
		small, isSmall := smallInteger(n, most)
		for node := leaf; node != 0; node = st.Parent[node] {
			t := &totals[of[st.Frame[node]]]
			switch {
			case t.last == uint32(r)+1:
				continue
			case isSmall:
				t.sum += small
			default:
				rows[of[st.Frame[node]]].Weights[k].Total.Add(n)
			}
			t.last = uint32(r) + 1
		}
	}
	for row, t := range totals {
		if t.last != 0 {
			hit[row] = true
			rows[row].Weights[k].Total.Add(model.Unsigned(t.sum))
		}
	}
	return nil
}

// rowTotal is the total of a row as long as it is made of small integers, which is nearly always. The struct is small,
// as every frame of every stack reads one.
type rowTotal struct {
	sum  uint64
	last uint32 // the last record counted there, plus one
}

// tableRows makes the rows of a grouping, and maps each frame or thread to its row.
func (s *Selection) tableRows(by By) (rows []Row, of []uint32) {
	if by == ByFunctionDSO {
		functions, of := s.functionRows()
		rows = make([]Row, len(functions))
		for i, f := range functions {
			rows[i] = Row{ID: uint32(i), Name: s.Stacks.Functions[f.Function]}
		}
		for f, row := range of {
			if rows[row].Frame == 0 {
				rows[row].Frame = model.FrameID(f)
			}
		}
		return rows, of
	}
	if by >= byLabel {
		return s.labelRows(by)
	}
	at := map[string]uint32{}
	n := len(s.Stacks.FrameFunc)
	if by == ByProfileThread {
		n = len(s.Profile.Threads)
	}
	of = make([]uint32, n)
	for i := range of {
		name, frame := s.rowName(by, i)
		row, ok := at[name]
		if !ok {
			row = uint32(len(rows))
			at[name] = row
			rows = append(rows, Row{ID: row, Name: name, Frame: frame})
		}
		of[i] = row
	}
	return rows, of
}

// rowName returns the name of the row that a frame, or a thread, belongs to, and the row's frame.
func (s *Selection) rowName(by By, i int) (string, model.FrameID) {
	f := model.FrameID(i)
	switch by {
	case ByDSO:
		return s.Profile.DSOs[s.Profile.FrameDSO[i]].Name, f
	case ByOwner:
		return calltree.FrameFunction(s.Stacks, f), f
	case BySourceLine:
		return s.Profile.Source(s.Stacks, f), f
	case ByFile:
		return cmp.Or(s.Stacks.Files[s.Stacks.FrameFile[i]], calltree.UnknownFile), f
	case ByFrameKind:
		return s.Profile.FrameKind[i].String(), f
	}
	return ThreadName(&s.Profile.Threads[i]), 0
}

// ThreadName returns a thread in words ("worker 4242/4243"), "" if nothing is known of it. It is not cleaned.
func ThreadName(t *model.ProfileThread) string {
	name := t.Comm
	add := func(text string) {
		if name != "" {
			name += " "
		}
		name += text
	}
	switch {
	case t.TID >= 0 && t.PID >= 0 && t.TID != t.PID:
		add(strconv.FormatInt(t.PID, 10) + "/" + strconv.FormatInt(t.TID, 10))
	case t.TID >= 0:
		add(strconv.FormatInt(t.TID, 10))
	case t.PID >= 0:
		add(strconv.FormatInt(t.PID, 10))
	}
	return name
}

// SampleCurve sums up the samples of an event in n columns of equal duration over [from, to]: their periods, or their
// number if count is set or no sample has a period. Samples of stacks that a filter leaves out do not count; view is
// nil for no filter. It fails only if ctx ends.
func SampleCurve(ctx context.Context, w *model.StackProfile, event uint16, view *calltree.FilteredStacks, count bool,
	from, to model.Time, n int) ([]float64, error) {
	out := make([]float64, n)
	if n == 0 || to < from {
		return out, nil
	}
	keep := keptRecords(w, view)
	span := float64(to-from) + 1
	for i := range w.Samples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &w.Samples[i]
		if c.Len() == 0 || c.Last < from || c.First > to {
			continue
		}
		under := c.Under(event)
		for k := range c.Len() {
			t := c.Time(k)
			if t < from || t > to || !under[c.Label(k)] || keep != nil && !keep[c.Record(k)+1] {
				continue
			}
			weight := 1.0
			if !count {
				weight = c.Period(k)
			}
			out[min(int(float64(t-from)/span*float64(n)), n-1)] += weight
		}
	}
	return out, nil
}

// keptRecords returns which records a filter keeps, at index + 1: index 0 is for samples whose stack is not in the file
// ([model.NoRecord] + 1 is 0). It is nil without a filter.
func keptRecords(w *model.StackProfile, view *calltree.FilteredStacks) []bool {
	if view == nil {
		return nil
	}
	keep := make([]bool, w.Records.Len()+1)
	_, keep[0] = view.Node(0)
	labels := keptLabels(w, view)
	for r, n := range w.Records.Node {
		_, keep[r+1] = view.Node(n)
		keep[r+1] = keep[r+1] && (labels == nil || labels[labelsOf(w, r)])
	}
	return keep
}

// CountsSamples reports whether a metric is the number of times a stack was seen, which samples record even without a
// period.
func CountsSamples(metric string) bool { return countsSamples(metric) }

// FrameClasses numbers the combinations of binary, kind and inlining that frames have, by frame: functions of one name
// are distinct if these differ.
func FrameClasses(w *model.StackProfile) []uint32 {
	type class struct {
		dso     string
		kind    model.FrameKind
		inlined bool
	}
	known := map[class]uint32{}
	out := make([]uint32, len(w.FrameDSO))
	for f := range out {
		c := class{w.DSOs[w.FrameDSO[f]].Name, w.FrameKind[f], w.FrameFlags[f]&model.FrameInlined != 0}
		n, ok := known[c]
		if !ok {
			n = uint32(len(known))
			known[c] = n
		}
		out[f] = n
	}
	return out
}
