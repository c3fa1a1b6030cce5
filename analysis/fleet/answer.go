package fleet

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

// Ask computes the answer from rows. It is that of [Question.SQL]. The error is that of ctx and of the rows.
func (q *Question) Ask(ctx context.Context, rows Rows) (*Answer, error) {
	all, err := rows.Recordings(ctx, q.Service)
	if err != nil {
		return nil, err
	}
	a := &asking{q: q, rows: rows, recordings: map[uint64]*Recording{}, ofAll: map[string]map[string]bool{},
		ofEach: map[group]map[string]bool{}, first: map[group]int64{}, ids: map[string]uint64{},
		owners: map[uint64]uint64{}, has: map[uint64]bool{}}
	if err := a.readThings(ctx, all); err != nil {
		return nil, err
	}
	a.choose(all)
	a.units = newUnits(all, a.recordings)
	a.host, a.recording = newLargest(a.units.most), newLargest(len(a.units.numbers))
	out := &Answer{Basis: a.basis(all)}
	switch q.Kind {
	case Top:
		out.Top, err = a.top(ctx)
	case Diff:
		out.Diff, err = a.diff(ctx)
	case Outliers:
		out.Outliers, err = a.outliers(ctx)
	case Trend:
		out.Trend, err = a.trend(ctx)
	case Spread:
		out.Spread, err = a.spread(ctx)
	case Recordings:
		out.Recordings, err = a.list(ctx)
	case Curve:
		out.Curve = a.curve()
	case Shared:
		out.Shared, err = a.shared(ctx)
	}
	return out, err
}

// group is a version of a service, or with "" as its version all of the service.
type group struct{ service, version string }

// thing is a row of a table other than sites.
type thing struct{ recording, stack, value, count uint64 }

// asking is a question with what its recordings say.
type asking struct {
	q          *Question
	rows       Rows
	things     []thing // of tables other than sites
	points     []point
	has        map[uint64]bool // the recordings of things and points
	names      []string
	ids        map[string]uint64          // by index in names
	owners     map[uint64]uint64          // the index of the name of the owner of a stack
	recordings map[uint64]*Recording      // those that hosts count by
	services   []string                   // that have the figure
	ofAll      map[string]map[string]bool // the hosts of a service
	ofEach     map[group]map[string]bool  // those of one version
	first      map[group]int64            // the start of its first recording
	units      *units
	host       *largest // by host, and by recording
	recording  *largest
}

// readThings reads things that are not sites.
func (a *asking) readThings(ctx context.Context, all []Recording) error {
	var services []string
	for i := range all {
		if r := &all[i]; a.q.selects(r) && !slices.Contains(services, r.Service) {
			services = append(services, r.Service)
		}
	}
	named := func(recording uint64, name string, bytes, count uint64) {
		a.things = append(a.things, thing{recording, a.id(name), bytes, count})
	}
	if a.q.Kind == Curve {
		return a.rows.Curve(ctx, services, func(p *Point) { a.points = append(a.points, point{p.Recording, p.At, p.Max}) })
	}
	switch a.q.What {
	case Owners:
		return a.readOwners(ctx, services)
	case Leaks:
		return a.rows.Leaks(ctx, services, func(l *Leak) {
			if l.Verdict == leaking {
				a.things = append(a.things, thing{l.Recording, l.Stack, l.Bytes, 0})
			}
		})
	case Types:
		return a.rows.Types(ctx, services, func(t *Type) { named(t.Recording, t.Name, t.Bytes, t.Count) })
	case Pages:
		return a.rows.Pages(ctx, services, func(p *Page) { named(p.Recording, p.Item(), p.Bytes, p.Pages) })
	}
	return nil
}

// id returns the index of a name, which is added where it is new.
func (a *asking) id(name string) uint64 {
	id, ok := a.ids[name]
	if !ok {
		id, name = uint64(len(a.names)), strings.Clone(name)
		a.ids[name], a.names = id, append(a.names, name)
	}
	return id
}

// readOwners finds the owner of every stack of services.
func (a *asking) readOwners(ctx context.Context, services []string) error {
	places := map[uint64]Place{}
	err := a.rows.Stacks(ctx, services, func(s *Stack) { least(places, s) })
	for stack, p := range places {
		a.owners[stack] = a.id(p.String())
	}
	return err
}

// least names a stack by the least of several names, as in SQL.
func least(places map[uint64]Place, s *Stack) {
	if s.Recipe != Recipe {
		return
	}
	p, ok := places[s.Stack]
	if !ok {
		p = Place{Function: s.Function, File: s.File}
	}
	places[s.Stack] = Place{Function: min(p.Function, s.Function), File: min(p.File, s.File)}
}

// leaking is the verdict on sites that leak.
const leaking = "leak"

// choose finds the recordings that hosts count by.
func (a *asking) choose(all []Recording) {
	type place struct {
		group
		host string
	}
	for _, t := range a.things {
		a.has[t.recording] = true
	}
	for i := range a.points {
		a.has[a.points[i].recording] = true
	}
	newest := map[place]*Recording{}
	for i := range all {
		r := &all[i]
		if !a.q.has(r) || !a.q.ofRecordings() && !a.has[r.Recording] {
			continue
		}
		if !slices.Contains(a.services, r.Service) {
			a.services = append(a.services, r.Service)
		}
		add(a.ofAll, r.Service, r.Host)
		add(a.ofEach, ofVersion(r), r.Host)
		if at, ok := a.first[ofVersion(r)]; !ok || r.Start < at {
			a.first[ofVersion(r)] = r.Start
		}
		p := place{ofService(r), r.Host}
		if a.q.byVersion() {
			p.group = ofVersion(r)
		}
		if a.q.Kind == Recordings {
			a.recordings[r.Recording] = r
			continue
		}
		if old := newest[p]; old == nil || cmp.Or(cmp.Compare(r.Start, old.Start), cmp.Compare(r.Recording, old.Recording)) > 0 {
			newest[p] = r
		}
	}
	for _, r := range newest {
		a.recordings[r.Recording] = r
	}
}

// basis counts recordings.
func (a *asking) basis(all []Recording) (out Basis) {
	seen := map[uint64]bool{}
	for i := range all {
		r := &all[i]
		if !a.q.selects(r) || seen[r.Recording] {
			continue
		}
		seen[r.Recording] = true
		out.Recordings++
		if a.lacks(r) {
			out.Lacking++
			out.Freeless += one(r.Lacks == LacksFrees)
			out.Memoryless += one(r.Lacks == LacksMemory)
		}
		if a.recordings[r.Recording] != nil {
			out.Counted++
			out.Undated += one(r.Dated == ByFile)
			out.Incomplete += one(!r.Complete)
			out.Sampled += one(r.Sampled)
		}
	}
	return out
}

// lacks reports whether a recording lacks the figure.
func (a *asking) lacks(r *Recording) bool {
	if a.q.Kind == Curve {
		return !a.has[r.Recording]
	}
	return a.q.What.HasSites() && a.q.Figure.of(r) == nil
}

func one(ok bool) uint64 {
	if ok {
		return 1
	}
	return 0
}

func add[K comparable](sets map[K]map[string]bool, g K, host string) {
	if sets[g] == nil {
		sets[g] = map[string]bool{}
	}
	sets[g][host] = true
}

// hosts are figures by host.
type hosts map[string]uint64

// raise keeps the largest figure of a host.
func raise[K comparable](m map[K]hosts, k K, host string, v uint64) {
	if m[k] == nil {
		m[k] = hosts{}
	}
	m[k][host] = max(m[k][host], v)
}

// rank returns the value at a rank of sorted values, as ClickHouse's quantileExact does.
func rank[T any](sorted []T, percent int) (v T) {
	if len(sorted) == 0 {
		return v
	}
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

// summary returns the distribution of figures that are not 0.
func (h hosts) summary(all int) Summary {
	values := make([]uint64, 0, len(h))
	for _, v := range h {
		if v > 0 {
			values = append(values, v)
		}
	}
	return summarized(values, all)
}

// summarized returns the distribution of figures, which it sorts.
func summarized(values []uint64, all int) Summary {
	s := Summary{All: uint64(all)}
	for _, v := range values {
		s.Total += v
	}
	slices.Sort(values)
	s.Hosts, s.Median, s.P95, s.Most = uint64(len(values)), rank(values, 50), rank(values, 95), rank(values, 100)
	return s
}

// stacks returns what the question is about, nil for all.
func (a *asking) stacks(ctx context.Context) (only map[uint64]bool, err error) {
	only = map[uint64]bool{}
	switch {
	case len(a.q.Only) > 0:
		for _, key := range a.q.Only {
			only[uint64(key)] = true
		}
		return only, nil
	case a.q.Site == "":
		return nil, nil
	}
	if !a.q.What.Stacks() {
		for id, name := range a.names {
			if name == a.q.Site || a.q.What == Owners && a.q.What.place(name).Function == a.q.Site {
				only[uint64(id)] = true
			}
		}
		return only, nil
	}
	if k, ok := a.q.site(); ok {
		only[uint64(k)] = true
		return only, nil
	}
	function, file, both := Divided(a.q.Site)
	err = a.rows.Stacks(ctx, a.services, func(s *Stack) {
		if s.Recipe == Recipe && (s.Function == a.q.Site || both && s.Function == function && s.File == file) {
			only[s.Stack] = true
		}
	})
	return only, err
}

// parts returns the figure of each recording: of the site asked for, of all things, or of the recording itself.
func (a *asking) parts(ctx context.Context) (map[uint64]uint64, error) {
	sums := map[uint64]uint64{}
	if a.q.Site == "" && a.q.What.HasSites() && a.q.What != Leaks {
		for id, r := range a.recordings {
			sums[id] = *a.q.Figure.of(r)
		}
		return sums, nil
	}
	t, err := a.gather(ctx)
	if err != nil {
		return nil, err
	}
	for _, all := range t.parts {
		a.byRecording(all, func(i int32, value uint64) { sums[t.numbers[i]] += value })
	}
	return sums, nil
}

// figures returns the figure of each host, by group.
func (a *asking) figures(ctx context.Context, of func(*Recording) group) (map[group]hosts, error) {
	out := map[group]hosts{}
	sums, err := a.parts(ctx)
	for recording, v := range sums {
		r := a.recordings[recording]
		raise(out, of(r), r.Host, v)
	}
	return out, err
}

func ofService(r *Recording) group { return group{r.Service, ""} }
func ofVersion(r *Recording) group { return group{r.Service, r.Version} }

// cut returns the rows of the answer, sorted and limited.
func cut[T any](q *Question, rows []T, order func(a, b *T) int) []T {
	slices.SortFunc(rows, func(a, b T) int { return order(&a, &b) })
	if q.Limit > 0 && len(rows) > q.Limit {
		rows = rows[:q.Limit]
	}
	return rows
}

// places names things.
func (a *asking) places(ctx context.Context, of map[uint64]bool) (map[uint64]Place, error) {
	out := map[uint64]Place{}
	if !a.q.What.Stacks() {
		for id := range of {
			out[id] = a.q.What.place(a.names[id])
		}
		return out, nil
	}
	err := a.rows.Stacks(ctx, a.services, func(s *Stack) {
		if of[s.Stack] {
			least(out, s)
		}
	})
	return out, err
}

// order compares things of the same weight.
func (a *asking) order(x, y uint64) int {
	if a.q.What.Stacks() {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a.names[x], a.names[y])
}

// key returns the key of a thing, 0 if it is no stack.
func (a *asking) key(stack uint64) Key {
	if a.q.What.Stacks() {
		return Key(stack)
	}
	return 0
}

// counts returns how many there are of each thing on each host, nothing of things that are not counted.
func (a *asking) counts() *tally {
	out := newTally(a.units)
	for i := range a.things {
		if x := &a.things[i]; x.value > 0 && a.q.What.HasCounts() {
			a.put(out, x, x.count)
		}
	}
	return out
}

func (a *asking) top(ctx context.Context) ([]TopRow, error) {
	t, err := a.gather(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]ranked[uint64], len(t.sites))
	for i, s := range t.sites {
		list[i] = ranked[uint64]{s, a.total(t.parts[i], nil)}
	}
	list = first(a, list)
	names, err := named(ctx, a, list)
	rows, counts := make([]TopRow, len(list)), a.counts()
	for i, r := range list {
		rows[i] = TopRow{Service: r.service, Stack: a.key(r.stack), Place: names[r.stack],
			Summary: a.summary(t.of(r.site), nil, len(a.ofAll[r.service])), Count: a.total(counts.of(r.site), nil)}
	}
	return rows, err
}

func (a *asking) diff(ctx context.Context) ([]DiffRow, error) {
	t, err := a.gather(ctx)
	if err != nil {
		return nil, err
	}
	was, is := a.units.of(a.q.Before), a.units.of(a.q.After)
	list := []ranked[float64]{}
	for i, s := range t.sites {
		before, after := len(a.ofEach[group{s.service, a.q.Before}]), len(a.ofEach[group{s.service, a.q.After}])
		if before > 0 && after > 0 {
			list = append(list, ranked[float64]{s, mean(a.total(t.parts[i], is), after) - mean(a.total(t.parts[i], was), before)})
		}
	}
	list = first(a, list)
	names, err := named(ctx, a, list)
	rows := make([]DiffRow, len(list))
	for i, r := range list {
		before := a.summary(t.of(r.site), was, len(a.ofEach[group{r.service, a.q.Before}]))
		after := a.summary(t.of(r.site), is, len(a.ofEach[group{r.service, a.q.After}]))
		rows[i] = DiffRow{
			Service: r.service, Stack: a.key(r.stack), Place: names[r.stack], Change: r.by,
			BeforeMean: mean(before.Total, int(before.All)), AfterMean: mean(after.Total, int(after.All)),
			BeforeMedian: before.Median, BeforeP95: before.P95, BeforeHosts: before.Hosts, BeforeAll: before.All,
			AfterMedian: after.Median, AfterP95: after.P95, AfterHosts: after.Hosts, AfterAll: after.All,
		}
	}
	return rows, err
}

// mean returns the mean of hosts, also those that have nothing.
func mean(total uint64, hosts int) float64 { return float64(total) / float64(hosts) }

func (a *asking) outliers(ctx context.Context) ([]OutlierRow, error) {
	figures, err := a.figures(ctx, ofService)
	if err != nil {
		return nil, err
	}
	rows := []OutlierRow{}
	for _, service := range a.services {
		h := figures[group{service, ""}]
		var values, distances []uint64
		for host := range a.ofAll[service] {
			values = append(values, h[host])
		}
		slices.Sort(values)
		median, sum := rank(values, 50), uint64(0)
		for _, v := range values {
			distances = append(distances, max(v, median)-min(v, median))
			sum += max(v, median) - min(v, median)
		}
		slices.Sort(distances)
		mad, mean := rank(distances, 50), float64(sum)/float64(len(values))
		for host := range a.ofAll[service] {
			if z := score(h[host], median, mad, mean); a.q.Every || math.Abs(z) >= LeastScore {
				rows = append(rows, OutlierRow{service, host, h[host], median, z})
			}
		}
	}
	return cut(a.q, rows, func(x, y *OutlierRow) int {
		return cmp.Or(cmp.Compare(math.Abs(y.Score), math.Abs(x.Score)), cmp.Compare(x.Service, y.Service), cmp.Compare(x.Host, y.Host))
	}), nil
}

// score returns the robust z of a value. The factors make it equal to the z of a normal distribution.
func score(v, median, mad uint64, mean float64) float64 {
	switch distance := float64(v) - float64(median); {
	case mad > 0:
		return 0.6745 * distance / float64(mad)
	case mean > 0:
		return 0.7979 * distance / mean
	}
	return 0
}

// trend returns versions, of which the limit keeps the newest. Of services that never have the site there are none.
func (a *asking) trend(ctx context.Context) ([]TrendRow, error) {
	figures, err := a.figures(ctx, ofVersion)
	if err != nil {
		return nil, err
	}
	rows, has := []TrendRow{}, map[string]bool{}
	for g, h := range figures {
		has[g.service] = has[g.service] || h.summary(0).Hosts > 0
	}
	for g, at := range a.first {
		if a.q.Site != "" && !has[g.service] {
			continue // that service has nothing to do with it
		}
		rows = append(rows, TrendRow{g.service, g.version, at, figures[g].summary(len(a.ofEach[g]))})
	}
	rows = cut(a.q, rows, func(x, y *TrendRow) int {
		return cmp.Or(cmp.Compare(y.First, x.First), cmp.Compare(x.Service, y.Service), cmp.Compare(x.Version, y.Version))
	})
	slices.SortFunc(rows, func(x, y TrendRow) int {
		return cmp.Or(cmp.Compare(x.Service, y.Service), cmp.Compare(x.First, y.First), cmp.Compare(x.Version, y.Version))
	})
	return rows, nil
}

func (a *asking) spread(ctx context.Context) ([]SpreadRow, error) {
	figures, err := a.figures(ctx, ofService)
	if err != nil {
		return nil, err
	}
	rows := []SpreadRow{}
	for g, h := range figures {
		if s := h.summary(len(a.ofAll[g.service])); s.Hosts > 0 {
			rows = append(rows, SpreadRow{g.service, s})
		}
	}
	return cut(a.q, rows, func(x, y *SpreadRow) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(x.Service, y.Service))
	}), nil
}
