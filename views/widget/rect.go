package widget

// Rect is an area of the screen in cells; (X, Y) is its upper left corner. W and H may be ≤ 0: then it is empty.
type Rect struct{ X, Y, W, H int }

// Empty reports whether r has no cell.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell at (x, y) is in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// CutTop splits off at most n rows at the top.
func (r Rect) CutTop(n int) (top, rest Rect) {
	n = max(0, min(n, r.H))
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// CutBottom splits off at most n rows at the bottom.
func (r Rect) CutBottom(n int) (rest, bottom Rect) {
	n = max(0, min(n, r.H))
	return Rect{r.X, r.Y, r.W, r.H - n}, Rect{r.X, r.Y + r.H - n, r.W, n}
}

// CutLeft splits off at most n columns at the left.
func (r Rect) CutLeft(n int) (left, rest Rect) {
	n = max(0, min(n, r.W))
	return Rect{r.X, r.Y, n, r.H}, Rect{r.X + n, r.Y, r.W - n, r.H}
}

// CutRight splits off at most n columns at the right.
func (r Rect) CutRight(n int) (rest, right Rect) {
	n = max(0, min(n, r.W))
	return Rect{r.X, r.Y, r.W - n, r.H}, Rect{r.X + r.W - n, r.Y, n, r.H}
}

// Inset takes dx columns off both sides and dy rows off top and bottom.
func (r Rect) Inset(dx, dy int) Rect {
	return Rect{r.X + dx, r.Y + dy, max(0, r.W-2*dx), max(0, r.H-2*dy)}
}

// Centered returns a rectangle of at most w×h cells in the middle of r.
func (r Rect) Centered(w, h int) Rect {
	w, h = max(0, min(w, r.W)), max(0, min(h, r.H))
	return Rect{r.X + (r.W-w)/2, r.Y + (r.H-h)/2, w, h}
}
