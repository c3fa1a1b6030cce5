package term

// scroll is a move of complete rows, from top up to bottom, by a number of rows: up, or down where it is negative. The
// rows that become free are unknown then.
type scroll struct{ top, bottom, by int }

// scroller finds what of a frame is a part of the last one in other rows, as when a list is scrolled.
type scroller struct {
	was, is []uint64 // hashes of chunks of the frames, row by row
	weight  []int    // by chunk: estimated bytes of writing it
	stay    []int    // by row: bytes that its chunks which stay need not be written again; as sums up to a row
	gain    []int    // by row: what moving saves more, as sums up to a row
}

const (
	chunkCells  = 8
	leastMoved  = 64  // bytes that a scroll must save, which takes some 20 itself
	leastDiffer = 400 // cells in which frames differ from which on a scroll is looked for: few steps are one
)

// find returns the scroll that saves most, nothing where none does. The frames have the same size.
func (s *scroller) find(was, is []cell, w int) (best scroll) {
	h, n := len(is)/w, (w+chunkCells-1)/chunkCells
	s.was, s.is, s.weight = s.was[:0], s.is[:0], s.weight[:0]
	for from := 0; from < len(is); from += w {
		for x := 0; x < w; x += chunkCells {
			end := min(x+chunkCells, w)
			a, _ := hashOf(was[from+x : from+end])
			b, written := hashOf(is[from+x : from+end])
			s.was, s.is, s.weight = append(s.was, a), append(s.is, b), append(s.weight, written+1)
		}
	}
	s.stay = append(s.stay[:0], 0)
	for y := range h {
		s.stay = append(s.stay, s.stay[y]+s.equal(y, y, n))
	}
	most := leastMoved
	for by := 1; by <= h/2; by++ { // of more, less than half would stay
		if x, saves := s.up(by, h, n); saves > most {
			best, most = x, saves
		}
		if x, saves := s.down(by, h, n); saves > most {
			best, most = x, saves
		}
	}
	if best.by != 0 && best.saves(was, is, w) < leastMoved { // chunks are equal or not, a few cells may be
		return scroll{}
	}
	return best
}

// saves returns how many bytes of text less a frame takes after a scroll.
func (x scroll) saves(was, is []cell, w int) (bytes int) {
	for y := x.top; y < x.bottom; y++ {
		before := y + x.by
		for i := y * w; i < (y+1)*w; i++ {
			c := &is[i]
			if c.text == " " || c.text == "" {
				continue
			}
			if *c != was[i] {
				bytes += len(c.text)
			}
			if before < x.top || before >= x.bottom || *c != was[i+x.by*w] {
				bytes -= len(c.text)
			}
		}
	}
	return bytes
}

// equal returns the bytes of the chunks that a row has in common with one of the last frame.
func (s *scroller) equal(y, before, n int) (bytes int) {
	is, was, weight := s.is[y*n:(y+1)*n], s.was[before*n:(before+1)*n], s.weight[y*n:(y+1)*n]
	for i, hash := range is {
		if hash == was[i] {
			bytes += weight[i]
		}
	}
	return bytes
}

// sum fills gain for rows that move by a number of rows.
func (s *scroller) sum(by, h, n int) {
	s.gain = append(s.gain[:0], 0)
	for y := range h {
		more := 0
		if before := y + by; before >= 0 && before < h {
			more = s.equal(y, before, n) - (s.stay[y+1] - s.stay[y])
		}
		s.gain = append(s.gain, s.gain[y]+more)
	}
}

// up returns the best scroll up by a number of rows. Those above its bottom become free.
func (s *scroller) up(by, h, n int) (best scroll, most int) {
	s.sum(by, h, n)
	top := 0
	for end := 1; end+by <= h; end++ { // of the rows that hold something afterwards
		if s.gain[end-1] < s.gain[top] {
			top = end - 1
		}
		if saves := s.gain[end] - s.gain[top] - (s.stay[end+by] - s.stay[end]); saves > most {
			best, most = scroll{top, end + by, by}, saves
		}
	}
	return best, most
}

// down returns the best scroll down by a number of rows. Those at its top become free.
func (s *scroller) down(by, h, n int) (best scroll, most int) {
	s.sum(-by, h, n)
	costs := func(first int) int { return s.gain[first] + s.stay[first] - s.stay[first-by] }
	first := by // of the rows that hold something afterwards
	for end := by + 1; end <= h; end++ {
		if costs(end-1) < costs(first) {
			first = end - 1
		}
		if saves := s.gain[end] - costs(first); saves > most {
			best, most = scroll{first - by, end, -by}, saves
		}
	}
	return best, most
}

// hashOf returns a hash of cells, and how many of them are not blank. Frames are compared exactly later on.
func hashOf(cells []cell) (hash uint64, written int) {
	for i := range cells {
		c := &cells[i]
		x := uint64(c.style)<<32 + uint64(len(c.text))<<24
		switch len(c.text) {
		case 0:
		case 1:
			x += uint64(c.text[0])
		default: // of most texts those bytes differ
			x += uint64(c.text[1])<<16 + uint64(c.text[0])<<8 + uint64(c.text[len(c.text)-1])
		}
		if c.text != " " && c.text != "" {
			written++
		}
		hash = (hash ^ x) * 0x9e3779b97f4a7c15
	}
	return hash ^ hash>>32, written
}

// apply moves rows of a frame. The cells of those that become free differ from all others.
func (x scroll) apply(cells []cell, w int) {
	rows, n := cells[x.top*w:x.bottom*w], max(x.by, -x.by)*w
	free := rows[len(rows)-n:]
	if x.by > 0 {
		copy(rows, rows[n:])
	} else {
		copy(rows[n:], rows)
		free = rows[:n]
	}
	for i := range free {
		free[i] = cell{style: unknownPen}
	}
}

// scroll appends a scroll: it deletes rows at one of its ends, and inserts as many at the other. So the program never
// leaves margins set, wherever it is killed.
func (e *encoder) scroll(buf []byte, x scroll, h int) []byte {
	removed, added, n := x.top, x.bottom-x.by, x.by
	if x.by < 0 {
		removed, added, n = x.bottom+x.by, x.top, -x.by
	}
	if removed+n < h {
		buf = appendStep(appendMove(buf, point{0, removed}), n, 'M')
	}
	if added+n < h {
		buf = appendStep(appendMove(buf, point{0, added}), n, 'L')
	}
	return buf
}
