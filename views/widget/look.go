package widget

import "github.com/gdamore/tcell/v2"

// Look is everything a widget needs to know about appearance. Styles named "over" are laid over what is below with
// [Over]; the others are complete. A Look is read-only while a frame is drawn and may be shared by all widgets.
type Look struct {
	Glyphs Glyphs

	Text     tcell.Style // data
	Muted    tcell.Style // labels, units, rules' captions, what does not matter now
	Title    tcell.Style // section titles
	Rule     tcell.Style // lines, borders, scroll bars
	Header   tcell.Style // column titles
	Sorted   tcell.Style // title of the column that sorts
	Selected tcell.Style // over: the selected row, frame or entry of the widget with the focus
	Inactive tcell.Style // over: the same without the focus
	Match    tcell.Style // over: search matches
	Bar      tcell.Style // bars in tables
	Spark    tcell.Style // sparklines in tables

	Band   tcell.Style // chart: between minimum and maximum
	Area   tcell.Style // chart: below the minimum
	Axis   tcell.Style // chart: axes, ticks and their labels
	Cursor tcell.Style // over: chart column of the instant; also the cell under the edit cursor
	Range  tcell.Style // over: chart columns of the selected range
	Peak   tcell.Style // chart: peak marker
	Mark   tcell.Style // chart: marks without a style of their own

	Frames []tcell.Style // flame graph: one is chosen by the hash of the name; none means Text
	Box    tcell.Style   // inside of boxes drawn over other things
}

// Over lays top over base: colors that top sets win, default colors of top let base through, attributes add up.
func Over(base, top tcell.Style) tcell.Style {
	fg, bg, attrs := top.Decompose()
	if fg != tcell.ColorDefault {
		base = base.Foreground(fg)
	}
	if bg != tcell.ColorDefault {
		base = base.Background(bg)
	}
	if attrs != 0 {
		_, _, below := base.Decompose()
		base = base.Attributes(below | attrs)
	}
	if u := top.GetUnderlineStyle(); u != tcell.UnderlineStyleNone {
		base = base.Underline(u)
	}
	return base
}

// InBox returns a copy of k for what is drawn inside a [Box]: complete styles get the box's background.
func (k *Look) InBox() *Look {
	_, bg, _ := k.Box.Decompose()
	in := *k
	for _, st := range [...]*tcell.Style{
		&in.Text, &in.Muted, &in.Title, &in.Rule, &in.Header, &in.Sorted, &in.Bar, &in.Spark,
		&in.Band, &in.Area, &in.Axis, &in.Peak, &in.Mark,
	} {
		*st = st.Background(bg)
	}
	return &in
}

// Glyphs are the one-cell drawings that widgets use in addition to text. Every string is one cell wide.
type Glyphs struct {
	Plain bool // ASCII only: charts, bars and sparklines draw with letters and signs

	Horizontal, Vertical                                    string
	TopLeft, TopRight, BottomLeft, BottomRight              string
	TickLeft, TickDown, Corner                              string // on the y axis, on the x axis, where they meet
	Open, Closed, Pointer                                   string // tree nodes, the selected row
	Idle                                                    string // the selected row of a pane that does not have the keys
	Up, Down                                                string // sort direction
	Peak, Marker, GC, Bullet                                string
	Ellipsis, Track, Thumb, Separator, Crossing             string
	Loss, Gain, Same, Warning, Check, ArrowLeft, ArrowRight string // signs in addition to colors
}

// UnicodeGlyphs are for terminals that show Unicode.
func UnicodeGlyphs() Glyphs {
	return Glyphs{
		Horizontal: "─", Vertical: "│",
		TopLeft: "┌", TopRight: "┐", BottomLeft: "└", BottomRight: "┘",
		TickLeft: "┤", TickDown: "┬", Corner: "└",
		Open: "▾", Closed: "▸", Pointer: "▸", Idle: "▹",
		Up: "▲", Down: "▼",
		Peak: "▲", Marker: "◆", GC: "╵", Bullet: "●",
		Ellipsis: "…", Track: "│", Thumb: "┃", Separator: "│", Crossing: "┼",
		Loss: "▲", Gain: "▼", Same: "=", Warning: "!", Check: "✓", ArrowLeft: "‹", ArrowRight: "›",
	}
}

// ASCIIGlyphs are for terminals that show nothing else.
func ASCIIGlyphs() Glyphs {
	return Glyphs{
		Plain:      true,
		Horizontal: "-", Vertical: "|",
		TopLeft: "+", TopRight: "+", BottomLeft: "+", BottomRight: "+",
		TickLeft: "+", TickDown: "+", Corner: "+",
		Open: "-", Closed: "+", Pointer: ">", Idle: "-",
		Up: "^", Down: "v",
		Peak: "^", Marker: "*", GC: "'", Bullet: "o",
		Ellipsis: "~", Track: ":", Thumb: "#", Separator: "|", Crossing: "+",
		Loss: "^", Gain: "v", Same: "=", Warning: "!", Check: "+", ArrowLeft: "<", ArrowRight: ">",
	}
}
