package report

import (
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Finding is one thing worth looking at. It covers the complete run, regardless of instant, range and filters.
type Finding struct {
	Kind     string      `json:"kind"`
	Owner    Owner       `json:"owner,omitzero"` // absent if the finding is about the complete file
	Stacks   []uint64    `json:"stacks"`
	Bytes    uint64      `json:"bytes"`
	Count    uint64      `json:"count"`
	Sure     Sure        `json:"confidence"`
	Evidence string      `json:"evidence"`
	At       *model.Time `json:"at_us,omitzero"` // instant to go to

	history []uint64
	growth  float64 // bytes per second, 0 if it does not grow
	verdict bool    // the finding is a verdict
}

// Certain returns the confidence of a verdict and how fast a leak grows ("96 % certain, +67.0 KiB/s"), followed by then, "" for other findings.
func (f *Finding) Certain(then string) string {
	if !f.verdict {
		return ""
	}
	text := f.Sure.String() + " certain"
	if f.growth > 0 {
		text += ", +" + model.Rate(f.growth)
	}
	return text + then
}

// History returns the live bytes of its sites over the run, in columns of equal duration, nil if uninformative.
func (f *Finding) History() []uint64 { return f.history }

// Owner is the frame that owns an allocation: the first one from the leaf that does not belong to a library. The zero
// Owner is unknown.
type Owner struct{ place Place }

// Titled returns the cleaned name, with the module if the name alone is not specific.
func (o Owner) Titled() string {
	if o.place.File == nil {
		return o.Name()
	}
	return calltree.InModule(o.Name(), model.Clean(*o.place.File))
}

// IsZero reports whether the owner is unknown.
func (o Owner) IsZero() bool { return o.place == Place{} }

// Name returns the owner's function, cleaned, or a placeholder if the file has none.
func (o Owner) Name() string { return o.place.Name() }

// AppendJSON implements [object.Appender].
func (o Owner) AppendJSON(dst []byte) []byte { return appendPlace(dst, o.place) }

func (o Owner) Cell() string {
	if o.IsZero() {
		return ""
	}
	if at := o.place.Where(); at != "" {
		return o.place.Name() + " (" + at + ")"
	}
	return o.place.Name()
}

// owner returns the owner of a stack, or a placeholder if the file does not define it.
func (b *builder) owner(id model.StackID) Owner {
	leaf, ok := b.profile.Stacks.Node(id)
	if !ok || leaf == 0 {
		return Owner{Frames{}.place(id)}
	}
	s := b.profile.Stacks
	return Owner{placeOf(s, s.Frame[b.owners.Node(leaf)])}
}

// findings fills in the findings about the complete run, and the verdicts that rows of tables show.
func (b *builder) findings() (err error) {
	if b.verdicts, err = b.trace.Verdicts(b.ctx, analysis.ByStack, ""); err != nil {
		return err
	}
	list, err := analysis.Findings(b.ctx, b.trace, b.profile, b.opt.Libraries, b.opt.Limit)
	if err != nil {
		return err
	}
	b.out.Findings = make([]Finding, len(list))
	for i, f := range list {
		x := Finding{Kind: f.Kind.String(), Bytes: f.Bytes, Count: f.Count, Sure: sureOf(f.Confidence), Evidence: f.Text, history: f.History, growth: f.Growth, verdict: f.Kind.IsVerdict()}
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

// Sure is how certain a verdict is, 0 … 1.
type Sure float64

func sureOf(confidence float64) Sure { return Sure(math.Round(1000*confidence) / 1000) }

// String returns the certainty in percent, "" for nil.
func (s *Sure) String() string {
	if s == nil {
		return ""
	}
	return model.Share(*s).Certainty()
}

// Part returns the certainty, nil for nil.
func (s *Sure) Part() any {
	if s == nil {
		return nil
	}
	return float64(*s)
}

// wordOf returns the word of a verdict and how certain that is, "" and nil for none. Of what nothing is known, nothing is
// certain: sure is nil.
func wordOf(v verdict.Verdict) (word string, sure *Sure) {
	if v.Kind == verdict.None {
		return "", nil
	}
	s := sureOf(float64(v.Confidence))
	if s == 0 {
		return v.Kind.String(), nil
	}
	return v.Kind.String(), &s
}

// findings returns lines of a kind, an owner and the evidence, which may be long.
func (w tableWriter) findings() table {
	out := table{
		name: "findings", title: "Look here first", answer: model.Counted(len(w.t.Findings), "finding"),
		cols: []col{{"", word}, {titles.Bytes, number}, {titles.Sure, number}, {titles.Trend, sketch}, {titles.Owner, name}},
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
			owner = w.style.function(owner)
		}
		sure := ""
		if f.verdict {
			sure = f.Sure.String()
		}
		row := []string{f.Kind, w.style.bytes(f.Bytes), sure, w.style.spark(f.history, leakColumns), owner}
		evidence := w.style.text(model.Clean(f.Evidence))
		if w.full {
			row = append(row, evidence)
		}
		out.rows = append(out.rows, row)
		if f.growth > 0 {
			evidence = "+" + model.Rate(f.growth) + "; " + evidence
		}
		out.notes = append(out.notes, cells.Wrapped(evidence, w.style.width()-5))
	}
	return out
}
