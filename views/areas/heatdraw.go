package areas

import (
	"fmt"
	"path"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heatmap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Cells of the parts of a heat map.
const (
	heatFigure = 9 // "1022 KiB "
	heatLife   = 15
)

// divide returns the cells of names and of columns in w cells.
func (p *Heat) divide(w int) (names, cells int) {
	names = min(max(w/4, 12), 40)
	if p.lives {
		names = heatLife
	}
	return names, max(w-2-names-1-heatFigure-1, 1)
}

// Draw implements tview.Primitive.
func (p *Heat) Draw(s tcell.Screen) {
	body := p.DrawTitled(s, p.Rect(), p.title(), p.answer())
	if why := p.emptyText(); why != nil {
		p.grid = widget.Rect{}
		for _, line := range why {
			body = widget.PrintWrapped(s, body, line, p.Look.Muted)
		}
		return
	}
	names, cells := p.divide(body.W)
	var axis, foot widget.Rect
	if body.H >= 8 {
		body, foot = body.CutBottom(3)
		body, axis = body.CutBottom(1)
	}
	p.grid = widget.Rect{X: body.X + 1 + names + 1 + heatFigure + 1, Y: body.Y, W: cells, H: min(body.H, len(p.now.Rows))}
	p.offset = max(min(p.offset, p.at, len(p.now.Rows)-p.grid.H), p.at-p.grid.H+1, 0)
	apart := p.apart()
	for i := range p.grid.H {
		p.drawRow(s, body.X+1, p.grid.Y+i, names, p.offset+i, apart[p.offset+i])
	}
	if !axis.Empty() {
		p.drawAxis(s, axis.Y)
	}
	p.drawFoot(s, foot)
}

// apart returns what tells rows of one name apart, by row: the line, with its file where that differs, or else the stack.
func (p *Heat) apart() []string {
	type label struct{ name, where string }
	rows, files, alike := make([]label, len(p.now.Rows)), map[string]map[string]bool{}, map[label]int{}
	out := make([]string, len(rows))
	if p.now.key.lives || p.now.key.by != analysis.ByStack {
		return out
	}
	for i := range rows {
		l := p.labels.Label(p.State.Stacks(), p.now.key.by, &p.now.Rows[i].Site, p.State.FullName)
		file, _, _ := strings.Cut(path.Base(l.Where), ":")
		if rows[i] = (label{l.Name, path.Base(l.Where)}); files[l.Name] == nil {
			files[l.Name] = map[string]bool{}
		}
		files[l.Name][file] = true
		alike[rows[i]]++
		alike[label{name: l.Name}]++
	}
	for i, l := range rows {
		file, line, _ := strings.Cut(l.where, ":")
		switch {
		case alike[label{name: l.name}] == 1:
		case alike[l] > 1 || l.where == ".":
			out[i] = fmt.Sprintf("#%d", p.now.Rows[i].Site.Stack)
		case len(files[l.name]) > 1 && file != "":
			out[i] = l.where
		default:
			out[i] = ":" + line
		}
	}
	return out
}

// drawRow draws the name, the figure and the cells of a row. apart tells it from others of its name.
func (p *Heat) drawRow(s tcell.Screen, x, y, names, row int, apart string) {
	r := &p.now.Rows[row]
	st := p.Look.Text
	if row == p.at {
		st = widget.Over(st, p.Look.Selected)
		widget.Fill(s, widget.Rect{X: x, Y: y, W: names + 1 + heatFigure, H: 1}, st)
	}
	room := names
	if n := widget.PrintRight(s, x, y, names, widget.Clean(apart), st); n > 0 {
		room = max(names-n-1, 0)
	}
	widget.Print(s, x, y, room, widget.ShortenScopes(widget.Clean(p.name(r, p.State.FullName)), room), st)
	widget.PrintRight(s, x+names+1, y, heatFigure, p.amount(r.Value, false), st)
	now, from, to := p.marked()
	n := len(r.Cells)
	for i := range p.grid.W {
		col := min(i*n/p.grid.W, n-1)
		level := heatmap.Level(r.Cells[col], p.now.Most)
		text, st := heatmap.Sign(level, p.Look.Glyphs.Plain), p.Look.Text
		if level >= 0 {
			st = p.Theme.Heat(float64(level) / (heatmap.Levels - 1))
		}
		switch {
		case col == now:
			st = widget.Over(st, p.Look.Cursor)
		case col >= from && col <= to:
			st = widget.Over(st, p.Look.Range)
		}
		s.Put(p.grid.X+i, y, text, st)
	}
}

// marked returns the columns of the instant and of the range; to < from without one, and where all columns are in it.
func (p *Heat) marked() (now, from, to int) {
	s, over, edges := &p.State, p.now.key.over, p.now.Edges
	if now = -1; s.Now() > edges[0] && s.Now() <= edges[len(edges)-1] || s.Now() == 0 {
		now = p.now.Column(s.Now())
	}
	if s.Range.From <= over.From && s.Range.To >= over.To {
		return now, 0, -1
	}
	return now, p.now.Column(max(s.Range.From, 0) + 1), p.now.Column(s.Range.To)
}

// drawAxis writes times below the columns where they are.
func (p *Heat) drawAxis(s tcell.Screen, y int) {
	const apart = 14
	n := len(p.now.Edges) - 1
	for x := 0; x < p.grid.W; x += apart {
		text := model.Time(p.now.Edges[min(x*n/p.grid.W, n)]).String()
		if x+1+widget.Width(text) > p.grid.W {
			break
		}
		s.Put(p.grid.X+x, y, p.Look.Glyphs.BottomLeft, p.Look.Axis)
		widget.Print(s, p.grid.X+x+1, y, p.grid.W-x-1, text, p.Look.Axis)
	}
}

// drawFoot says what is selected, and what the colors mean.
func (p *Heat) drawFoot(s tcell.Screen, r widget.Rect) {
	said := widget.Wrap(widget.Clean(p.sentence(false)), max(r.W-2, 1))
	said = said[:min(len(said), max(r.H-1, 0))]
	for i, line := range said {
		widget.Print(s, r.X+1, r.Y+i, r.W-2, line, p.Look.Text)
	}
	if r.H > len(said) {
		widget.Print(s, r.X+1, r.Y+r.H-1, r.W-2, p.meaning(), p.Look.Muted)
	}
}

// name returns the name of a row; not cleaned.
func (p *Heat) name(r *heatmap.Row, full bool) string {
	if p.now.key.lives {
		return heatmap.LifeName(r.Life)
	}
	return p.labels.Label(p.State.Stacks(), p.now.key.by, &r.Site, full).Name
}

func (p *Heat) amount(n uint64, wide bool) string {
	f := ui.FiguresOf(&p.State, true)
	f.Exact = f.Exact && wide
	if p.now.Cost.IsBytes() {
		return f.Bytes(n)
	}
	return f.Count(n)
}

// living reports whether cells are what lives, rather than what is allocated.
func (p *Heat) living() bool {
	return p.now.Cost == analysis.CostLive || p.now.Cost == analysis.CostLiveCount
}

func (p *Heat) title() string {
	rows := p.State.Group.String()
	if p.lives {
		rows = "lifetime"
	}
	return ui.CostWords(heatmap.Figure(p.State.Cost)) + " over time, by " + rows
}

func (p *Heat) answer() string {
	if p.now == nil || len(p.now.Rows) == 0 {
		return ""
	}
	text := model.Counted(p.now.Count, "row")
	if n := len(p.now.Rows); n < p.now.Count {
		text = fmt.Sprintf("%d of %s", n, text)
	}
	if p.maps.Running() {
		text = "following blocks… " + text
	}
	return text
}

// meaning says what a cell is, and from which figure on each color is used.
func (p *Heat) meaning() string {
	what := "Cell: most live"
	switch {
	case p.now.Cost == analysis.CostLeaked:
		what = "Cell: never freed"
	case !p.living():
		what = "Cell: allocated"
	}
	if !p.now.Cost.IsBytes() {
		what += ", blocks"
	}
	return what + ", " + heatmap.Legend(p.now.Most, p.Look.Glyphs.Plain, func(n uint64) string {
		if p.now.Cost.IsBytes() {
			return p.State.Estimate(model.Bytes(n).String())
		}
		return model.ShortCount(n)
	})
}

// sentence says what the selected row has in the column of the instant.
func (p *Heat) sentence(full bool) string {
	r := p.selected()
	if r == nil {
		return ""
	}
	name := p.name(r, full)
	where := r.Site.Where
	if apart := p.apart()[p.at]; strings.HasPrefix(apart, "#") {
		where = strings.TrimPrefix(where+", stack "+apart[1:], ", ")
	}
	if where != "" {
		name += " (" + where + ")"
	}
	whole := " in all"
	if p.living() {
		whole = " at most"
	}
	parts := []string{p.amount(r.Value, true) + whole}
	if now, _, _ := p.marked(); now >= 0 && now < len(r.Cells) {
		from, to := ui.TimeText(p.now.Edges[now], p.State.Exact), ui.TimeText(p.now.Edges[now+1], p.State.Exact)
		part := fmt.Sprintf("%s from %s to %s", p.amount(r.Cells[now], true), from, to)
		if all := p.now.All[now]; all > 0 {
			part += ", " + ui.PartText(r.Cells[now], all) + " of all then"
		}
		parts = append(parts, part)
	}
	return name + ": " + strings.Join(parts, "; ")
}

// emptyText says why there is no map, and what to do; nil where there is one.
func (p *Heat) emptyText() []string {
	if why := ui.Unanswered(p.maps); why != nil {
		return why
	}
	switch {
	case p.now == nil:
		return []string{"Following blocks…"}
	case len(p.now.Rows) > 0:
		return nil
	case !p.State.Settled():
		return []string{"Reading: nothing so far."}
	}
	return []string{"Nothing here has " + strings.ToLower(ui.CostWords(heatmap.Figure(p.State.Cost))) + ".",
		p.Hint("{back} removes the last filter, {zoom-reset} and {clear-range} show the complete run, {heat-map.cost} another cost.")}
}
