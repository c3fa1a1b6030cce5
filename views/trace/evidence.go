package trace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// siteEvidence draws what shows whether a group leaks: its live curve, how old its blocks are against how long others
// of it lived, and its first blocks.
type siteEvidence struct {
	story  *siteStory
	curve  *liveCurve
	ages   *agesPart
	blocks *firstBlocks
}

// liveTitle is the title of a curve.
const liveTitle = "Live bytes"

// evidenceColumns is the number of columns of a curve in a detail pane, which stretches or merges them.
const evidenceColumns = 240

func newSiteEvidence(e *ui.Env, story *siteStory) *siteEvidence {
	p := &siteEvidence{story: story, curve: newLiveCurve(e), ages: &agesPart{lives: story.lives}, blocks: &firstBlocks{env: e}}
	p.blocks.lazy = ui.NewLazy(e, func(ctx context.Context, k firstKey) (blockStart, error) {
		list, err := e.Trace.Blocks(ctx, k.BlockQuery)
		if err != nil {
			return blockStart{}, err
		}
		start := blockStart{firstKey: k, of: list.Len()}
		for i := range min(list.Len(), mostFirst) {
			start.rows = append(start.rows, list.Row(i))
		}
		return start, nil
	})
	return p
}

// parts asks for the evidence about a group, and returns what draws it.
func (p *siteEvidence) parts(s *state.State, g groupAmong) []ui.DetailPart {
	p.story.askLives(s, g)
	p.curve.show(s, followed{g.by, g.only, packKeys([]analysis.Key{g.Key})}, liveTitle, evidenceColumns)
	return []ui.DetailPart{p.curve, p.ages}
}

// withBlocks adds the first blocks of those that a query selects of all groups.
func (p *siteEvidence) withBlocks(s *state.State, g groupAmong, blocks analysis.BlockQuery) []ui.DetailPart {
	blocks.By, blocks.Key, blocks.Sort, blocks.NoAddr = g.by, g.Key, analysis.OldestFirst, s.Invented()
	p.blocks.lazy.Ask(firstKey{s.Status.Revision, blocks})
	p.blocks.figures = ui.FiguresOf(s, true)
	return append(p.parts(s, g), p.blocks)
}

// blockEvidence returns a function that asks for the evidence about the site of a block.
func blockEvidence(e *ui.Env) func(s *state.State, b *analysis.Block) []ui.DetailPart {
	story := newSiteStory(e)
	p := newSiteEvidence(e, &story)
	return func(s *state.State, b *analysis.Block) []ui.DetailPart {
		k := slices.Index(e.Trace.StackIDs(), b.Stack)
		if k < 0 {
			return nil
		}
		parts := p.parts(s, groupAmong{Site: &analysis.Site{Key: analysis.Key(k)}, by: analysis.ByStack, only: s.Filters})
		p.curve.chart.Title = "Live bytes of its site" + strings.TrimPrefix(p.curve.chart.Title, liveTitle)
		return parts
	}
}

// agesPart draws two histograms on one scale: the ages of blocks that were never freed, and the lifetimes of those that
// were.
type agesPart struct {
	lives *ui.Lazy[lifeKey, livesTo]
}

// titleRest is the number of cells of a title line in addition to its texts.
const titleRest = 3

const (
	ageLabels  = 12 // cells before the columns
	ageHeight  = 6  // rows of one histogram at most
	ageClasses = 8  // classes that are shown at least
	ageCells   = 6  // of one class at most
)

// Rows implements [ui.DetailPart].
func (p *agesPart) Rows() (least, most int) { return 4, 2 + 2*ageHeight }

// Draw implements [ui.DetailPart].
func (p *agesPart) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	head, body := r.CutTop(1)
	l, ok := p.lives.Get()
	if !ok || !p.lives.Fresh() {
		widget.TitleLine(s, head, k, "Ages and lifetimes", "")
		widget.Print(s, body.X, body.Y, body.W, "summing"+k.Glyphs.Ellipsis, k.Muted)
		return
	}
	answer := ""
	if l.NeverFreed > 0 && l.Freed > 0 {
		answer = fmt.Sprintf("oldest %v, longest %v", l.Oldest, l.Longest)
	}
	const title = "Ages and lifetimes"
	if widget.Width(title)+widget.Width(answer)+titleRest > head.W {
		answer = ""
	}
	widget.TitleLine(s, head, k, title, answer)
	_, plot := body.CutLeft(ageLabels)
	lo, hi := ageScale(&l.Lifetimes, plot.W)
	width := min(plot.W/(hi-lo+1), ageCells)
	height := min((body.H-1)/2, ageHeight)
	for i, of := range [...]struct {
		name    string
		n       uint64
		classes *[analysis.LifeClasses]uint64
		style   tcell.Style
	}{{"never freed", l.NeverFreed, &l.Ages, k.Bar}, {"freed", l.Freed, &l.Lived, k.Spark}} {
		y := body.Y + i*height
		widget.Print(s, body.X, y, ageLabels-1, of.name, k.Text)
		if height > 1 {
			widget.Print(s, body.X, y+1, ageLabels-1, model.Group(of.n), k.Muted)
		}
		at := widget.Rect{X: plot.X, Y: y, W: (hi - lo + 1) * width, H: height}
		widget.DrawHistogram(s, at, classesFrom(of.classes, lo, hi), of.style, &k.Glyphs)
	}
	p.drawScale(s, widget.Rect{X: plot.X, Y: body.Y + 2*height, W: plot.W, H: 1}, lo, hi, width, k)
}

// ageScale returns the first and the last class on the common scale, as many as w cells have room for: the first one
// then represents all shorter times as well.
func ageScale(l *analysis.Lifetimes, w int) (lo, hi int) {
	lo, hi = -1, 0
	for c := range analysis.LifeClasses {
		if l.Lived[c]+l.Ages[c] == 0 {
			continue
		}
		if lo < 0 {
			lo = c
		}
		hi = c
	}
	if missing := ageClasses - (hi - max(lo, 0) + 1); missing > 0 {
		lo = max(lo-missing/2, 0)
		hi = min(lo+ageClasses, analysis.NeverFreed) - 1
	}
	return max(lo, hi-max(w, 1)+1), hi
}

// classesFrom returns the counts of classes lo … hi, the first one with those below.
func classesFrom(classes *[analysis.LifeClasses]uint64, lo, hi int) []uint64 {
	out := make([]uint64, hi-lo+1)
	for c := range hi + 1 {
		out[max(c-lo, 0)] += classes[c]
	}
	return out
}

// drawScale names the times at which classes begin, where they fit.
func (p *agesPart) drawScale(s tcell.Screen, r widget.Rect, lo, hi, width int, k *widget.Look) {
	free := r.X
	for c := lo; c <= hi; c++ {
		least, _ := analysis.ClassBounds(c)
		text := ui.TimeText(model.Time(least), false)
		x := r.X + (c-lo)*width
		if w := widget.Width(text); x >= free && x+w <= r.X+r.W {
			widget.Print(s, x, r.Y, w, text, k.Axis)
			free = x + w + 2
		}
	}
}

// firstBlocks lists the oldest blocks.
type firstBlocks struct {
	env     *ui.Env
	figures ui.Figures
	lazy    *ui.Lazy[firstKey, blockStart]
}

type firstKey struct {
	revision uint64
	analysis.BlockQuery
}

// blockStart is the first rows of a list of blocks. Read-only once made.
type blockStart struct {
	firstKey
	rows []analysis.Block
	of   int
}

// mostFirst is the number of first blocks that are listed.
const mostFirst = 16

// Rows implements [ui.DetailPart].
func (p *firstBlocks) Rows() (least, most int) {
	v, _ := p.lazy.Get()
	return 2, 1 + max(len(v.rows), 1)
}

// Draw implements [ui.DetailPart].
func (p *firstBlocks) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	head, body := r.CutTop(1)
	v, ok := p.lazy.Get()
	if !ok || !p.lazy.Fresh() {
		widget.TitleLine(s, head, k, "First blocks", "")
		return
	}
	of := "of " + model.Group(uint64(v.of))
	if !v.Leaked { // more than the row's, which must have lived for some time
		of += " live at " + ui.TimeText(v.At.T, p.figures.Exact)
	}
	widget.TitleLine(s, head, k, "First blocks", of)
	for i := range v.rows[:min(len(v.rows), body.H)] {
		widget.Print(s, body.X, body.Y+i, body.W, p.text(&v, &v.rows[i], body.W), k.Text)
	}
}

// text returns what is to say about a block in w cells, the most telling first.
func (p *firstBlocks) text(v *blockStart, b *analysis.Block, w int) string {
	parts := []string{"  " + p.figures.Bytes(b.Size)}
	if b.Died != model.NoTime {
		parts = append(parts, "  freed at "+ui.TimeText(b.Died, p.figures.Exact))
	}
	if !v.NoAddr {
		parts = append(parts, "  "+ui.AddressText(b.Addr))
	}
	text := "at " + ui.TimeText(b.Born, p.figures.Exact)
	for _, part := range append(parts, fmt.Sprintf("  thread %d", b.Thread)) {
		if widget.Width(text)+widget.Width(part) <= w {
			text += part
		}
	}
	return text
}
