package source

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/sources"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// sumsKey determines what lines weigh.
type sumsKey struct {
	stacks   *model.Stacks
	ids      int // stacks in use
	revision uint64
	cost     analysis.Cost
	query    analysis.Query
	filters  calltree.Filter
	prof     ui.ProfileKey // of weighted stacks, zero for traces
}

// keyOf returns the key of what a state selects.
func (p *Screen) keyOf(s *state.State) sumsKey {
	if p.Prof != nil {
		return sumsKey{stacks: s.Profile.Stacks, prof: p.Prof.Key(s)}
	}
	if n := s.Status.Stacks; s.Settled() || n > p.ids+p.ids/4 {
		p.ids = n // less often while more is read
	}
	return sumsKey{
		stacks: s.Profile.Stacks, ids: p.ids, revision: s.Status.Revision, cost: s.Cost, filters: s.Filters,
		query: analysis.Query{At: s.At, Range: s.Range, Cell: s.Cell},
	}
}

// sums are what lines weigh, by costs. Read-only once made.
type sums struct {
	*lines.Table
	key   sumsKey
	costs []analysis.Cost // of the figures, the chosen one first; nil for a profile, which has one figure
	unit  ui.ProfileUnit  // of a profile
}

// usualCosts are the figures of every line in addition to the chosen one.
var usualCosts = []analysis.Cost{analysis.CostLive, analysis.CostPeak, analysis.CostTotal}

// weigh sums up all lines.
func weigh(ctx context.Context, e *ui.Env, k sumsKey) (*sums, error) {
	if k.prof.Of != nil {
		return weighProfile(ctx, k)
	}
	out := &sums{key: k, costs: []analysis.Cost{k.cost}}
	for _, c := range usualCosts {
		if c != k.cost {
			out.costs = append(out.costs, c)
		}
	}
	view, err := e.Views.Of(ctx, k.stacks, k.filters, calltree.FullStacks)
	if err != nil {
		return nil, err
	}
	out.Table, err = lines.OfTrace(ctx, e.Trace, k.stacks, view, k.query, out.costs...)
	return out, err
}

// mostTried is the number of files of which a source is looked for, to begin with one.
const mostTried = 30

// begin returns the place that is shown at first: the costliest line whose source exists, or else of all.
func (s *sums) begin(ctx context.Context, from *sources.Finder) (lines.Place, error) {
	list := s.Costliest(mostTried)
	for _, at := range list {
		exists, err := from.Has(ctx, s.Stacks.Files[at.File])
		if err != nil || exists {
			return at, err
		}
	}
	if len(list) == 0 {
		return lines.Place{}, nil
	}
	return list[0], nil
}

func weighProfile(ctx context.Context, k sumsKey) (*sums, error) {
	out := &sums{key: k, Table: &lines.Table{Totals: []uint64{0}, Factor: 1}}
	sel, _, err := k.prof.Selection(ctx)
	if err != nil || sel == nil {
		return out, err
	}
	out.unit = k.prof.Unit()
	if out.Table, err = lines.OfSelection(ctx, sel); err != nil {
		return nil, err
	}
	out.unit.Scale = out.Factor
	return out, nil
}

// figure returns the index of a cost, -1 where it was not summed up.
func (s *sums) figure(c analysis.Cost) int {
	if s == nil {
		return -1
	}
	return slices.Index(s.costs, c)
}

// total returns what all stacks weigh by figure k.
func (s *sums) total(k int) uint64 {
	if s == nil || k < 0 || k >= len(s.Totals) {
		return 0
	}
	return s.Totals[k]
}

// text is a source file, or why there is none. Read-only once made.
type text struct {
	name    string // in the recording
	file    *sources.File
	missing string
}

// read looks for the source file of a name.
func read(ctx context.Context, f *sources.Finder, name string) (*text, error) {
	file, err := f.Open(ctx, name)
	if missing := (*sources.NotFoundError)(nil); errors.As(err, &missing) {
		return &text{name: name, missing: missing.Error()}, nil
	}
	return &text{name: name, file: file}, err
}

// data determines the table.
type data struct {
	sums *sums
	text *text // nil until it is read
	file model.FileID
}

// row is a line.
type row struct {
	line    int64
	text    string         // not cleaned
	in      string         // the function there, where there is no text
	frame   model.FrameID  // the first one at this line, 0 for none
	weights *lines.Weights // nil where no stack passes the line
}

// rows returns the lines of the file, or, where there is no source, those that stacks pass.
func (d data) rows() []row {
	if d.sums == nil || d.text == nil || d.sums.key.stacks == nil {
		return nil
	}
	at, frames := map[int64]*lines.Weights{}, framesOf(d.sums.key.stacks, d.file)
	weighted := d.sums.File(d.file)
	for i := range weighted {
		at[weighted[i].Line] = &weighted[i]
	}
	var out []row
	n := int64(0)
	if d.text.file != nil {
		n = int64(len(d.text.file.Lines))
		for i, line := range d.text.file.Lines {
			no := int64(i + 1)
			out = append(out, row{line: no, text: line, frame: frames[no], weights: at[no]})
		}
	}
	for i := range weighted {
		if no := weighted[i].Line; no < 1 || no > n { // beyond the end, or without a line
			s, f := d.sums.key.stacks, frames[no]
			out = append(out, row{line: no, in: funcname.Bare(s.Functions[s.FrameFunc[f]]), frame: f, weights: &weighted[i]})
		}
	}
	return out
}

// framesOf returns the first frame of each line of a file.
func framesOf(s *model.Stacks, file model.FileID) map[int64]model.FrameID {
	out := map[int64]model.FrameID{}
	for f := len(s.FrameFile) - 1; f > 0; f-- {
		if s.FrameFile[f] == file {
			out[s.FrameLine[f]] = model.FrameID(f)
		}
	}
	return out
}

// said returns the text of a line with tabs as spaces, or the function there.
func (r *row) said() string {
	if r.in != "" {
		return "in " + r.in
	}
	return strings.ReplaceAll(r.text, "\t", "    ")
}

// costs returns the figure that is said of a row: the chosen one, or the first other that it has.
func (r *row) costs() int {
	if r.weights != nil {
		for k, w := range r.weights.Total {
			if w > 0 {
				return k
			}
		}
	}
	return 0
}

// costsAtLeast reports whether any figure of a row has a share of its total, or more.
func (r *row) costsAtLeast(share float64, s *sums) bool {
	for k := range s.Totals {
		if w := r.total(k); w > 0 && float64(w) >= share*float64(s.total(k)) {
			return true
		}
	}
	return false
}

// self and total return the figures of a row.
func (r *row) self(k int) uint64 {
	if r.weights == nil || k < 0 || k >= len(r.weights.Self) {
		return 0
	}
	return r.weights.Self[k]
}

func (r *row) total(k int) uint64 {
	if r.weights == nil || k < 0 || k >= len(r.weights.Total) {
		return 0
	}
	return r.weights.Total[k]
}
