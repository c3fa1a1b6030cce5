package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/views/widget"
)

// DetailPart is a drawing that explains the selection, in addition to its stack and facts.
type DetailPart interface {
	// Rows returns the least rows in which the part says something, and the most that it can use.
	Rows() (least, most int)
	Draw(s tcell.Screen, r widget.Rect, k *widget.Look)
}

const (
	twoColumns  = 100 // cells of a detail pane from which its parts are next to the stack
	partsBeside = 72  // cells from which the first two parts are side by side
	leastStack  = 3   // rows of the stack that its parts leave
	leastBelow  = 4   // rows of a part below the stack
	tallParts   = 30  // rows from which all parts are below each other
)

// divide shares a body between the stack with its facts and the parts.
func (d *Detail) divide(body widget.Rect) (text, parts widget.Rect) {
	if len(d.Parts) == 0 {
		return body, widget.Rect{}
	}
	least := leastOf(partRows(d.Parts, body)[0]) // without the first ones there are none
	if body.W >= twoColumns {
		if body.H < least {
			return body, widget.Rect{}
		}
		text, parts = body.CutLeft(body.W/2 - 1)
		_, parts = parts.CutLeft(2)
		return text, parts
	}
	facts := len(wrapped(d.Sentences(d.Facts), body.W))
	below := body.H - len(d.Frames) - facts - 2
	if wanted := d.allRows(body.W); below < wanted {
		if d.PartsFirst {
			facts = 0
		}
		below = min(wanted, body.H-leastStack-facts)
	}
	if below < least {
		return body, widget.Rect{}
	}
	text, parts = body.CutBottom(below)
	if text.H > leastStack+facts {
		text, _ = text.CutBottom(1)
	}
	return text, parts
}

// allRows returns the least rows of all parts together.
func (d *Detail) allRows(w int) (sum int) {
	for _, row := range partRows(d.Parts, widget.Rect{W: w}) {
		sum += leastOf(row)
	}
	return sum
}

// leastOf returns the least rows of parts that are side by side.
func leastOf(row []DetailPart) (rows int) {
	for _, p := range row {
		least, _ := p.Rows()
		rows = max(rows, least)
	}
	return rows
}

// partRows returns the parts as rows of parts that are side by side in an area.
func partRows(parts []DetailPart, in widget.Rect) (rows [][]DetailPart) {
	if in.W >= partsBeside && in.W < twoColumns && in.H < tallParts && len(parts) > 1 {
		rows, parts = append(rows, parts[:2]), parts[2:]
	}
	for i := range parts {
		rows = append(rows, parts[i:i+1])
	}
	return rows
}

// besideText divides the parts: the last of several is below the stack and the facts, where they leave room next to the
// others. It returns the rest of the text's area.
func (d *Detail) besideText(text, parts widget.Rect) (rest, below widget.Rect, list, last []DetailPart) {
	n := len(d.Parts) - 1
	if n < 2 || parts.Y != text.Y {
		return text, below, d.Parts, nil
	}
	_, most := d.Parts[n].Rows()
	free := text.H - len(d.Frames) - len(wrapped(d.Sentences(d.Facts), text.W)) - 2
	if free < leastBelow {
		return text, below, d.Parts, nil
	}
	rest, below = text.CutTop(text.H - free)
	below, _ = below.CutTop(most)
	return rest, below, d.Parts[:n], d.Parts[n:]
}

// drawParts draws as many parts as fit, the first ones first, and gives them all the rows that they can use.
func drawParts(s tcell.Screen, r widget.Rect, k *widget.Look, parts []DetailPart) {
	if r.Empty() {
		return
	}
	var rows [][]DetailPart
	var heights, most []int
	left := r.H
	for _, row := range partRows(parts, r) {
		least, top := leastOf(row), 0
		for _, p := range row {
			_, m := p.Rows()
			top = max(top, m)
		}
		if least > left {
			break
		}
		left -= least
		rows, heights, most = append(rows, row), append(heights, least), append(most, top)
	}
	for grown := true; grown && left > 0; {
		grown = false
		for i := range heights {
			if left > 0 && heights[i] < most[i] {
				heights[i]++
				left--
				grown = true
			}
		}
	}
	for i, row := range rows {
		var at widget.Rect
		at, r = r.CutTop(heights[i])
		for n, p := range row {
			part := at
			if last := len(row) - 1; n < last {
				part, at = at.CutLeft(at.W/(last-n+1) - 1)
				_, at = at.CutLeft(2)
			}
			p.Draw(s, part, k)
		}
	}
}
