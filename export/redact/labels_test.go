package redact

import (
	"testing"

	"github.com/memtui/memtui/model"
)

// Keys and texts of labels are names of the user's; what is equal stays equal.
func TestLabels(t *testing.T) {
	sets := [][]model.Label{nil, {{Key: "tenant", Text: "acme"}}, {{Key: "tenant", Text: "acme"}, {Key: "bytes", Number: 64, Numeric: true}}}
	r := New()
	out := r.labels(sets)
	if len(out) != 3 || out[1][0].Text == "acme" || out[1][0].Key == "tenant" || out[1][0] != out[2][0] || out[2][1].Number != 64 {
		t.Errorf("%+v", out)
	}
}
