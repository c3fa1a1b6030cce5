package ui

import (
	"context"
	"errors"
	"testing"
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
	e := &Env{
		Ctx: t.Context(), Work: &Work{}, Changed: func() {},
		Post: func(f func()) { posted = append(posted, f) }, Background: func(f func()) { waiting = append(waiting, f) },
	}
	computed := 0
	bad := stagedKey{}
	z := NewStaged(e, func(_ context.Context, k stagedKey) (stagedKey, error) {
		if computed++; k == bad {
			return k, errors.New("it cannot be computed")
		}
		return k, nil
	})
	ask := func(n int, wanted bool) { z.Ask(stagedKey{n, false}, stagedKey{n, true}, wanted) }
	finish := func(i int) { // the computation that was started i-th since the last call of reset
		waiting[i]()
		for _, f := range posted {
			f()
		}
		posted = nil
	}
	is := func(want stagedKey, known, settled bool) {
		t.Helper()
		if v, ok := z.Get(); v != want || ok != known || z.Settled() != settled {
			t.Errorf("%+v %v, settled %v", v, ok, z.Settled())
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
	z.Ask(stagedKey{6, false}, stagedKey{6, false}, true) // no part will do
	is(stagedKey{5, true}, true, false)
	finish(0)
	is(stagedKey{6, false}, true, true)
	if len(waiting) != 1 {
		t.Errorf("%d computations begin", len(waiting))
	}
}
