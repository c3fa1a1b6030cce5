package ui

import (
	"math"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// Point returns the point of a chart for a column of the curve.
func Point(s state.Series, c *analysis.Column) widget.Point {
	switch s {
	case state.SeriesBlocks:
		return widget.Point{Lo: c.MinCount, Hi: c.MaxCount, Last: c.LastCount, OK: true}
	case state.SeriesRate:
		v := rateOf(c)
		return widget.Point{Lo: v, Hi: v, Last: v, OK: true}
	}
	return widget.Point{Lo: c.MinBytes, Hi: c.MaxBytes, Last: c.LastBytes, OK: true}
}

// rateOf returns the bytes per second that a column allocates.
func rateOf(c *analysis.Column) uint64 {
	const most = 1 << 63
	if r := analysis.Rate(c.AllocBytes, c.To-c.From); r < most {
		return uint64(math.Round(r))
	}
	return most
}

// RateText returns the bytes allocated per second in a column. Exact rates from a thousand are whole bytes.
func RateText(c *analysis.Column, exact bool) string {
	if r := analysis.Rate(c.AllocBytes, c.To-c.From); !exact || r < 1000 {
		return model.Rate(r)
	}
	return BytesText(rateOf(c), true) + "/s"
}

// Format returns a value of the series with its unit ("1.13 MiB", "495 blocks", "3.20 MiB/s").
func Format(s state.Series, v uint64, exact bool) string {
	switch s {
	case state.SeriesBlocks:
		return model.Blocks(v)
	case state.SeriesRate:
		return BytesText(v, exact) + "/s"
	}
	return BytesText(v, exact)
}

// Short returns a value of the series for an axis, at most five cells.
func Short(s state.Series, v uint64) string {
	if s == state.SeriesBlocks {
		return model.ShortCount(v)
	}
	return model.Bytes(v).Short()
}

// BytesText returns an amount of memory, rounded or exact.
func BytesText(v uint64, exact bool) string {
	if exact {
		return model.Bytes(v).Exact()
	}
	return model.Bytes(v).String()
}

// TimeText returns a time, rounded to three digits or exact to the microsecond.
func TimeText(t model.Time, exact bool) string {
	if !exact || t < 1000 {
		return t.String()
	}
	return model.StepTime(int64(t), 1)
}

// Axis returns a function that formats moments on axes: as times, or as numbers of the unit that the file uses instead.
func Axis(unit string) func(t, step int64) string {
	if unit == "" {
		return model.StepTime
	}
	return func(t, _ int64) string { return model.ShortCount(uint64(max(t, 0))) }
}

// RangeText returns the ends of a range.
func RangeText(from, to model.Time, unit string) string {
	first, last := model.Ends(from, to, unit)
	return first + " – " + last
}

// MomentText is [TimeText] for a file whose times may be in another unit than microseconds.
func MomentText(t model.Time, unit string, exact bool) string {
	switch {
	case unit == "":
		return TimeText(t, exact)
	case exact:
		return model.Group(uint64(max(t, 0))) + " " + model.Clean(unit)
	}
	return t.In(unit)
}

// DeltaText returns after − before with its sign, "±0" without a difference.
func DeltaText(before, after uint64, format func(uint64) string) string {
	sign, text := "+", ""
	switch {
	case after > before:
		text = format(after - before)
	case after < before:
		sign, text = "−", format(before-after)
	default:
		return "±0"
	}
	return signed(sign, text)
}

// WithArticle returns a word with "a" or "an", by its first letters.
func WithArticle(word string) string {
	if word != "" && strings.ContainsRune("aeio", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// NoneInCell returns why nothing is shown while blocks are restricted to one cell.
func (e *Env) NoneInCell(c analysis.Cell) []string {
	return []string{"No block of " + c.Text() + " is here.", e.Hint("{back} shows blocks of every size and lifetime again.")}
}
