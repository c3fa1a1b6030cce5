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

// Nth returns the rows of recording n of a fleet: half of them are of the new version, and figures vary from host to host
// by up to an eighth. Every fifth is of another service, and every tenth lacks leaks. Some hosts have several recordings,
// others one.
func Nth(like *fleet.Batch, n int) *fleet.Batch {
	id := sha256.Sum256(binary.LittleEndian.AppendUint64([]byte("recording "), uint64(n)))
	out := &fleet.Batch{Stacks: like.Stacks}
	r := like.Recordings[0]
	r.ID, r.Recording = hex.EncodeToString(id[:]), binary.BigEndian.Uint64(id[:])
	r.Version = [...]string{Old, New}[n%2]
	r.Host, r.Service = fmt.Sprintf("shop-%03d", hostOf(n)), "shop"
	r.Dated, r.Complete, r.URI = [...]string{fleet.ByRecording, fleet.ByFile, fleet.ByUser}[n%3], n%4 != 1, fmt.Sprintf("/r/%d", n)
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
	if n%10 == 5 {
		r.Leaked, r.Live, r.Lacks = nil, nil, [...]string{fleet.LacksFrees, fleet.LacksMemory}[n/10%2]
	}
	out.Recordings = []fleet.Recording{r}
	more(out, like, &r, n)
	return out
}

// hostOf returns the number of the host of a recording.
func hostOf(n int) int {
	switch n % 10 {
	case 8: // the same version again
		return n - 6
	case 3: // the new version
		return n - 1
	}
	return n
}

// more adds other things than sites: verdicts, types and pages.
func more(out, like *fleet.Batch, r *fleet.Recording, n int) {
	for i, l := range like.Leaks {
		l.Service, l.Version, l.Host, l.Recording = r.Service, r.Version, r.Host, r.Recording
		l.Bytes += uint64(n * i)
		out.Leaks = append(out.Leaks, l)
	}
	if n%3 == 2 {
		return
	}
	for i := range 20 + n%5 { // runs of several lengths
		most := uint64(1000*i + n%11)
		out.Curve = append(out.Curve, fleet.Point{Service: r.Service, Recording: r.Recording, At: int64(i) * 1000, Max: most,
			Last: most / 2})
	}
	for i, name := range []string{"String", "it's a [B", "märz", "HashMap$Node"} {
		bytes := uint64(1000*i + n%7)
		if i == 0 && r.Version == New {
			bytes += EveryHost
		}
		out.Types = append(out.Types, fleet.Type{Service: r.Service, Recording: r.Recording, Snapshot: 2, Name: name, Count: 1 + bytes/10,
			Bytes: bytes})
		out.Pages = append(out.Pages, fleet.Page{Service: r.Service, Recording: r.Recording, Layout: 1, Series: "heap", Name: name,
			Pages: 1, Bytes: bytes + 4096})
	}
}

// Memory is a fleet in memory.
type Memory struct{ fleet.Batch }

// Recordings implements [fleet.Rows].
func (m *Memory) Recordings(context.Context, string) ([]fleet.Recording, error) {
	return m.Batch.Recordings, nil
}

// Sites implements [fleet.Rows].
func (m *Memory) Sites(_ context.Context, figure fleet.Figure, services []string, _ map[uint64]bool,
	f func(recordings, stacks, values []uint64)) error {
	for i := range m.Batch.Sites {
		if s := &m.Batch.Sites[i]; slices.Contains(services, s.Service) {
			value := map[fleet.Figure]uint64{fleet.Leaked: s.Leaked, fleet.Live: s.Live, fleet.Peak: s.Peak, fleet.Alloc: s.Alloc}[figure]
			f([]uint64{s.Recording}, []uint64{s.Stack}, []uint64{value})
		}
	}
	return nil
}

// Leaks implements [fleet.Rows].
func (m *Memory) Leaks(_ context.Context, services []string, f func(*fleet.Leak)) error {
	return each(m.Batch.Leaks, services, func(x *fleet.Leak) string { return x.Service }, f)
}

// Types implements [fleet.Rows].
func (m *Memory) Types(_ context.Context, services []string, f func(*fleet.Type)) error {
	return each(m.Batch.Types, services, func(x *fleet.Type) string { return x.Service }, f)
}

// Pages implements [fleet.Rows].
func (m *Memory) Pages(_ context.Context, services []string, f func(*fleet.Page)) error {
	return each(m.Batch.Pages, services, func(x *fleet.Page) string { return x.Service }, f)
}

func each[T any](rows []T, services []string, service func(*T) string, f func(*T)) error {
	for i := range rows {
		if slices.Contains(services, service(&rows[i])) {
			f(&rows[i])
		}
	}
	return nil
}

// Curve implements [fleet.Rows].
func (m *Memory) Curve(_ context.Context, services []string, f func(*fleet.Point)) error {
	return each(m.Batch.Curve, services, func(x *fleet.Point) string { return x.Service }, f)
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
		"top":                  {Kind: fleet.Top, Figure: fleet.Leaked, Limit: 20},
		"top of all":           {Kind: fleet.Top, Figure: fleet.Alloc},
		"top live":             {Kind: fleet.Top, Figure: fleet.Live, Filter: till, Limit: 3},
		"top of a label":       {Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Labels: []string{"zone=1"}}, Limit: 20},
		"top of a version":     {Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Version: New, Host: OddHost}, Limit: 20},
		"top of nothing":       {Kind: fleet.Top, Figure: fleet.Leaked, Filter: none},
		"diff":                 {Kind: fleet.Diff, Figure: fleet.Leaked, Before: Old, After: New, Limit: 20},
		"diff of a shop":       {Kind: fleet.Diff, Figure: fleet.Leaked, Before: New, After: Old, Filter: shop},
		"diff of nothing":      {Kind: fleet.Diff, Figure: fleet.Leaked, Before: "'", After: "\\'", Limit: 20},
		"outliers":             {Kind: fleet.Outliers, Figure: fleet.Leaked, Limit: 20},
		"every host":           {Kind: fleet.Outliers, Figure: fleet.Alloc, Every: true, Filter: till},
		"outliers of site":     {Kind: fleet.Outliers, Figure: fleet.Leaked, Site: site},
		"trend":                {Kind: fleet.Trend, Figure: fleet.Leaked},
		"trend of site":        {Kind: fleet.Trend, Figure: fleet.Leaked, Site: Regressed(like).String()},
		"trend of name":        {Kind: fleet.Trend, Figure: fleet.Live, Site: function, Filter: shop},
		"trend of hostile":     {Kind: fleet.Trend, Figure: fleet.Live, Site: "x') UNION ALL SELECT '\\"},
		"top of every version": {Kind: fleet.Top, Figure: fleet.Leaked, All: true, Limit: 20},
		"top of owners":        {Kind: fleet.Top, Figure: fleet.Leaked, What: fleet.Owners, Limit: 20},
		"owners of versions":   {Kind: fleet.Top, Figure: fleet.Alloc, What: fleet.Owners, All: true, Filter: till},
		"top of an owner":      {Kind: fleet.Top, Figure: fleet.Alloc, What: fleet.Owners, Site: function},
		"diff of owners":       {Kind: fleet.Diff, Figure: fleet.Leaked, What: fleet.Owners, Before: Old, After: New},
		"outliers of an owner": {Kind: fleet.Outliers, Figure: fleet.Live, What: fleet.Owners, Site: function},
		"trend of owners":      {Kind: fleet.Trend, Figure: fleet.Live, What: fleet.Owners},
		"that have an owner":   {Kind: fleet.Recordings, Figure: fleet.Alloc, What: fleet.Owners, Site: function, Limit: 4},
		"spread of an owner":   {Kind: fleet.Spread, Figure: fleet.Alloc, What: fleet.Owners, Site: function},
		"top of types":         {Kind: fleet.Top, Figure: fleet.Live, What: fleet.Types},
		"top of leaks":         {Kind: fleet.Top, Figure: fleet.Leaked, What: fleet.Leaks, Limit: 5},
		"top of pages":         {Kind: fleet.Top, Figure: fleet.Live, What: fleet.Pages, Filter: till, Limit: 3},
		"top of a file":        {Kind: fleet.Top, Figure: fleet.Alloc, Site: like.Stacks[0].Function + " (" + like.Stacks[0].File + ")"},
		"owners of a shop":     {Kind: fleet.Top, Figure: fleet.Live, What: fleet.Owners, Filter: shop, Limit: 5},
		"types of a shop":      {Kind: fleet.Top, Figure: fleet.Live, What: fleet.Types, Filter: shop},
		"top of a day":         {Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Until: 1_790_000_000_000_020}, Limit: 5},
		"diff of types":        {Kind: fleet.Diff, Figure: fleet.Live, What: fleet.Types, Before: Old, After: New},
		"outliers of types":    {Kind: fleet.Outliers, Figure: fleet.Live, What: fleet.Types},
		"outliers of a type":   {Kind: fleet.Outliers, Figure: fleet.Live, What: fleet.Types, Site: "it's a [B"},
		"trend of types":       {Kind: fleet.Trend, Figure: fleet.Live, What: fleet.Types, Limit: 1},
		"trend of leaks":       {Kind: fleet.Trend, Figure: fleet.Leaked, What: fleet.Leaks, Filter: shop},
		"newest version":       {Kind: fleet.Trend, Figure: fleet.Leaked, Limit: 2},
		"spread of a type":     {Kind: fleet.Spread, Figure: fleet.Live, What: fleet.Types, Site: "String"},
		"recordings":           {Kind: fleet.Recordings, Figure: fleet.Leaked, Limit: 20},
		"of a host":            {Kind: fleet.Recordings, Figure: fleet.Peak, Filter: fleet.Filter{Host: OddHost}},
		"that have a site":     {Kind: fleet.Recordings, Figure: fleet.Leaked, Site: site, Filter: till, Limit: 3},
		"that have a name":     {Kind: fleet.Recordings, Figure: fleet.Alloc, Site: function},
		"that have types":      {Kind: fleet.Recordings, Figure: fleet.Live, What: fleet.Types, Limit: 4},
		"curve":                {Kind: fleet.Curve, Figure: fleet.Live},
		"curve of a shop":      {Kind: fleet.Curve, Figure: fleet.Live, Filter: shop, Limit: 1},
		"curve of a till":      {Kind: fleet.Curve, Figure: fleet.Live, Filter: till},
		"curve of a host":      {Kind: fleet.Curve, Figure: fleet.Live, Filter: fleet.Filter{Host: OddHost, Version: New}},
		"curve of nothing":     {Kind: fleet.Curve, Figure: fleet.Live, Filter: none},
		"shared":               {Kind: fleet.Shared, Figure: fleet.Leaked, Limit: 5},
		"shared by versions":   {Kind: fleet.Shared, Figure: fleet.Alloc, All: true, Filter: fleet.Filter{Labels: []string{"zone=1"}}},
		"shared owners":        {Kind: fleet.Shared, Figure: fleet.Leaked, What: fleet.Owners},
		"shared types":         {Kind: fleet.Shared, Figure: fleet.Live, What: fleet.Types},
		"shared leaks":         {Kind: fleet.Shared, Figure: fleet.Leaked, What: fleet.Leaks, Limit: 2},
		"shared by one":        {Kind: fleet.Shared, Figure: fleet.Leaked, Filter: shop},
		"spread":               {Kind: fleet.Spread, Figure: fleet.Leaked, Site: site},
		"spread of name":       {Kind: fleet.Spread, Figure: fleet.Alloc, Site: function},
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
	if a := ask("curve"); len(a.Curve) < fleet.CurveParts || a.Curve[0].Until == 0 {
		t.Errorf("curve: %+v", a.Curve)
	}
	if a := ask("shared"); len(a.Shared) == 0 || len(a.Shared[0].Services) != 2 {
		t.Errorf("shared: %+v", a.Shared)
	}
	if a := ask("top of nothing"); len(a.Top) != 0 {
		t.Errorf("a hostile name selects %+v", a.Top)
	}
}
