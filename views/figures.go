package views

import (
	"fmt"
	"math"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// figures writes numbers as there is room for them: in five cells, rounded with their unit, or exact.
type figures struct{ exact, wide bool }

// bytes is an amount of memory ("32.5K", "32.5 KiB", "33,280 B").
func (f figures) bytes(n uint64) string {
	switch {
	case f.exact:
		return model.Bytes(n).Exact()
	case f.wide:
		return model.Bytes(n).String()
	case n < 1000:
		return model.Bytes(n).String()
	case n < 1024: // the unit would not fit
		return fmt.Sprintf("%.2fK", float64(n)/1024)
	}
	return model.Bytes(n).Short()
}

// bytesWidth is the cells that bytes needs for amounts up to most.
func (f figures) bytesWidth(most uint64) int {
	switch {
	case f.exact:
		return max(len(model.Bytes(most).Exact()), 5)
	case f.wide:
		return 8
	}
	return 5
}

// count is a number of blocks ("12.3k", "12,345").
func (f figures) count(n uint64) string {
	if f.exact || f.wide {
		return model.Group(n)
	}
	return model.ShortCount(n)
}

// countWidth is the cells that count needs for numbers up to most.
func (f figures) countWidth(most uint64) int {
	if f.exact || f.wide {
		return max(len(model.Group(most)), 6)
	}
	return 5
}

// shareText is a share in percent, at most [model.ShareWidth] cells wide.
func shareText(v float64) string { return model.Share(v).String() }

// partText is part of whole in percent, "" of nothing.
func partText(part, whole uint64) string { return model.ShareOf(part, whole).String() }

// shareOf is a share of a whole that may be empty.
func shareOf(n, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(model.ShareOf(n, whole))
}

// slopeText is a rate of growth ("+442 KiB/s", "+442K/s").
func slopeText(slope float64, wide bool) string {
	sign := "+"
	if slope < 0 {
		sign = "-"
	}
	if wide {
		return sign + model.Rate(slope)
	}
	return sign + model.ShortRate(slope)
}

// shapeCell is a shape in a table: a sign, the word, and how fast or how often.
func (e *env) shapeCell(s analysis.Shape, wide bool) widget.Cell {
	text := e.shapeSign(s.Kind) + " " + s.Kind.String()
	switch s.Kind {
	case analysis.ShapeNone:
		return widget.Cell{}
	case analysis.ShapeLinear:
		text += " " + slopeText(s.Slope, wide)
	case analysis.ShapeSteps:
		text += fmt.Sprintf(" (%d)", s.Steps)
	}
	return widget.Cell{Text: text, Style: e.shapeStyle(s.Kind)}
}

// shapeSign stands beside the colour of a shape.
func (e *env) shapeSign(k analysis.ShapeKind) string {
	g := &e.look.Glyphs
	switch k {
	case analysis.ShapeLinear, analysis.ShapeSteps:
		return g.Loss
	case analysis.ShapeOnce:
		return g.Bullet
	case analysis.ShapeBurst:
		return g.Marker
	case analysis.ShapeShutdown:
		return g.Gain
	case analysis.ShapePlateau:
		return g.Same
	}
	return " "
}

func (e *env) shapeStyle(k analysis.ShapeKind) tcell.Style {
	switch k {
	case analysis.ShapeLinear:
		return e.style(themes.Loss)
	case analysis.ShapeSteps, analysis.ShapeBurst:
		return e.style(themes.Warning)
	}
	return e.look.Text
}

// shapeSentence says what a shape means.
func shapeSentence(s analysis.Shape) string {
	fit := ""
	if s.Fit >= 0.5 || s.Kind == analysis.ShapeLinear {
		fit = fmt.Sprintf(" (%s, R² %.3f)", slopeText(s.Slope, true), s.Fit)
	}
	switch s.Kind {
	case analysis.ShapeOnce:
		return "once: a single block, kept"
	case analysis.ShapeLinear:
		return "linear: grows steadily, as a leak does" + fit
	case analysis.ShapeSteps:
		return "steps: grows in " + plural(s.Steps, "jump", "jumps") + " and never shrinks back" + fit
	case analysis.ShapePlateau:
		return "plateau: grew, then stayed, like a cache or a pool that has filled up"
	case analysis.ShapeBurst:
		return "burst: high for a short part of the run only"
	case analysis.ShapeShutdown:
		return "shutdown: held almost to the end and given back there"
	case analysis.ShapeMixed:
		return "mixed: goes up and down without a trend"
	}
	return ""
}

// countBlocks is a number of blocks in words ("13 blocks").
func countBlocks(n uint64) string {
	if n == 1 {
		return "1 block"
	}
	return model.Group(n) + " blocks"
}

// threadsText names threads ("thread 2", "threads 1, 2, 3"), "" for none.
func threadsText(threads []uint16) string {
	if len(threads) == 0 {
		return ""
	}
	text := "thread "
	if len(threads) > 1 {
		text = "threads "
	}
	for i, t := range threads {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(t)
	}
	if len(threads) == 8 {
		text += " …"
	}
	return text
}

// hide leaves a column out at any width.
func hide(c *widget.Column) { c.Width, c.Drop = math.MaxInt16, 99 }
