package memtest

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// HeapSpec describes a made-up file of heap snapshots. The same spec always gives the same bytes.
type HeapSpec struct {
	Rows       int // of the first snapshot, at least 20: the first 11 are roots as for a program with two threads
	References int // of the first snapshot; never fewer than Rows-1, which make every row reachable
	Snapshots  int // 0 means 1; each has a tenth more rows and references than the first, one type and one frame more
	Seed       uint64
	// Spread is the maximum distance of rows that refer to each other, 0 for any. Real heaps have locality: 1000 is
	// good for caches, 0 the worst case. 1 makes one long chain.
	Spread int
}

// heapGraph is one snapshot.
type heapGraph struct {
	kinds  []uint8
	size   []uint16
	extra  []uint64
	entity []uint32
	first  []uint32 // position of a row's references in the file: not in the order of rows
	count  []uint32
	descr  []uint64 // by position in the file: kind in two bits, value above
	target []uint32
}

// heapNames are the tables up to one snapshot.
type heapNames struct {
	strings []string
	types   [][2]uint32 // repr, name
	frames  [][4]uint32 // name, cuid, line, file
}

// Fixed numbers of strings.
const (
	strSTable = 2
	strRoots  = 4 // the descriptions of row 0's references
	strRepr   = 14
	strMore   = 17
	baseTypes = 50
	baseFrame = 20
)

func namesOf(snapshot int) *heapNames {
	n := &heapNames{strings: []string{"", "<null>", "<STable>", "<SC>", "Permanent Roots", "VM Instance Roots"}}
	for range 2 {
		n.strings = append(n.strings, "C Stack Roots", "Thread Roots", "Inter-generational Roots", "Thread Call Stack Roots")
	}
	n.strings = append(n.strings, "P6opaque", "VMArray", "VMHash") // real files have no duplicate strings: harmless
	for i := range uint32(baseTypes + snapshot) {
		n.types = append(n.types, [2]uint32{strRepr + i%3, uint32(len(n.strings))})
		n.strings = append(n.strings, fmt.Sprintf("Type::Number%d", i))
		if i < uint32(baseFrame) || i >= baseTypes {
			at := uint32(len(n.strings))
			n.frames = append(n.frames, [4]uint32{at, at + 1, 10 * i, at + 2})
			n.strings = append(n.strings, fmt.Sprintf("sub-%d", i), fmt.Sprintf("cuid_%d", i), fmt.Sprintf("lib/File%d.rakumod", i))
		}
	}
	n.frames[3][0] = 0 // an anonymous block
	return n
}

// mix returns a hash of a number.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// graphOf returns one snapshot.
func graphOf(s HeapSpec, snapshot int) *heapGraph {
	n := max(20, s.Rows+s.Rows/10*snapshot)
	edges := max(n-1, s.References+s.References/10*snapshot)
	seed := mix(s.Seed + uint64(snapshot)<<32)
	g := &heapGraph{
		kinds: make([]uint8, n), size: make([]uint16, n), extra: make([]uint64, n), entity: make([]uint32, n),
		first: make([]uint32, n), count: make([]uint32, n), descr: make([]uint64, edges), target: make([]uint32, edges),
	}
	for r := range n {
		g.row(r, mix(seed^uint64(r)), snapshot)
	}
	for e := range edges {
		source, _ := s.edge(e, n, seed)
		g.count[source]++
	}
	g.place()
	used := make([]uint32, n)
	for e := range edges {
		source, target := s.edge(e, n, seed)
		at := g.first[source] + used[source]
		g.target[at] = uint32(target)
		g.descr[at] = describe(source, uint64(used[source]), mix(seed+uint64(at)<<20))
		used[source]++
	}
	return g
}

// edge returns reference e: the first ones reach every row, the others are anywhere.
func (s HeapSpec) edge(e, rows int, seed uint64) (source, target int) {
	near := func(row, limit int, h uint64) int {
		low := 1
		if s.Spread > 0 {
			low = max(1, row-s.Spread)
		}
		return low + int(h%uint64(max(1, limit-low)))
	}
	switch h := mix(seed ^ uint64(e)*0x9e37); {
	case e < 10:
		return 0, e + 1
	case e < rows-1 && e < 19:
		return e - 9, e + 1
	case e < rows-1:
		return near(e+1, e+1, h), e + 1
	default:
		source, limit := 1+int(h%uint64(rows-1)), rows
		if s.Spread > 0 {
			limit = min(rows, source+s.Spread+1)
		}
		return source, near(source, limit, mix(h))
	}
}

// row makes up a row; h is its hash.
func (g *heapGraph) row(r int, h uint64, snapshot int) {
	if r < 11 {
		g.kinds[r] = [11]uint8{9, 5, 6, 7, 8, 10, 11, 7, 8, 10, 11}[r]
		return
	}
	skewed := uint32(h>>8%(baseTypes+uint64(snapshot))) * uint32(h>>40%100) / 100
	switch p := h % 100; {
	case r == 11 || p < 95:
		g.kinds[r], g.size[r], g.entity[r] = 1, uint16(16+8*(h>>16%12)), skewed
		if h>>20%4 == 0 {
			g.extra[r] = h >> 24 % 4096
		}
	case p < 96:
		g.kinds[r], g.size[r], g.entity[r] = 2, 24, skewed
	case p < 97:
		g.kinds[r], g.size[r], g.entity[r] = 3, 168, skewed
	default:
		g.kinds[r], g.size[r], g.extra[r] = 4, 168, 16
		g.entity[r] = uint32(h >> 8 % (baseFrame + uint64(snapshot)))
	}
	if r == 11 {
		g.extra[r] = 5_000_000_000 // does not fit 32 bits
	}
}

// place sets the positions of rows, the last row of eight first.
func (g *heapGraph) place() {
	at := uint32(0)
	for low := 0; low < len(g.count); low += 8 {
		for r := min(low+8, len(g.count)) - 1; r >= low; r-- {
			g.first[r] = at
			at += g.count[r]
		}
	}
}

// describe makes up the description of the j-th reference of a row.
func describe(row int, j, h uint64) uint64 {
	switch {
	case row == 0:
		return (strRoots+j)<<2 | 2
	case row == 11 && j == 1:
		return 1<<33<<2 | 1 // an index that does not fit 30 bits
	case row > 10 && j == 0:
		return strSTable<<2 | 2
	case row <= 10 || h%4 == 0:
		return j<<2 | 1
	case h%4 == 1:
		return (strMore+h>>8%40)<<2 | 2
	}
	return 0
}

// board returns the 40 highest types or frames of one kind of row: ids, then scores, padded with junk.
func (g *heapGraph) board(kind uint8, tables int, bySize bool) (ids, scores []uint64) {
	sum := make([]uint64, tables)
	for r, k := range g.kinds {
		switch {
		case k != kind:
		case bySize:
			sum[g.entity[r]] += uint64(g.size[r]) + g.extra[r]
		default:
			sum[g.entity[r]]++
		}
	}
	order := make([]uint64, tables)
	for i := range order {
		order[i] = uint64(i)
	}
	slices.SortFunc(order, func(a, b uint64) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b)) })
	for i := range 40 {
		if i < tables {
			ids, scores = append(ids, order[i]), append(scores, sum[order[i]])
		} else {
			ids, scores = append(ids, 1<<40+uint64(i)), append(scores, 0)
		}
	}
	return ids, scores
}

// totals returns the totals in snapmeta.
func (g *heapGraph) totals() (rows [12]int, bytes uint64) {
	for r, k := range g.kinds {
		rows[k]++
		bytes += uint64(g.size[r]) + g.extra[r]
	}
	return rows, bytes
}

// Heap2 returns a file of version 2, as written by builds of the recorder without zstd, including its index and wrong
// counts.
func Heap2(s HeapSpec) []byte {
	le := binary.LittleEndian
	out := []byte("MoarHeapDumpv002")
	var index []byte
	before := &heapNames{}
	for i := range max(1, s.Snapshots) {
		g, names := graphOf(s, i), namesOf(i)
		start := len(out)
		out = le.AppendUint64(le.AppendUint64(append(out, "coll"...), uint64(len(g.kinds))), 28)
		for r, k := range g.kinds {
			out = le.AppendUint32(le.AppendUint16(out, uint16(k)), g.entity[r])
			out = le.AppendUint64(le.AppendUint16(out, g.size[r]), g.extra[r])
			first := uint64(g.first[r])
			if g.count[r] == 0 {
				first = 0
			}
			out = le.AppendUint32(le.AppendUint64(out, first), g.count[r])
		}
		middle := len(out)
		out = le.AppendUint64(le.AppendUint64(append(out, "refs"...), uint64(len(g.target))), 17)
		for e, target := range g.target {
			out = appendRef(out, byte(g.descr[e]&3), g.descr[e]>>2, uint64(target))
		}
		index = le.AppendUint64(index, uint64(middle-start))
		index = le.AppendUint64(index, uint64(len(out)-middle))
		index = append(index, make([]byte, 16)...)
		out = appendNames2(out, before, names)
		before = names
	}
	out = appendNames2(out, before, before)
	for _, n := range []uint64{12, 20, 20, uint64(max(1, s.Snapshots))} {
		index = le.AppendUint64(index, n)
	}
	return append(out, index...)
}

// appendRef writes a reference in the smallest form that fits.
func appendRef(out []byte, kind byte, value, target uint64) []byte {
	le := binary.LittleEndian
	switch top := max(value, target) + 1; {
	case top < 1<<8:
		return append(out, '0', kind, byte(value), byte(target))
	case top < 1<<16:
		return le.AppendUint16(le.AppendUint16(append(out, '1', kind), uint16(value)), uint16(target))
	case top < 1<<32:
		return le.AppendUint32(le.AppendUint32(append(out, '3', kind), uint32(value)), uint32(target))
	}
	return le.AppendUint64(le.AppendUint64(append(out, '6', kind), value), target)
}

// appendNames2 writes the names that after has in addition to before. High halves are garbage, as in real files.
func appendNames2(out []byte, before, after *heapNames) []byte {
	le := binary.LittleEndian
	const garbage = 0xdeadbeef << 32
	out = le.AppendUint64(append(out, "strs"...), uint64(len(before.strings)))
	for _, s := range after.strings[len(before.strings):] {
		out = append(le.AppendUint64(out, uint64(len(s))), s...)
	}
	more := after.types[len(before.types):]
	out = le.AppendUint64(le.AppendUint64(append(out, "type"...), uint64(len(more))), 16)
	for _, t := range more {
		out = le.AppendUint64(le.AppendUint64(out, garbage|uint64(t[0])), garbage|uint64(t[1]))
	}
	frames := after.frames[len(before.frames):]
	out = le.AppendUint64(le.AppendUint64(append(out, "fram"...), uint64(len(frames))), 32)
	for _, f := range frames {
		for _, x := range f {
			out = le.AppendUint64(out, garbage|uint64(x))
		}
	}
	return out
}
