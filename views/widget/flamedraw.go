package widget

import (
	"strconv"

	"github.com/gdamore/tcell/v2"
)

// Draw shows the graph in r.
func (f *Flame) Draw(s tcell.Screen, r Rect, k *Look) {
	f.area = r
	if r.Empty() {
		return
	}
	if f.src == nil || f.src.Value(f.src.Root()) == 0 {
		for _, line := range f.Empty {
			r = PrintWrapped(s, r, line, k.Muted)
		}
		return
	}
	f.settle()
	f.lay.extend(f.src, f.offset+r.H)
	f.offset = max(0, min(f.offset, len(f.lay.starts)-r.H))
	for row := range r.H {
		for _, c := range f.lay.level(f.offset + row) {
			f.drawFrame(s, r.Y+f.row(row), c, f.offset+row < f.lay.first, k)
		}
	}
	before, after := k.Glyphs.Up, k.Glyphs.Down
	if f.Rising {
		before, after = after, before
	}
	if f.offset > 0 {
		s.Put(r.X+r.W-1, r.Y+f.row(0), before, k.Muted)
	}
	if len(f.lay.starts) > f.offset+r.H {
		s.Put(r.X+r.W-1, r.Y+f.row(r.H-1), after, k.Muted)
	}
}

func (f *Flame) drawFrame(s tcell.Screen, y int, c flameCell, ancestor bool, k *Look) {
	x, w := f.area.X+int(c.x), int(c.w)
	if c.more > 0 {
		st := k.Muted
		repeat(s, x, y, w, " ", st)
		if w > 2 {
			printText(s, x, y, w-1, "("+strconv.Itoa(int(c.more))+" more)", st, k.Glyphs.Ellipsis)
		}
		s.Put(x+w-1, y, k.Glyphs.Separator, st)
		return
	}
	label := f.src.Label(c.id)
	st := f.style(c.id, label, ancestor, k)
	repeat(s, x, y, w, " ", st)
	if x+w < f.area.X+f.area.W || w == 1 {
		w--
		s.Put(x+w, y, k.Glyphs.Separator, st)
	}
	if w < 3 {
		label = Clean(label)
		putClusters(s, x, y, label[:prefixLen(label, w)], st)
		return
	}
	n := printText(s, x, y, w, label, st, k.Glyphs.Ellipsis)
	if n+6 <= w {
		if note := f.src.Note(c.id); Width(note) < w-n {
			n += 1 + Print(s, x+n+1, y, w-n-1, note, st)
		}
	}
	if f.Fill != nil && n+1 < w {
		repeat(s, x+n+1, y, w-n-1, f.Fill(c.id), st)
	}
}

// style returns a frame's own style with search and selection over it.
func (f *Flame) style(id uint64, label string, ancestor bool, k *Look) tcell.Style {
	st := k.Text
	switch {
	case ancestor:
		st = k.Muted
	case len(k.Frames) > 0:
		st = k.Frames[nameHash(label)%uint32(len(k.Frames))]
	}
	if f.Style != nil && !ancestor && len(k.Frames) > 0 {
		if own, ok := f.Style(id); ok {
			st = own
		}
	}
	if f.Match != nil && f.Match(id) {
		st = Over(st, k.Match)
	}
	if id == f.sel {
		if f.Focused {
			return Over(st, k.Selected)
		}
		return Over(st, k.Inactive)
	}
	return st
}

// nameHash returns FNV-1a: the same name has the same color in every file and session.
func nameHash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}
