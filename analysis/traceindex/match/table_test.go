package match

import (
	"math/rand/v2"
	"testing"
)

func TestAddressTableAgreesWithMap(t *testing.T) {
	layouts := map[string]func(r *rand.Rand) uint64{
		"dense":   func(r *rand.Rand) uint64 { return 0x5555_0000_0000 + r.Uint64N(1<<18)&^15 },
		"pairs":   func(r *rand.Rand) uint64 { return 0x7f00_0000_0000 + r.Uint64N(1<<14)*48 },
		"eight":   func(r *rand.Rand) uint64 { return 0x7fff_0000_0000 + r.Uint64N(1<<17)&^7 },
		"any":     func(r *rand.Rand) uint64 { return 1 + r.Uint64N(1<<14) },
		"mixed":   func(r *rand.Rand) uint64 { return 1 + (r.Uint64N(1<<17) &^ (15 >> (r.Uint64() & 7))) },
		"sparse":  func(r *rand.Rand) uint64 { return 1<<40 + r.Uint64N(1<<12)<<14 },
		"extreme": func(r *rand.Rand) uint64 { return 1 + r.Uint64N(1<<10)<<54 + r.Uint64N(8) },
	}
	for name, address := range layouts {
		r := rand.New(rand.NewPCG(7, 8))
		table, want := newAddressTable(int64(len(name))<<15), map[uint64]uint32{}
		for i := uint32(1); i < 200_000; i++ {
			a, v := address(r), i
			if i > 100_000 && i%1000 == 0 {
				v |= 1 << 31
			}
			table.touch([]uint64{a, address(r)})
			if r.IntN(2+int(i>>15&1)) == 0 { // fills, then empties
				if old := table.put(a, v); old != want[a] {
					t.Fatalf("%s: put over %d, want %d", name, old, want[a])
				}
				want[a] = v
				continue
			}
			if old := table.take(a); old != want[a] {
				t.Fatalf("%s: took %d, want %d", name, old, want[a])
			}
			delete(want, a)
		}
		for a, v := range want {
			if got := table.take(a); got != v {
				t.Fatalf("%s: %#x is %d, want %d", name, a, got, v)
			}
		}
		for hi, d := range table.dirs {
			for i := range d {
				if used := d[i].used; used != 0 {
					t.Fatalf("%s: page %#x.%x still has %d", name, hi, i, used)
				}
			}
		}
	}
}
