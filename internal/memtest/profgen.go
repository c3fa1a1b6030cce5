package memtest

import (
	"bufio"
	"io"
	"math/rand/v2"
	"strconv"
)

// ProfileSize is the size of a generated SPAA profile.
type ProfileSize struct{ Frames, Stacks, Samples int }

// ProfileOf returns the size for about as many megabytes of records as a profiler writes that keeps its samples: per
// 500 of them 60,000 frames, 300,000 stacks and 2.31 million samples.
func ProfileOf(megabytes int) ProfileSize {
	return ProfileSize{Frames: 120 * megabytes, Stacks: 600 * megabytes, Samples: 4620 * megabytes}
}

// WriteProfile writes a SPAA profile, the same bytes for the same size. Stacks are paths in a call tree of about four
// new nodes for each, 20 to 60 frames deep, in random order; samples are in order of time, of stacks in random order.
func WriteProfile(w io.Writer, size ProfileSize) error {
	g := &profileGen{out: bufio.NewWriterSize(w, 1<<20), rng: rand.New(rand.NewPCG(1, 2)), size: size}
	g.text(profileHeader)
	g.frames()
	g.samples(g.stacks())
	return g.out.Flush()
}

const profileHeader = `{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","events":[{"name":"cycles","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}}],"time_range":{"start":100.0,"end":104.0,"unit":"seconds"},"source":{"tool":"perf","command":"perf record -g"},"stack_id_mode":"local"}
{"type":"dso","id":1,"name":"/usr/bin/app","build_id":"abcd1234","is_kernel":false}
`

// profileGen writes through a buffer, whose Flush returns errors.
type profileGen struct {
	out  *bufio.Writer
	rng  *rand.Rand
	size ProfileSize
	num  []byte
}

func (g *profileGen) text(s string) { _, _ = g.out.WriteString(s) }

func (g *profileGen) int(n int) {
	g.num = strconv.AppendInt(g.num[:0], int64(n), 10)
	_, _ = g.out.Write(g.num)
}

// hex writes n with leading zeros.
func (g *profileGen) hex(n uint64, digits int) {
	for i := digits - 1; i >= 0; i-- {
		_ = g.out.WriteByte("0123456789abcdef"[n>>(4*i)&15])
	}
}

func (g *profileGen) frames() {
	for i := range g.size.Frames {
		g.text(`{"type":"frame","id":`)
		g.int(i + 1)
		g.text(`,"func":"module::part`)
		g.int(i % 97)
		g.text(`::function_`)
		g.int(i)
		g.text(`","func_resolved":true,"dso":1,"ip":"0x`)
		g.hex(uint64(0x400000+16*i), 8)
		g.text(`","srcline":"src/part`)
		g.int(i % 97)
		g.text(`.rs:`)
		g.int(1 + i%1000)
		g.text(`","inlined":false,"kind":"user"}` + "\n")
	}
}

// callNode is a call in the tree that stacks are paths of.
type callNode struct{ parent, frame, depth int32 }

// stacks writes them and returns their ids.
func (g *profileGen) stacks() []uint64 {
	nodes := []callNode{{parent: -1, frame: 1}}
	call := func(parent int32) int32 {
		nodes = append(nodes, callNode{parent, int32(1 + g.rng.IntN(g.size.Frames)), nodes[parent].depth + 1})
		return int32(len(nodes) - 1)
	}
	ids, leaves := make([]uint64, g.size.Stacks), make([]int32, g.size.Stacks)
	for i := range ids {
		at := int32(0)
		if i > 0 {
			at = leaves[g.rng.IntN(i)]
		}
		for range 2 + g.rng.IntN(8) {
			at = max(nodes[at].parent, 0)
		}
		for n := g.rng.IntN(7); n >= 0 && nodes[at].depth < 60 || nodes[at].depth < 20; n-- {
			at = call(at)
		}
		ids[i], leaves[i] = g.rng.Uint64(), at
		g.stack(ids[i], nodes, at, i)
	}
	return ids
}

func (g *profileGen) stack(id uint64, nodes []callNode, leaf int32, i int) {
	g.text(`{"type":"stack","id":"0x`)
	g.hex(id, 16)
	g.text(`","frames":[`)
	for at := leaf; at >= 0; at = nodes[at].parent {
		if at != leaf {
			g.text(",")
		}
		g.int(int(nodes[at].frame))
	}
	g.text(`],"stack_type":"unified","context":{"event":"cycles","pid":42,"tid":`)
	g.int(42 + i%8)
	g.text(`},"weights":[{"metric":"samples","value":`)
	g.int(i % 100)
	g.text(`},{"metric":"period","value":`)
	g.int(1000 * i)
	g.text(`}],"exclusive":{"frame":`)
	g.int(int(nodes[leaf].frame))
	g.text(`,"weights":[{"metric":"samples","value":1},{"metric":"period","value":`)
	g.int(10 * i)
	g.text("}]}}\n")
}

func (g *profileGen) samples(ids []uint64) {
	for i := range g.size.Samples {
		g.text(`{"type":"sample","timestamp":10`)
		g.int(i / 1_000_000)
		g.text(`.`)
		for p, n := 100_000, i%1_000_000; p > 0; p /= 10 {
			g.int(n / p % 10)
		}
		g.text(`,"pid":42,"tid":`)
		g.int(42 + g.rng.IntN(8))
		g.text(`,"cpu":`)
		g.int(g.rng.IntN(16))
		g.text(`,"event":"cycles","period":`)
		g.int(1_000_000 + g.rng.IntN(1000))
		g.text(`,"stack_id":"0x`)
		g.hex(ids[g.rng.IntN(len(ids))], 16)
		g.text("\",\"context\":{}}\n")
	}
}
