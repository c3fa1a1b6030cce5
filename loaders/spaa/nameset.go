package spaa

import (
	"hash/maphash"
	"strings"
)

// nameSet numbers names in a list that belongs to the model. Their bytes are allocated together, which is far cheaper.
type nameSet struct {
	seed maphash.Seed
	at   index
	room strings.Builder
}

// nameRoom is how many bytes of names are allocated together.
const nameRoom = 64 << 10

// number finds a name in list, or adds it.
func (s *nameSet) number(list *[]string, name []byte) uint32 {
	h := maphash.Bytes(s.seed, name)
	for x := s.at.seek(h); ; {
		n, ok := x.next()
		if !ok {
			break
		}
		if (*list)[n] == string(name) {
			return n
		}
	}
	if s.at.full(1) {
		s.at.clear(2 * len(*list))
		for n, name := range *list {
			s.at.put(maphash.String(s.seed, name), uint32(n))
		}
	}
	n := uint32(len(*list))
	*list = append(*list, s.keep(name))
	s.at.put(h, n)
	return n
}

// keep returns a copy of a name.
func (s *nameSet) keep(name []byte) string {
	if len(name) > nameRoom/16 {
		return string(name)
	}
	if s.room.Cap()-s.room.Len() < len(name) {
		s.room = strings.Builder{}
		s.room.Grow(nameRoom)
	}
	from := s.room.Len()
	s.room.Write(name)
	return s.room.String()[from:]
}
