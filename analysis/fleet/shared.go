package fleet

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// SharedRow is a row of the answer to Shared: a site that at least two services have.
type SharedRow struct {
	Stack Key `json:"stack,omitzero"`
	Place
	Services Names `json:"services"`
	Summary        // of all their hosts
}

// Names are texts, which are one cell of CSV.
type Names []string

// Cell returns the texts with blanks between them.
func (n Names) Cell() string { return strings.Join(n, " ") }

// ofHost is a host of a service.
type ofHost struct{ service, host string }

func (a *asking) shared(ctx context.Context) ([]SharedRow, error) {
	sites := map[uint64]map[ofHost]uint64{}
	err := a.each(ctx, func(r *Recording, stack, value uint64) {
		if sites[stack] == nil {
			sites[stack] = map[ofHost]uint64{}
		}
		h := ofHost{r.Service, r.Host}
		sites[stack][h] = max(sites[stack][h], value)
	})
	if err != nil {
		return nil, err
	}
	all := 0
	for _, hosts := range a.ofAll {
		all += len(hosts)
	}
	rows, shown := []SharedRow{}, map[uint64]bool{}
	for stack, of := range sites {
		var services []string
		values := hosts{}
		for h, v := range of {
			services = append(services, h.service)
			values[h.service+Separator+h.host] = v
		}
		slices.Sort(services)
		if services = slices.Compact(services); len(services) > 1 {
			rows = append(rows, SharedRow{Stack: Key(stack), Services: services, Summary: values.summary(all)})
		}
	}
	rows = cut(a.q, rows, func(x, y *SharedRow) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), a.order(uint64(x.Stack), uint64(y.Stack)))
	})
	for i := range rows {
		shown[uint64(rows[i].Stack)] = true
	}
	places, err := a.places(ctx, shown)
	for i := range rows {
		rows[i].Place, rows[i].Stack = places[uint64(rows[i].Stack)], a.key(uint64(rows[i].Stack))
	}
	return rows, err
}

// shared sums up the hosts of all services that have a thing.
func (b sql) shared() string {
	const order = "total DESC, item"
	all := "(SELECT count(*) FROM (SELECT service, host FROM " + b.d.table("recordings") + " WHERE " + b.recordings() +
		" GROUP BY service, host) AS a)"
	rows := "SELECT item, " + b.d.names("service") + " AS services, " + b.summary() + " FROM (" + b.hosts("") +
		") AS h GROUP BY item HAVING " + b.d.unique("service") + " > 1" + b.limit(order)
	columns := "services, total, median, p95, most, hosts, " + all + " AS all_hosts"
	if !b.What.Stacks() {
		return "SELECT 0 AS stack, '' AS function, '' AS file, item AS type, " + columns + " FROM (" + rows + ") AS r ORDER BY " + order
	}
	return "SELECT item AS stack, coalesce(function, '') AS function, coalesce(file, '') AS file, '' AS type, " + columns + " FROM (" +
		rows + ") AS r " + b.d.join + " (" + b.stackNames() + ") AS n USING (item) ORDER BY " + order
}

// stackNames returns the names of stacks, each once.
func (b sql) stackNames() string {
	return "SELECT stack AS item, min(function) AS function, min(file) AS file FROM " + b.d.table("stacks") +
		" WHERE recipe = " + b.d.text(Recipe) + b.only() + " GROUP BY stack"
}
