package views

import (
	"context"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

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
			if strings.Contains(u.Text(), text) {
				t.Errorf("%q is on screen:\n%s", text, u.Text())
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
