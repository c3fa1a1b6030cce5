package heaptext

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// comment reads a line of Go's text that begins with #: a frame of the last row, or a statistic of the runtime.
func (k *reader) comment(text []byte) bool {
	text = bytes.TrimSpace(text[1:])
	if addr, ok := address(firstField(text)); ok && k.listed {
		k.frame(addr, strings.TrimSpace(string(text[len(firstField(text)):])))
		return true
	}
	if key, value, ok := strings.Cut(string(text), "="); ok {
		k.memstat(strings.TrimSpace(key), strings.TrimSpace(value))
	}
	return true
}

func firstField(text []byte) []byte {
	if i := bytes.IndexAny(text, " \t"); i >= 0 {
		return text[:i]
	}
	return text
}

// frame reads "function+0xoffset file:line". Two of one address are a function and its caller that it was inlined into.
func (k *reader) frame(addr uint64, text string) {
	if len(k.named) == maxDepth {
		return
	}
	f := weighted.Frame{Line: model.NoLine}
	name, place, _ := strings.Cut(text, "\t")
	f.Function = name
	if i := strings.LastIndex(name, "+0x"); i > 0 {
		f.Function = name[:i]
	}
	f.File = strings.TrimSpace(place)
	if i := strings.LastIndexByte(f.File, ':'); i > 0 {
		if n, err := strconv.ParseInt(f.File[i+1:], 10, 64); err == nil && n > 0 {
			f.File, f.Line = f.File[:i], n
		}
	}
	k.named = append(k.named, k.Frame(f))
}

// nameLast ends the list of frames of the last row.
func (k *reader) nameLast() {
	if len(k.named) > 0 {
		k.rows[len(k.rows)-1].node = k.LeafStack(k.named)
	}
	k.named, k.listed = nil, false
}

// memstat keeps a statistic of Go's runtime that adds information to the profile.
func (k *reader) memstat(key, value string) {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return
	}
	switch key {
	case "LastGC":
		if n > 0 {
			k.Meta.Start, k.Meta.HasStart = uint64(n/1000), true
		}
	case "HeapAlloc":
		k.Count("heap_alloc", "Heap in use", n)
	case "HeapSys":
		k.Count("heap_sys", "Heap from the system", n)
	case "NumGC":
		k.Count("num_gc", "Collections", n)
	case "MaxRSS":
		k.Count("max_rss", "Largest resident size", n)
	}
}

// place is the key by which rows are added up.
type place struct {
	node   model.NodeID
	thread model.ThreadID
	labels model.LabelSetID
}

// build converts the rows to records.
func (k *reader) build() error {
	k.nameLast()
	if err := k.symbolize(); err != nil {
		return err
	}
	names := map[place]int{}
	var places []place
	var sums []row
	var err error
	for i := range k.rows {
		if i%256 == 255 && err == nil {
			err = k.Ask()
		}
		if err != nil {
			break
		}
		r := &k.rows[i]
		p := place{node: k.node(r)}
		if r.thread >= 0 {
			p.thread = k.Thread(-1, r.thread, k.threads[r.thread])
		}
		if r.size > 0 {
			p.labels = k.Labels([]model.Label{{Key: "bytes", Number: r.size, Unit: "bytes", Numeric: true}})
		}
		n, ok := names[p]
		if !ok {
			n = len(places)
			names[p] = n
			places, sums = append(places, p), append(sums, row{offset: r.offset})
		}
		sums[n].add(r.counts)
	}
	k.rows = nil
	k.records(places, sums)
	if k.hidden > 0 {
		k.Count("allocator_frames", "Frames of the allocator left out", k.hidden)
	}
	if n := len(k.in.maps); n > 0 {
		k.Count("mappings", "Mapped parts of files", int64(n))
	}
	return err
}

// symbolize looks up the functions at all addresses.
func (k *reader) symbolize() error {
	k.in.load(k.Opt.Symbols)
	for i := range k.rows {
		if k.rows[i].node != 0 {
			continue
		}
		for packed := k.rows[i].stack; len(packed) > 0; {
			addr, n := binary.Uvarint(packed)
			packed = packed[n:]
			k.in.want(addr)
		}
	}
	problems, err := k.in.table.Resolve(k.Ctx)
	for _, p := range problems {
		k.AddProblem(p)
	}
	return err
}

// metrics returns the meaning of the numbers of a row, by the kind of the file.
func (k *reader) metrics() (names [4]string) {
	names = [...]string{"live_bytes", "live_count", "alloc_bytes", "alloc_count"}
	switch {
	case k.kind == "growth":
		k.Say(model.Note, "growth", model.NoOffset, 0,
			"these are the stacks that made the heap grow, and by how much: how much of that is still live is unknown")
		names[0], names[1] = "", ""
	case !k.accum:
		names[2], names[3] = "", ""
	}
	return names
}

func (k *reader) records(places []place, sums []row) {
	var ids [4]model.MetricID
	names := k.metrics()
	primary := ""
	for i, name := range names {
		if name != "" {
			ids[i], _ = k.Metric(model.ProfileMetric{Name: name, Unit: [...]string{"bytes", "count"}[i%2]})
			if primary == "" {
				primary = name
			}
		}
	}
	main, _ := k.Metric(model.ProfileMetric{Name: primary})
	e := model.ProfileEvent{Name: "heap", Kind: "allocation", PrimaryName: primary, Primary: main, TracksFrees: k.kind != "growth"}
	if k.rate > 1 {
		e.SamplePeriod, e.PeriodUnit = k.rate, "bytes"
		e.Mode = "every " + model.Bytes(min(k.rate, 1<<62)).String()
	}
	event := k.Event(e)
	for i, p := range places {
		for m, n := range [...]int64{sums[i].bytes, sums[i].blocks, sums[i].allBytes, sums[i].allBlocks} {
			if names[m] != "" && !k.Weigh(ids[m], number(n)) {
				return
			}
		}
		k.Add(weighted.Record{Node: p.node, Event: event, Thread: p.thread, CPU: model.NoCPU, Labels: p.labels, Offset: sums[i].offset})
	}
}

func number(n int64) model.Number {
	if n < 0 {
		return model.Signed(n)
	}
	return model.Unsigned(uint64(n))
}

// node returns the stack of a row.
func (k *reader) node(r *row) model.NodeID {
	if r.node != 0 {
		return r.node
	}
	var leafFirst []model.FrameID
	own := 0 // frames of the allocator, at the leaf
	for packed := r.stack; len(packed) > 0; {
		addr, n := binary.Uvarint(packed)
		packed = packed[n:]
		frames := k.in.frames(addr)
		if own == len(leafFirst) && k.in.allocates(addr, frames) {
			own += len(frames)
		}
		leafFirst = append(leafFirst, frames...)
	}
	if own < len(leafFirst) && !k.Opt.AllocatorFrames {
		k.hidden += int64(own)
		leafFirst = leafFirst[own:]
	}
	return k.LeafStack(leafFirst)
}
