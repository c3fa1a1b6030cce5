package widget

// Table is what a [List] shows. All methods are called on the event loop, Cell and ID only for rows that are drawn or
// searched. Cell must be cheap: it is called once per visible cell and frame.
type Table interface {
	Len() int
	Cell(row, col int) Cell
	ID(row int) uint64 // stays the same however rows are sorted or filtered
}

// maxSearch bounds the rows looked through for the selected id after a change, to stay well within a frame.
const maxSearch = 2_000_000

// List is a virtual table: it asks only for what is visible, so that ten million rows cost as much as ten. The zero
// value with Table and Columns set is ready. Exported fields may be changed between frames.
type List struct {
	Table      Table
	Columns    []Column
	HideHeader bool
	SortColumn int  // column that sorts, -1 for none
	Descending bool // direction of the sort
	Column     int  // column under the cursor, never dropped; -1 for none
	Focused    bool
	Highlight  string   // lower case; where it occurs in left-aligned text it is shown in the Match style
	Empty      []string // shown when there are no rows: why, and what to do

	selected       int
	id             uint64 // of the selected row
	moved          bool   // a user chose the selection, so it is followed
	offset         int    // first visible row
	left           int    // first column shown, 0 unless the list was scrolled sideways
	follow         bool   // bring the selection into view
	height         int    // visible rows in the last frame
	rows           Rect   // where they were
	header         Rect
	widths         []int
	selectedFields []Field // the selected row in the last frame
}

// Field is the text of a row in one column.
type Field struct{ Title, Text string }

// SelectedFields returns the texts of the selected row in all columns, including hidden ones, as of the last frame.
func (l *List) SelectedFields() []Field { return l.selectedFields }

// Len returns the number of rows, 0 without a table.
func (l *List) Len() int {
	if l.Table == nil {
		return 0
	}
	return l.Table.Len()
}

// Selected returns the selected row; ok is false when there are none.
func (l *List) Selected() (row int, ok bool) {
	l.clamp()
	return l.selected, l.Len() > 0
}

// Select selects a row, or the nearest existing one, and brings it into view.
func (l *List) Select(row int) {
	l.selected, l.moved, l.follow = row, true, true
	l.clamp()
	if l.Len() > 0 {
		l.id = l.Table.ID(l.selected)
	}
}

// Move moves the selection by n rows, stopping at both ends.
func (l *List) Move(n int) {
	l.clamp()
	l.Select(l.selected + n)
}

// Page moves selection and view by n screens, keeping one row of context.
func (l *List) Page(n int) {
	step := n * max(1, l.height-1)
	l.offset += step
	l.Move(step)
}

// Home selects the first row, whichever that will be after the next Refresh.
func (l *List) Home() {
	l.Select(0)
	l.offset, l.moved = 0, false
}

// End selects the last row.
func (l *List) End() { l.Select(l.Len() - 1) }

// Scroll moves the view by n rows and leaves the selection alone: for the mouse wheel.
func (l *List) Scroll(n int) {
	l.follow = false
	l.offset += n
	l.clamp()
}

// Offset returns the first visible row.
func (l *List) Offset() int { return l.offset }

// Height returns the number of rows that fitted into the last frame.
func (l *List) Height() int { return l.height }

// Refresh must follow every change of the table's rows or order: the selection stays with the row that has the same id,
// if it was ever chosen; otherwise it stays at its position. A list whose first row is in view goes on showing it as
// long as the selection is in view then; others keep the selection at the same height on the screen.
func (l *List) Refresh() {
	n := l.Len()
	if n == 0 {
		l.clamp()
		return
	}
	if !l.moved {
		l.clamp()
		l.id = l.Table.ID(l.selected)
		return
	}
	if l.selected >= n || l.Table.ID(l.selected) != l.id {
		if row := l.find(l.id); row >= 0 {
			if l.offset > 0 || row >= l.height {
				l.offset += row - l.selected
			}
			l.selected = row
		}
		l.follow = true
	}
	l.clamp()
	l.id = l.Table.ID(l.selected)
}

// SelectID selects the row with that id; ok is false when it is not among the rows looked at.
func (l *List) SelectID(id uint64) (ok bool) {
	row := l.find(id)
	if row >= 0 {
		l.Select(row)
	}
	return row >= 0
}

// find looks for id from the selection outwards, since rows rarely move far.
func (l *List) find(id uint64) int {
	n := l.Len()
	at := max(0, min(l.selected, n-1))
	for d := 0; d < n && d < maxSearch; d++ {
		if at+d < n && l.Table.ID(at+d) == id {
			return at + d
		}
		if at-d >= 0 && l.Table.ID(at-d) == id {
			return at - d
		}
	}
	return -1
}

// clamp forces selection and offset into the rows that exist.
func (l *List) clamp() {
	n := l.Len()
	l.selected = max(0, min(l.selected, n-1))
	if l.follow && l.height > 0 {
		l.offset = min(max(l.offset, l.selected-l.height+1), l.selected)
	}
	l.offset = max(0, min(l.offset, n-l.height))
}

// NextColumn moves the column cursor by n, stopping at both ends. From -1 it starts at the sorting column.
func (l *List) NextColumn(n int) {
	if l.Column < 0 {
		l.Column = max(0, l.SortColumn)
		return
	}
	l.Column = max(0, min(l.Column+n, len(l.Columns)-1))
}

// ScrollSide hides n more columns at the left to make room for those to the right; negative n shows them again. At
// least one column stays. It reports whether anything changed.
func (l *List) ScrollSide(n int) bool {
	at := l.left
	for step := 1; n != 0; n -= step {
		if n < 0 {
			step = -1
		}
		next := l.left + step
		for next > 0 && next < len(l.Columns) && l.Columns[next].Width >= hiddenWidth {
			next += step
		}
		if next < 0 || next >= len(l.Columns) {
			break
		}
		l.left = next
	}
	return l.left != at
}

// HitRow returns the row drawn at (x, y) in the last frame.
func (l *List) HitRow(x, y int) (row int, ok bool) {
	row = l.offset + y - l.rows.Y
	return row, l.rows.Contains(x, y) && row < l.Len()
}

// HitHeader returns the column whose title was drawn at (x, y) in the last frame.
func (l *List) HitHeader(x, y int) (col int, ok bool) {
	if !l.header.Contains(x, y) {
		return 0, false
	}
	at := l.header.X
	for i, w := range l.widths {
		if w == 0 {
			continue
		}
		if x < at+w+columnGap {
			return i, true
		}
		at += w + columnGap
	}
	return 0, false
}
