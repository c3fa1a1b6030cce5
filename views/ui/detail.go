package ui

import (
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// maxFrames is the maximum number of frames that a detail pane lists: stacks may be 50,000 deep.
const maxFrames = 2000

// Detail is the pane that explains the selection. It shows a title and either the complete stack with facts in
// sentences below, or lines of text. The zero value is empty.
type Detail struct {
	Title, Answer string
	Samples       bool     // what is said of blocks is about samples
	Lead          []string // sentences above the stack
	Facts         []string
	Parts         []DetailPart // most telling first; what fits is drawn next to the stack or below it
	PartsFirst    bool         // facts give way to parts

	text *widget.TextView // used instead of a stack and facts if not nil
	id   uint64           // of the row that the text explains

	key    stackKey
	Frames []FrameRow
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

// FrameRow is one line of a stack.
type FrameRow struct {
	Name, Where string
	Site        bool // the frame that the stack is named after
	Folded      bool // represents several frames, or frames that are not listed
}

// SetText shows lines of text instead of a stack, from the top if they belong to another row.
func (d *Detail) SetText(id uint64, title, answer string, lines []widget.Line) {
	if d.text == nil {
		d.text = &widget.TextView{}
	}
	if d.id == id {
		d.text.Replace(lines)
	} else {
		d.text.SetLines(lines)
	}
	d.id, d.Title, d.Answer = id, title, answer
}

// SetStack shows the stack of a leaf, leaf first; node 0 is a stack that the file does not define. full lists every
// frame with its name as it is in the file; otherwise runs of library frames become one line.
func (d *Detail) SetStack(s *model.Stacks, id model.StackID, node model.NodeID, full bool) {
	key := stackKey{s, id, node, full}
	if key == d.key && d.Frames != nil {
		return
	}
	if key.id != d.key.id || key.node != d.key.node {
		d.offset = 0
	}
	d.key, d.Frames = key, stackRows(key)
}

// SetNoStack shows text instead of a stack.
func (d *Detail) SetNoStack(text string) {
	d.key, d.offset = stackKey{}, 0
	d.Frames = []FrameRow{{Name: text, Folded: true}}
}

func stackRows(k stackKey) []FrameRow {
	if k.node == 0 || !k.stacks.Has(k.node) {
		return []FrameRow{{Name: model.UnknownStack(k.id) + ": the file does not say what this stack is", Folded: true}}
	}
	s := k.stacks
	frames := s.Frames(nil, k.node, maxFrames)
	site := int(s.Depth[k.node] - s.Depth[calltree.SiteNode(s, k.node)])
	var rows []FrameRow
	for i := 0; i < len(frames); i++ {
		if n := foldable(frames[i:]); !k.full && i != site && n > 1 {
			if site > i {
				n = min(n, site-i)
			}
			rows = append(rows, FrameRow{Name: "… " + model.Counted(n, "frame") + " of " + libraryOf(frames[i].Function), Folded: true})
			i += n - 1
			continue
		}
		rows = append(rows, FrameRow{Name: FrameName(frames[i], k.full), Where: FramePlace(frames[i]), Site: i == site})
	}
	if rest := int(s.Depth[k.node]) - len(frames); rest > 0 {
		rows = append(rows, FrameRow{Name: "… " + model.Counted(rest, "more frame") + " up to the root", Folded: true})
	}
	return rows
}

// FrameName returns a frame's function, or else its file or address.
func FrameName(f model.Frame, full bool) string {
	switch {
	case f.Function == "" && f.File == "":
		return calltree.NoFunction
	case f.Function == "":
		return calltree.Where(f)
	case full:
		return f.Function
	}
	return funcname.ShortenTemplates(f.Function)
}

// FramePlace returns a frame's file and line with all folders, "" when unknown.
func FramePlace(f model.Frame) string {
	if f.File == "" || f.Line == model.NoLine || f.Line == 0 {
		return f.File
	}
	return f.File + ":" + strconv.FormatInt(f.Line, 10)
}

// foldable returns the number of frames at the beginning of a stack that are internals of one library.
func foldable(frames []model.Frame) int {
	n := 0
	first := ""
	for n < len(frames) {
		of := libraryOf(frames[n].Function)
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

// libraryOf returns the name of the library whose internals a function belongs to, "" for functions that are worth
// showing.
func libraryOf(function string) string {
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

// Draw shows the pane in r. If r is low, the stack and the facts share it.
func (d *Detail) Draw(s tcell.Screen, r widget.Rect, k *widget.Look, focused bool) {
	title, body := r.CutTop(1)
	if title.Empty() {
		return
	}
	look := k
	if focused {
		look = FocusedLook(k)
	}
	name := d.Title
	if room := title.W - widget.Width(d.Answer) - 6; widget.Width(name) > room &&
		strings.HasPrefix(name, "/") { // the file, not its folders
		name = widget.TruncateLeft(name, max(room, 10))
	}
	widget.TitleLine(s, title, look, name, d.Sentence(d.Answer))
	if d.text != nil {
		_, body = body.CutLeft(1)
		d.text.Draw(s, body, k)
		return
	}
	body = body.Inset(1, 0)
	lead := wrapped(d.Sentences(d.Lead), body.W)
	lead = lead[:min(len(lead), max(body.H-leastStack, 0))]
	top, body := body.CutTop(len(lead))
	for i, line := range lead {
		widget.Print(s, top.X, top.Y+i, top.W, line, k.Text)
	}
	body, parts := d.divide(body)
	body, below, beside, last := d.besideText(body, parts)
	drawParts(s, parts, k, beside)
	drawParts(s, below, k, last)
	least := min(len(d.Frames), leastStack)
	facts := wrapped(d.Sentences(d.Facts), body.W)
	if d.PartsFirst {
		facts = wrappedUpTo(d.Sentences(d.Facts), body.W, body.H-least)
	}
	room := max(body.H-len(facts), min(least, body.H))
	d.height = min(room, len(d.Frames))
	d.offset = max(0, min(d.offset, len(d.Frames)-d.height))
	stack, rest := body.CutTop(d.height)
	d.drawFrames(s, stack, k)
	if rest.H > len(facts) && d.height > 0 {
		_, rest = rest.CutTop(1)
	}
	for i, f := range facts[:max(min(len(facts), rest.H), 0)] {
		widget.Print(s, rest.X, rest.Y+i, rest.W, f, k.Text)
	}
}

// Sentence returns a sentence as it is shown: about samples where not all blocks were recorded.
func (d *Detail) Sentence(text string) string {
	if d.Samples {
		return model.AsEstimates(text)
	}
	return text
}

// Sentences is [Detail.Sentence] for several.
func (d *Detail) Sentences(list []string) []string {
	if !d.Samples {
		return list
	}
	out := make([]string, len(list))
	for i := range list {
		out[i] = d.Sentence(list[i])
	}
	return out
}

// FocusedLook returns a look whose titles show that the pane has the focus.
func FocusedLook(k *widget.Look) *widget.Look {
	out := *k
	out.Title = k.Sorted.Bold(true)
	return &out
}

// wrapped returns the lines of sentences in w cells.
func wrapped(sentences []string, w int) []string {
	var out []string
	for _, f := range sentences {
		out = append(out, widget.Wrap(f, w)...)
	}
	return out
}

// wrappedUpTo returns the lines of the first sentences in w cells that fit completely into some lines.
func wrappedUpTo(sentences []string, w, lines int) (out []string) {
	for _, f := range sentences {
		more := widget.Wrap(f, w)
		if len(out)+len(more) > lines {
			break
		}
		out = append(out, more...)
	}
	return out
}

func (d *Detail) drawFrames(s tcell.Screen, r widget.Rect, k *widget.Look) {
	places := min(max(r.W/3, 16), 60)
	if r.W < 40 {
		places = 0
	}
	for i := range r.H {
		row := d.offset + i
		f := &d.Frames[row]
		x, y, st := r.X, r.Y+i, k.Text
		if indent := min(row, 8); row > 0 && r.W >= 40 {
			x += indent - 1
			s.Put(x, y, k.Glyphs.Corner, k.Rule)
			x += 2
		}
		switch {
		case f.Site:
			st = k.Sorted
		case f.Folded:
			st = k.Muted
		}
		if below := len(d.Frames) - row - 1; i == r.H-1 && below > 0 {
			text := k.Glyphs.Ellipsis + " " + model.Counted(below+1, "more line") + " (focus this pane to scroll)"
			widget.Print(s, x, y, r.X+r.W-x, text, k.Muted)
			return
		}
		w := r.X + r.W - x
		if places > 0 && f.Where != "" {
			where := widget.ShortenPath(f.Where, places)
			widget.PrintRight(s, r.X, y, r.W, where, k.Muted)
			w -= widget.Width(where) + 2
		}
		widget.Print(s, x, y, w, f.Name, st)
	}
}

// Move scrolls by the usual actions.
func (d *Detail) Move(a keymap.Action) bool {
	if d.text != nil {
		return ScrollText(d.text, a)
	}
	switch a {
	case keymap.Up:
		d.Scroll(-1)
	case keymap.Down:
		d.Scroll(1)
	case keymap.PageUp:
		d.Scroll(-max(d.height-2, 1))
	case keymap.PageDown:
		d.Scroll(max(d.height-2, 1))
	case keymap.First:
		d.offset = 0
	case keymap.Last:
		d.Scroll(len(d.Frames))
	default:
		return false
	}
	return true
}

// Scroll moves what is visible by n rows; negative is up.
func (d *Detail) Scroll(n int) {
	if d.text != nil {
		d.text.Scroll(n)
		return
	}
	d.offset = max(0, min(d.offset+n, len(d.Frames)-d.height))
}

// Text returns the complete stack, a line per frame, with nothing folded or shortened.
func (d *Detail) Text() string {
	k := d.key
	k.full = true
	if k.stacks == nil {
		return ""
	}
	var b strings.Builder
	for _, f := range stackRows(k) {
		b.WriteString("  " + model.Clean(f.Name))
		if f.Where != "" {
			b.WriteString("  " + model.Clean(f.Where))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
