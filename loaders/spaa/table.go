package spaa

// table maps numbers to numbers, faster and smaller than a map. The zero table is empty.
type table struct {
	keys   []uint64
	values []uint32 // 0 is a free slot; others are one more than the value
	count  int
}

func (t *table) slot(key uint64) int {
	mask := len(t.keys) - 1
	i := int((key*0x9e3779b97f4a7c15)>>32) & mask
	for t.values[i] != 0 && t.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

// get returns the value of key.
func (t *table) get(key uint64) (value uint32, ok bool) {
	if t.count == 0 {
		return 0, false
	}
	v := t.values[t.slot(key)]
	return v - 1, v != 0
}

// put sets the value of key, which must be below 2^32-1.
func (t *table) put(key uint64, value uint32) {
	if 4*(t.count+1) > 3*len(t.keys) {
		t.grow()
	}
	i := t.slot(key)
	if t.values[i] == 0 {
		t.count++
	}
	t.keys[i], t.values[i] = key, value+1
}

func (t *table) grow() {
	old := *t
	n := max(2*len(old.keys), 64)
	t.keys, t.values = make([]uint64, n), make([]uint32, n)
	for i, v := range old.values {
		if v != 0 {
			k := t.slot(old.keys[i])
			t.keys[k], t.values[k] = old.keys[i], v
		}
	}
}
