package fleet

import (
	"cmp"
	"slices"
	"strconv"
)

// CurveRow is a row of the answer to Curve: one part of the time that runs took. Parts of all versions of a service are
// equally long, so that the last one of a version may end within one.
type CurveRow struct {
	Service string `json:"service"`
	Version string `json:"version"`
	First   int64  `json:"first_us"` // start of the first recording of the version, microseconds since 1970
	Until   int64  `json:"until_us"` // the end of the part, microseconds since runs began; of the last one that of the longest run of the version
	Summary        // of the most that lives within the part, on hosts that still run
}

// CurveParts is the number of parts that runs are divided into.
const CurveParts = 16

// partLength returns the length of parts, so that there are at most [CurveParts] of a run.
func partLength(longest int64) int64 { return longest/CurveParts + 1 }

// point is a row of the table curve: the most that lives within some time that ends at at.
type point struct {
	recording uint64
	at        int64
	most      uint64
}

// curve returns the parts of versions, of which the limit keeps the newest.
func (a *asking) curve() []CurveRow {
	longest, ends := map[string]int64{}, map[group]int64{}
	for i := range a.points {
		p := &a.points[i]
		if r := a.recordings[p.recording]; r != nil {
			longest[r.Service] = max(longest[r.Service], p.at)
			ends[ofVersion(r)] = max(ends[ofVersion(r)], p.at)
		}
	}
	type part struct {
		group
		n int64
	}
	parts := map[part]hosts{}
	for i := range a.points {
		p := &a.points[i]
		if r := a.recordings[p.recording]; r != nil {
			raise(parts, part{ofVersion(r), max(p.at, 0) / partLength(longest[r.Service])}, r.Host, p.most)
		}
	}
	newest := a.newest()
	rows := []CurveRow{}
	for p, h := range parts {
		s := h.summary(len(a.ofEach[p.group]))
		if s.Hosts == 0 || !slices.Contains(newest, p.group) {
			continue
		}
		until := min((p.n+1)*partLength(longest[p.service]), ends[p.group])
		rows = append(rows, CurveRow{p.service, p.version, a.first[p.group], until, s})
	}
	slices.SortFunc(rows, func(x, y CurveRow) int {
		return cmp.Or(cmp.Compare(x.Service, y.Service), cmp.Compare(x.First, y.First), cmp.Compare(x.Version, y.Version),
			cmp.Compare(x.Until, y.Until))
	})
	return rows
}

// newest returns the newest versions, as many as the limit says.
func (a *asking) newest() (list []group) {
	for g := range a.first {
		list = append(list, g)
	}
	return cut(a.q, list, func(x, y *group) int {
		return cmp.Or(cmp.Compare(a.first[*y], a.first[*x]), cmp.Compare(x.service, y.service), cmp.Compare(x.version, y.version))
	})
}

// curve divides runs into parts, takes the most of each host within a part, and sums hosts up.
func (b sql) curve() string {
	where := " FROM " + b.d.table("curve") + " WHERE recording IN (" + b.counted() + ")"
	if b.Service != "" {
		where += " AND service = " + b.d.text(b.Service)
	}
	points := "SELECT service, version, host, until, v FROM " +
		b.withHosts("SELECT recording, at_us AS until, max(max_bytes) AS v"+where+" GROUP BY recording, at_us")
	longest := "SELECT service, max(at_us) AS longest" + where + " GROUP BY service"
	length := "(" + b.d.div("longest", strconv.Itoa(CurveParts)) + " + 1)"
	numbered := "SELECT service, version, host, v, longest, " + b.d.div("until", length) + " AS part FROM (" + points + ") AS p " +
		b.d.inner + " (" + longest + ") AS l USING (service)"
	hosts := "SELECT service, version, host, part, longest, max(v) AS v FROM (" + numbered +
		") AS h GROUP BY service, version, host, part, longest"
	ends := "SELECT service, version, max(until) AS ends FROM (" + points + ") AS e GROUP BY service, version"
	ended := "SELECT service, version, part, longest, v, ends FROM (" + hosts + ") AS g " + b.d.inner + " (" + ends + ") AS f USING (service, version)"
	rows := "SELECT service, version, CASE WHEN (part + 1) * " + length + " < ends THEN (part + 1) * " + length +
		" ELSE ends END AS until, " + b.summary() + " FROM (" + ended + ") AS d WHERE v > 0 GROUP BY service, version, until"
	all := b.hostsOf("service, version", ", min(start_us) AS first")
	if b.Limit > 0 {
		all = "SELECT service, version, all_hosts, first FROM (" + all + ") AS o" + b.limit("first DESC, service, version")
	}
	return "SELECT service, version, first, until, total, median, p95, most, hosts, all_hosts FROM (" + rows + ") AS r " + b.d.inner +
		" (" + all + ") AS a USING (service, version) ORDER BY service, first, version, until"
}
