package export

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders/memdump"
	"github.com/memtui/memtui/model"
)

// perfettoSchema has the fields of Perfetto's messages that are written, with their numbers in the published .proto
// files: a message's name, a field's name, and the message in it, "" for a number or a text. [] is a list of packed
// numbers.
var perfettoSchema = map[string]map[int][2]string{
	"Trace": {1: {"packet", "TracePacket"}},
	"TracePacket": {6: {"clock_snapshot", "ClockSnapshot"}, 8: {"timestamp"}, 10: {"trusted_packet_sequence_id"},
		11: {"track_event", "TrackEvent"}, 12: {"interned_data", "InternedData"}, 13: {"sequence_flags"},
		37: {"profile_packet", "ProfilePacket"}, 56: {"heap_graph", "HeapGraph"}, 60: {"track_descriptor", "TrackDescriptor"},
		87: {"first_packet_on_sequence"}},
	"ClockSnapshot":     {1: {"clocks", "Clock"}},
	"Clock":             {1: {"clock_id"}, 2: {"timestamp"}},
	"TrackDescriptor":   {1: {"uuid"}, 2: {"name"}, 3: {"process", "ProcessDescriptor"}, 5: {"parent_uuid"}, 8: {"counter", "CounterDescriptor"}},
	"ProcessDescriptor": {1: {"pid"}, 6: {"process_name"}},
	"CounterDescriptor": {3: {"unit"}},
	"TrackEvent": {4: {"debug_annotations", "DebugAnnotation"}, 9: {"type"}, 11: {"track_uuid"}, 22: {"categories"}, 23: {"name"},
		30: {"counter_value"}, 44: {"double_counter_value"}},
	"DebugAnnotation": {3: {"uint_value"}, 10: {"name"}},
	"InternedData": {5: {"function_names", "InternedString"}, 6: {"frames", "Frame"}, 7: {"callstacks", "Callstack"},
		17: {"mapping_paths", "InternedString"}, 18: {"source_paths", "InternedString"}, 19: {"mappings", "Mapping"}},
	"InternedString": {1: {"iid"}, 2: {"str"}},
	"Mapping":        {1: {"iid"}, 7: {"path_string_ids"}},
	"Frame":          {1: {"iid"}, 2: {"function_name_id"}, 3: {"mapping_id"}, 4: {"rel_pc"}, 5: {"source_path_iid"}, 6: {"line_number"}},
	"Callstack":      {1: {"iid"}, 2: {"frame_ids"}},
	"ProfilePacket":  {5: {"process_dumps", "ProcessHeapSamples"}, 6: {"continued"}, 7: {"index"}},
	"ProcessHeapSamples": {1: {"pid"}, 2: {"samples", "HeapSample"}, 3: {"from_startup"}, 9: {"timestamp"}, 11: {"heap_name"},
		12: {"sampling_interval_bytes"}},
	"HeapSample": {1: {"callstack_id"}, 2: {"self_allocated"}, 3: {"self_freed"}, 5: {"alloc_count"}, 6: {"free_count"}},
	"HeapGraph": {1: {"pid"}, 2: {"objects", "HeapGraphObject"}, 4: {"field_names", "InternedString"}, 5: {"continued"}, 6: {"index"},
		7: {"roots", "HeapGraphRoot"}, 9: {"types", "HeapGraphType"}},
	"HeapGraphRoot":   {1: {"object_ids", "[]"}},
	"HeapGraphType":   {1: {"id"}, 3: {"class_name"}},
	"HeapGraphObject": {1: {"id"}, 2: {"type_id"}, 3: {"self_size"}, 4: {"reference_field_id", "[]"}, 5: {"reference_object_id", "[]"}},
}

// protoMessage is a decoded message: numbers, texts, messages and lists by the names of fields.
type protoMessage struct {
	numbers map[string][]uint64
	floats  map[string]float64
	texts   map[string]string
	parts   map[string][]*protoMessage
}

func (m *protoMessage) number(name string) uint64 {
	if len(m.numbers[name]) == 0 {
		return 0
	}
	return m.numbers[name][0]
}

// part returns the only message in a field, or an empty one.
func (m *protoMessage) part(name string) *protoMessage {
	if len(m.parts[name]) == 0 {
		return &protoMessage{}
	}
	return m.parts[name][0]
}

func decodeProto(t *testing.T, kind string, b []byte) *protoMessage {
	t.Helper()
	m := &protoMessage{map[string][]uint64{}, map[string]float64{}, map[string]string{}, map[string][]*protoMessage{}}
	varint := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			t.Fatalf("%s: a number is cut", kind)
		}
		b = b[size:]
		return n
	}
	for len(b) > 0 {
		tag := varint()
		field, ok := perfettoSchema[kind][int(tag>>3)]
		if !ok {
			t.Fatalf("%s has no field %d", kind, tag>>3)
		}
		switch name := field[0]; tag & 7 {
		case 0:
			m.numbers[name] = append(m.numbers[name], varint())
		case 1:
			m.floats[name] = math.Float64frombits(binary.LittleEndian.Uint64(b))
			b = b[8:]
		case 2:
			n := varint()
			body := b[:n]
			b = b[n:]
			switch field[1] {
			case "":
				m.texts[name] = string(body)
			case "[]":
				for len(body) > 0 {
					x, size := binary.Uvarint(body)
					m.numbers[name], body = append(m.numbers[name], x), body[size:]
				}
			default:
				m.parts[name] = append(m.parts[name], decodeProto(t, field[1], body))
			}
		default:
			t.Fatalf("%s.%s has the wire type %d", kind, name, tag&7)
		}
	}
	return m
}

// perfettoPackets decodes a file, and checks what all packets have.
func perfettoPackets(t *testing.T, write func(context.Context, io.Writer) ([]Loss, error)) []*protoMessage {
	t.Helper()
	var out bytes.Buffer
	if _, err := write(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	packets := decodeProto(t, "Trace", out.Bytes()).parts["packet"]
	for i, p := range packets {
		flags := uint64(2) // SEQ_NEEDS_INCREMENTAL_STATE
		if i == 0 {
			flags = 1 // SEQ_INCREMENTAL_STATE_CLEARED
		}
		if p.number("trusted_packet_sequence_id") != 1 || p.number("sequence_flags") != flags || len(p.numbers["timestamp"]) != 1 {
			t.Fatalf("packet %d: %v", i, p.numbers)
		}
	}
	clocks := map[uint64]bool{}
	for _, c := range packets[0].part("clock_snapshot").parts["clocks"] {
		clocks[c.number("clock_id")] = true
	}
	if !clocks[4] || !clocks[6] { // importers convert from the coarse monotonic clock to that of the time since boot
		t.Errorf("clocks %v", clocks)
	}
	return packets
}

// perfettoTracks returns the names of tracks by number.
func perfettoTracks(t *testing.T, packets []*protoMessage) map[uint64]string {
	t.Helper()
	names := map[uint64]string{}
	for _, p := range packets {
		d := p.part("track_descriptor")
		if id := d.number("uuid"); id > 0 {
			if names[id] != "" || id > 1 && d.number("parent_uuid") != 1 {
				t.Errorf("track %d: %v", id, d.numbers)
			}
			names[id] = d.texts["name"]
		}
	}
	return names
}

func TestCountersOfPerfettoEndAsTheTrace(t *testing.T) {
	p, ix := loadTrace(t, kvleak(t))
	packets := perfettoPackets(t, func(ctx context.Context, w io.Writer) ([]Loss, error) { return PerfettoTrace(ctx, w, p, ix, nil) })
	tracks := perfettoTracks(t, packets)
	last, most, lastTime := map[string]uint64{}, map[string]uint64{}, map[string]uint64{}
	at := uint64(0)
	for _, packet := range packets {
		e := packet.part("track_event")
		name := tracks[e.number("track_uuid")]
		if e.number("type") != 4 {
			continue
		}
		value, now := e.number("counter_value"), packet.number("timestamp")
		if now < lastTime[name] {
			t.Fatalf("%s goes back from %d to %d", name, lastTime[name], now)
		}
		if value > most[name] && name == "live bytes" {
			at = now
		}
		last[name], most[name], lastTime[name] = value, max(most[name], value), now
	}
	end, err := ix.Live(t.Context(), analysis.End)
	if err != nil {
		t.Fatal(err)
	}
	peak, _, err := ix.Peak(t.Context(), analysis.FullRange)
	if err != nil {
		t.Fatal(err)
	}
	if last["live bytes"] != end.Bytes || last["live blocks"] != end.Count || most["live bytes"] != peak.Bytes || at != 1000*uint64(peak.Time) {
		t.Errorf("the counters end at %v, their peaks are %v at %d; want %v and %v", last, most, at, end, peak)
	}
}

func TestHeapProfilesOfPerfettoSumUp(t *testing.T) {
	for i, data := range [][]byte{kvleak(t), randomTrace(1, 40), randomTrace(2, 300), randomTrace(3, 2000)} {
		p, ix := loadTrace(t, data)
		tables := checkPerfettoHeaps(t, p, ix)
		if i == 0 {
			checkPerfettoStacks(t, tables)
		}
	}
}

// perfettoSample returns the figures of a sample.
func perfettoSample(s *protoMessage) perfettoSums {
	return perfettoSums{s.number("self_allocated"), s.number("alloc_count"), s.number("self_freed"), s.number("free_count")}
}

// checkPerfettoHeaps compares heap profiles at the peak, shortly before it, and at the end with what lives there, and
// returns the interned data.
func checkPerfettoHeaps(t *testing.T, p *model.Profile, ix *traceindex.KeptIndex) map[string]map[uint64]*protoMessage {
	t.Helper()
	peak, _, err := ix.Peak(t.Context(), analysis.FullRange)
	if err != nil {
		t.Fatal(err)
	}
	instants := []analysis.Instant{analysis.At(peak.Time / 2), peak.Instant, analysis.At(peak.Time), analysis.End}
	packets := perfettoPackets(t, func(ctx context.Context, w io.Writer) ([]Loss, error) { return PerfettoTrace(ctx, w, p, ix, instants) })
	tables := map[string]map[uint64]*protoMessage{}
	var totals []perfettoSums
	before := map[uint64]perfettoSums{}
	for _, packet := range packets {
		for name, list := range packet.part("interned_data").parts {
			if tables[name] == nil {
				tables[name] = map[uint64]*protoMessage{}
			}
			for _, entry := range list {
				if tables[name][entry.number("iid")] != nil {
					t.Fatalf("%s has two entries %d", name, entry.number("iid"))
				}
				tables[name][entry.number("iid")] = entry
			}
		}
		profile := packet.part("profile_packet")
		for _, dump := range profile.parts["process_dumps"] {
			if profile.number("index") != uint64(len(totals)) {
				t.Errorf("packet %d of heap profiles says %d", len(totals), profile.number("index"))
			}
			var sum perfettoSums
			for _, s := range dump.parts["samples"] {
				id, x := s.number("callstack_id"), perfettoSample(s)
				if tables["callstacks"][id] == nil {
					t.Fatalf("stack %d is missing", id)
				}
				if was := before[id]; x.allocated < was.allocated || x.freed < was.freed || x.allocs < was.allocs || x.frees < was.frees {
					t.Errorf("stack %d falls from %v to %v", id, was, x)
				}
				before[id] = x
				sum = perfettoSums{sum.allocated + x.allocated, sum.allocs + x.allocs, sum.freed + x.freed, sum.frees + x.frees}
			}
			totals = append(totals, sum)
		}
	}
	if len(totals) != len(instants) {
		t.Fatalf("%d heap profiles", len(totals))
	}
	for i, at := range instants {
		live, err := ix.Live(t.Context(), at)
		if got := totals[i]; err != nil || got.allocated-got.freed != live.Bytes || got.allocs-got.frees != live.Count {
			t.Errorf("heap profile %d: %v, want %v live; %v", i, got, live, err)
		}
	}
	all, err := ix.Totals(t.Context(), analysis.FullRange)
	if last := totals[len(totals)-1]; err != nil || last.allocated != all.AllocBytes || last.allocs != all.AllocCount {
		t.Errorf("%v, want %v; %v", last, all, err)
	}
	return tables
}

// checkPerfettoStacks checks that stacks lead to names: the root first.
func checkPerfettoStacks(t *testing.T, tables map[string]map[uint64]*protoMessage) {
	t.Helper()
	texts := map[string]bool{}
	for _, s := range tables["callstacks"] {
		text := ""
		for _, id := range s.numbers["frame_ids"] {
			f := tables["frames"][id]
			if f == nil || tables["mappings"][f.number("mapping_id")] == nil || f.number("rel_pc") == 0 {
				t.Fatalf("frame %d: %v", id, f)
			}
			text += tables["function_names"][f.number("function_name_id")].texts["str"]
			if source := tables["source_paths"][f.number("source_path_iid")]; source != nil {
				text += fmt.Sprint(" ", source.texts["str"], ":", f.number("line_number"))
			}
			text += ";"
		}
		texts[text] = true
	}
	const want = "open_session(int) /home/dev/code/ht/src/kvleak.cpp:16;operator new(unsigned long)"
	for text := range texts {
		if bytes.Contains([]byte(text), []byte(want)) {
			return
		}
	}
	t.Errorf("no stack has %s: %v", want, texts)
}

func TestMarksOfPerfettoAreInstants(t *testing.T) {
	meta := `{"stack_traces": {}, "files": {}, "functions": {"7": "request\u001b[2J", "8": "done"}}`
	p, ix := loadTrace(t, memtest.TraceOf([]byte(meta), []memtest.TraceEvent{
		{Kind: 3, ID: 7}, {Delta: 5, Addr: 16, Size: 100, ID: 1}, {Kind: 2, Delta: 10, ID: 3, Size: 4096}, {Kind: 2, Delta: 10, ID: 1},
		{Kind: 3, Delta: 1, ID: 8},
	}))
	packets := perfettoPackets(t, func(ctx context.Context, w io.Writer) ([]Loss, error) {
		return PerfettoTrace(ctx, w, p, ix, []analysis.Instant{analysis.End})
	})
	marks, _, err := ix.Marks(t.Context(), analysis.FullRange, math.MaxInt)
	if err != nil || len(marks) < 2 {
		t.Fatal(len(marks), err)
	}
	tracks := perfettoTracks(t, packets)
	got := map[string]int{}
	for _, packet := range packets {
		e := packet.part("track_event")
		if e.number("type") != 3 {
			continue
		}
		text := fmt.Sprint(tracks[e.number("track_uuid")], " ", packet.number("timestamp"), " ", e.texts["name"])
		for _, note := range e.parts["debug_annotations"] {
			text += fmt.Sprint(" ", note.texts["name"], "=", note.number("uint_value"))
		}
		got[text]++
	}
	want := map[string]int{}
	for _, m := range marks {
		if m.GC {
			want[fmt.Sprintf("collections %d GC objects=%d bytes=%d", 1000*m.Time, m.Objects, m.Bytes)]++
		} else {
			want[fmt.Sprintf("markers %d %s", 1000*m.Time, model.Clean(m.Name))]++
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestGraphsOfPerfettoHaveAllRows(t *testing.T) {
	for _, path := range heapSamples {
		p, h, held := lastHeap(t, path)
		packets := perfettoPackets(t, func(ctx context.Context, w io.Writer) ([]Loss, error) { return PerfettoHeap(ctx, w, p, h, held, 7) })
		types, fields := map[uint64]string{}, map[uint64]string{}
		row, index, roots := model.Row(0), uint64(0), []uint64{}
		var list []bool
		for i, packet := range packets {
			g := packet.part("heap_graph")
			if g.number("pid") == 0 {
				continue
			}
			if g.number("index") != index || packet.number("timestamp") != 7000 || (g.number("continued") == 0) != (i == len(packets)-1) {
				t.Fatalf("%s: packet %d of %d has the index %d", path, index, len(packets), g.number("index"))
			}
			index++
			for _, x := range g.parts["types"] {
				types[x.number("id")] = x.texts["class_name"]
			}
			for _, x := range g.parts["field_names"] {
				fields[x.number("iid")] = x.texts["str"]
			}
			for _, x := range g.parts["roots"] {
				roots = append(roots, x.numbers["object_ids"]...)
			}
			for _, x := range g.parts["objects"] {
				list = held.Of(row, list)
				checkPerfettoObject(t, h, row, list, x, types, fields)
				row++
			}
		}
		if int(row) != h.Len() || !slices.Equal(roots, []uint64{1}) {
			t.Errorf("%s: %d rows of %d, roots %v", path, row, h.Len(), roots)
		}
	}
}

func checkPerfettoObject(t *testing.T, h *model.Heap, r model.Row, held []bool, x *protoMessage, types, fields map[uint64]string) {
	t.Helper()
	if x.number("id") != uint64(r)+1 || x.number("self_size") != h.Bytes(r) {
		t.Fatalf("row %d is %v", r, x.numbers)
	}
	name := types[x.number("type_id")]
	if k := h.Kind(r); k.Naming == model.NamedByType && !k.Marked && name != model.Clean(h.OnAxis(0, r)) ||
		k.Naming != model.NamedByType && name != model.Clean(heapgraph.Label(h, r)) {
		t.Fatalf("row %d has the type %q, want %q", r, name, heapgraph.Label(h, r))
	}
	to, first := h.Out(r)
	names, targets := x.numbers["reference_field_id"], x.numbers["reference_object_id"]
	for i, row := range to.All() {
		if !held[i] {
			continue
		}
		if len(names) == 0 || len(targets) == 0 || targets[0] != uint64(row)+1 {
			t.Fatalf("row %d refers to %v", r, x.numbers)
		}
		e := first + model.Ref(i)
		want := model.Clean(h.EdgeText(e))
		if h.Label[e].Indexed() {
			want = "[]"
		}
		if got := fields[names[0]]; got != want && got != " "+want {
			t.Fatalf("a reference of row %d is %q, want %q", r, got, want)
		}
		names, targets = names[1:], targets[1:]
	}
	if len(names)+len(targets) > 0 {
		t.Fatalf("row %d has more references than held ones", r)
	}
}

func TestCurvesOfPerfettoHaveAllPoints(t *testing.T) {
	data, err := os.ReadFile("../loaders/memdump/testdata/small.mb")
	if err != nil {
		t.Fatal(err)
	}
	store := load(t, memdump.MB(), data)
	packets := perfettoPackets(t, func(ctx context.Context, w io.Writer) ([]Loss, error) { return PerfettoCurves(ctx, w, store) })
	tracks, values := perfettoTracks(t, packets), map[string][]float64{}
	for _, packet := range packets {
		if e := packet.part("track_event"); e.number("type") == 4 {
			name := tracks[e.number("track_uuid")]
			values[name] = append(values[name], e.floats["double_counter_value"])
		}
	}
	points := 0
	for _, s := range store.Timeline.Series {
		if got := values[model.Clean(cmp.Or(s.Name, s.ID, "curve"))]; !slices.Equal(got, s.Values) {
			t.Errorf("%s: %v, want %v", s.Name, got, s.Values)
		}
		points += len(s.Values)
	}
	if points == 0 {
		t.Error("the sample has no points")
	}
}

func TestWritersOfPerfettoStop(t *testing.T) {
	p, ix := loadTrace(t, kvleak(t))
	write := func(ctx context.Context, w io.Writer) ([]Loss, error) {
		return PerfettoTrace(ctx, w, p, ix, []analysis.Instant{analysis.End})
	}
	if _, err := write(t.Context(), full{}); !errors.Is(err, errFull) {
		t.Errorf("a full disk gives %v", err)
	}
	ctx := &memtest.AskedContext{Context: t.Context(), Most: 1 << 30}
	if _, err := write(ctx, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, most := range []int{0, ctx.N / 2, ctx.N - 1} {
		if _, err := write(&memtest.AskedContext{Context: t.Context(), Most: most}, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("%v when the context is done after %d of %d times", err, most, ctx.N)
		}
	}
}
