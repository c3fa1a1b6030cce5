package model

import (
	"errors"
	"fmt"
	"testing"
)

func TestRecovered(t *testing.T) {
	caught := func(f func()) (err error) {
		defer func() { err = Recovered(recover()) }()
		f()
		return nil
	}
	if err := caught(func() {}); err != nil {
		t.Error(err)
	}
	none := []int{}
	err := fmt.Errorf("leaks: %w", caught(func() { none[len(none)]++ }))
	if want := "leaks: internal error in memtui: runtime error: index out of range [0] with length 0"; err.Error() != want || !Internal(err) {
		t.Errorf("%v, want %s", err, want)
	}
	if err := caught(func() { panic(fault{}) }); !errors.Is(err, ErrGone) || Internal(err) {
		t.Error(err)
	}
	if got := (&InternalError{"none", "adding up leaks"}).Error(); got != "internal error in memtui while adding up leaks: none" {
		t.Error(got)
	}
}

// fault is what the runtime panics with where a mapped byte is gone.
type fault struct{}

func (fault) Addr() uintptr { return 1 << 20 }
