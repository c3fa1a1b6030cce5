package model

import "encoding/binary"

// WeightTable holds a list of weights per row, packed: most numbers are small. The zero table has no rows. A copy does
// not change while rows are added to the original.
type WeightTable struct {
	start []uint32 // of rows in data, one more than rows; nil if there are no rows
	data  []byte   // per weight: metric and kind of number as one varint, then its bits as another
}

// Kinds of numbers in the low bits of a tag.
const (
	bitsUnsigned = iota
	bitsSigned
	bitsFloat
	tagShift = 2
)

// MaxMetrics is the most metrics that a profile can have.
const MaxMetrics = 1 << (16 - tagShift)

// maxWeights is the maximum length of data.
const maxWeights = 1<<32 - 1

// Grow reserves capacity for rows with weights in total, so that adding them copies nothing. It over-allocates by
// factor, so that this is rare.
func (w *WeightTable) Grow(rows, weights int, factor float64) {
	const most = 3 + binary.MaxVarintLen64
	w.start, w.data = Grow(w.start, rows+1, factor), Grow(w.data, most*weights, factor)
}

// Grow returns s with capacity for n more elements; where s must move, over-allocated by factor. Unlike [slices.Grow]
// it leaves the new memory untouched, so that unused parts take no physical memory.
func Grow[T any](s []T, n int, factor float64) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	out := make([]T, len(s), max(len(s)+n, int(float64(len(s))*factor)))
	copy(out, s)
	return out
}

// Add appends a weight to the row that [WeightTable.EndRow] will end. ok is false if the table is full.
func (w *WeightTable) Add(m MetricID, n Number) (ok bool) {
	if len(w.data) > maxWeights-2*binary.MaxVarintLen64 {
		return false
	}
	w.data = binary.AppendUvarint(w.data, uint64(m)<<tagShift|uint64(n.kind))
	w.data = binary.AppendUvarint(w.data, n.packed())
	return true
}

// EndRow ends a row.
func (w *WeightTable) EndRow() {
	if len(w.start) == 0 {
		w.start = append(w.start, 0)
	}
	w.start = append(w.start, uint32(len(w.data)))
}

// Rows returns the number of rows.
func (w *WeightTable) Rows() int { return max(len(w.start)-1, 0) }

// next takes the first weight off data.
func next(data []byte) (m MetricID, n Number, rest []byte) {
	tag, k := binary.Uvarint(data)
	data = data[k:]
	bits, k := binary.Uvarint(data)
	n = Number{bits, uint8(tag & (1<<tagShift - 1))}
	return MetricID(tag >> tagShift), n.unpacked(), data[k:]
}

// All yields the weights of a row in the file's order.
func (w *WeightTable) All(row int) func(yield func(MetricID, Number) bool) {
	return func(yield func(MetricID, Number) bool) {
		for data := w.data[w.start[row]:w.start[row+1]]; len(data) > 0; {
			var m MetricID
			var n Number
			if m, n, data = next(data); !yield(m, n) {
				return
			}
		}
	}
}

// Get returns a row's weight of a metric, the first one if it has several. ok is false if it has none.
func (w *WeightTable) Get(row int, m MetricID) (n Number, ok bool) {
	for data := w.data[w.start[row]:w.start[row+1]]; len(data) > 0; {
		var at MetricID
		if at, n, data = next(data); at == m {
			return n, true
		}
	}
	return Number{}, false
}
