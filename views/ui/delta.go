package ui

import (
	"math"
	"strings"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// WithMinus writes the signs of figures in a sentence about a change as tables do.
func WithMinus(k *widget.Look, text string) string {
	m := Minus(k)
	return strings.NewReplacer("(-", "("+m, "; -", "; "+m).Replace(text)
}

// growth returns the relative change; for new rows it is infinite.
func growth(before, after uint64) float64 {
	switch {
	case before == after:
		return 0
	case before == 0:
		return math.Inf(1)
	}
	return float64(after)/float64(before) - 1
}

// PercentChange returns a relative change ("+50.4 %"), "new" and "gone" where there is none.
func PercentChange(k *widget.Look, before, after uint64) string {
	switch {
	case before == after:
		return "="
	case before == 0:
		return "new"
	case after == 0:
		return "gone"
	}
	return strings.Replace(model.Change(before, after), "-", Minus(k), 1)
}

// signed writes a sign before an amount, after the mark of an estimate.
func signed(sign, amount string) string {
	if plain := model.Unmarked(amount); plain != amount {
		return model.EstimateMark + sign + plain
	}
	return sign + amount
}

// DeltaCell returns a change as a cell, with a sign and a glyph in addition to its color.
func (e *Env) DeltaCell(before, after uint64, text func(uint64) string) widget.Cell {
	switch {
	case after > before:
		return widget.Cell{Text: signed("+", text(after-before)), Style: e.Style(themes.Loss)}
	case after < before:
		return widget.Cell{Text: signed(Minus(e.Look), text(before-after)), Style: e.Style(themes.Gain)}
	}
	return widget.Cell{Text: "=", Style: e.Look.Muted}
}

// ChangeCell returns the change of a row's bytes, as far as it is known: faint if it may be due to sampling.
func (e *Env) ChangeCell(r *diff.Row, text func(uint64) string) widget.Cell {
	c := e.DeltaCell(r.BeforeBytes, r.AfterBytes, text)
	if r.Certainty() == diff.UnknownChange {
		return widget.Cell{Text: r.Sign(), Style: e.Look.Muted}
	}
	if r.Within() {
		c.Style = e.Look.Muted
	}
	c.Text = r.Sign() + c.Text
	return c
}

// Minus returns the sign of what shrank.
func Minus(k *widget.Look) string {
	if k.Glyphs.Plain {
		return "-"
	}
	return "−"
}
