package spaa

import "github.com/memtui/memtui/loaders/internal/json"

// field is a member of a record, with its value as written.
type field struct {
	key   key
	value []byte
}

// lineScanner splits lines into members. Only one goroutine may use it.
type lineScanner struct{ fields []field }

// scan splits a line into s.fields, which are valid until the next call. ok is false if the line is not an object.
func (s *lineScanner) scan(line []byte) (ok bool) {
	s.fields = s.fields[:0]
	m := json.Members(line)
	for name, value, ok := m.Member(); ok; name, value, ok = m.Member() {
		s.fields = append(s.fields, field{keyOf(name), value})
	}
	return !m.Bad && json.Blank(m.Rest(), 0) == len(m.Rest())
}
