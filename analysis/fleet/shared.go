package fleet

import (
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

func (a *asking) shared(ctx context.Context) ([]SharedRow, error) {
	t, err := a.gather(ctx)
	if err != nil {
		return nil, err
	}
	all, services := 0, map[uint64]Names{}
	for _, hosts := range a.ofAll {
		all += len(hosts)
	}
	for _, s := range t.sites {
		services[s.stack] = append(services[s.stack], s.service)
	}
	list := []ranked[uint64]{}
	for stack, of := range services {
		if len(of) > 1 {
			list = append(list, ranked[uint64]{site{"", stack}, a.total(t.ofAll(stack, of), nil)})
		}
	}
	list = first(a, list)
	names, err := named(ctx, a, list)
	rows := make([]SharedRow, len(list))
	for i, r := range list {
		of := services[r.stack]
		slices.Sort(of)
		rows[i] = SharedRow{Stack: a.key(r.stack), Place: names[r.stack], Services: of, Summary: a.summary(t.ofAll(r.stack, of), nil, all)}
	}
	return rows, err
}

// ofAll returns the parts of a thing in services.
func (t *tally) ofAll(stack uint64, services []string) (all parts) {
	for _, s := range services {
		all = append(all, t.of(site{s, stack})...)
	}
	return all
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
