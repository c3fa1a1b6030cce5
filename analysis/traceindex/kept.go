package traceindex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"
	"time"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// Place is the storage of the index file of one input.
type Place interface {
	// Open returns the index file. The error says in words why there is none.
	Open() (*sections.File, error)
	// Key returns the key of the input in its current state.
	Key() sections.Key
	// Discard marks the file that was opened as unusable: it must not be opened again.
	Discard()
}

// KeptIndex is a [fileIndex] that [Build] reads from a file if there is a good one, else builds. A restored index gives
// the same answers as a built one. Questions about the complete run, and for charts, are answered before the complete
// file is verified; the others wait. A large file is verified as soon as another question needs it, or after some time.
// If verification fails, the index is built after all, and [analysis.Status.Revision] rises.
type KeptIndex struct {
	place     Place
	budget    int64
	libraries *regexp.Regexp
	large     int // bytes from which a file is verified later

	later   sync.WaitGroup // done when nothing is verified or built in the background
	closing chan struct{}  // closed with the index

	begun chan struct{} // closed when there is something to chart, see Begun
	begin func()        // closes it

	forget sync.Once // once, after the first chart

	mu     sync.Mutex
	now    *keptState
	used   int // number of readers of the file: answers in progress, and restore
	closed bool
	file   *sections.File // nil if no file is used
	why    error          // the reason no file is used
}

// keptState is one index, and whether it may be used.
type keptState struct {
	ix       *fileIndex
	file     bool          // it was read from a file
	verified chan struct{} // closed when the file is verified, or never will be
	err      error         // the reason it must not be used; set before verified is closed
	wanted   func()        // has the file verified, if that has not begun
	first    uint64        // its first revision
}

var _ Loading = (*KeptIndex)(nil)

// NewKeptIndex returns an empty index. place may be nil: then the index is built.
func NewKeptIndex(place Place) *KeptIndex {
	k := &KeptIndex{place: place, large: largeIndex, begun: make(chan struct{}), closing: make(chan struct{})}
	k.begin = sync.OnceFunc(func() { close(k.begun) })
	k.now = k.fresh()
	return k
}

// Verifying a file of less than largeIndex bytes takes a few milliseconds. The rest of a larger one is verified after
// some time, when a command has ended.
const (
	largeIndex  = 4 << 20
	verifyAfter = time.Second
)

func (k *KeptIndex) fresh() *keptState {
	s := &keptState{ix: k.empty(), verified: make(chan struct{}), wanted: func() {}}
	s.ix.began = k.begin
	close(s.verified)
	return s
}

func (k *KeptIndex) empty() *fileIndex {
	ix := newFileIndex(defaultChunk)
	ix.Libraries = k.libraries
	return ix
}

// SetLibraries sets a pattern of functions and files that own no memory, in addition to the built-in ones; nil for
// none. It must be called before [Build].
func (k *KeptIndex) SetLibraries(more *regexp.Regexp) {
	k.libraries = more
	k.now.ix.Libraries = more
}

// SetBudget implements [Loading]. An index that is read from a file takes little memory.
func (k *KeptIndex) SetBudget(bytes int64) {
	k.budget = bytes
	k.now.ix.SetBudget(bytes)
}

// Begun returns a channel that is closed when there is something to chart, or there never will be.
func (k *KeptIndex) Begun() <-chan struct{} { return k.begun }

// forgetCurve releases the pages of the file after a chart or a curve is computed: that may read a little of each part
// of the curve, for which the system maps all of it. Other questions read only a few places. The index must be in use.
func (k *KeptIndex) forgetCurve() {
	k.mu.Lock()
	file := k.file
	if !k.now.file {
		file = nil
	}
	k.mu.Unlock()
	if file != nil && file.Forget != nil {
		k.forget.Do(file.Forget)
	}
}

// Used reports whether the index was read from a file. If not, and there was a place for one, the error says why.
func (k *KeptIndex) Used() (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now.file, k.why
}

// Verify verifies the complete file, if the index came from one. Afterwards, [KeptIndex.Used] reports whether it is
// still used.
func (k *KeptIndex) Verify(ctx context.Context) error {
	_, err := ask(ctx, k, "verifying the index", verifiedOnly, func(*fileIndex) (bool, error) { return true, nil })
	return err
}

// Write writes the index to w, to be opened in the same place. The index must be complete. Questions may be asked
// meanwhile.
func (k *KeptIndex) Write(ctx context.Context, w io.Writer) error {
	ix := k.state().ix
	if !ix.Status().Final {
		return errors.New("not everything was read")
	}
	return ix.save(ctx, w, k.place.Key())
}

// CheckIndex returns the reason why a file cannot be the index of an input, or nil if it seems to be. It reads only the
// ends of the file.
func CheckIndex(file *sections.File, key sections.Key) error {
	return model.Guarded(func() error {
		_, err := indexFormat.Open(context.Background(), file, key, layoutOfFiles())
		return err
	})
}

// Close closes the file as soon as no reader uses it. Later questions fail.
func (k *KeptIndex) Close() {
	k.mu.Lock()
	if !k.closed {
		k.closed = true
		close(k.closing)
	}
	k.release()
	k.mu.Unlock()
	k.later.Wait()
}

// release closes the file if it is closing and unused. The lock is held.
func (k *KeptIndex) release() {
	if k.closed && k.used == 0 {
		k.now.ix.files.Close()
	}
	if k.file != nil && k.used == 0 && (k.closed || !k.now.file) {
		k.file.Close()
		k.file = nil
	}
}

func (k *KeptIndex) state() *keptState {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

func (k *KeptIndex) build(ctx context.Context, store *model.Store, p *model.Profile) error {
	defer k.begin()
	if k.place == nil {
		return k.state().ix.build(ctx, store, p)
	}
	err := k.restore(ctx, store, p)
	if err == nil {
		return nil
	}
	k.mu.Lock()
	k.why = err
	old := k.now
	if old.file {
		k.now = k.after(old)
		old.err = err
	}
	s := k.now
	k.release()
	k.mu.Unlock()
	if old.file {
		close(old.verified)
	}
	return s.ix.build(ctx, store, p)
}

// after returns the state to be built when that from a file is of no use.
func (k *KeptIndex) after(old *keptState) *keptState {
	s := k.fresh()
	s.first = old.revision() + 1
	s.ix.SetBudget(k.budget)
	return s
}

// restore reads the index from its file. A small file is verified then, and its essentials are confirmed by the trace;
// of a large one this happens later.
func (k *KeptIndex) restore(ctx context.Context, store *model.Store, p *model.Profile) error {
	file, err := k.place.Open()
	if err != nil {
		return err
	}
	s := &keptState{ix: k.empty(), file: true, verified: make(chan struct{}), first: k.state().revision() + 1}
	wanted := make(chan struct{})
	s.wanted = sync.OnceFunc(func() { close(wanted) })
	k.mu.Lock()
	k.file = file
	k.used++ // so that concurrent questions to the empty index do not close the file
	k.mu.Unlock()
	defer k.leave()
	err = model.Guarded(func() error { return s.ix.restore(ctx, file, k.place.Key(), store, p.Allocations) })
	if err == nil {
		k.mu.Lock()
		k.now = s
		k.mu.Unlock()
		k.begin()
	}
	later := err == nil && len(file.Data) >= k.large && s.ix.whole.knows() && len(s.ix.found) == 0 && s.ix.lost == 0
	if err == nil && !later {
		err = s.verify(ctx)
	}
	if err != nil {
		k.distrust(s, err)
		return err
	}
	found, _ := remarks(&s.ix.totals, s.ix.status.Saturated, nil)
	publish(store, s.ix.found, s.ix.lost)
	publish(store, found, 0)
	if !later {
		close(s.verified)
		return nil
	}
	k.mu.Lock()
	k.used++
	k.mu.Unlock()
	k.later.Go(func() {
		k.verifyLater(context.WithoutCancel(ctx), s, wanted, store, p)
		k.leave()
	})
	return nil
}

// verify verifies the complete file, and checks it against the trace.
func (s *keptState) verify(ctx context.Context) error {
	return model.Guarded(func() error {
		if err := s.ix.file.VerifyAll(ctx); err != nil {
			return err
		}
		s.ix.sites.FindSites()
		return s.ix.confirm()
	})
}

// distrust discards a file that is at fault for an error.
func (k *KeptIndex) distrust(s *keptState, err error) {
	if errors.Is(err, sections.ErrDamaged) || errors.Is(err, errIndexFalse) && !s.ix.inputChanged() {
		k.place.Discard()
	}
}

// verifyLater verifies a file when that is wanted, or after some time. If it turns out to be of no use, the index is
// built: until then, no question is answered.
func (k *KeptIndex) verifyLater(ctx context.Context, s *keptState, wanted <-chan struct{}, store *model.Store, p *model.Profile) {
	defer close(s.verified)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-k.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	timer := time.NewTimer(verifyAfter)
	defer timer.Stop()
	select {
	case <-wanted:
	case <-timer.C:
	case <-k.closing:
	}
	err := ctx.Err()
	if err == nil {
		err = s.verify(ctx)
	}
	if err == nil {
		return
	}
	k.mu.Lock()
	s.err = err
	k.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	k.distrust(s, err)
	next := k.after(s)
	next.ix.told = true
	err = errors.Join(err, next.ix.build(ctx, store, p))
	k.mu.Lock()
	defer k.mu.Unlock()
	k.why, k.now = err, next
}

func (s *keptState) revision() uint64 { return s.first + s.ix.Status().Revision }

var (
	errIndexClosed = errors.New("the file is closed")
	errIndexBroken = errors.New("the index file is damaged and will not be used again: read the trace again")
)

// enter returns the index to use; leave must follow. Unless the question can be answered early, it waits until the
// complete index is verified.
func (k *KeptIndex) enter(ctx context.Context, early ready) (*keptState, error) {
	for {
		k.mu.Lock()
		s := k.now
		if k.closed && (s.file || s.ix.files != nil) {
			k.mu.Unlock()
			return nil, errIndexClosed
		}
		verified := s.settled()
		if s.err == nil && (verified || early(s.ix)) {
			k.used++
			k.mu.Unlock()
			return s, nil
		}
		k.mu.Unlock()
		if verified { // it never will be
			return nil, s.err
		}
		s.wanted()
		select {
		case <-s.verified:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (k *KeptIndex) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.used--
	k.release()
}

// ask calls f with the index; about names the question for errors. Failures because the file is damaged or shrinks
// become errors. So do those because the trace was overwritten since it was read: then nothing in the index fits its
// events.
func ask[T any](ctx context.Context, k *KeptIndex, about string, early ready, f func(ix *fileIndex) (T, error)) (out T, err error) {
	for {
		s, err := k.enter(ctx, early)
		if err != nil {
			return out, err
		}
		out, err = askOnce(ctx, k, s, about, f)
		if !unexplained(err) && !errors.Is(err, sections.ErrDamaged) || !s.file || s.settled() {
			return out, err
		}
		s.wanted() // the file may be damaged: then there will be another index
		select {
		case <-s.verified:
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
}

// settled reports whether the index is verified, or never will be.
func (s *keptState) settled() bool {
	select {
	case <-s.verified:
		return true
	default:
		return false
	}
}

// askOnce is ask of one index that was entered. It leaves errors unexplained until that is verified.
func askOnce[T any](ctx context.Context, k *KeptIndex, s *keptState, about string, f func(ix *fileIndex) (T, error)) (out T, err error) {
	defer k.leave()
	err = model.Guarded(func() error {
		out, err = f(s.ix)
		return err
	})
	switch {
	case !s.file:
		return out, s.ix.explain(err, about)
	case s.settled():
		return out, k.explain(ctx, s.ix, err, about)
	}
	return out, err
}

// explain is [fileIndex.explain] for an index from a file, which is discarded if it is at fault. The index must be in
// use.
func (k *KeptIndex) explain(ctx context.Context, ix *fileIndex, err error, about string) error {
	if !unexplained(err) || ix.inputChanged() {
		return ix.explain(err, about)
	}
	if model.Internal(err) && k.sound(ctx) {
		return ix.explain(err, about+" with a kept index; --index none avoids it")
	}
	k.place.Discard()
	return fmt.Errorf("%w (%w)", errIndexBroken, err)
}

// sound reports whether the index file is still as it was written. The index must be in use.
func (k *KeptIndex) sound(ctx context.Context) bool {
	k.mu.Lock()
	file := k.file
	k.mu.Unlock()
	return file != nil && model.Guarded(func() error {
		f, err := indexFormat.Open(ctx, file, k.place.Key(), layoutOfFiles())
		if err == nil {
			err = f.Sums.VerifyAll(ctx)
		}
		return err
	}) == nil
}
