package folded

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/weighted"
)

const formatName = "folded"

// Format returns folded stacks.
func Format() loaders.Format {
	return weighted.Format(loaders.Format{
		Name:       formatName,
		Summary:    "folded stacks, as used for flame graphs: one stack per line, with a number",
		Extensions: []string{".folded", ".collapsed"},
		Unit:       true,
		Sniff:      sniff,
	}, func(r *weighted.Reading) error { return newReader(r).read() })
}
