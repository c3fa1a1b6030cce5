package ui

import (
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// TestSitesOfALaterRevision names a site whose stack is not in the stacks shown: a recording that is followed may have
// grown since.
func TestSitesOfALaterRevision(t *testing.T) {
	s, later := model.NewStacks(), analysis.Site{Node: 40, Name: "parse", Where: "a.c:7"}
	if got := NewSiteLabels(nil).Label(s, analysis.ByStack, &later, false); got != (SiteLabel{"parse", "a.c:7"}) {
		t.Errorf("%+v", got)
	}
	if got := NewSiteLabels(nil).FilterName(s, analysis.ByStack, &later); got != "parse" {
		t.Errorf("%q", got)
	}
	if _, ok := PlaceOfNode(s, later.Node); ok {
		t.Error("it has a place")
	}
	var d Detail
	d.SetStack(s, 3, later.Node, false)
	if len(d.Frames) != 1 || !d.Frames[0].Folded {
		t.Errorf("%+v", d.Frames)
	}
}
