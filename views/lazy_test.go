package views

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// stagedKey is a key of a staged value in tests.
type stagedKey struct {
	n    int
	part bool
}

// A part is shown until the whole is there, and a whole that is not wanted is not computed.
func TestStaged(t *testing.T) {
	var posted []func()
	var waiting []func() // computations that have been started
	e := &env{
		ctx: t.Context(), work: &work{}, changed: func() {},
		post: func(f func()) { posted = append(posted, f) }, background: func(f func()) { waiting = append(waiting, f) },
	}
	computed := 0
	bad := stagedKey{}
	z := newStaged(e, func(_ context.Context, k stagedKey) (stagedKey, error) {
		if computed++; k == bad {
			return k, errors.New("it cannot be computed")
		}
		return k, nil
	})
	ask := func(n int, wanted bool) { z.ask(stagedKey{n, false}, stagedKey{n, true}, wanted) }
	finish := func(i int) { // the computation that was started i-th since the last call of reset
		waiting[i]()
		for _, f := range posted {
			f()
		}
		posted = nil
	}
	is := func(want stagedKey, known, settled bool) {
		t.Helper()
		if v, ok := z.get(); v != want || ok != known || z.settled() != settled {
			t.Errorf("%+v %v, settled %v", v, ok, z.settled())
		}
	}
	ask(1, true)
	is(stagedKey{}, false, false)
	finish(1)
	is(stagedKey{1, true}, true, false)
	finish(0)
	is(stagedKey{1, false}, true, true)

	waiting = nil
	ask(2, true)
	is(stagedKey{1, false}, true, false)
	finish(1)
	is(stagedKey{2, true}, true, false)
	ask(3, true) // before the whole of 2 is there
	is(stagedKey{2, true}, true, false)
	finish(0)
	is(stagedKey{2, true}, true, false)
	finish(2)
	is(stagedKey{3, false}, true, true)

	waiting, computed = nil, 0
	ask(4, false)
	finish(0)
	is(stagedKey{4, true}, true, true)
	if len(waiting) != 1 || computed != 1 {
		t.Errorf("%d computations begin, %d end", len(waiting), computed)
	}
	ask(4, true)
	finish(1)
	is(stagedKey{4, false}, true, true)

	waiting, bad = nil, stagedKey{5, false}
	ask(5, true)
	finish(0) // which fails
	is(stagedKey{4, false}, true, false)
	ask(5, true)
	finish(1)
	is(stagedKey{5, true}, true, true)

	waiting, bad = nil, stagedKey{}
	z.ask(stagedKey{6, false}, stagedKey{6, false}, true) // no part will do
	is(stagedKey{5, true}, true, false)
	finish(0)
	is(stagedKey{6, false}, true, true)
	if len(waiting) != 1 {
		t.Errorf("%d computations begin", len(waiting))
	}
}

// broken is a trace of which nothing that is added up can be told.
type broken struct{ analysis.Trace }

var errBroken = &model.InternalError{Value: "a mistake", About: "testing"}

func (broken) Leaks(context.Context, analysis.LeakQuery) (analysis.Leaks, error) {
	return analysis.Leaks{}, errBroken
}

func (broken) LateFreed(context.Context, analysis.Cell) (analysis.Leaks, error) {
	return analysis.Leaks{}, errBroken
}

func (broken) Sites(context.Context, analysis.Query) ([]analysis.Site, error) { return nil, errBroken }

func (broken) Grid(context.Context, analysis.GridQuery) (*analysis.Grid, error) {
	return nil, errBroken
}

func (broken) Chart(context.Context, analysis.Range, int) ([]analysis.Column, error) {
	return nil, errBroken
}

func (broken) Weights(context.Context, analysis.Cost, analysis.Query) ([]uint64, error) {
	return nil, errBroken
}

// A screen whose answer cannot be told says so and why, and does not wait for it.
func TestFailedAnswersAreSaid(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 120, 40, colourCaps, store, broken{ix})
	const why = "internal error, a defect in memtui while testing: a mistake"
	const said = "This cannot be told: " + why + "."
	lacks := func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			if strings.Contains(u.text(), text) {
				t.Errorf("%q is on screen:\n%s", text, u.text())
			}
		}
	}
	u.has(why, said)
	lacks("Adding up…", "cannot be read")
	for _, key := range []string{"3", "4", "Tab", "5"} {
		u.keys(key).has(said)
		lacks("Adding up…", "Putting stacks together")
	}
}
