package source

import (
	"context"
	"path"
	"strconv"

	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// callsKey determines the calls around a line.
type callsKey struct {
	sums   *sums
	at     lines.Place
	figure int
}

func callsOf(_ context.Context, k callsKey) (lines.Neighbors, error) {
	if k.sums.Stacks == nil {
		return lines.Neighbors{}, nil
	}
	return lines.Around(&k.sums.Query, k.at, k.figure), nil
}

// maxCalls is the maximum number of callers and of callees that are listed.
const maxCalls = 6

// most returns the largest figures, for their width.
func (s *sums) most() (bytes, count uint64) {
	if s == nil {
		return 0, 0
	}
	for k, total := range s.Totals {
		if s.costs == nil || !s.costs[k].IsBytes() {
			count = max(count, total)
		} else {
			bytes = max(bytes, total)
		}
	}
	return bytes, count
}

// explain fills the detail from the selected line: where it is called, what it weighs, what it calls, and where the text
// is from.
func (p *Screen) explain() {
	at, frame, ok := p.selected()
	if !ok {
		p.Detail = ui.Detail{}
		return
	}
	now := p.table.Now()
	d := now.Of
	r, _ := p.table.Selected()
	title := path.Base(d.text.name)
	if r.line != model.NoLine {
		title += ":" + strconv.FormatInt(r.line, 10)
	}
	if frame != 0 {
		title += " in " + p.label(frame)
	}
	var out []widget.Line
	k := r.costs()
	if r.weights != nil {
		p.calls.Ask(callsKey{d.sums, at, k})
		around, ready := p.calls.Get()
		if !ready || !p.calls.Fresh() {
			around = lines.Neighbors{}
		}
		out = append(out, p.callLines("Called from", around.Callers, "stacks begin here", r.total(k))...)
		out = append(out, widget.Plain(p.sentence(r, k, d.sums)))
		out = append(out, p.callLines("Calls", around.Callees, "nothing more: stacks end here", r.total(k))...)
	} else {
		out = append(out, widget.Plain("No stack shown passes this line. "+p.Hint("{find-next} goes to the next line that costs.")))
	}
	out = append(out, p.origin(d.text, d.file, d.sums)...)
	p.Detail.SetText(uint64(at.File)<<40^uint64(at.Line), widget.Clean(title), p.share(r, k, d.sums), out)
}

func (p *Screen) share(r *row, k int, s *sums) string { return ui.PartText(r.total(k), s.total(k)) }

// sentence says what the stacks through a line weigh by a figure.
func (p *Screen) sentence(r *row, k int, s *sums) string {
	what, own := "", "its own"
	if s.costs == nil {
		what = s.key.prof.MetricName()
	} else {
		what, own = ui.CostWords(s.costs[k]), "allocated here"
	}
	text := what + ": " + p.amount(r.total(k), k, s) + " through this line, " + p.share(r, k, s) + " of all"
	if r.self(k) > 0 {
		text += "; " + p.amount(r.self(k), k, s) + " of it " + own
	}
	return text + "."
}

func (p *Screen) amount(n uint64, k int, s *sums) string {
	switch {
	case s.costs == nil:
		return s.unit.Scaled(n, p.State.Exact)
	case s.costs[k].IsBytes():
		return ui.FiguresOf(&p.State, true).Bytes(n)
	}
	return model.Group(n)
}

// callLines lists calls, heaviest first.
func (p *Screen) callLines(head string, calls []lines.Call, end string, total uint64) []widget.Line {
	if len(calls) == 0 {
		return nil
	}
	out := []widget.Line{{Spans: []widget.Span{{Text: head, Style: p.Look.Muted}}}}
	s := p.State.Profile.Stacks
	for _, c := range calls[:min(len(calls), maxCalls)] {
		text := end
		if c.Frame != 0 {
			text = ui.FrameName(s.At(c.Frame), p.State.FullName)
			if where := ui.FramePlace(s.At(c.Frame)); where != "" {
				text += "  " + where
			}
		}
		out = append(out, widget.Line{Spans: []widget.Span{{Text: "  " +
			padLeft(ui.PartText(c.Weight, total), model.ShareWidth) + "  " + widget.Clean(text)}}, Indent: 10})
	}
	if more := len(calls) - maxCalls; more > 0 {
		out = append(out, widget.Plain("  … and "+model.Counted(more, "more")))
	}
	return out
}

func padLeft(text string, w int) string {
	for len(text) < w {
		text = " " + text
	}
	return text
}

// origin says which file is shown, or where it was looked for.
func (p *Screen) origin(t *text, file model.FileID, sums *sums) []widget.Line {
	muted := func(text string) widget.Line {
		return widget.Line{Spans: []widget.Span{{Text: widget.Clean(text), Style: p.Look.Muted}}}
	}
	if t.file == nil {
		return []widget.Line{muted(t.missing + ".")}
	}
	said := "Shown is " + t.file.Path + ", as it is now."
	if t.file.Path != t.name {
		said = "The recording names " + t.name + "; shown is " + t.file.Path + ", as it is now."
	}
	out := []widget.Line{muted(said)}
	if t.file.Cut {
		out = append(out, muted("The file is longer: its first part is shown."))
	}
	if n := len(t.file.Lines); !t.file.Cut && sums.Beyond(file, n) {
		out = append(out, muted("It has fewer lines than the recording names: it is another version."))
	}
	for _, other := range t.file.Also {
		out = append(out, muted("The name also fits "+other+"."))
	}
	return out
}
