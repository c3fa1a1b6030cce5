package fleet

import (
	"fmt"
	"strconv"
	"strings"
)

// Dialect is how an engine writes what engines write differently.
type Dialect struct {
	table func(name string) string // the table as FROM takes it

	text   func(string) string                               // a text as a literal
	rank   func(percent int, value string) string            // the value at a rank of all values of a group
	rankIf func(percent int, value, condition string) string // the same of those that fulfill a condition, 0 if none does
	unique func(value string) string                         // how many distinct values a group has
	has    func(list, value string) string                   // whether a list has a value
	joined func(column string) string                        // the texts of a list with tabs between them
	flag   func(column string) string                        // a column of truth values as a condition
	names  func(value string) string                         // the distinct texts of a group, sorted, with tabs between them
	div    func(a, b string) string                          // the quotient of whole numbers, without the rest
	float  string                                            // the type of floating-point numbers
	join   string                                            // of rows that may lack a partner, which there is at most one of
	inner  string                                            // of rows that must have one
}

// ClickHouse returns the dialect of ClickHouse from 18.16. database qualifies the tables, unless it is "".
func ClickHouse(database string) Dialect {
	if database != "" {
		database += "."
	}
	return Dialect{
		table: func(name string) string { return database + name },
		text:  backslashed,
		rank: func(percent int, value string) string {
			return "quantileExact(" + fraction(percent) + ")(" + value + ")"
		},
		rankIf: func(percent int, value, condition string) string {
			return "quantileExactIf(" + fraction(percent) + ")(" + value + ", " + condition + ")"
		},
		unique: func(value string) string { return "uniqExact(" + value + ")" },
		has:    func(list, value string) string { return "has(" + list + ", " + value + ")" },
		joined: func(column string) string { return "arrayStringConcat(" + column + ", '\\t')" },
		flag:   func(column string) string { return "(" + column + " = 1)" },
		names:  func(value string) string { return "arrayStringConcat(arraySort(groupUniqArray(" + value + ")), '\\t')" },
		div:    func(a, b string) string { return "intDiv(" + a + ", " + b + ")" },
		float:  "Float64", join: "ANY LEFT JOIN", inner: "ANY INNER JOIN",
	}
}

// DuckDB returns the dialect of DuckDB over the Parquet files below a folder.
func DuckDB(dir string) Dialect {
	return Dialect{
		table: func(name string) string {
			return "read_parquet(" + quoted(strings.TrimSuffix(dir, "/")+"/"+name+"/*/*/*.parquet") + ", hive_partitioning = false, union_by_name = true)"
		},
		text: quoted,
		rank: func(percent int, value string) string {
			return fmt.Sprintf("list_sort(list(%s))[least(count(*) - 1, count(*) * %d // 100) + 1]", value, percent)
		},
		rankIf: func(percent int, value, condition string) string {
			only := " FILTER (WHERE " + condition + ")"
			count := "count(*)" + only
			return fmt.Sprintf("coalesce(list_sort(list(%s)%s)[least(%[3]s - 1, %[3]s * %d // 100) + 1], 0)", value, only, count, percent)
		},
		unique: func(value string) string { return "count(DISTINCT " + value + ")" },
		has:    func(list, value string) string { return "list_contains(" + list + ", " + value + ")" },
		joined: func(column string) string { return "array_to_string(" + column + ", chr(9))" },
		flag:   func(column string) string { return column },
		names:  func(value string) string { return "array_to_string(list_sort(list(DISTINCT " + value + ")), chr(9))" },
		div:    func(a, b string) string { return "(" + a + " // " + b + ")" },
		float:  "DOUBLE", join: "LEFT JOIN", inner: "JOIN",
	}
}

// fraction returns a percentage as a part of 1.
func fraction(percent int) string { return strconv.FormatFloat(float64(percent)/100, 'f', -1, 64) }

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
	case Curve:
		return b.curve()
	case Shared:
		return b.shared()
	}
	return b.top()
}

// sql writes a question.
type sql struct {
	*Question
	d Dialect
}

// things is the table of what has the figures.
func (b sql) things() string {
	if b.Kind == Curve {
		return "curve"
	}
	if b.What == "" || b.What == Owners {
		return string(Sites)
	}
	return string(b.What)
}

// columns returns the expressions of the thing in a row of its table, and of its figure.
func (b sql) columns() (item, value string) {
	switch b.What {
	case Leaks:
		return "stack", "bytes"
	case Types:
		return "type", "bytes"
	case Pages:
		return "concat(series, ': ', type)", "bytes"
	}
	return "stack", string(b.Figure)
}

// Where returns the condition for rows of the table recordings that a filter selects.
func (f *Filter) where(d Dialect) string {
	list := []string{"recipe = " + d.text(Recipe)}
	for _, c := range []struct{ column, value string }{{"service", f.Service}, {"version", f.Version}, {"host", f.Host}} {
		if c.value != "" {
			list = append(list, c.column+" = "+d.text(c.value))
		}
	}
	for _, l := range f.Labels {
		list = append(list, d.has("labels", d.text(l)))
	}
	if len(f.IDs) > 0 {
		var any []string
		for _, id := range f.IDs {
			any = append(any, "substring(id, 1, "+strconv.Itoa(len(id))+") = "+d.text(id))
		}
		list = append(list, "("+strings.Join(any, " OR ")+")")
	}
	if f.Until != 0 {
		list = append(list, "start_us < "+strconv.FormatInt(f.Until, 10))
	}
	return strings.Join(list, " AND ")
}

// selected returns the condition for recordings that are selected, with or without the figure.
func (b sql) selected() string {
	out := b.Filter.where(b.d)
	if b.Kind == Diff {
		out += " AND version IN (" + b.d.text(b.Before) + ", " + b.d.text(b.After) + ")"
	}
	return out
}

// lacks returns the condition for recordings without the figure.
func (b sql) lacks() string {
	switch {
	case b.Kind == Curve:
		return "recording NOT IN (SELECT recording FROM " + b.d.table(b.things()) + ")"
	case !b.What.HasSites():
		return "1 = 0"
	}
	return string(b.Figure) + " IS NULL"
}

// recordings returns the condition for recordings that are selected and have the figure.
func (b sql) recordings() string {
	if !b.ofRecordings() {
		return b.selected() + " AND recording IN (SELECT recording FROM " + b.d.table(b.things()) + ")"
	}
	return b.selected() + " AND " + string(b.Figure) + " IS NOT NULL"
}

// counted returns the numbers of the recordings that hosts count by: the newest of each host.
func (b sql) counted() string {
	if b.Kind == Recordings {
		return "SELECT recording FROM " + b.d.table("recordings") + " WHERE " + b.recordings()
	}
	group := "service, host"
	if b.byVersion() {
		group = "service, version, host"
	}
	from := " FROM " + b.d.table("recordings") + " WHERE " + b.recordings()
	return "SELECT max(recording)" + from + " AND (" + group + ", start_us) IN (SELECT " + group + ", max(start_us)" + from +
		" GROUP BY " + group + ") GROUP BY " + group
}

// about returns the condition for rows of the thing that the question is about.
func (b sql) about() string {
	item, _ := b.columns()
	if len(b.Only) > 0 {
		return b.only()
	}
	if k, ok := b.site(); ok {
		return " AND stack = " + strconv.FormatUint(uint64(k), 10)
	}
	switch {
	case b.Site == "":
		return ""
	case !b.What.HasSites():
		return " AND " + item + " = " + b.d.text(b.Site)
	}
	named := "function = " + b.d.text(b.Site)
	if function, file, ok := Divided(b.Site); ok {
		named = "(" + named + " OR function = " + b.d.text(function) + " AND file = " + b.d.text(file) + ")"
	}
	return " AND stack IN (SELECT stack FROM " + b.d.table("stacks") + " WHERE recipe = " + b.d.text(Recipe) + " AND " + named + ")"
}

// only returns the condition for stacks that are chosen, "" for all.
func (b sql) only() string {
	if len(b.Only) == 0 {
		return ""
	}
	var keys []string
	for _, key := range b.Only {
		keys = append(keys, strconv.FormatUint(uint64(key), 10))
	}
	return " AND stack IN (" + strings.Join(keys, ", ") + ")"
}

// items returns rows with the thing as item, its figure as w, and other columns that end in a comma.
func (b sql) items(columns string) string {
	item, value := b.columns()
	where := " WHERE " + value + " > 0"
	if b.What == Leaks {
		where += " AND verdict = " + b.d.text(leaking)
	}
	if b.Service != "" {
		where += " AND service = " + b.d.text(b.Service)
	}
	where += " AND recording IN (" + b.counted() + ")" + b.about()
	from := " FROM " + b.d.table(b.things())
	if b.What == Owners {
		return b.owned(columns, where)
	}
	if b.What.Stacks() {
		return "SELECT " + columns + of(item, "item") + ", " + of(value, "w") + from + where
	}
	count := b.count()
	return "SELECT " + columns + "item, w, n FROM " + b.withHosts("SELECT recording, "+of(item, "item")+", "+of(value, "w")+
		", "+of(count, "n")+from+where)
}

// count returns the column that counts things, "" for those that are not counted.
func (b sql) count() string {
	return map[What]string{Types: "count", Pages: "pages"}[b.What]
}

// withHosts joins rows of tables that have neither version nor host with those of their recordings.
func (b sql) withHosts(rows string) string {
	names := "SELECT recording, service, version, host FROM " + b.d.table("recordings") + " WHERE " + b.selected() +
		" GROUP BY recording, service, version, host"
	return "(" + rows + ") AS t " + b.d.inner + " (" + names + ") AS u USING (recording)"
}

// owned returns the rows of items for owners: the sum of the sites of each, where rows that are there twice count once.
func (b sql) owned(columns, where string) string {
	const in = "service, version, host, recording"
	_, value := b.columns()
	if b.distinct {
		return "SELECT " + columns + "item, w FROM " + b.withHosts(b.ownedOnce("SELECT recording, stack, "+value+" AS site_bytes FROM "+
			b.d.table(b.things())+where))
	}
	each := "SELECT " + in + ", stack, max(" + value + ") AS site_bytes FROM " + b.d.table(b.things()) + where +
		" GROUP BY " + in + ", stack"
	owners := "SELECT " + in + ", site_bytes, coalesce(owner_name, '') AS item FROM (" + each + ") AS t " + b.d.join + " (" + b.ownerNames() +
		") AS u USING (stack)"
	return "SELECT " + columns + "item, sum(site_bytes) AS w FROM (" + owners + ") AS v GROUP BY " + in + ", item"
}

// ownedOnce returns the sum of the sites of each owner in each recording, from rows of which none is there twice. Names
// are slow to group by: the least of the stacks of an owner represents it.
func (b sql) ownedOnce(rows string) string {
	least := "SELECT owner_name, min(stack) AS owner FROM (" + b.ownerNames() + ") AS k GROUP BY owner_name"
	owners := "SELECT stack, owner FROM (" + b.ownerNames() + ") AS m " + b.d.inner + " (" + least + ") AS l USING (owner_name)"
	sums := "SELECT recording, owner, sum(site_bytes) AS owner_bytes FROM (" + rows + ") AS t " + b.d.join + " (" + owners +
		") AS u USING (stack) GROUP BY recording, owner"
	named := "SELECT recording, coalesce(owner_name, '') AS item, owner_bytes FROM (" + sums + ") AS s " + b.d.join +
		" (SELECT stack AS owner, owner_name FROM (" + b.ownerNames() + ") AS p) AS n USING (owner)"
	return "SELECT recording, item, sum(owner_bytes) AS w FROM (" + named + ") AS v GROUP BY recording, item"
}

// ownerNames returns the names of the owners of stacks, each stack once.
func (b sql) ownerNames() string {
	return "SELECT stack, CASE WHEN owner_file = '' THEN owner ELSE concat(owner, ' (', owner_file, ')') END AS owner_name FROM " +
		"(SELECT stack, min(function) AS owner, min(file) AS owner_file FROM " + b.d.table("stacks") + " WHERE recipe = " +
		b.d.text(Recipe) + " GROUP BY stack) AS o"
}

// of returns an expression with a name.
func of(expression, name string) string {
	if expression == name {
		return name
	}
	return expression + " AS " + name
}

// summary returns the columns of a [Summary] but the last one, of values v by host.
func (b sql) summary() string {
	return strings.Join([]string{of("sum(v)", "total"), of(b.d.rank(50, "v"), "median"), of(b.d.rank(95, "v"), "p95"),
		of("max(v)", "most"), of("count(*)", "hosts")}, ", ")
}

// hostsOf returns the number of all hosts in each group.
func (b sql) hostsOf(group, more string) string {
	return "SELECT " + group + ", " + of(b.d.unique("host"), "all_hosts") + more + " FROM " + b.d.table("recordings") +
		" WHERE " + b.recordings() + " GROUP BY " + group
}

// parts returns the figure r of each recording: of the site asked for, of all things, or of the recording itself.
func (b sql) parts(group string) string {
	if b.Site == "" && b.What.HasSites() && b.What != Leaks {
		return "SELECT " + group + "host, recording, max(" + string(b.Figure) + ") AS r FROM " + b.d.table("recordings") +
			" WHERE " + b.recordings() + " AND recording IN (" + b.counted() + ") GROUP BY " + group + "host, recording"
	}
	each := "SELECT " + group + "host, recording, item, max(w) AS x FROM (" + b.items(group+"host, recording, ") +
		") AS i GROUP BY " + group + "host, recording, item"
	return "SELECT " + group + "host, recording, sum(x) AS r FROM (" + each + ") AS x GROUP BY " + group + "host, recording"
}

// figures returns the figure v of each host, within groups that may be "".
func (b sql) figures(group string) string {
	return "SELECT " + group + "host, max(r) AS v FROM (" + b.parts(group) + ") AS y GROUP BY " + group + "host"
}

// limit returns the end of a statement.
func (b sql) limit(order string) string {
	if b.Limit > 0 {
		return " ORDER BY " + order + " LIMIT " + strconv.Itoa(b.Limit)
	}
	return " ORDER BY " + order
}

// named adds the names of things to rows, before the other columns.
func (b sql) named(rows, columns, order string) string {
	if !b.What.Stacks() {
		return "SELECT service, 0 AS stack, '' AS function, '' AS file, item AS type, " + columns + " FROM (" + rows +
			") AS r ORDER BY " + order
	}
	return "SELECT service, item AS stack, coalesce(function, '') AS function, coalesce(file, '') AS file, '' AS type, " +
		columns + " FROM (" + rows + ") AS r " + b.d.join + " (" + b.stackNames() + ") AS n USING (item) ORDER BY " + order
}

// hosts returns the figure v of each thing and host. Texts are slow to group by: where a host of one service counts by
// one recording, its number represents both.
func (b sql) hosts(columns string) string {
	if b.distinct {
		return "SELECT " + columns + "service, item, w AS v FROM (" + b.items(columns+"service, ") + ") AS i"
	}
	count := ""
	if b.count() != "" {
		count = ", max(n) AS c"
	}
	group, service := columns+"service, item, host", "service, "
	if b.Service != "" && !b.byVersion() {
		group, service = columns+"item, recording", b.d.text(b.Service)+" AS service, "
	}
	return "SELECT " + columns + service + "item, max(w) AS v" + count + " FROM (" + b.items(columns+"service, host, recording, ") +
		") AS i GROUP BY " + group
}

func (b sql) top() string {
	const order = "total DESC, service, item"
	count := "0"
	if b.count() != "" {
		count = "sum(c)"
	}
	rows := "SELECT service, item, " + b.summary() + ", " + of(count, "count_sum") + " FROM (" + b.hosts("") +
		") AS h GROUP BY service, item" + b.limit(order)
	const columns = "total, median, p95, most, hosts, all_hosts, count_sum"
	all := "SELECT service, item, " + columns + " FROM (" + rows + ") AS s " + b.d.join + " (" + b.hostsOf("service", "") +
		") AS a USING (service)"
	return b.named(all, columns, order)
}

// side returns the columns of one version in a comparison, with a suffix.
func (b sql) side(version, suffix string) string {
	is := "version = " + b.d.text(version)
	sum := func(value string) string { return "sum(CASE WHEN " + is + " THEN " + value + " ELSE 0 END)" }
	return strings.Join([]string{of(sum("v"), "total"+suffix), of(b.d.rankIf(50, "v", is), "median"+suffix),
		of(b.d.rankIf(95, "v", is), "p95"+suffix), of(sum("1"), "hosts"+suffix)}, ", ")
}

// diff reads the things of both versions at once.
func (b sql) diff() string {
	const order = "change DESC, service, item"
	all := func(version, suffix string) string {
		return "SELECT service, " + of(b.d.unique("host"), "all"+suffix) + " FROM " + b.d.table("recordings") + " WHERE " +
			b.recordings() + " AND version = " + b.d.text(version) + " GROUP BY service"
	}
	const a, z = "total_a, median_a, p95_a, hosts_a", "total_b, median_b, p95_b, hosts_b"
	rows := "SELECT service, item, " + b.side(b.Before, "_a") + ", " + b.side(b.After, "_b") + " FROM (" + b.hosts("version, ") +
		") AS h GROUP BY service, item"
	rows = "SELECT service, item, " + a + ", " + z + ", all_a FROM (" + rows + ") AS m " + b.d.inner + " (" +
		all(b.Before, "_a") + ") AS c USING (service)"
	rows = "SELECT service, item, " + a + ", " + z + ", all_a, all_b FROM (" + rows + ") AS o " + b.d.inner + " (" +
		all(b.After, "_b") + ") AS d USING (service)"
	const columns = "mean_a, mean_b, median_a, p95_a, hosts_a, all_a, median_b, p95_b, hosts_b, all_b"
	rows = "SELECT service, item, " + b.number("total_a") + " / all_a AS mean_a, " + b.number("total_b") +
		" / all_b AS mean_b, median_a, p95_a, hosts_a, all_a, median_b, p95_b, hosts_b, all_b FROM (" + rows + ") AS t"
	rows = "SELECT service, item, mean_b - mean_a AS change, " + columns + " FROM (" + rows + ") AS w" + b.limit(order)
	return b.named(rows, "change, "+columns, order)
}

// number returns an expression as a floating-point number.
func (b sql) number(expression string) string { return "CAST(" + expression + " AS " + b.d.float + ")" }

// outliers scores hosts by the median distance from the median, or where that is 0 by the mean distance.
func (b sql) outliers() string {
	every := "SELECT service, host FROM " + b.d.table("recordings") + " WHERE " + b.recordings() + " GROUP BY service, host"
	values := "SELECT service, host, coalesce(v, 0) AS v FROM (" + every + ") AS e " + b.d.join + " (" + b.figures("service, ") +
		") AS f USING (service, host)" // hosts that lack the site have 0
	medians := "SELECT service, " + of(b.d.rank(50, "v"), "median") + " FROM (" + values + ") AS g GROUP BY service"
	distances := "SELECT service, host, v, median, CASE WHEN v > median THEN v - median ELSE median - v END AS distance FROM (" + values + ") AS h " +
		b.d.join + " (" + medians + ") AS m USING (service)"
	spread := "SELECT service, " + of(b.d.rank(50, "distance"), "mad") + ", " + b.number("sum(distance)") +
		" / count(*) AS mean FROM (" + distances + ") AS i GROUP BY service"
	z := func(factor, by string) string {
		return factor + " * (" + b.number("v") + " - " + b.number("median") + ") / " + by
	}
	scores := "SELECT service, host, v, median, CASE WHEN mad > 0 THEN " + z("0.6745", b.number("mad")) +
		" WHEN mean > 0 THEN " + z("0.7979", "mean") +
		" ELSE 0.0 END AS score FROM (" + distances + ") AS j " + b.d.join + " (" + spread + ") AS s USING (service)"
	far := ""
	if !b.Every {
		far = " WHERE abs(score) >= " + strconv.FormatFloat(LeastScore, 'f', -1, 64)
	}
	return "SELECT service, host, v, median, score FROM (" + scores + ") AS k" + far + b.limit("abs(score) DESC, service, host")
}

// trend returns versions, of which the limit keeps the newest.
func (b sql) trend() string {
	hosts := "SELECT service, version, " + b.summary() + " FROM (" + b.figures("service, version, ") +
		") AS h WHERE v > 0 GROUP BY service, version"
	all := b.hostsOf("service, version", ", min(start_us) AS first")
	if b.Site != "" { // other services have nothing to do with it
		all = "SELECT service, version, all_hosts, first FROM (" + all + ") AS o WHERE service IN (SELECT service FROM (" + b.figures("service, ") +
			") AS q WHERE v > 0)"
	}
	rows := "SELECT service, version, first, coalesce(total, 0) AS total, coalesce(median, 0) AS median, coalesce(p95, 0) AS p95, coalesce(most, 0) AS most, " +
		"coalesce(hosts, 0) AS hosts, all_hosts FROM (" + all + ") AS a " + b.d.join + " (" + hosts + ") AS s USING (service, version)"
	if b.Limit > 0 {
		rows = "SELECT service, version, first, total, median, p95, most, hosts, all_hosts FROM (" + rows + b.limit("first DESC, service, version") +
			") AS n"
	}
	return rows + " ORDER BY service, first, version"
}

func (b sql) spread() string {
	hosts := "SELECT service, " + b.summary() + " FROM (" + b.figures("service, ") + ") AS h WHERE v > 0 GROUP BY service"
	all := b.hostsOf("service", "")
	return "SELECT service, total, median, p95, most, hosts, all_hosts FROM (" + hosts + ") AS s " + b.d.join + " (" + all +
		") AS a USING (service)" + b.limit("total DESC, service")
}

// BasisSQL returns the question what recordings the answer is of. Its columns are the fields of [Basis], in order.
func (q *Question) BasisSQL(d Dialect) string {
	b := sql{q, d}
	when := func(condition string) string { return "CASE WHEN " + condition + " THEN 1 ELSE 0 END" }
	of := func(name, condition string) string { return ", max(" + when(condition) + ") AS " + name }
	counted := "SELECT recording, dated, complete, sampled, lacks, " + when(b.lacks()) + " AS lack, " +
		when("recording IN ("+b.counted()+")") + " AS used FROM " + d.table("recordings") + " WHERE " + b.selected()
	each := "SELECT recording, max(used) AS c, max(lack) AS l" + of("f", "lack = 1 AND lacks = "+d.text(LacksFrees)) +
		of("m", "lack = 1 AND lacks = "+d.text(LacksMemory)) + of("u", "used = 1 AND dated = "+d.text(ByFile)) +
		of("i", "used = 1 AND NOT "+d.flag("complete")) + of("s", "used = 1 AND "+d.flag("sampled")) + " FROM (" + counted +
		") AS x GROUP BY recording"
	out := "SELECT count(*) AS recordings"
	for _, c := range []string{"c", "l", "f", "m", "u", "i", "s"} {
		out += ", coalesce(sum(" + c + "), 0) AS " + c + "_sum"
	}
	return out + " FROM (" + each + ") AS y"
}
