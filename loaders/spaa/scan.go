package spaa

import "github.com/memtui/memtui/loaders/internal/json"

// field is one member of a record: which one, and its value as written.
type field struct {
	key   key
	value []byte
}

// lineScanner takes lines apart. It is one goroutine's own.
type lineScanner struct{ fields []field }

// scan takes a line apart into s.fields, which are good until the next call. ok is false when it is not an object.
func (s *lineScanner) scan(line []byte) (ok bool) {
	s.fields = s.fields[:0]
	m := json.Members(line)
	for name, value, ok := m.Member(); ok; name, value, ok = m.Member() {
		s.fields = append(s.fields, field{keyOf(name), value})
	}
	return !m.Bad && json.Blank(m.Rest(), 0) == len(m.Rest())
}
