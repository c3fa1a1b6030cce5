package cells

import (
	"math"
	"strings"
)

// ramp returns the glyphs of bars and curves from empty to full.
func ramp(ascii bool) []string {
	if ascii {
		return strings.Split(" |.|:|-|=|+|*|%|#", "|")
	}
	return strings.Split(" |▁|▂|▃|▄|▅|▆|▇|█", "|")
}

// Spark draws a small curve: the highest value is full, and what is not 0 is never invisible.
func Spark(values []uint64, width int, ascii bool) string {
	ramp, top := ramp(ascii), uint64(0)
	for _, v := range values {
		top = max(top, v)
	}
	if top == 0 || len(values) == 0 {
		return ""
	}
	var out strings.Builder
	for i := range width {
		lo, hi := i*len(values)/width, max((i+1)*len(values)/width, i*len(values)/width+1)
		most := uint64(0)
		for _, v := range values[lo:hi] {
			most = max(most, v)
		}
		out.WriteString(ramp[level(most, top, len(ramp)-1)])
	}
	return out.String()
}

// level scales v ≤ top to 0 … steps, rounding to nearest but never to 0 what is not 0.
func level(v, top uint64, steps int) int {
	if v == 0 || top == 0 {
		return 0
	}
	return max(1, int(math.Round(float64(v)/float64(top)*float64(steps))))
}

// Bar returns a horizontal bar of at most width cells.
func Bar(v, top uint64, width int, ascii bool) string {
	if ascii {
		return strings.Repeat("#", level(v, top, width))
	}
	eighths := level(v, top, width*8)
	out := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		out += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return out
}

// Fills returns the glyphs of the levels of a page's fill, empty first; the ASCII ones are what screens fall back to.
func Fills(ascii bool) []string {
	if ascii {
		return strings.Split("_ . : % #", " ")
	}
	return strings.Split("· ░ ▒ ▓ █", " ")
}
