package object

import "github.com/memtui/memtui/model"

// Amount is an exact sum.
type Amount struct{ model.Amount }

// AppendJSON implements [Appender].
func (a Amount) AppendJSON(dst []byte) []byte { return append(dst, a.String()...) }

// Cell returns the sum as a cell of CSV.
func (a Amount) Cell() string { return a.String() }

// Unscaled returns a weight that was multiplied by a factor.
func Unscaled(n uint64, scale float64) (a Amount) {
	if scale == 1 {
		a.Add(model.Unsigned(n))
	} else {
		a.Add(model.Float(float64(n) / scale))
	}
	return a
}

// RecordName is the id of a record as a file writes it: a string or a number. The zero value is that of a record without one.
type RecordName struct {
	Text   string
	Number bool
	Known  bool // the file has an id
}

// AppendJSON implements [Appender].
func (n RecordName) AppendJSON(dst []byte) []byte {
	if n.Number {
		return append(dst, n.Text...)
	}
	return Quote(dst, n.Text)
}

// Cell returns the id as a cell of CSV.
func (n RecordName) Cell() string { return model.Clean(n.Text) }
