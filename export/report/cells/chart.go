package cells

import "strings"

// Chart is a chart as lines of text.
type Chart struct {
	Width, Rows int
	Top         uint64              // the highest value
	Label       func(uint64) string // formats values next to the chart
	ASCII       bool
}

// chartLabel is the width of the labels of a chart.
const chartLabel = 6

// Left returns how many cells are left of the values.
func (c *Chart) Left() int { return chartLabel + 2 }

// Inner returns how many values fit next to each other.
func (c *Chart) Inner() int { return c.Width - chartLabel - 3 }

// Lines returns the lines of the chart, the last of which is its foot. value returns that of a column of so many.
func (c *Chart) Lines(value func(x, width int) uint64) (lines []string) {
	ramp, axis, foot, rule := ramp(c.ASCII), "┤", "└", "─"
	if c.ASCII {
		axis, foot, rule = "|", "+", "-"
	}
	for row := c.Rows - 1; row >= 0; row-- {
		tick := ""
		switch row {
		case c.Rows - 1:
			tick = c.Label(c.Top)
		case c.Rows/2 - 1:
			tick = c.Label(c.Top / 2)
		}
		var line strings.Builder
		line.WriteString(" " + Pad(tick, chartLabel, true) + axis)
		for x := range c.Inner() {
			filled := level(value(x, c.Inner()), c.Top, c.Rows*(len(ramp)-1)) - row*(len(ramp)-1)
			line.WriteString(ramp[min(max(filled, 0), len(ramp)-1)])
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return append(lines, " "+Pad("0", chartLabel, true)+foot+strings.Repeat(rule, max(c.Inner(), 0)))
}

// Axis returns a line with labels at the start, the middle and the end of a chart, "" if they do not fit.
func Axis(left, width int, from, mid, to string) string {
	gap := width/2 - Width(from) - Width(mid)/2
	rest := width - Width(from) - gap - Width(mid) - Width(to)
	if gap < 1 || rest < 1 {
		return ""
	}
	return strings.Repeat(" ", left) + from + strings.Repeat(" ", gap) + mid + strings.Repeat(" ", rest) + to
}
