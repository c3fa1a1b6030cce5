package mvmheap

import (
	"bytes"
	"context"
	"fmt"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

const maxJSON = 64 << 10 // of metadata; real ones have 200 bytes

// fileMeta is the metadata of a file. Absent numbers are nil.
type fileMeta struct {
	Start  *int64 // microseconds of a clock of which only differences are meaningful
	PID    *int64
	Scores struct {
		Count int64
		Order []string
	}
}

// read reads one member.
func (m *fileMeta) read(r *metaReader, name string) {
	switch name {
	case "start_time":
		m.Start = r.number(name)
	case "pid":
		m.PID = r.number(name)
	case "highscore_structure":
		r.object(name, func(r *metaReader, name string) {
			switch name {
			case "entry_count":
				if n := r.number(name); n != nil {
					m.Scores.Count = *n
				}
			case "data_order":
				m.Scores.Order = r.texts(name)
			default:
				r.c.Value()
			}
		})
	default:
		r.c.Value()
	}
}

// snapMeta is the metadata of a snapshot. Absent numbers are nil.
type snapMeta struct {
	Time, GC, Bytes, Objects, TypeObjects, STables, Frames, References *int64
}

// read reads one member.
func (m *snapMeta) read(r *metaReader, name string) {
	to := map[string]**int64{
		"snap_time": &m.Time, "gc_seq_num": &m.GC, "total_heap_size": &m.Bytes, "total_objects": &m.Objects,
		"total_typeobjects": &m.TypeObjects, "total_stables": &m.STables, "total_frames": &m.Frames, "total_refs": &m.References,
	}[name]
	if to == nil {
		r.c.Value()
		return
	}
	*to = r.number(name)
}

// metaReader reads metadata. Values of a wrong type are left out, and reported.
type metaReader struct {
	c   *json.Cursor
	err error // the first
}

func (r *metaReader) wrong(name, want string) {
	if r.err == nil {
		offset, _ := r.c.At()
		r.err = fmt.Errorf("%q is not %s, at byte %d of it", model.Clean(name), want, offset)
	}
}

// number reads an integer; nil if it is not one.
func (r *metaReader) number(name string) *int64 {
	k := r.c.Value()
	n, ok := json.Int(r.c.Text())
	switch {
	case k == json.Number && ok:
		return &n
	case k != json.Null && k != json.End:
		r.wrong(name, "an integer")
	}
	return nil
}

// object reads the members of an object.
func (r *metaReader) object(name string, member func(r *metaReader, name string)) {
	if k := r.c.Peek(); k != '{' {
		if k = r.c.Value(); k != json.Null && k != json.End {
			r.wrong(name, "an object")
		}
		return
	}
	r.c.Next()
	for first := true; ; {
		name, ok := r.c.Member(&first)
		if !ok {
			return
		}
		member(r, string(name))
	}
}

// texts reads an array of strings.
func (r *metaReader) texts(name string) (list []string) {
	if k := r.c.Peek(); k != '[' {
		if k = r.c.Value(); k != json.Null && k != json.End {
			r.wrong(name, "an array")
		}
		return nil
	}
	r.c.Next()
	for first := true; r.c.Element(&first); {
		if k := r.c.Value(); k == json.String {
			list = append(list, string(r.c.Text()))
		} else if k != json.End {
			r.wrong(name, "an array of texts")
		}
	}
	return list
}

// readMembers reads an object that is all of b.
func readMembers(b []byte, member func(r *metaReader, name string)) error {
	r := &metaReader{c: json.NewBytes(context.Background(), b)}
	r.c.OnFault = func(f json.Fault) bool {
		if r.err == nil {
			r.err = fmt.Errorf("it is not valid JSON at byte %d of it", f.Byte)
		}
		return false
	}
	if r.object("metadata", member); r.err == nil && r.c.More() {
		r.err = fmt.Errorf("something follows it at byte %d of it", r.c.Offset())
	}
	return r.err
}

// readJSON reads the JSON of block s, an object, member by member.
func (w *window) readJSON(s span, member func(r *metaReader, name string)) error {
	head := w.peek(s.start, tocHeader)
	if len(head) < tocHeader {
		return w.cut()
	}
	size := s.end - s.start - tocHeader
	if size > maxJSON {
		return &damage{tooLarge, fmt.Sprintf("%s bytes of metadata are more than the limit of %s, which cannot be raised", model.Group(uint64(size)), model.Group(maxJSON))}
	}
	b := w.peek(s.start+tocHeader, int(size))
	if int64(len(b)) < size {
		return w.cut()
	}
	b, _, _ = bytes.Cut(b, []byte{0})
	return readMembers(b, member)
}

// count returns the value of an optional number, NoCount for an absent or negative one.
func count(n *int64) int64 {
	if n == nil || *n < 0 {
		return model.NoCount
	}
	return *n
}

// info returns what metadata states about a snapshot.
func (m *snapMeta) info(start *int64) model.HeapInfo {
	h := model.NoHeapInfo()
	h.GC, h.References, h.Bytes = count(m.GC), count(m.References), count(m.Bytes)
	h.Counts = []int64{setObjects: count(m.Objects), setTypeObjects: count(m.TypeObjects),
		setSTables: count(m.STables), setFrames: count(m.Frames)}
	if m.Time != nil && start != nil && *m.Time >= *start && *start >= 0 {
		h.Time = model.Time(*m.Time - *start)
	}
	return h
}
