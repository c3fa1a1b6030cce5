// Package suspect has suspects of heaps as reports and comparisons print them.
package suspect

import (
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// Suspect is a group of objects of one type, or of one package, that hold much of the heap or whose number grows.
type Suspect struct {
	Type        string       `json:"type"`           // or a place on the axis By
	By          *string      `json:"by,omitzero"`    // the axis if they have no type in common: "package"
	Count       uint64       `json:"count"`          // of the objects
	Bytes       uint64       `json:"bytes"`          // shallow size of the objects
	Retained    uint64       `json:"retained_bytes"` // together, nothing counted twice
	Row         *model.Row   `json:"accumulation_row,omitzero"`
	Owner       *string      `json:"holder_label,omitzero"`
	OwnerRow    *model.Row   `json:"holder_row,omitzero"`
	Through     *string      `json:"through,omitzero"`      // the name of the owner's reference
	Growth      *int64       `json:"growth_count,omitzero"` // since the first snapshot, of all objects of the type
	GrowthBytes *int64       `json:"growth_bytes,omitzero"` // change of their shallow size
	Same        *uint64      `json:"same_count,omitzero"`   // that the first snapshot has, too; nil without identities
	Verdict     string       `json:"verdict,omitzero"`      // over the snapshots; "" if there is one
	Sure        *places.Sure `json:"confidence,omitzero"`   // of Verdict; absent if there is one snapshot
	Evidence    string       `json:"evidence"`

	share model.Share
}

// New returns a suspect in the form of reports.
func New(s *suspects.Suspect) Suspect {
	out := Suspect{
		Type: s.Name, Count: s.Count, Bytes: s.Bytes, Retained: s.Retained, Verdict: s.Word(), Evidence: s.Evidence(),
		share: model.ShareOf(s.Retained, s.Total),
	}
	if sure := places.NewSure(s.Confidence()); sure > 0 {
		out.Sure = &sure
	}
	if s.Axis > 0 {
		out.By = &s.Schema.Axes[s.Axis].Key
	}
	if s.HasRow {
		out.Row, out.Owner, out.OwnerRow = &s.Row, &s.Owner, &s.OwnerRow
		if s.Through != "" {
			out.Through = &s.Through
		}
	}
	if s.HasGrowth {
		out.Growth, out.GrowthBytes = &s.Growth, &s.GrowthBytes
	}
	if s.HasSame {
		out.Same = &s.Same
	}
	return out
}

// Certain returns the confidence of the verdict ("90 % certain") followed by then, or "" if there is only one snapshot.
func (s *Suspect) Certain(then string) string {
	if s.Sure == nil {
		return ""
	}
	return s.Sure.String() + " certain" + then
}

// What returns the name of the objects: "Session", "package shop.cart".
func (s *Suspect) What() string {
	if s.By != nil {
		return *s.By + " " + model.Clean(s.Type)
	}
	return model.Clean(s.Type)
}

// Share returns the part of the heap that they retain.
func (s *Suspect) Share() model.Share { return s.share }
