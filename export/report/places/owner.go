package places

import (
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// Owner is the frame that owns an allocation: the first one from the leaf that does not belong to a library. The zero
// Owner is unknown.
type Owner struct{ Place Place }

// Titled returns the cleaned name, with the module if the name alone is not specific.
func (o Owner) Titled() string {
	if o.Place.File == nil {
		return o.Name()
	}
	return calltree.InModule(o.Name(), model.Clean(*o.Place.File))
}

// IsZero reports whether the owner is unknown.
func (o Owner) IsZero() bool { return o.Place == Place{} }

// Name returns the owner's function, cleaned, or a placeholder if the file has none.
func (o Owner) Name() string { return o.Place.Name() }

// AppendJSON implements [object.Appender].
func (o Owner) AppendJSON(dst []byte) []byte { return appendPlace(dst, o.Place) }

func (o Owner) Cell() string {
	if o.IsZero() {
		return ""
	}
	if at := o.Place.Where(); at != "" {
		return o.Place.Name() + " (" + at + ")"
	}
	return o.Place.Name()
}
