package spaa

// table maps numbers to numbers, faster and smaller than a map. The zero table is empty.
type table struct {
	slots []slot // their number is a power of two
	count int
}

// slot holds key and value side by side, so that a lookup misses the cache once.
type slot struct {
	key   uint64
	value uint32 // 0 is a free slot; others are one more than the value
}

// at is the slot of key: where it is, or where it would be put.
func (t *table) at(key uint64) *slot {
	mask := uint64(len(t.slots) - 1)
	for i := (key * 0x9e3779b97f4a7c15) >> 32 & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.value == 0 || s.key == key {
			return s
		}
	}
}

// get returns the value of key.
func (t *table) get(key uint64) (value uint32, ok bool) {
	if t.count == 0 {
		return 0, false
	}
	s := t.at(key)
	return s.value - 1, s.value != 0
}

// put sets the value of key, which must be below 2^32-1.
func (t *table) put(key uint64, value uint32) {
	if 4*(t.count+1) > 3*len(t.slots) {
		t.grow()
	}
	s := t.at(key)
	if s.value == 0 {
		t.count++
	}
	*s = slot{key, value + 1}
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, max(2*len(old), 64))
	for _, s := range old {
		if s.value != 0 {
			*t.at(s.key) = s
		}
	}
}
