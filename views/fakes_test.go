package views

import (
	"context"
	"fmt"
	"testing"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
)

// fakeSource is an allocation trace in memory.
type fakeSource struct{ events []model.Event }

func (f fakeSource) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	const batch = 4096
	for at := 0; at < len(f.events) && ctx.Err() == nil; at += batch {
		end := min(at+batch, len(f.events))
		if err := yield(&model.EventBatch{Events: f.events[at:end], Offset: int64(end)}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (f fakeSource) Extent() (begin, size int64) { return 0, int64(len(f.events)) }

func (f fakeSource) MarkerName(uint64) (string, bool) { return "", false }

// loadFake makes a profile of stacks and events.
func loadFake(t testing.TB, s *model.Stacks, events []model.Event) (*model.Store, *traceindex.KeptIndex) {
	t.Helper()
	store, ix := opened.Profile(t, &model.Profile{
		Meta:   model.Meta{Path: "fake.mlyze", Name: "fake.mlyze", Format: "mlyze"},
		Stacks: s, Allocations: fakeSource{events},
	})
	if errs := modeltest.Check(store.Current()); len(errs) > 0 {
		t.Fatal(errs)
	}
	return store, ix
}

// stackMaker puts stacks together, root first.
type stackMaker struct {
	*model.Stacks
	frames map[string]model.FrameID
	nodes  map[[2]uint32]model.NodeID
}

func newStackMaker() *stackMaker {
	return &stackMaker{model.NewStacks(), map[string]model.FrameID{}, map[[2]uint32]model.NodeID{}}
}

// add defines a stack of functions, the root first.
func (m *stackMaker) add(id model.StackID, names ...string) {
	at := model.NodeID(0)
	for _, name := range names {
		f, ok := m.frames[name]
		if !ok {
			f = model.FrameID(len(m.FrameFunc))
			m.frames[name] = f
			m.Functions, m.Files = append(m.Functions, name), append(m.Files, name+".c")
			m.FrameFunc = append(m.FrameFunc, model.FuncID(len(m.Functions)-1))
			m.FrameFile = append(m.FrameFile, model.FileID(len(m.Files)-1))
			m.FrameLine = append(m.FrameLine, int64(len(name)))
		}
		key := [2]uint32{uint32(at), uint32(f)}
		n, ok := m.nodes[key]
		if !ok {
			n = model.NodeID(len(m.Parent))
			m.nodes[key] = n
			m.Parent, m.Frame = append(m.Parent, at), append(m.Frame, f)
			m.Depth = append(m.Depth, m.Depth[at]+1)
		}
		at = n
	}
	m.Leaf[id] = at
}

// loadFew is a trace whose figures can be added up in the head: it ends at 50 µs with nothing live.
//
//	10 µs  main › parse › vector<int>::push   100 B in 1 block, freed at 40 µs
//	20 µs  main › parse › vector<int>::push    50 B in 1 block, freed at 50 µs
//	30 µs  main › draw                         25 B in 1 block, freed at 31 µs, by the very next event
func loadFew(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
	m := newStackMaker()
	m.add(7, "main", "parse", "vector<int>::push")
	m.add(9, "main", "draw")
	return loadFake(t, m.Stacks, []model.Event{
		{Time: 10, Kind: model.Alloc, Addr: 1, Size: 100, ID: 7},
		{Time: 20, Kind: model.Alloc, Addr: 2, Size: 50, ID: 7},
		{Time: 30, Kind: model.Alloc, Addr: 3, Size: 25, ID: 9},
		{Time: 31, Kind: model.Free, Addr: 3},
		{Time: 40, Kind: model.Free, Addr: 1},
		{Time: 50, Kind: model.Free, Addr: 2},
	})
}

// loadMany is a million events of 14,000 stacks, 60 frames each, of which a hundred share all but the last ten: twice
// the nodes of a real recording of a Python program with as many.
func loadMany(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
	const count, depth, events = 14_000, 60, 1_000_000
	m := newStackMaker()
	for i := range count {
		names := make([]string, depth)
		for d := range depth {
			of := i
			if d < depth-10 {
				of = i / 100
			}
			names[d] = fmt.Sprintf("f%d_%d", d, of)
		}
		m.add(model.StackID(i), names...)
	}
	list := make([]model.Event, 0, events)
	for i := range uint64(events / 2) {
		list = append(list,
			model.Event{Time: model.Time(2 * i), Kind: model.Alloc, Addr: 16 + i, Size: 16 + i%512, ID: i * 7919 % count})
		if i >= 20_000 {
			list = append(list, model.Event{Time: model.Time(2*i + 1), Kind: model.Free, Addr: 16 + i - 20_000 + i%3})
		}
	}
	return loadFake(t, m.Stacks, list)
}

// loadDeep is one stack of 50,000 frames.
func loadDeep(t testing.TB) (*model.Store, *traceindex.KeptIndex) {
	m := newStackMaker()
	names := make([]string, 50_000)
	for i := range names {
		names[i] = fmt.Sprintf("level_%d", i)
	}
	m.add(1, names...)
	return loadFake(t, m.Stacks, []model.Event{
		{Time: 1, Kind: model.Alloc, Addr: 1, Size: 64, ID: 1},
		{Time: 2, Kind: model.Alloc, Addr: 2, Size: 64, ID: 1},
		{Time: 9, Kind: model.Free, Addr: 2},
	})
}
