package weights

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// TestApartFiguresHaveNoTotal expects figures that are each stack's own to be in no sum.
func TestApartFiguresHaveNoTotal(t *testing.T) {
	p := &model.StackProfile{Events: []model.ProfileEvent{{Name: "heap"}}, Metrics: []model.ProfileMetric{{Name: "alloc_bytes"}, {Name: "lifetime_mean", Apart: true}}}
	for range 2 {
		p.Records.Node, p.Records.Event = append(p.Records.Node, 0), append(p.Records.Event, 0)
		p.Records.Weights.Add(0, model.Unsigned(3))
		p.Records.Weights.Add(1, model.Unsigned(5))
		p.Records.Weights.EndRow()
	}
	if got := Totals(p)[0].Sums; len(got) != 1 || got[0].Metric != 0 || got[0].Sum.String() != "6" {
		t.Errorf("%+v", got)
	}
}
