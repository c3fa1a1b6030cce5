package widget

import "math"

// Column describes one column of a list or tree.
type Column struct {
	Title    string
	Width    int // cells at least; all there are for a column that does not grow
	Grow     int // weight in the sharing of what is left, 0 for a fixed width
	MaxWidth int // cells at most for a column that grows, 0 for no limit
	Align    Align
	Cut      Cut
	Drop     int // columns with the highest Drop are dropped first; 0 is never dropped
}

// hiddenWidth is the width of columns that no list has room for.
const hiddenWidth = math.MaxInt16

// columnGap is the number of cells between two columns.
const columnGap = 2

// layoutColumns distributes w cells. Widths depend only on the columns and w, so they do not change while scrolling.
// The result has a width per column, 0 for dropped ones. keep, if in range, is never dropped.
func layoutColumns(cols []Column, w, keep int, widths []int) []int {
	widths = append(widths[:0], make([]int, len(cols))...)
	need := -columnGap
	for i := range cols {
		widths[i] = max(1, cols[i].Width)
		need += widths[i] + columnGap
	}
	for need > w {
		worst := worstColumn(cols, widths, keep)
		if worst < 0 {
			break
		}
		need -= widths[worst] + columnGap
		widths[worst] = 0
	}
	if need > w {
		squeeze(cols, widths, need-w)
		return widths
	}
	grow(cols, widths, w-need)
	return widths
}

// worstColumn returns the shown column to drop next, the rightmost among equals, or -1.
func worstColumn(cols []Column, widths []int, keep int) int {
	worst := -1
	for i := range cols {
		if widths[i] > 0 && i != keep && cols[i].Drop > 0 && (worst < 0 || cols[i].Drop >= cols[worst].Drop) {
			worst = i
		}
	}
	return worst
}

// squeeze takes cells from growing columns first, then from the right, leaving at least one cell each.
func squeeze(cols []Column, widths []int, missing int) {
	for _, growing := range [...]bool{true, false} {
		for i := len(cols) - 1; i >= 0 && missing > 0; i-- {
			if widths[i] > 1 && (cols[i].Grow > 0) == growing {
				n := min(missing, widths[i]-1)
				widths[i] -= n
				missing -= n
			}
		}
	}
}

// grow shares spare cells among growing columns by weight, handing on what a limit leaves over.
func grow(cols []Column, widths []int, spare int) {
	for spare > 0 {
		weight := 0
		for i := range cols {
			if canGrow(&cols[i], widths[i]) {
				weight += cols[i].Grow
			}
		}
		if weight == 0 {
			return
		}
		left := spare
		for i := range cols {
			if !canGrow(&cols[i], widths[i]) {
				continue
			}
			n := min(left, (spare*cols[i].Grow+weight-1)/weight)
			if limit := cols[i].MaxWidth; limit > 0 {
				n = min(n, limit-widths[i])
			}
			widths[i] += n
			left -= n
		}
		spare = left
	}
}

func canGrow(c *Column, width int) bool {
	return width > 0 && c.Grow > 0 && (c.MaxWidth == 0 || width < c.MaxWidth)
}
