package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// CurveSite is a site that has a part of the curve of its own.
type CurveSite struct {
	Stack uint64  `json:"stack"`          // of a group, the one that allocated most of it
	Group *string `json:"group,omitzero"` // where the curve is divided by groups; then there are no frames
	places.Place
	PeakBytes uint64        `json:"peak_bytes"` // when the curve is highest
	Bytes     uint64        `json:"bytes"`      // at the end of the curve
	Frames    places.Frames `json:"frames,omitzero"`

	owner   places.Owner
	history []uint64 // highest of each column
}

// CurveParts are the bytes of sites or groups at the end of a column: members of a JSON object named "stack_" and the
// site's id, or by the word of the group and its name ("owner_main").
type CurveParts []CurvePart

// CurvePart is that of one site.
type CurvePart struct {
	name  string
	bytes uint64
}

// Bytes returns what it holds.
func (p CurvePart) Bytes() uint64 { return p.bytes }

// Members implements [object.Membered].
func (p CurveParts) Members() (list []object.Member) {
	for i := range p {
		list = append(list, object.Member{Name: p[i].name, Value: &p[i].bytes})
	}
	return list
}

// curve fills in the live bytes of what filters leave, and those of the top sites of it.
func (b *builder) curve() error {
	if b.opt.Cell.IsAll() && b.opt.Stacked == 0 {
		columns, err := b.trace.Curve(b.ctx, b.opt.Range, curveColumns)
		b.addCurve(columns)
		return err
	}
	q := analysis.LiveQuery{Range: b.opt.Range, Columns: curveColumns, Cell: b.opt.Cell}
	top, err := b.stacked(&q)
	if err != nil {
		return err
	}
	live, err := b.trace.LiveOf(b.ctx, q)
	if err != nil {
		return err
	}
	b.addCurve(live.All)
	if live.HasPeak && !b.opt.Cell.IsAll() {
		b.out.CurvePeak = &Peak{live.Peak.Bytes, live.Peak.Count, live.Peak.Time}
	}
	for i, columns := range live.Parts {
		b.addPart(&top[i], columns)
	}
	return nil
}

func (b *builder) addCurve(columns []analysis.Column) {
	for _, c := range columns {
		b.out.Curve = append(b.out.Curve, Point{To: c.To, MinBytes: c.MinBytes, MaxBytes: c.MaxBytes,
			Bytes: c.LastBytes, Count: c.LastCount, AllocBytes: c.AllocBytes})
	}
}

// stacked adds the top sites, or groups, to a query and returns them: those with the most bytes at the curve's peak.
func (b *builder) stacked(q *analysis.LiveQuery) ([]analysis.Site, error) {
	if b.opt.Stacked == 0 {
		return nil, nil
	}
	whole, err := b.trace.LiveOf(b.ctx, analysis.LiveQuery{Range: q.Range, Columns: 1, Cell: q.Cell})
	if err != nil || !whole.HasPeak {
		return nil, err
	}
	sites, err := b.trace.Sites(b.ctx, analysis.Query{At: whole.Peak.Instant, Range: q.Range, By: b.opt.Group, Cell: q.Cell, NoPeaks: true})
	if err != nil {
		return nil, err
	}
	sites = slices.DeleteFunc(sites, func(s analysis.Site) bool { return s.LiveBytes == 0 })
	slices.SortFunc(sites, func(a, b analysis.Site) int {
		return cmp.Or(cmp.Compare(b.LiveBytes, a.LiveBytes), cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
	})
	sites, q.By = sites[:min(len(sites), b.opt.Stacked)], b.opt.Group
	for _, s := range sites {
		q.Parts = append(q.Parts, []analysis.Key{s.Key})
	}
	return sites, nil
}

func (b *builder) addPart(s *analysis.Site, columns []analysis.Column) {
	frames := places.NewFrames(b.stacks, s.Stack)
	x := CurveSite{Stack: uint64(s.Stack), Place: frames.Place(s.Stack), PeakBytes: s.LiveBytes, Frames: frames}
	name := "stack_" + strconv.FormatUint(x.Stack, 10)
	if b.opt.Group != analysis.ByStack {
		x.Group, x.Place, x.Frames = &s.Name, places.Place{Function: &s.Name}, places.Frames{}
		name = b.opt.Group.String() + "_" + model.Clean(s.Name)
	}
	for i, c := range columns {
		b.out.Curve[i].CurveParts = append(b.out.Curve[i].CurveParts, CurvePart{name, c.LastBytes})
		x.history, x.Bytes = append(x.history, c.MaxBytes), c.LastBytes
	}
	b.out.CurveSites = append(b.out.CurveSites, x)
}

// curveColumnsOfSites is how many cells the curve of a site has in text.
const curveColumnsOfSites = 24

func (w tableWriter) curveSites() table {
	of := "site"
	if w.t.grouped != analysis.ByStack {
		of = w.t.grouped.String()
	}
	out := table{
		name: "curve", title: "Live bytes by " + of, answer: model.Counted(len(w.t.CurveSites), of) +
			" that hold most when the curve is highest",
		cols: append([]col{{titles.AtPeak, number}, {titles.AtEnd, number}, {titles.Trend, sketch}}, placeCols()...),
	}
	for _, s := range w.t.CurveSites {
		out.rows = append(out.rows, append([]string{w.style.Bytes(s.PeakBytes), w.style.Bytes(s.Bytes),
			w.style.Spark(s.history, curveColumnsOfSites)},
			w.place(s.Place, s.Frames, s.owner)...))
	}
	return out
}

// curve is the table of the columns of a curve that is not divided.
func (w tableWriter) curve() table {
	out := table{
		name: "curve", title: w.t.CurveTitle(), answer: model.Counted(len(w.t.Curve), "column") + ", until the time of each",
		cols: []col{{titles.Time, number}, {titles.Min, number}, {titles.Max, number}, {titles.AtEnd, number}, {titles.Blocks, number},
			{titles.Allocated, number}, {"", sketch}},
	}
	top := orZero(cmp.Or(w.t.CurvePeak, w.t.Peak)).Bytes
	for i := range w.t.Curve {
		c := &w.t.Curve[i]
		out.rows = append(out.rows, []string{w.style.Time(c.To), w.style.Bytes(c.MinBytes), w.style.Bytes(c.MaxBytes),
			w.style.Bytes(c.Bytes), w.style.Count(c.Count), w.style.Bytes(c.AllocBytes), w.style.Bar(c.MaxBytes, top, barCells)})
	}
	return out
}

// CurveTitle returns the name of what the curve is of; not cleaned.
func (t *Trace) CurveTitle() string {
	if len(t.Filters) == 0 {
		return "Live bytes"
	}
	return "Live bytes of: " + strings.Join(t.Filters, ", ")
}
