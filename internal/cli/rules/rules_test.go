package rules

import (
	"testing"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// A violation that a format and its input both report is listed once.
func TestAddOnce(t *testing.T) {
	v := &Result{Valid: true}
	x := loaders.Violation{Rule: "compression", Severity: model.Error, Message: "it is cut", Offset: 7, Count: 1}
	v.Add(x)
	v.AddOnce(x)
	x.Offset = 8
	v.AddOnce(x)
	if len(v.Violations) != 2 || v.Valid {
		t.Errorf("%+v", v.Violations)
	}
}
