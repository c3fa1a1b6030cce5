package fleet

import (
	"fmt"
	"strconv"
	"strings"
)

// Dialect is how an engine writes what engines write differently.
type Dialect struct {
	Table func(name string) string // the table as FROM takes it

	text   func(string) string                    // a text as a literal
	rank   func(percent int, value string) string // the value at a rank of all values of a group
	unique func(value string) string              // how many distinct values a group has
	has    func(list, value string) string        // whether a list has a value
	float  string                                 // the type of floating-point numbers
	join   string                                 // of rows that may lack a partner, which there is at most one of
	inner  string                                 // of rows that must have one
}

// ClickHouse returns the dialect of ClickHouse from 18.16. database qualifies the tables, unless it is "".
func ClickHouse(database string) Dialect {
	if database != "" {
		database += "."
	}
	return Dialect{
		Table: func(name string) string { return database + name },
		text:  backslashed,
		rank: func(percent int, value string) string {
			return fmt.Sprintf("quantileExact(%s)(%s)", strconv.FormatFloat(float64(percent)/100, 'f', -1, 64), value)
		},
		unique: func(value string) string { return "uniqExact(" + value + ")" },
		has:    func(list, value string) string { return "has(" + list + ", " + value + ")" },
		float:  "Float64", join: "ANY LEFT JOIN", inner: "ANY INNER JOIN",
	}
}

// DuckDB returns the dialect of DuckDB over the Parquet files below a folder.
func DuckDB(dir string) Dialect {
	return Dialect{
		Table: func(name string) string {
			return "read_parquet(" + quoted(strings.TrimSuffix(dir, "/")+"/"+name+"/*/*/*.parquet") + ", hive_partitioning = false)"
		},
		text: quoted,
		rank: func(percent int, value string) string {
			return fmt.Sprintf("list_sort(list(%s))[least(count(*) - 1, count(*) * %d // 100) + 1]", value, percent)
		},
		unique: func(value string) string { return "count(DISTINCT " + value + ")" },
		has:    func(list, value string) string { return "list_contains(" + list + ", " + value + ")" },
		float:  "DOUBLE", join: "LEFT JOIN", inner: "JOIN",
	}
}

// quoted returns a literal of standard SQL.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// backslashed returns a literal of ClickHouse, in which every byte that is not harmless is a number.
func backslashed(s string) string {
	var out strings.Builder
	out.WriteByte('\'')
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(" _-.,:/+=@<>()[]", c) >= 0:
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, `\x%02x`, c)
		}
	}
	out.WriteByte('\'')
	return out.String()
}

// Text returns a text as a literal of ClickHouse.
func Text(s string) string { return backslashed(s) }

// SQL returns the question in a dialect. Its columns are those of the answer's rows, in order.
func (q *Question) SQL(d Dialect) string {
	b := sql{q, d}
	switch q.Kind {
	case Diff:
		return b.diff()
	case Outliers:
		return b.outliers()
	case Trend:
		return b.trend()
	case Spread:
		return b.spread()
	case Recordings:
		return b.list()
	}
	return b.top()
}

// sql writes a question.
type sql struct {
	*Question
	d Dialect
}

// recordings returns the condition for rows of the table recordings.
func (b sql) recordings() string {
	list := []string{"recipe = " + b.d.text(Recipe), string(b.Figure) + " IS NOT NULL"}
	for _, c := range []struct{ column, value string }{{"service", b.Service}, {"version", b.Version}, {"host", b.Host}} {
		if c.value != "" {
			list = append(list, c.column+" = "+b.d.text(c.value))
		}
	}
	for _, l := range b.Labels {
		list = append(list, b.d.has("labels", b.d.text(l)))
	}
	if b.Kind == Diff {
		list = append(list, "version IN ("+b.d.text(b.Before)+", "+b.d.text(b.After)+")")
	}
	return strings.Join(list, " AND ")
}

// sites returns the condition for rows of the table sites.
func (b sql) sites() string {
	out := string(b.Figure) + " > 0"
	if b.Service != "" {
		out += " AND service = " + b.d.text(b.Service)
	}
	out += " AND recording IN (SELECT recording FROM " + b.d.Table("recordings") + " WHERE " + b.recordings() + ")"
	if k, ok := b.site(); ok {
		return out + " AND stack = " + strconv.FormatUint(uint64(k), 10)
	}
	if b.Site != "" {
		out += " AND stack IN (SELECT stack FROM " + b.d.Table("stacks") + " WHERE recipe = " + b.d.text(Recipe) +
			" AND function = " + b.d.text(b.Site) + ")"
	}
	return out
}

// of returns an expression with a name.
func of(expression, name string) string { return expression + " AS " + name }

// summary returns the columns of a [Summary] but the last one, of values v by host.
func (b sql) summary() string {
	return strings.Join([]string{of("sum(v)", "total"), of(b.d.rank(50, "v"), "median"), of(b.d.rank(95, "v"), "p95"),
		of("max(v)", "most"),
		of("count(*)", "hosts")}, ", ")
}

// hostsOf returns the number of all hosts in each group.
func (b sql) hostsOf(group, more string) string {
	return "SELECT " + group + ", " + of(b.d.unique("host"), "all_hosts") + more + " FROM " + b.d.Table("recordings") +
		" WHERE " + b.recordings() +
		" GROUP BY " + group
}

// figures returns the figure v of each host, within groups that may be "": of the sites asked for, or of recordings.
func (b sql) figures(group string) string {
	if b.Site == "" {
		return "SELECT " + group + "host, max(" + string(b.Figure) + ") AS v FROM " + b.d.Table("recordings") + " WHERE " +
			b.recordings() +
			" GROUP BY " + group + "host"
	}
	stacks := "SELECT " + group + "host, recording, stack, max(" + string(b.Figure) + ") AS w FROM " + b.d.Table("sites") +
		" WHERE " + b.sites() +
		" GROUP BY " + group + "host, recording, stack"
	recordings := "SELECT " + group + "host, recording, sum(w) AS r FROM (" + stacks + ") AS x GROUP BY " + group + "host, recording"
	return "SELECT " + group + "host, max(r) AS v FROM (" + recordings + ") AS y GROUP BY " + group + "host"
}

// limit returns the end of a statement.
func (b sql) limit(order string) string {
	if b.Limit > 0 {
		return " ORDER BY " + order + " LIMIT " + strconv.Itoa(b.Limit)
	}
	return " ORDER BY " + order
}

// named adds the names of stacks to rows, before the other columns.
func (b sql) named(rows, columns, order string) string {
	names := "SELECT stack, min(function) AS function, min(file) AS file FROM " + b.d.Table("stacks") + " WHERE recipe = " +
		b.d.text(Recipe) + " GROUP BY stack"
	return "SELECT service, stack, coalesce(function, '') AS function, coalesce(file, '') AS file, " + columns + " FROM (" +
		rows + ") AS r " +
		b.d.join + " (" + names + ") AS n USING (stack) ORDER BY " + order
}

func (b sql) top() string {
	const order = "total DESC, service, stack"
	hosts := "SELECT service, stack, host, max(" + string(b.Figure) + ") AS v FROM " + b.d.Table("sites") + " WHERE " +
		b.sites() + " GROUP BY service, stack, host"
	rows := "SELECT service, stack, " + b.summary() + " FROM (" + hosts + ") AS h GROUP BY service, stack" + b.limit(order)
	const columns = "total, median, p95, most, hosts, all_hosts"
	all := "SELECT service, stack, " + columns + " FROM (" + rows + ") AS s " + b.d.join + " (" + b.hostsOf("service", "") +
		") AS a USING (service)"
	return b.named(all, columns, order)
}

// side returns the columns of one version in a comparison, with a suffix.
func (b sql) side(suffix string) string {
	return strings.Join([]string{of("sum(v)", "total"+suffix), of(b.d.rank(50, "v"), "median"+suffix), of(b.d.rank(95, "v"),
		"p95"+suffix),
		of("count(*)", "hosts"+suffix)}, ", ")
}

// diff joins the sites of either version with the figures of both.
func (b sql) diff() string {
	const order = "change DESC, service, stack"
	version := func(name string) string { return "version = " + b.d.text(name) }
	hosts := func(where string) string {
		return "SELECT service, stack, host, max(" + string(b.Figure) + ") AS v FROM " + b.d.Table("sites") + " WHERE " +
			where + " AND " + b.sites() +
			" GROUP BY service, stack, host"
	}
	part := func(name, suffix string) string {
		return "SELECT service, stack, " + b.side(suffix) + " FROM (" + hosts(version(name)) + ") AS h GROUP BY service, stack"
	}
	all := func(name, suffix string) string {
		return "SELECT service, " + of(b.d.unique("host"), "all"+suffix) + " FROM " + b.d.Table("recordings") + " WHERE " +
			b.recordings() + " AND " +
			version(name) + " GROUP BY service"
	}
	keys := "SELECT service, stack FROM " + b.d.Table("sites") + " WHERE version IN (" + b.d.text(b.Before) + ", " +
		b.d.text(b.After) + ") AND " + b.sites() +
		" GROUP BY service, stack"
	const ofA, ofB = "coalesce(total_a, 0) AS total_a, coalesce(median_a, 0) AS median_a, coalesce(p95_a, 0) AS p95_a, coalesce(hosts_a, 0) AS hosts_a",
		"coalesce(total_b, 0) AS total_b, coalesce(median_b, 0) AS median_b, coalesce(p95_b, 0) AS p95_b, coalesce(hosts_b, 0) AS hosts_b"
	const a, z = "total_a, median_a, p95_a, hosts_a", "total_b, median_b, p95_b, hosts_b"
	rows := "SELECT service, stack, " + ofA + " FROM (" + keys + ") AS k " + b.d.join + " (" + part(b.Before, "_a") +
		") AS a USING (service, stack)"
	rows = "SELECT service, stack, " + a + ", " + ofB + " FROM (" + rows + ") AS l " + b.d.join + " (" + part(b.After, "_b") +
		") AS b USING (service, stack)"
	rows = "SELECT service, stack, " + a + ", " + z + ", all_a FROM (" + rows + ") AS m " + b.d.inner + " (" + all(b.Before,
		"_a") + ") AS c USING (service)"
	rows = "SELECT service, stack, " + a + ", " + z + ", all_a, all_b FROM (" + rows + ") AS o " + b.d.inner + " (" +
		all(b.After, "_b") + ") AS d USING (service)"
	const columns = "median_a, p95_a, hosts_a, all_a, median_b, p95_b, hosts_b, all_b"
	rows = "SELECT service, stack, " + b.number("total_b") + " / all_b - " + b.number("total_a") + " / all_a AS change, " +
		columns + " FROM (" + rows + ") AS t" +
		b.limit(order)
	return b.named(rows, "change, "+columns, order)
}

// number returns an expression as a floating-point number.
func (b sql) number(expression string) string { return "CAST(" + expression + " AS " + b.d.float + ")" }

// outliers scores hosts by the median distance from the median, or where that is 0 by the mean distance.
func (b sql) outliers() string {
	values := b.figures("service, ")
	if b.Site != "" { // hosts that lack the site have 0
		every := "SELECT service, host FROM " + b.d.Table("recordings") + " WHERE " + b.recordings() + " GROUP BY service, host"
		values = "SELECT service, host, coalesce(v, 0) AS v FROM (" + every + ") AS e " + b.d.join + " (" + values +
			") AS f USING (service, host)"
	}
	medians := "SELECT service, " + of(b.d.rank(50, "v"), "median") + " FROM (" + values + ") AS g GROUP BY service"
	distances := "SELECT service, host, v, median, CASE WHEN v > median THEN v - median ELSE median - v END AS distance FROM (" + values + ") AS h " +
		b.d.join + " (" + medians + ") AS m USING (service)"
	spread := "SELECT service, " + of(b.d.rank(50, "distance"), "mad") + ", " + b.number("sum(distance)") +
		" / count(*) AS mean FROM (" + distances +
		") AS i GROUP BY service"
	z := func(factor, by string) string {
		return factor + " * (" + b.number("v") + " - " + b.number("median") + ") / " + by
	}
	scores := "SELECT service, host, v, median, CASE WHEN mad > 0 THEN " + z("0.6745", b.number("mad")) +
		" WHEN mean > 0 THEN " + z("0.7979", "mean") +
		" ELSE 0.0 END AS score FROM (" + distances + ") AS j " + b.d.join + " (" + spread + ") AS s USING (service)"
	return "SELECT service, host, v, median, score FROM (" + scores + ") AS k WHERE abs(score) >= " +
		strconv.FormatFloat(leastScore, 'f', -1, 64) + b.limit("abs(score) DESC, service, host")
}

func (b sql) trend() string {
	hosts := "SELECT service, version, " + b.summary() + " FROM (" + b.figures("service, version, ") +
		") AS h WHERE v > 0 GROUP BY service, version"
	all := b.hostsOf("service, version", ", min(start_us) AS first")
	return "SELECT service, version, first, coalesce(total, 0) AS total, coalesce(median, 0) AS median, coalesce(p95, 0) AS p95, coalesce(most, 0) AS most, " +
		"coalesce(hosts, 0) AS hosts, all_hosts FROM (" + all + ") AS a " + b.d.join + " (" + hosts + ") AS s USING (service, version)" +
		b.limit("service, first, version")
}

func (b sql) spread() string {
	hosts := "SELECT service, " + b.summary() + " FROM (" + b.figures("service, ") + ") AS h WHERE v > 0 GROUP BY service"
	all := b.hostsOf("service", "")
	return "SELECT service, total, median, p95, most, hosts, all_hosts FROM (" + hosts + ") AS s " + b.d.join + " (" + all +
		") AS a USING (service)" +
		b.limit("total DESC, service")
}
