package views

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// slowHeaps is a file of made-up snapshots whose last one takes until it is let go or nobody wants it any more.
type slowHeaps struct {
	release  chan struct{}
	started  chan struct{}
	canceled atomic.Bool
	ready    atomic.Bool // else what could be slow fails at once: the search for suspects does not hold up the start
	damaged  bool
	counts   chan *model.Heap // what it has counted meanwhile
	only     bool             // there is one snapshot
}

func (s *slowHeaps) Schema() *model.HeapSchema { return mvmheap.Schema() }

func (s *slowHeaps) Len() int {
	if s.only {
		return 1
	}
	return 2
}

func (s *slowHeaps) Info(i int) model.HeapInfo {
	bytes := model.NoCount
	if s.release != nil {
		bytes = 240 // nothing needs to be added up
	}
	info := model.NoHeapInfo()
	info.Bytes = bytes
	return info
}

func (s *slowHeaps) Open(ctx context.Context, i int, progress func(float64)) (*model.Heap, error) {
	if s.damaged {
		return nil, errors.New("its columns are gone")
	}
	last := i == s.Len()-1
	if last && s.release != nil && !s.ready.Load() {
		return nil, errors.New("not yet")
	}
	if last && s.release != nil {
		if progress != nil {
			progress(0.4)
		}
		select {
		case s.started <- struct{}{}:
		default:
		}
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
	return smallHeap(), nil
}

// wait reports what is counted until the snapshot is let go.
func (s *slowHeaps) wait(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			s.canceled.Store(true)
			return ctx.Err()
		case h := <-s.counts:
			if report := model.CountedReport(ctx); report != nil {
				report(h)
			}
		case <-s.release:
			return nil
		}
	}
}

func (s *slowHeaps) Scores(context.Context, int) (model.HeapScores, bool, error) {
	return model.HeapScores{}, false, nil
}

func (s *slowHeaps) Tables(context.Context, int) (*model.HeapTables, error) {
	return smallHeap().Tables, nil
}

// smallHeap is a root that holds a list of two blocks; one of them refers to itself.
func smallHeap() *model.Heap {
	return &model.Heap{
		Schema: mvmheap.Schema(),
		Kinds:  []model.HeapKind{mvmheap.KindRoot, mvmheap.KindObject, mvmheap.KindObject, mvmheap.KindObject},
		Size:   []uint16{0, 24, 100, 100}, Extra: []uint32{0, 16, 0, 0}, Entity: []uint32{0, 0, 1, 1},
		Start: modeltest.ColumnOf[model.Ref](0, 1, 3, 3, 4), To: modeltest.ColumnOf[model.Row](1, 2, 3, 3),
		Label:  []model.EdgeLabel{model.LabelString | 4<<2, model.LabelIndex, model.LabelIndex | 1<<2, model.LabelUnknown},
		Tables: &model.HeapTables{Strings: []string{"List", "VMArray", "Block\x1b[2J", "P6opaque", "root"}, Types: []model.HeapType{{Name: 0}, {Name: 2}}, Axes: [][]uint32{1: {1, 3}}},

		Complete: true,
	}
}

func openSlow(t *testing.T, src *slowHeaps, patience time.Duration) *program {
	t.Helper()
	if errs := modeltest.CheckHeap(smallHeap()); len(errs) > 0 {
		t.Fatal(errs)
	}
	store := &model.Store{}
	store.Publish(&model.Profile{Meta: model.Meta{Path: "slow.mvmheap", Name: "slow.mvmheap", Format: "mvmheap"}, Complete: true, Heaps: src})
	u := openUI(t, 100, 30, colorCaps, store, nil)
	src.ready.Store(true)
	u.sim.Do(func() { u.app.Patience = patience; u.app.o.Terminal.SetKeys(u.app.ownKey) })
	return u
}

// What takes long says so, can be stopped, and goes on when asked to. The program is never idle here: it is asked until
// it shows what it should.
func TestDecodingCanBeStopped(t *testing.T) {
	src := &slowHeaps{release: make(chan struct{}), started: make(chan struct{}, 1)}
	u := openSlow(t, src, time.Millisecond)
	u.busyKeys("2")
	<-src.started
	u.waitFor("Snapshot #1: ", "Esc stops it", "^C stop reading", "40 %")
	u.busyKeys("Esc")
	u.waitFor("Decoding snapshot #1 was stopped.", "Enter decodes it")
	u.busyKeys("Enter")
	u.waitFor("Esc stops it")
	u.busyKeys("Ctrl+C")
	u.waitFor("was stopped")
	u.busyKeys("h")
	u.waitFor("Types ─", "2 types")
	for !src.canceled.Load() {
		u.sim.Do(func() {}) // the test's deadline ends it
	}
	close(src.release)
	u.busyKeys("l")
	u.waitFor("snapshot #1 (last of 2) · 240 B", "2 types")
}

// slowTexts is a file whose objects take until they are let go to say anything.
type slowTexts struct {
	*slowHeaps
	let chan struct{}
}

func (s slowTexts) Text(ctx context.Context, _ int, _ *model.Heap, r model.Row, _ int) (text string, whole, ok bool, err error) {
	select {
	case <-ctx.Done():
		return "", false, false, ctx.Err()
	case <-s.let:
		return "abc", true, r > 1, nil
	}
}

// A search says how far it is, can be stopped, and goes on when asked to; so does counting.
func TestFindCanBeStopped(t *testing.T) {
	src := slowTexts{&slowHeaps{}, make(chan struct{})}
	store := &model.Store{}
	store.Publish(&model.Profile{Meta: model.Meta{Path: "slow.mvmheap", Name: "slow.mvmheap", Format: "mvmheap"}, Complete: true, Heaps: src})
	u := openUI(t, 100, 30, colorCaps, store, nil).keys("7").has("Objects ─", "List", "Block")
	u.sim.Do(func() { u.app.Patience = time.Millisecond; u.app.o.Terminal.SetKeys(u.app.ownKey) })
	u.busyKeys("/")
	u.busyKeys(strings.Split("text=abc", "")...)
	u.busyKeys("Enter")
	u.waitFor("Searching…", "Esc stops it")
	u.busyKeys("Esc")
	u.waitFor("The search was stopped: Enter continues")
	u.busyKeys("Enter")
	u.waitFor("Searching…")
	u.busyKeys("b")
	u.waitFor("Counting objects…", "Esc stops it")
	u.busyKeys("Ctrl+C")
	u.waitFor("The search was stopped: Enter continues")
	close(src.let)
	u.busyKeys("Enter")
	u.waitFor("2 objects in 1 group", "Block")
	u.busyKeys("Esc")
	u.waitFor("2 of 3")
}

// What a snapshot holds is shown while the others are still decoded to follow its types.
func TestTypesAreShownBeforeTheyAreFollowed(t *testing.T) {
	src := &slowHeaps{release: make(chan struct{}), started: make(chan struct{}, 1)}
	u := openSlow(t, src, time.Millisecond)
	u.busyKeys("1")
	u.busyKeys("h")
	<-src.started
	u.waitFor("Trends", "Block", "List")
	close(src.release)
	u.waitFor("by bytes")
}

// countedHeap has so many blocks of 100 bytes, and lists of 40.
func countedHeap(blocks, lists uint64) *model.Heap {
	h := &model.Heap{Schema: mvmheap.Schema(), Tables: smallHeap().Tables}
	for i, n := range []uint64{lists, blocks} {
		if size := []uint64{40, 100}[i]; n > 0 {
			h.Tally = append(h.Tally, model.HeapTally{Kind: uint32(mvmheap.KindObject), Entity: uint32(i), Count: n, Managed: n * size})
		}
	}
	return h
}

// What a snapshot holds is shown while it is decoded, and grows; it is never shown as if it were all. Keys are answered
// meanwhile.
func TestCountsAreShownWhileASnapshotIsDecoded(t *testing.T) {
	src := &slowHeaps{release: make(chan struct{}), started: make(chan struct{}, 1), counts: make(chan *model.Heap), only: true}
	u := openSlow(t, src, time.Millisecond)
	u.busyKeys("E") // all edges: everything is asked for again
	<-src.started
	src.counts <- countedHeap(1, 0)
	u.waitFor("counted so far · by bytes", "decoding the snapshot 40 %", "Block␛[2J", "100 B")
	src.counts <- countedHeap(7, 3)
	u.waitFor("counted so far · by bytes", "700 B", "List", "120 B")
	u.busyKeys("m")
	u.waitFor("counted so far · by count")
	u.busyKeys("m")
	u.waitFor("counted so far · by bytes")
	u.busyKeys("Tab", "Tab", "G")
	u.waitFor("▸ List")
	again := countedHeap(8, 5)
	again.Tables.Types[0], again.Tables.Types[1] = again.Tables.Types[1], again.Tables.Types[0] // other numbers
	for i := range again.Tally {
		again.Tally[i].Entity = 1 - again.Tally[i].Entity
	}
	src.counts <- again
	u.waitFor("▸ List", "200 B", "800 B")
	close(src.release)
	u.waitFor("Totals and types", "one snapshot: nothing to compare · by bytes", "200 B", "40 B")
	u.sim.Do(func() {
		if text := u.sim.Text(); strings.Contains(text, "so far") || strings.Contains(text, "700 B") {
			t.Errorf("decoded:\n%s", text)
		}
	})
}

// busyKeys types keys without waiting for anything.
func (u *program) busyKeys(names ...string) {
	u.t.Helper()
	if err := u.sim.Type(names...); err != nil {
		u.t.Fatal(err)
	}
}

// waitFor draws frames until the screen holds every text.
func (u *program) waitFor(texts ...string) {
	u.t.Helper()
	var got string
	missing := func() bool {
		u.sim.Do(func() { got = u.sim.Text() })
		for _, want := range texts {
			if !strings.Contains(got, want) {
				return true
			}
		}
		return false
	}
	for deadline := time.Now().Add(10 * time.Second); missing(); {
		if time.Now().After(deadline) {
			u.t.Fatalf("the screen never held %q:\n%s", texts, got)
		}
	}
}

func TestDamagedSnapshotSaysWhy(t *testing.T) {
	u := openSlow(t, &slowHeaps{damaged: true}, 5*time.Second)
	for _, screen := range []string{"2", "3", "4", "5"} {
		u.keys(screen).has("cannot be decoded: its columns are gone")
	}
	u.keys("6").has("cannot be decoded")
}

// Figures that can be added up in the head, on every screen, and names that would clear the terminal.
func TestSmallHeap(t *testing.T) {
	u := openSlow(t, &slowHeaps{}, 5*time.Second)
	u.has("240 B") // headers do not tell: it is added up
	u.keys("2").has("Block␛[2J", "200 B", "40 B")
	u.keys("4").has("List #1", "240 B", "100 %")
	u.keys("Right").has("Dominated by List #1", "Block␛[2J #2", "Block␛[2J #3")
	u.keys("j", "O").has("Block␛[2J #3", "2 references", "2 steps from the root")
	u.keys("Tab", "Enter").has("Object")
}

// The list of snapshots says what is done for it and how far that is, in the place of the suspects and in the status
// line; what a person stops there is not begun again.
func TestSearchSaysWhatItDoes(t *testing.T) {
	src := &slowHeaps{release: make(chan struct{}), started: make(chan struct{}, 1)}
	u := openSlow(t, src, time.Millisecond)
	u.busyKeys("k")
	u.waitFor("snapshot #0 (1st of 2)")
	u.busyKeys("j")
	<-src.started
	u.waitFor("Decoding the snapshot 40 %…", "· decoding the snapshot 40 %")
	u.busyKeys("Ctrl+C")
	u.waitFor("The search was stopped")
	for !src.canceled.Load() {
		u.sim.Do(func() {}) // the test's deadline ends it
	}
	close(src.release)
	u.busyKeys("k")
	u.waitFor("snapshot #0 (1st of 2)")
	u.busyKeys("j")
	u.waitFor("Trends", "Block␛[2J", "200 B")
}

// A file whose snapshots keep no figures of types says on its first screen what the decoded one holds, and copies that.
func TestFirstScreenHasTypes(t *testing.T) {
	u := openSlow(t, &slowHeaps{}, 5*time.Second)
	u.has("Trends", "by bytes, largest first", "Block␛[2J", "200 B", "List")
	u.keys("Tab", "Tab", "m").has("by count, largest first")
	u.keys("G", "y")
	if got := u.sim.Clipboard(); got != "List: #0 1 · #1 1" {
		t.Errorf("copied %q", got)
	}
	u.keys("Enter").has("Types · filter “List”", "40 B")
}

// What is not known of a snapshot is not copied as a figure.
func TestCopiedSnapshotHasNoMadeUpFigures(t *testing.T) {
	u := openSlow(t, &slowHeaps{}, 5*time.Second)
	u.keys("y")
	if got := u.sim.Clipboard(); strings.Contains(got, "-1") || !strings.HasPrefix(got, "snapshot #1: 240 bytes, ") {
		t.Errorf("copied %q", got)
	}
}
