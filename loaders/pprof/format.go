package pprof

import (
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/weighted"
)

const formatName = "pprof"

// Format returns the protocol buffer format of pprof.
func Format() loaders.Format {
	return weighted.Format(loaders.Format{
		Name:       formatName,
		Summary:    "profiles of pprof (Go, and profilers of many languages): heap, CPU and other sample types",
		Extensions: []string{".pprof", ".pb"},
		Sniff:      sniff,
	}, func(r *weighted.Reading) error { return newReader(r).read() })
}

// sniff parses the first fields: they must be those of a Profile, and begin with a sample type, as in all writers.
func sniff(head []byte) loaders.Confidence {
	m := message{b: head}
	fields, types := 0, 0
	for m.next() {
		wire, known := wireOf(m.number)
		if !known || m.wire != wire && m.number != fieldComment {
			return loaders.No
		}
		inner := m.inner()
		switch m.number {
		case fieldSampleType, fieldPeriodType:
			if !plausible(&inner, 2) || len(m.body) > 20 {
				return loaders.No
			}
			types++
		case fieldSample, fieldMapping, fieldLocation, fieldFunction:
			if !plausible(&inner, 10) {
				return loaders.No
			}
		}
		fields++
	}
	cut := m.wire == wireBytes && m.number >= fieldSampleType && m.number <= fieldPeriodType
	whole := m.wrong == "" || cut // a field may continue after the head
	switch {
	case types == 0 || fields < 2 || !whole && len(head) >= loaders.SniffLength:
		return loaders.No
	case fields < 4:
		return loaders.Maybe
	}
	return loaders.Sure
}

// plausible reports whether a message is complete and has fields up to a number only.
func plausible(m *message, most uint64) bool {
	for m.next() {
		if m.number > most {
			return false
		}
	}
	return m.wrong == ""
}
