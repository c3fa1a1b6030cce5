package fleet

import (
	"fmt"
	"strconv"
)

// RepeatedSQL returns the question how many rows of sites are there more than once, which a recording that was added twice
// makes so. [Question.Distinct] reads its answer. It is "" for questions about which that says nothing.
func (q *Question) RepeatedSQL(d Dialect) string {
	if q.Kind != Top && q.Kind != Diff && q.Kind != Shared || !q.What.HasSites() || q.What == Leaks || q.All {
		return ""
	}
	of := *q
	of.What = Sites
	return "SELECT sum(n) - sum(u) AS repeated FROM (SELECT count(*) AS n, " + d.unique("recording") + " AS u FROM (" +
		sql{&of, d}.items("recording, ") + ") AS i GROUP BY item) AS g"
}

// Distinct returns the same question, for rows of which none is there twice. Telling hosts apart takes most of the time of an
// answer: where each host counts by one recording, and that has a thing once, its rows are those of hosts.
func (q *Question) Distinct(rows [][]string) (*Question, error) {
	if len(rows) != 1 || len(rows[0]) != 1 {
		return nil, fmt.Errorf("the engine's answer has %d rows instead of one", len(rows))
	}
	repeated, err := strconv.ParseUint(rows[0][0], 10, 64)
	out := *q
	out.distinct = err == nil && repeated == 0
	return &out, err
}
