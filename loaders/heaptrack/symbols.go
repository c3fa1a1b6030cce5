package heaptrack

import (
	"context"
	"sort"

	"github.com/memtui/memtui/model"
)

// symbols finds names for the addresses of raw files.
type symbols struct {
	frameOf map[symbolKey]span // of builder.flat
	images  map[uint32]image   // by how many module lines come before
	unnamed int64              // addresses without a name
}

// symbolKey is an address under the modules that are there.
type symbolKey struct {
	ip    uint64
	image uint32
}

// image is the modules at one time.
type image []mapping

// mapping is a mapped part of a module.
type mapping struct {
	from, to uint64
	module   uint32 // index of tables.modules
}

// imageAt returns the modules that the first n module lines leave.
func (b *builder) imageAt(n uint32) image {
	y := &b.symbols
	if y.images == nil {
		y.images, y.frameOf = map[uint32]image{}, map[symbolKey]span{}
	}
	if m, ok := y.images[n]; ok {
		return m
	}
	var m image
	first := n
	for first > 0 && b.taken.modules[first-1].path != "" {
		first--
	}
	for i := first; i < n; i++ {
		of := &b.taken.modules[i]
		for _, p := range of.parts {
			m = append(m, mapping{of.base + p.offset, of.base + p.offset + p.size, i})
		}
	}
	sort.SliceStable(m, func(i, j int) bool { return m[i].from < m[j].from })
	y.images[n] = m
	return m
}

// find returns the module that an address is in.
func (m image) find(ip uint64) (module uint32, ok bool) {
	i := sort.Search(len(m), func(i int) bool { return m[i].from > ip })
	if i == 0 || ip >= m[i-1].to {
		return 0, false
	}
	return m[i-1].module, true
}

// frames returns the frames of an address, outermost first.
func (y *symbols) frames(_ context.Context, b *builder, ip uint64, n uint32) []model.FrameID {
	m := b.imageAt(n)
	k := symbolKey{ip, n}
	of, ok := y.frameOf[k]
	if !ok {
		of.from = uint32(len(b.flat))
		name, file := unnamed(ip, ""), model.FileID(0)
		if i, ok := m.find(ip); ok {
			in := &b.taken.modules[i]
			name, file = unnamed(ip-in.base, in.path), b.files.id(in.path)
		}
		y.unnamed++
		b.flat = append(b.flat, b.frame(frame{b.funcs.id(name), file, model.NoLine}))
		of.to = uint32(len(b.flat))
		y.frameOf[k] = of
	}
	return b.flat[of.from:of.to]
}
