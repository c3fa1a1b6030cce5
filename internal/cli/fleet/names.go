package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/internal/cli/fail"
	store "github.com/memtui/memtui/internal/fleet"
	"github.com/memtui/memtui/model"
)

// named asks. Where nothing answers, names that the fleet does not have are an error with those that are near, and a site
// that a table has cut is the one that it was cut from.
func named(ctx context.Context, s store.Store, q *fleet.Question) (*fleet.Answer, error) {
	a, err := s.Ask(ctx, q)
	if err != nil {
		return nil, failed(ctx, err)
	}
	if !a.IsEmpty() {
		return a, nil
	}
	if err := unknownOf(ctx, s, &q.Filter); err != nil {
		return nil, err
	}
	for _, x := range []struct{ flag, value string }{{"before", q.Before}, {"after", q.After}} {
		if err := unknown(ctx, s, x.flag, "version", x.value); err != nil {
			return nil, err
		}
	}
	site, err := meant(ctx, s, q)
	if err != nil || site == q.Site {
		return a, err
	}
	q.Site = site
	a, err = s.Ask(ctx, q)
	return a, failed(ctx, err)
}

// unknownOf returns an error if a fleet has no recordings with one of the names of a filter.
func unknownOf(ctx context.Context, s store.Store, f *fleet.Filter) error {
	for _, x := range []struct{ column, value string }{{"service", f.Service}, {"version", f.Version}, {"host", f.Host}} {
		if err := unknown(ctx, s, x.column, x.column, x.value); err != nil {
			return err
		}
	}
	for _, l := range f.Labels {
		if err := unknown(ctx, s, "label", fleet.Labels, l); err != nil {
			return err
		}
	}
	return nil
}

// unknown returns an error if a fleet has no recordings with a name. Empty names are known.
func unknown(ctx context.Context, s store.Store, flag, column, name string) error {
	if name == "" {
		return nil
	}
	names, err := s.Names(ctx, column)
	if err != nil {
		return failed(ctx, err)
	}
	if slices.Contains(names, name) {
		return nil
	}
	return fail.Usage(fmt.Errorf("--%s: the fleet has no %s %q%s", flag, strings.TrimSuffix(column, "s"), model.Clean(name),
		model.Clean(near.Some(name, names))))
}

// meant returns the site that a question means.
func meant(ctx context.Context, s store.Store, q *fleet.Question) (string, error) {
	if q.Site == "" {
		return "", nil
	}
	if key, ok := fleet.KeyOf(q.Site); ok && q.What.Stacks() {
		stack, err := s.Stack(ctx, key)
		switch {
		case err != nil:
			return "", failed(ctx, err)
		case stack == nil:
			return "", fail.Usage(fmt.Errorf("the fleet has no stack %s: tables print those that it has, as STACK", q.Site))
		}
		return q.Site, nil
	}
	places, err := s.Places(ctx, q.What)
	if err != nil {
		return "", failed(ctx, err)
	}
	site, err := q.What.Site(q.Site, places)
	if err == nil {
		return site, nil
	}
	most, failure := largest(ctx, s, q)
	if failure != nil {
		return "", failure
	}
	_, err = q.What.Site(q.Site, fleet.Leading(most, places)) // what it may mean, the largest first
	return "", fail.Usage(err)
}

// largest returns the places of the things that a question is about, those with the most first.
func largest(ctx context.Context, s store.Store, q *fleet.Question) (list []fleet.Place, err error) {
	top := *q
	top.Kind, top.Site, top.Limit = fleet.Top, "", 0
	a, err := s.Ask(ctx, &top)
	if err != nil {
		return nil, failed(ctx, err)
	}
	for i := range a.Top {
		list = append(list, a.Top[i].Place)
	}
	return list, nil
}
