package fleet

import (
	"fmt"
	"strconv"
)

// Bounds are the sites that may have the most, by the sums of all their rows. Rows are summed up without telling hosts
// apart, which takes most of the time of an answer: a host that has a site in several recordings, or a recording that
// was added twice, makes the sum larger than the figure, never smaller.
type Bounds struct {
	Only []Key  // the stacks of these sites
	most uint64 // that other sites may have
	all  bool   // there are no others
}

// Limits of [Bounds].
const (
	mostBounded = 200 // rows of an answer: of more, few sites are left out
	spare       = 10  // sites in addition
)

// HasBounds reports whether the answer to a question can be found among few sites.
func (q *Question) HasBounds() bool {
	return q.Kind == Top && q.What.Stacks() && q.Site == "" && len(q.Only) == 0 && q.Limit > 0 && q.Limit <= mostBounded
}

// BoundsSQL returns the question which sites may have the most. [Question.ScanBounds] reads its rows. The service is a
// text and takes a third of the time: it is left out where there is one only.
func (q *Question) BoundsSQL(d Dialect) string {
	service := "service, "
	if q.Service != "" {
		service = ""
	}
	return "SELECT item, sum(w) AS bound FROM (" + sql{q, d}.items(service) + ") AS i GROUP BY " + service + "item" +
		" ORDER BY bound DESC LIMIT " + strconv.Itoa(q.Limit+spare)
}

// ScanBounds reads the answer to [Question.BoundsSQL].
func (q *Question) ScanBounds(rows [][]string) (b Bounds, err error) {
	for i, row := range rows {
		key := uint64(0)
		if len(row) == 2 {
			if key, err = strconv.ParseUint(row[0], 10, 64); err == nil {
				b.most, err = strconv.ParseUint(row[1], 10, 64)
			}
		} else {
			err = fmt.Errorf("%d columns instead of 2", len(row))
		}
		if err != nil {
			return b, fmt.Errorf("the engine's answer, row %d: %w", i+1, err)
		}
		b.Only = append(b.Only, Key(key))
	}
	b.all = len(rows) < q.Limit+spare
	return b, nil
}

// Verify reports whether the answer about these sites alone is the answer about all.
func (b *Bounds) Verify(q *Question, a *Answer) bool {
	return b.all || len(a.Top) == q.Limit && a.Top[q.Limit-1].Total > b.most
}
