package spaa

import (
	"hash/maphash"

	"github.com/memtui/memtui/model"
)

// stackIDs finds records by the ids in the file. Records of one id are chained in the file's order.
type stackIDs struct {
	rec  *model.StackRecords
	seed maphash.Seed
	salt uint64
	ids  index // the first record of each id
	next map[model.RecordID]model.RecordID
	seen uint64
}

func (t *stackIDs) init(rec *model.StackRecords) {
	t.rec, t.seed, t.next = rec, maphash.MakeSeed(), map[model.RecordID]model.RecordID{}
	t.salt = maphash.Bytes(t.seed, nil)
}

func (t *stackIDs) hash(id identifier) uint64 {
	if id.kind == model.IDText {
		return maphash.Bytes(t.seed, id.text)
	}
	return t.hashNumber(id.value, id.kind)
}

func (t *stackIDs) hashNumber(value uint64, kind model.IDKind) uint64 {
	return mix(value, t.salt+uint64(kind))
}

// fetch prefetches the memory that adding stacks will read.
func (t *stackIDs) fetch(stacks []stackRecord) {
	for i := range stacks {
		if id := &stacks[i].id; !t.ids.empty() && id.kind != model.IDText {
			t.seen += t.ids.at(uint32(t.hashNumber(id.value, id.kind)))
		}
	}
}

// of returns the id of a record.
func (t *stackIDs) of(r model.RecordID) identifier {
	id := identifier{value: t.rec.ID[r], kind: t.rec.IDKind[r]}
	if id.kind == model.IDText {
		id.text = []byte(t.rec.Texts[id.value])
	}
	return id
}

// first returns the first record of an id.
func (t *stackIDs) first(id identifier) (model.RecordID, bool) {
	if id.kind == model.IDNone {
		return model.NoRecord, false
	}
	s := t.ids.seek(t.hash(id))
	for n, ok := s.next(); ok; n, ok = s.next() {
		r := model.RecordID(n)
		if t.rec.IDKind[r] != id.kind {
			continue
		}
		if id.kind != model.IDText && t.rec.ID[r] == id.value || id.kind == model.IDText && t.rec.Texts[t.rec.ID[r]] == string(id.text) {
			return r, true
		}
	}
	return model.NoRecord, false
}

// find returns the record of an id under an event, or else the first of that id.
func (t *stackIDs) find(id identifier, event uint16) (model.RecordID, bool) {
	first, ok := t.first(id)
	events := t.rec.Event
	if !ok || len(t.next) == 0 || events[first] == event {
		return first, ok
	}
	for r, more := t.next[first]; more; r, more = t.next[r] {
		if events[r] == event {
			return r, true
		}
	}
	return first, true
}

// look stores the record of each sample in out if that is simple, otherwise NoRecord. It accesses distant memory, and
// so does one step for many samples, which the processor overlaps, before the next step. This is a hot kernel.
func (t *stackIDs) look(samples []sampleRecord, out []model.RecordID) {
	if len(t.next) > 0 || t.ids.empty() {
		for i := range out {
			out[i] = model.NoRecord
		}
		return
	}
	x := t.ids
	for i := range samples {
		hash := t.hashNumber(samples[i].id, samples[i].kind)
		n := uint32(hash)
		c := x.at(n)
		for c>>32 != hash>>32 && uint32(c) != 0 {
			n++
			c = x.at(n)
		}
		out[i] = model.RecordID(uint32(c) - 1)
	}
	ids, kinds := t.rec.ID, t.rec.IDKind
	for i, r := range out {
		if s := &samples[i]; int(r) >= len(ids) || ids[r] != s.id || kinds[r] != s.kind || s.kind == model.IDText {
			out[i] = model.NoRecord
		}
	}
}

// maxChain is how many records of one id are distinguished; no writer has more.
const maxChain = 64

// add adds a record under its id, whose first record is first, or NoRecord.
func (t *stackIDs) add(id identifier, r, first model.RecordID) {
	if first == model.NoRecord {
		if id.kind != model.IDNone {
			t.put(id, r)
		}
		return
	}
	for range maxChain {
		n, more := t.next[first]
		if !more {
			t.next[first] = r
			return
		}
		first = n
	}
}

func (t *stackIDs) put(id identifier, r model.RecordID) {
	if t.ids.full(1) {
		t.ids.clear(2 * t.ids.count)
		for old := range r {
			if id := t.of(old); id.kind != model.IDNone {
				if _, known := t.first(id); len(t.next) == 0 || !known {
					t.ids.put(t.hash(id), uint32(old))
				}
			}
		}
	}
	t.ids.put(t.hash(id), uint32(r))
}
