package views

import (
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// maxFrames bounds the frames that a detail pane lists: nobody reads more, and stacks may be 50,000 deep.
const maxFrames = 2000

// detail is the pane that explains the selection: its title, its whole stack, and facts in sentences below. The zero value
// shows nothing.
type detail struct {
	title, answer string
	facts         []string

	key    stackKey
	frames []frameRow
	offset int // first frame shown
	height int // frames that fitted into the last frame
}

// stackKey determines the frames of a detail pane.
type stackKey struct {
	stacks *model.Stacks
	id     model.StackID
	node   model.NodeID
	full   bool
}

// frameRow is one line of a stack.
type frameRow struct {
	name, where string
	site        bool // the frame that the stack is named after
	folded      bool // stands for several frames, or for what is not listed
}

// setStack shows the stack of a leaf, leaf first; node 0 is a stack that the file does not define. full lists every frame
// with its name as it stands in the file; otherwise runs of library frames become one line.
func (d *detail) setStack(s *model.Stacks, id model.StackID, node model.NodeID, full bool) {
	key := stackKey{s, id, node, full}
	if key == d.key && d.frames != nil {
		return
	}
	if key.id != d.key.id || key.node != d.key.node {
		d.offset = 0
	}
	d.key, d.frames = key, stackRows(key)
}

// setNoStack shows text instead of a stack.
func (d *detail) setNoStack(text string) {
	d.key, d.offset = stackKey{}, 0
	d.frames = []frameRow{{name: text, folded: true}}
}

func stackRows(k stackKey) []frameRow {
	if k.stacks == nil || k.node == 0 {
		return []frameRow{{name: model.UnknownStack(k.id) + ": the file does not say what this stack is", folded: true}}
	}
	s := k.stacks
	frames := s.Frames(nil, k.node, maxFrames)
	site := int(s.Depth[k.node] - s.Depth[calltree.SiteNode(s, k.node)])
	var rows []frameRow
	for i := 0; i < len(frames); i++ {
		if n := foldable(frames[i:]); !k.full && i != site && n > 1 {
			if site > i {
				n = min(n, site-i)
			}
			rows = append(rows, frameRow{name: "… " + plural(n, "frame", "frames") + " of " + family(frames[i].Function), folded: true})
			i += n - 1
			continue
		}
		rows = append(rows, frameRow{name: frameName(frames[i], k.full), where: framePlace(frames[i]), site: i == site})
	}
	if rest := int(s.Depth[k.node]) - len(frames); rest > 0 {
		rows = append(rows, frameRow{name: "… " + plural(rest, "more frame", "more frames") + " up to the root", folded: true})
	}
	return rows
}

// frameName is a frame's function, or what there is instead.
func frameName(f model.Frame, full bool) string {
	switch {
	case f.Function == "" && f.File == "":
		return calltree.NoFunction
	case f.Function == "":
		return calltree.Where(f)
	case full:
		return f.Function
	}
	return widget.ShortenTemplates(f.Function)
}

// framePlace is a frame's file and line with all folders, "" when unknown.
func framePlace(f model.Frame) string {
	if f.File == "" || f.Line == model.NoLine || f.Line == 0 {
		return f.File
	}
	return f.File + ":" + strconv.FormatInt(f.Line, 10)
}

// foldable is the number of frames at the beginning of a stack that are one library's inner workings.
func foldable(frames []model.Frame) int {
	n := 0
	first := ""
	for n < len(frames) {
		of := family(frames[n].Function)
		if n == 0 {
			first = of
		}
		if of == "" || of != first {
			break
		}
		n++
	}
	return n
}

// family names the library whose inner workings a function belongs to, "" for functions that are worth showing.
func family(function string) string {
	name := function
	if i := strings.IndexAny(name, "(<"); i > 0 {
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, ' '); i >= 0 { // a return type
		name = name[i+1:]
	}
	for _, f := range [...]string{"std::", "__gnu_cxx::", "boost::", "core::", "alloc::"} {
		if strings.HasPrefix(name, f) || strings.HasPrefix(function, "<"+f) {
			return f
		}
	}
	return ""
}

// draw shows the pane in r. Where there is little room the stack and the facts share it.
func (d *detail) draw(s tcell.Screen, r widget.Rect, k *widget.Look, focused bool) {
	title, body := r.CutTop(1)
	if title.Empty() {
		return
	}
	look := k
	if focused {
		look = dressed(k)
	}
	name := d.title
	if room := title.W - widget.Width(d.answer) - 6; widget.Width(name) > room && strings.HasPrefix(name, "/") { // the file, not its folders
		name = widget.TruncateLeft(name, max(room, 10))
	}
	widget.TitleLine(s, title, look, name, d.answer)
	body = body.Inset(1, 0)
	facts := d.wrapped(body.W)
	least := min(len(d.frames), 3)
	room := max(body.H-len(facts), min(least, body.H))
	d.height = min(room, len(d.frames))
	d.offset = max(0, min(d.offset, len(d.frames)-d.height))
	stack, rest := body.CutTop(d.height)
	d.drawFrames(s, stack, k)
	if rest.H > len(facts) && d.height > 0 {
		_, rest = rest.CutTop(1)
	}
	for i, f := range facts[:max(min(len(facts), rest.H), 0)] {
		widget.Print(s, rest.X, rest.Y+i, rest.W, f, k.Text)
	}
}

// dressed is a look whose titles say that the pane has the keys.
func dressed(k *widget.Look) *widget.Look {
	out := *k
	out.Title = k.Sorted.Bold(true)
	return &out
}

func (d *detail) wrapped(w int) []string {
	var out []string
	for _, f := range d.facts {
		out = append(out, widget.Wrap(f, w)...)
	}
	return out
}

func (d *detail) drawFrames(s tcell.Screen, r widget.Rect, k *widget.Look) {
	places := min(max(r.W/3, 16), 60)
	if r.W < 40 {
		places = 0
	}
	for i := range r.H {
		row := d.offset + i
		f := &d.frames[row]
		x, y, st := r.X, r.Y+i, k.Text
		if indent := min(row, 8); row > 0 && r.W >= 40 {
			x += indent - 1
			s.Put(x, y, k.Glyphs.Corner, k.Rule)
			x += 2
		}
		switch {
		case f.site:
			st = k.Sorted
		case f.folded:
			st = k.Muted
		}
		if below := len(d.frames) - row - 1; i == r.H-1 && below > 0 {
			text := k.Glyphs.Ellipsis + " " + plural(below+1, "more line", "more lines") + " (Tab, then scroll)"
			widget.Print(s, x, y, r.X+r.W-x, text, k.Muted)
			return
		}
		w := r.X + r.W - x
		if places > 0 && f.where != "" {
			where := widget.ShortenPath(f.where, places)
			widget.PrintRight(s, r.X, y, r.W, where, k.Muted)
			w -= widget.Width(where) + 2
		}
		widget.Print(s, x, y, w, f.name, st)
	}
}

// move scrolls the stack by the usual actions.
func (d *detail) move(a keymap.Action) bool {
	switch a {
	case keymap.Up:
		d.scroll(-1)
	case keymap.Down:
		d.scroll(1)
	case keymap.PageUp:
		d.scroll(-max(d.height-2, 1))
	case keymap.PageDown:
		d.scroll(max(d.height-2, 1))
	case keymap.First:
		d.offset = 0
	case keymap.Last:
		d.scroll(len(d.frames))
	default:
		return false
	}
	return true
}

func (d *detail) scroll(n int) {
	d.offset = max(0, min(d.offset+n, len(d.frames)-d.height))
}

// text is the whole stack, a line per frame, without anything folded or shortened.
func (d *detail) text() string {
	k := d.key
	k.full = true
	if k.stacks == nil {
		return ""
	}
	var b strings.Builder
	for _, f := range stackRows(k) {
		b.WriteString("  " + model.Clean(f.name))
		if f.where != "" {
			b.WriteString("  " + model.Clean(f.where))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
