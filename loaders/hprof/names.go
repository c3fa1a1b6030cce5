package hprof

import (
	"cmp"
	"context"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// names are the positions of the file's names, which takes less memory than the names.
type names struct{ list []stringPlace }

type stringPlace struct {
	id     uint64
	at     int64
	length int64
}

func (s *names) add(id uint64, at, length int64) {
	s.list = append(s.list, stringPlace{id, at, length})
}

// sort prepares the names for lookups.
func (s *names) sort() {
	if !slices.IsSortedFunc(s.list, compareStrings) {
		slices.SortFunc(s.list, compareStrings)
	}
}

// compareStrings orders names by their ids, those of one id as in the file.
func compareStrings(a, b stringPlace) int {
	return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.at, b.at))
}

func (s *names) find(id uint64) (stringPlace, bool) {
	i, ok := slices.BinarySearchFunc(s.list, id, func(p stringPlace, id uint64) int { return cmp.Compare(p.id, id) })
	if !ok {
		return stringPlace{}, false
	}
	return s.list[i], true
}

func (s *names) has(id uint64) bool {
	_, ok := s.find(id)
	return ok
}

// name reads the name of an id; ok is false if the file has none. whole reports that it was not cut.
func (f *file) name(ctx context.Context, id uint64) (name string, whole, ok bool, err error) {
	p, ok := f.strings.find(id)
	if !ok {
		return "", true, false, nil
	}
	c := f.cursor(ctx)
	c.mem = make([]byte, 0)
	n := min(p.length, model.MaxName+8, f.size-p.at)
	b := make([]byte, max(n, 0))
	got, err := f.src.ReadAt(b, p.at)
	if got < len(b) && err != nil {
		return "", false, false, err
	}
	text := decodeName(b)
	return model.KeptName(text), p.length <= model.MaxName, true, nil
}

// decodeName decodes modified UTF-8: NUL in two bytes, and characters beyond 16 bits as two surrogates of three.
// Invalid text is returned unchanged.
func decodeName(b []byte) string {
	plain := true
	for _, x := range b {
		plain = plain && x != 0xC0 && x != 0xED
	}
	if plain {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch {
		case b[i] == 0xC0 && i+1 < len(b) && b[i+1] == 0x80:
			out = append(out, 0)
			i += 2
		case b[i] == 0xED && i+5 < len(b) && b[i+3] == 0xED:
			r := utf16.DecodeRune(surrogate(b[i:]), surrogate(b[i+3:]))
			if r == utf8.RuneError {
				out = append(out, b[i:i+3]...)
				i += 3
				continue
			}
			out = utf8.AppendRune(out, r)
			i += 6
		default:
			out = append(out, b[i])
			i++
		}
	}
	return string(out)
}

// surrogate returns the 16-bit unit of a character in three bytes.
func surrogate(b []byte) rune { return rune(b[0]&0xF)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F) }
