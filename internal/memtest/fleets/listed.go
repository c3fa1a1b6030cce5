package fleets

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// Kept is a store of a fleet with all that stores do.
type Kept interface {
	Store
	Known(ctx context.Context, recording uint64) (*fleet.Recording, error)
	List(ctx context.Context, f *fleet.Filter) ([]fleet.Recording, error)
	Remove(ctx context.Context, list []fleet.Recording) error
	Stack(ctx context.Context, key fleet.Key) (*fleet.Stack, error)
	Names(ctx context.Context, column string) ([]string, error)
	Places(ctx context.Context, what fleet.What) ([]fleet.Place, error)
}

// Listed expects a store to name what it holds, to remove recordings, also twice, and to take them again.
func Listed(t testing.TB, store Kept, like *fleet.Batch, all *Memory) {
	t.Helper()
	stack, err := store.Stack(t.Context(), Odd(like))
	for _, s := range like.Stacks {
		if fleet.Key(s.Stack) == Odd(like) && (err != nil || !reflect.DeepEqual(*stack, s)) {
			t.Errorf("stack %+v, want %+v, %v", stack, s, err)
		}
	}
	if none, err := store.Stack(t.Context(), 1); none != nil || err != nil {
		t.Errorf("an unknown stack is %+v, %v", none, err)
	}
	listed(t, store, all)
	if names, err := store.Names(t.Context(), "version"); err != nil || !slices.Equal(names, []string{Old, New}) {
		t.Errorf("versions %q, %v", names, err)
	}
	if names, err := store.Names(t.Context(), fleet.Labels); err != nil || !slices.Equal(names, []string{"zone=0", "zone=1", "zone=2"}) {
		t.Errorf("labels %q, %v", names, err)
	}
	if places, err := store.Places(t.Context(), fleet.Types); err != nil || !slices.Contains(places, fleet.Place{Type: "it's a [B"}) {
		t.Errorf("types %q, %v", places, err)
	}
	place := fleet.Place{Function: like.Stacks[0].Function, File: like.Stacks[0].File}
	if places, err := store.Places(t.Context(), fleet.Sites); err != nil || !slices.Contains(places, place) {
		t.Errorf("sites %q lack %q, %v", places, place, err)
	}
	removed(t, store, like, all)
}

// listed expects a store to list the recordings of a fleet.
func listed(t testing.TB, store Kept, all *Memory) {
	t.Helper()
	for _, f := range []fleet.Filter{{}, {Service: "shop"}, {Host: OddHost}, {Labels: []string{"zone=1"}, Version: New},
		{IDs: []string{all.Batch.Recordings[2].ID[:12], all.Batch.Recordings[3].ID}},
		{Until: 1_790_000_000_000_009}, {IDs: []string{"x'"}}} {
		want := fleet.Once(slices.DeleteFunc(slices.Clone(all.Batch.Recordings), func(r fleet.Recording) bool { return !f.Holds(&r) }))
		got, err := store.List(t.Context(), &f)
		if err != nil || len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %v\n%+v\nwant\n%+v", f, err, got, want)
		}
	}
}

// removed expects a store to answer without recordings that were removed, and with them when they were added again.
func removed(t testing.TB, store Kept, like *fleet.Batch, all *Memory) {
	t.Helper()
	f := fleet.Filter{Version: Old, Service: "shop"}
	list, err := store.List(t.Context(), &f)
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	gone, rest, back := map[uint64]bool{}, &Memory{}, &Memory{}
	for i := range list {
		gone[list[i].Recording] = true
	}
	divide(&all.Batch, gone, &rest.Batch, &back.Batch)
	for range 2 {
		if err := store.Remove(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		Same(t, store, like, rest)
		listed(t, store, rest)
	}
	if known, err := store.Known(t.Context(), list[0].Recording); err != nil || known != nil {
		t.Errorf("what was removed is known: %v, %v", known, err)
	}
	Rename(&back.Batch, "renamed")
	if err := store.Add(t.Context(), &back.Batch); err != nil {
		t.Fatal(err)
	}
	rest.Append(&back.Batch)
	Same(t, store, like, rest)
}

// Rename gives all rows of a batch to another service.
func Rename(b *fleet.Batch, service string) {
	for i := range b.Recordings {
		b.Recordings[i].Service = service
	}
	for i := range b.Sites {
		b.Sites[i].Service = service
	}
	for i := range b.Leaks {
		b.Leaks[i].Service = service
	}
	for i := range b.Types {
		b.Types[i].Service = service
	}
	for i := range b.Curve {
		b.Curve[i].Service = service
	}
	for i := range b.Pages {
		b.Pages[i].Service = service
	}
}

// divide puts the rows of some recordings into one batch, and the others into another. Both get all stacks.
func divide(all *fleet.Batch, gone map[uint64]bool, rest, back *fleet.Batch) {
	into := func(recording uint64) *fleet.Batch {
		if gone[recording] {
			return back
		}
		return rest
	}
	rest.Stacks, back.Stacks = all.Stacks, all.Stacks
	for _, r := range all.Recordings {
		b := into(r.Recording)
		b.Recordings = append(b.Recordings, r)
	}
	for _, r := range all.Sites {
		b := into(r.Recording)
		b.Sites = append(b.Sites, r)
	}
	for _, r := range all.Leaks {
		b := into(r.Recording)
		b.Leaks = append(b.Leaks, r)
	}
	for _, r := range all.Types {
		b := into(r.Recording)
		b.Types = append(b.Types, r)
	}
	for _, r := range all.Curve {
		b := into(r.Recording)
		b.Curve = append(b.Curve, r)
	}
	for _, r := range all.Pages {
		b := into(r.Recording)
		b.Pages = append(b.Pages, r)
	}
}

// Same expects a store to answer as rows in memory do.
func Same(t testing.TB, store Asked, like *fleet.Batch, all *Memory) {
	t.Helper()
	for name, q := range Questions(like) {
		want, err := q.Ask(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := store.Ask(t.Context(), q); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%+v\nwant\n%+v", name, err, got, want)
		}
	}
}
