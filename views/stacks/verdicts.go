package stacks

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// judged is a site that passes a node, with its verdict.
type judged struct {
	stack model.StackID
	said  verdict.Verdict
}

// verdicts returns at most most lines with the verdicts about the sites that pass a node, the most significant first.
func (p *Stacks) verdicts(n int32, most int) []widget.Line {
	if p.Prof != nil || p.Now.set != nil || most < 1 {
		return nil
	}
	t := p.Now.tree
	var sites []judged
	for _, i := range p.through.of(t, n) {
		if said := p.said.Index(uint32(t.stack(i))); said.Kind != verdict.None {
			sites = append(sites, judged{t.ids[i], said})
		}
	}
	slices.SortStableFunc(sites, func(a, b judged) int {
		return cmp.Or(cmp.Compare(b.said.Order(), a.said.Order()), cmp.Compare(b.said.Bytes, a.said.Bytes))
	})
	shown := min(len(sites), most)
	if len(sites) > most && most > 1 {
		shown-- // for how many more there are
	}
	var lines []widget.Line
	for _, s := range sites[:shown] {
		lines = append(lines, p.verdictLine(&s, len(sites) == 1))
	}
	if left := len(sites) - shown; left > 0 && shown > 0 {
		text := model.Counted(left, "more site") + ": " + counts(sites[shown:])
		if most == 1 {
			last := &lines[0].Spans[len(lines[0].Spans)-1]
			last.Text += " · " + text
		} else {
			lines = append(lines, widget.Line{Spans: []widget.Span{{Text: text, Style: p.Look.Muted}}, Indent: 2})
		}
	}
	return lines
}

// counts returns how many sites have which verdict ("2 leak, 1 kept").
func counts(sites []judged) (text string) {
	for i := 0; i < len(sites); {
		n, kind := 0, sites[i].said.Kind
		for ; i < len(sites) && sites[i].said.Kind == kind; i++ {
			n++
		}
		if text != "" {
			text += ", "
		}
		text += model.Group(uint64(n)) + " " + kind.String()
	}
	return text
}

// verdictLine returns the verdict about a site, with the site's name where there are others.
func (p *Stacks) verdictLine(s *judged, alone bool) widget.Line {
	text := p.State.Sentence(ui.VerdictSentence(s.said))
	if !alone {
		text = p.said.Site(&p.State, s.stack) + ": " + text
	}
	return widget.Line{Spans: []widget.Span{
		{Text: p.VerdictSign(s.said.Kind) + " ", Style: p.VerdictCell(s.said, ui.Figures{}).Style}, {Text: text},
	}, Indent: 2}
}
