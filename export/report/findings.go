package report

import (
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/export/report/ages"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Finding is one thing worth looking at. It covers the complete run, regardless of instant, range and filters.
type Finding struct {
	Kind     string       `json:"kind"`
	Owner    places.Owner `json:"owner,omitzero"` // absent if the finding is about the complete file
	Stacks   []uint64     `json:"stacks"`
	Bytes    uint64       `json:"bytes"`
	Count    uint64       `json:"count"`
	Sure     places.Sure  `json:"confidence"`
	Evidence string       `json:"evidence"`
	Growth   *float64     `json:"growth_bytes_per_second,omitzero"` // of a leak
	At       *model.Time  `json:"at_us,omitzero"`                   // instant to go to

	history []uint64
	verdict bool // the finding is a verdict
	sampled bool // its figures are estimates
}

// perSecond returns a rate in bytes per second as reports have it, nil if it is nothing.
func perSecond(rate float64) *float64 {
	if rate = math.Round(rate*100) / 100; rate <= 0 {
		return nil
	}
	return &rate
}

// Certain returns the confidence of a verdict and how fast a leak grows ("96 % certain, +67.0 KiB/s"), followed by then, "" for other findings.
func (f *Finding) Certain(then string) string {
	if !f.verdict {
		return ""
	}
	text := f.Sure.String() + " certain"
	if f.Growth != nil {
		text += ", +" + model.Rate(*f.Growth)
	}
	if f.sampled {
		text = model.AsEstimates(text)
	}
	return text + then
}

// History returns the live bytes of its sites over the run, in columns of equal duration, nil if uninformative.
func (f *Finding) History() []uint64 { return f.history }

// owner returns the owner of a stack, or a placeholder if the file does not define it.
func (b *builder) owner(id model.StackID) places.Owner {
	leaf, ok := b.profile.Stacks.Node(id)
	if !ok || leaf == 0 {
		return places.Owner{Place: places.Frames{}.Place(id)}
	}
	s := b.profile.Stacks
	return places.Owner{Place: places.Of(s, s.Frame[b.owners.Node(leaf)])}
}

// findings fills in the findings about the complete run, the verdicts that rows of tables show, and how fast live bytes
// grow.
func (b *builder) findings() (err error) {
	if b.verdicts, err = b.trace.Verdicts(b.ctx, analysis.ByStack, ""); err != nil {
		return err
	}
	growth, ok, err := analysis.TraceGrowth(b.ctx, b.trace, b.opt.Range)
	if err != nil {
		return err
	}
	if perSecond := math.Round(growth.PerSecond*100) / 100; ok {
		b.out.Growth, b.out.regained = &perSecond, growth.Freed
	}
	list, err := analysis.Findings(b.ctx, b.trace, b.profile, b.opt.Libraries, b.opt.Limit)
	if err != nil {
		return err
	}
	b.out.Findings = make([]Finding, len(list))
	for i, f := range list {
		x := Finding{Kind: f.Kind.String(), Bytes: f.Bytes, Count: f.Count, Sure: places.NewSure(f.Confidence),
			Evidence: f.Text, history: f.History, Growth: perSecond(f.Growth),
			verdict: f.Kind.IsVerdict(), sampled: b.profile.Meta.Sampled != ""}
		for _, id := range f.Stacks {
			x.Stacks = append(x.Stacks, uint64(id))
		}
		if len(f.Stacks) > 0 {
			x.Owner = b.owner(f.Stacks[0])
		}
		if f.HasAt {
			x.At = &f.AtTime
		}
		b.out.Findings[i] = x
	}
	return nil
}

// wordOf returns the word of a verdict and how certain that is, "" and nil for none. Of what nothing is known, nothing is
// certain: sure is nil.
func wordOf(v verdict.Verdict) (word string, sure *places.Sure) {
	if v.Kind == verdict.None {
		return "", nil
	}
	s := places.NewSure(float64(v.Confidence))
	if s == 0 {
		return v.Kind.String(), nil
	}
	return v.Kind.String(), &s
}

// Line returns the file and the line of the owner, that of its largest site; "" if the line is unknown.
func (f *Finding) Line(full bool) string {
	switch {
	case f.Owner.Place.Line == nil || *f.Owner.Place.Line <= 0:
		return ""
	case full:
		return f.Owner.Place.Where()
	}
	return f.Owner.Place.Base()
}

// findings returns lines of a kind, an owner and the evidence, which may be long.
func (w tableWriter) findings() table {
	out := table{
		name: "findings", title: "Look here first", answer: model.Counted(len(w.t.Findings), "finding"),
		cols: []col{{"", word}, {titles.Bytes, number}, {titles.Sure, number}, {titles.Trend, sketch}, {titles.Owner, name}},
	}
	lines := slices.ContainsFunc(w.t.Findings, func(f Finding) bool { return f.Line(false) != "" })
	if lines {
		out.cols = append(out.cols, col{titles.Where, where})
	}
	if len(w.t.Filters) > 0 || w.narrow {
		out.answer += " about the whole run"
	}
	if w.full {
		out.cols = append(out.cols, col{titles.Evidence, prosaic})
	}
	for _, f := range w.t.Findings {
		owner := ""
		if !f.Owner.IsZero() {
			owner = f.Owner.Titled()
		}
		if !w.full && owner == f.Owner.Name() {
			owner = w.style.Function(owner)
		}
		sure := ""
		if f.verdict {
			sure = f.Sure.String()
		}
		row := []string{f.Kind, w.style.Bytes(f.Bytes), sure, w.style.Spark(f.history, leakColumns), owner}
		if lines {
			row = append(row, f.Line(w.full))
		}
		evidence := w.style.Text(model.Clean(f.Evidence))
		if w.full {
			row = append(row, evidence)
		}
		out.rows = append(out.rows, row)
		if f.Growth != nil {
			over := map[bool]string{true: " until the last frees; ",
				false: " from its first block to the end; "}[f.Kind == analysis.FindingLate.String()]
			rate := "+" + model.Rate(*f.Growth)
			if w.style.Estimated {
				rate = model.EstimateMark + rate
			}
			evidence = rate + over + evidence
		}
		out.notes = append(out.notes, cells.Wrapped(evidence, w.style.LineWidth()-5))
	}
	return out
}

// mostAges is the number of findings whose ages are told.
const mostAges = 8

// ages fills in the ages of the first findings that are verdicts.
func (b *builder) ages() error {
	if !b.opt.Ages {
		return nil
	}
	keys := map[uint64]analysis.Key{}
	for i, id := range b.trace.StackIDs() {
		keys[uint64(id)] = analysis.Key(i)
	}
	var stacks []uint64
	var asked []analysis.Key
	for i := range b.out.Findings {
		f := &b.out.Findings[i]
		if !f.verdict || len(f.Stacks) == 0 || len(stacks) == mostAges {
			continue
		}
		stacks, asked = append(stacks, f.Stacks[0]), append(asked, keys[f.Stacks[0]])
	}
	lives, err := b.trace.Lives(b.ctx, asked)
	for i := range lives {
		b.out.Ages = append(b.out.Ages, ages.Of(stacks[i], &lives[i]))
	}
	return err
}
