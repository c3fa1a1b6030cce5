// Package fleets makes fleets for tests: recordings of many hosts like a real one, with planted regressions and an odd
// host, and the engines that keep and ask them.
package fleets

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
	rows "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/internal/memtest/opened"
)

// Planted names what the recordings of a fleet have that the one they are made from has not.
const (
	Old, New  = "1.0", "1.1"
	OddHost   = "shop-007"
	EveryHost = 64 << 10 // bytes more at one site, on all hosts of the new version
	OneHost   = 50 << 20 // bytes more at another site, on OddHost
)

// Recorded returns the rows of a real recording.
func Recorded(t testing.TB, path string) *fleet.Batch {
	t.Helper()
	store, index, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := rows.Rows(t.Context(), store.Current(), index, rows.About{ID: sha256.Sum256([]byte(path)), Service: "shop",
		Version: Old, Host: "first", URI: path})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Regressed and Odd return the stacks that are planted: the first two of the recording.
func Regressed(like *fleet.Batch) fleet.Key { return fleet.Key(like.Sites[0].Stack) }

// Odd returns the stack of the odd host.
func Odd(like *fleet.Batch) fleet.Key { return fleet.Key(like.Sites[1].Stack) }

// Nth returns the rows of recording n of a fleet: half of them are of the new version, each is of another host, and
// figures vary from host to host by up to an eighth. Every fifth is of another service.
func Nth(like *fleet.Batch, n int) *fleet.Batch {
	id := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("recording "), uint64(n)))
	out := &fleet.Batch{Stacks: like.Stacks}
	r := like.Recordings[0]
	r.ID, r.Recording = hex.EncodeToString(id[:]), binary.BigEndian.Uint64(id[:])
	r.Version = [...]string{Old, New}[n%2]
	r.Host, r.Service = fmt.Sprintf("shop-%03d", n), "shop"
	if n%5 == 4 {
		r.Service = "till's \\ \"märz\""
	}
	r.Start, r.Date = 1_790_000_000_000_000+int64(n%2)*86_400_000_000+int64(n), [...]string{"2026-09-21", "2026-09-22"}[n%2]
	r.Labels = []string{fmt.Sprintf("zone=%d", n%3)}
	sum := uint64(0)
	for i := range like.Sites {
		s := like.Sites[i]
		s.Service, s.Version, s.Host, s.Recording = r.Service, r.Version, r.Host, r.Recording
		s.Leaked += s.Leaked * uint64(id[i%len(id)]) / 2048
		if i == 0 && r.Version == New {
			s.Leaked += EveryHost
		}
		if i == 1 && r.Host == OddHost {
			s.Leaked += OneHost
		}
		s.Live = s.Leaked
		sum += s.Leaked
		out.Sites = append(out.Sites, s)
	}
	r.Leaked, r.Live = &sum, &sum
	out.Recordings = []fleet.Recording{r}
	return out
}

// Memory is a fleet in memory.
type Memory struct{ fleet.Batch }

// Recordings implements [fleet.Rows].
func (m *Memory) Recordings(context.Context) ([]fleet.Recording, error) {
	return m.Batch.Recordings, nil
}

// Sites implements [fleet.Rows].
func (m *Memory) Sites(_ context.Context, figure fleet.Figure, services []string, f func(recording, stack, value uint64)) error {
	for i := range m.Batch.Sites {
		if s := &m.Batch.Sites[i]; slices.Contains(services, s.Service) {
			f(s.Recording, s.Stack, map[fleet.Figure]uint64{fleet.Leaked: s.Leaked, fleet.Live: s.Live, fleet.Peak: s.Peak,
				fleet.Alloc: s.Alloc}[figure])
		}
	}
	return nil
}

// Stacks implements [fleet.Rows].
func (m *Memory) Stacks(_ context.Context, _ []string, f func(*fleet.Stack)) error {
	for i := range m.Batch.Stacks {
		f(&m.Batch.Stacks[i])
	}
	return nil
}

// Questions returns questions of every kind about a fleet.
func Questions(like *fleet.Batch) map[string]*fleet.Question {
	shop := fleet.Filter{Service: "shop"}
	till := fleet.Filter{Service: "till's \\ \"märz\""}
	none := fleet.Filter{Service: "') OR 1=1 --\\", Version: "\x27; DROP TABLE sites", Labels: []string{"a='"}}
	site, function := Odd(like).String(), like.Stacks[0].Function
	return map[string]*fleet.Question{
		"top":              {Kind: fleet.Top, Figure: fleet.Leaked, Limit: 20},
		"top of all":       {Kind: fleet.Top, Figure: fleet.Alloc},
		"top live":         {Kind: fleet.Top, Figure: fleet.Live, Filter: till, Limit: 3},
		"top of a label":   {Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Labels: []string{"zone=1"}}, Limit: 20},
		"top of a version": {Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Version: New, Host: OddHost}, Limit: 20},
		"top of nothing":   {Kind: fleet.Top, Figure: fleet.Leaked, Filter: none},
		"diff":             {Kind: fleet.Diff, Figure: fleet.Leaked, Before: Old, After: New, Limit: 20},
		"diff of a shop":   {Kind: fleet.Diff, Figure: fleet.Leaked, Before: New, After: Old, Filter: shop},
		"diff of nothing":  {Kind: fleet.Diff, Figure: fleet.Leaked, Before: "'", After: "\\'", Limit: 20},
		"outliers":         {Kind: fleet.Outliers, Figure: fleet.Leaked, Limit: 20},
		"outliers of site": {Kind: fleet.Outliers, Figure: fleet.Leaked, Site: site},
		"trend":            {Kind: fleet.Trend, Figure: fleet.Leaked},
		"trend of site":    {Kind: fleet.Trend, Figure: fleet.Leaked, Site: Regressed(like).String()},
		"trend of name":    {Kind: fleet.Trend, Figure: fleet.Live, Site: function, Filter: shop},
		"trend of hostile": {Kind: fleet.Trend, Figure: fleet.Live, Site: "x') UNION ALL SELECT '\\"},
		"spread":           {Kind: fleet.Spread, Figure: fleet.Leaked, Site: site},
		"spread of name":   {Kind: fleet.Spread, Figure: fleet.Alloc, Site: function},
		"recordings":       {Kind: fleet.Recordings, Figure: fleet.Leaked, Limit: 20},
		"of a host":        {Kind: fleet.Recordings, Figure: fleet.Peak, Filter: fleet.Filter{Host: OddHost}},
		"that have a site": {Kind: fleet.Recordings, Figure: fleet.Leaked, Site: site, Filter: till, Limit: 3},
		"that have a name": {Kind: fleet.Recordings, Figure: fleet.Alloc, Site: function},
	}
}

// Asked is what answers questions.
type Asked interface {
	Ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error)
}

// Planted expects the answers to name what is planted first.
func Planted(t testing.TB, like *fleet.Batch, of Asked) {
	t.Helper()
	all := Questions(like)
	ask := func(name string) *fleet.Answer {
		a, err := of.Ask(context.Background(), all[name])
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask("diff"); len(a.Diff) == 0 || a.Diff[0].Stack != Regressed(like) && a.Diff[0].Stack != Odd(like) {
		t.Errorf("the regression is not first: %+v", a.Diff)
	}
	if a := ask("outliers"); len(a.Outliers) == 0 || a.Outliers[0].Host != OddHost {
		t.Errorf("the odd host is not first: %+v", a.Outliers)
	}
	if a := ask("top"); len(a.Top) == 0 || a.Top[0].All < 2 {
		t.Errorf("top: %+v", a.Top)
	}
	if a := ask("top of nothing"); len(a.Top) != 0 {
		t.Errorf("a hostile name selects %+v", a.Top)
	}
}
