package widget

import (
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"
)

// Align is where text is in its column.
type Align uint8

const (
	Left Align = iota
	Right
)

// Cut is the part of a text that is cut off when its column is too narrow.
type Cut uint8

const (
	CutEnd     Cut = iota // keep the beginning: names
	CutMiddle             // keep both ends
	CutFolder             // keep the end, dropping whole folders first: places in files
	CutScope              // keep the end, dropping whole scopes first: names of functions
	CutPackage            // keep the end, dropping whole packages and scopes first, then the middle: names of types
)

// CellKind is how a [Cell] draws.
type CellKind uint8

const (
	TextCell  CellKind = iota
	BarCell            // Bar
	SparkCell          // Spark
)

// Cell is the content of one table cell, made anew for every frame. The caller owns Spark.
type Cell struct {
	Kind  CellKind
	Text  string      // not cleaned; drawn by TextCell only
	Style tcell.Style // the zero value means the Look's Text, Bar or Spark
	Bar   float64     // share of the column, 0 … 1
	Spark []uint64    // oldest first
	Top   uint64      // value that fills a spark's height, 0 for its largest

	depth  int    // levels above, set by trees
	marker string // one-cell glyph before the text, set by trees
}

// drawCell draws c into w cells at (x, y). over is laid over its style.
func drawCell(s tcell.Screen, x, y, w int, c *Cell, col *Column, over tcell.Style, highlight string, k *Look) {
	st := c.Style
	switch c.Kind {
	case BarCell:
		DrawBar(s, x, y, w, c.Bar, Over(orElse(st, k.Bar), over), &k.Glyphs)
		return
	case SparkCell:
		DrawSpark(s, x, y, w, c.Spark, c.Top, Over(orElse(st, k.Spark), over), &k.Glyphs)
		return
	}
	st = Over(orElse(st, k.Text), over)
	if c.marker != "" {
		n := drawBranch(s, x, y, w, c, Over(k.Muted, over))
		x, w = x+n, w-n
	}
	text := cutText(c.Text, w, col.Cut)
	if col.Align == Right {
		x += max(0, w-Width(text))
	}
	printText(s, x, y, w, text, st, k.Glyphs.Ellipsis)
	if highlight != "" {
		drawMatches(s, x, y, w, text, highlight, Over(st, k.Match))
	}
}

func orElse(st, otherwise tcell.Style) tcell.Style {
	if st == tcell.StyleDefault {
		return otherwise
	}
	return st
}

func cutText(text string, w int, cut Cut) string {
	if cut == CutEnd || len(text) <= w {
		return text
	}
	switch cut {
	case CutMiddle:
		return TruncateMiddle(text, w)
	case CutScope:
		return ShortenScopes(text, w)
	case CutPackage:
		return ShortenType(text, w)
	}
	return ShortenPath(text, w)
}

const (
	indentStep = 2
	maxIndent  = 48 // cells of indentation; deeper nodes carry a note like "+57"
	narrowTree = 40 // cells below which names need the room more than the structure does
)

// branchIndent returns the number of cells before the marker of a tree cell that is w wide, at most about half of it;
// noted is set where the depth must be told in digits instead.
func branchIndent(depth, w int) (n int, noted bool) {
	step, limit := indentStep, max(0, min(maxIndent, w/2-indentStep))
	if w < narrowTree {
		step, limit = 1, max(0, w/3)
	}
	if n = depth * step; n > limit {
		return max(limit, len(strconv.Itoa(depth))+2), true
	}
	return n, false
}

// drawBranch draws a tree cell's indentation, depth note and marker, and returns the cells used.
func drawBranch(s tcell.Screen, x, y, w int, c *Cell, st tcell.Style) int {
	n, noted := branchIndent(c.depth, w)
	if noted {
		s.Put(x, y, "+", st)
		Print(s, x+1, y, w-1, strconv.Itoa(c.depth), st)
	}
	if n < w {
		s.Put(x+n, y, c.marker, st)
	}
	return min(w, n+2)
}

// drawMatches redraws the places of text where highlight, in lower case, occurs in either case. Only ASCII is searched.
func drawMatches(s tcell.Screen, x, y, w int, text, highlight string, st tcell.Style) {
	if !plain(text) {
		return
	}
	lower, end := strings.ToLower(text), len(text)
	if end > w {
		end = w - 1 // the last cell has the ellipsis
	}
	for from := 0; ; {
		i := strings.Index(lower[from:], highlight)
		if i < 0 {
			return
		}
		from += i
		for j := from; j < min(from+len(highlight), end); j++ {
			s.Put(x+j, y, text[j:j+1], st)
		}
		from += len(highlight)
	}
}
