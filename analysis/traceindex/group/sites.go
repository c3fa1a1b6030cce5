package group

// SiteTable numbers pairs of stack and thread in the order of first use.
type SiteTable struct {
	Keys  []SiteKey
	First []uint32           // by stack id, if that is small: number + 1 of its first pair
	rest  map[SiteKey]uint32 // all others
	// Set in the index only: dense indexes by pair.
	Stack  []uint32
	Thread []uint32
}

// SiteKey is a stack as numbered by the file, and a thread.
type SiteKey struct {
	ID     uint64
	Thread uint16
}

const smallID = 1 << 20

// Of returns the number of a pair; fresh reports that it is new.
func (t *SiteTable) Of(k SiteKey) (site uint32, fresh bool) {
	if k.ID < smallID {
		if k.ID >= uint64(len(t.First)) {
			t.First = append(t.First, make([]uint32, int(k.ID)+1024-len(t.First))...)
		}
		s := t.First[k.ID]
		if s != 0 && t.Keys[s-1].Thread == k.Thread {
			return s - 1, false
		}
		if s == 0 {
			t.Keys = append(t.Keys, k)
			t.First[k.ID] = uint32(len(t.Keys))
			return uint32(len(t.Keys) - 1), true
		}
	}
	if s, ok := t.rest[k]; ok {
		return s, false
	}
	if t.rest == nil {
		t.rest = map[SiteKey]uint32{}
	}
	s := uint32(len(t.Keys))
	t.rest[k] = s
	t.Keys = append(t.Keys, k)
	return s, true
}

// Find returns the number of a pair; ok is false if it has none.
func (t *SiteTable) Find(k SiteKey) (site uint32, ok bool) {
	if k.ID < uint64(len(t.First)) {
		if s := t.First[k.ID]; s != 0 && t.Keys[s-1].Thread == k.Thread {
			return s - 1, true
		}
	}
	site, ok = t.rest[k]
	return site, ok
}

// Reset clears the table.
func (t *SiteTable) Reset() {
	for _, k := range t.Keys {
		if k.ID < smallID {
			t.First[k.ID] = 0
		}
	}
	clear(t.rest)
	t.Keys = t.Keys[:0]
}

// FindSites builds the lookup table, which files do not store.
func (t *SiteTable) FindSites() {
	for i, k := range t.Keys {
		if k.ID < uint64(len(t.First)) && t.First[k.ID] == uint32(i)+1 {
			continue
		}
		if t.rest == nil {
			t.rest = map[SiteKey]uint32{}
		}
		t.rest[k] = uint32(i)
	}
}
