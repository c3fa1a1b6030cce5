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

// Site is the frame that a site is named after. The zero Site is unknown.
type Site struct{ Place Place }

// SiteOf returns the site of a stack; unknown if the file does not define the stack.
func SiteOf(f Frames) Site {
	if f = f.Site(); f.Depth() == 0 {
		return Site{}
	}
	return Site{f.Place(0)}
}

// IsZero reports whether the site is unknown.
func (s Site) IsZero() bool { return s.Place == Place{} }

// AppendJSON implements [object.Appender].
func (s Site) AppendJSON(dst []byte) []byte { return appendPlace(dst, s.Place) }

func (s Site) Cell() string { return Owner(s).Cell() }
