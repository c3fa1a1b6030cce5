package heaptext

import (
	"bytes"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/weighted"
)

// Names of the formats.
const (
	nameJemalloc = "jemalloc-heap"
	nameTcmalloc = "tcmalloc-heap"
	nameGo       = "go-heap-text"
)

// Jemalloc returns the format of jemalloc's heap profiles.
func Jemalloc() loaders.Format {
	return format(nameJemalloc, "jemalloc's heap profiles: live and allocated memory by stack and thread")
}

// Tcmalloc returns the format of tcmalloc's heap profiles.
func Tcmalloc() loaders.Format {
	return format(nameTcmalloc, "tcmalloc's heap profiles: live and allocated memory by stack")
}

// Go returns the format of the Go runtime's heap profiles as text.
func Go() loaders.Format {
	return format(nameGo, "heap profiles of the Go runtime as text (debug=1)")
}

func format(name, summary string) loaders.Format {
	return weighted.Format(loaders.Format{
		Name: name, Summary: summary, Extensions: []string{".heap"}, Addresses: true, AllocatorFrames: name != nameGo,
		Sniff: func(head []byte) loaders.Confidence {
			if sniffed(head) == name {
				return loaders.Sure
			}
			return loaders.No
		},
	}, read)
}

// sniffed returns the format of a file by its first bytes, "" for none. Symbols may fill all of them: the format is
// jemalloc's then, whose writers most often have them.
func sniffed(head []byte) string {
	if bytes.HasPrefix(head, []byte("--- symbol")) {
		if i := bytes.Index(head, []byte("\n--- heap\n")); i >= 0 {
			return dialect(head[i+len("\n--- heap\n"):])
		}
		return nameJemalloc
	}
	return dialect(head)
}

// dialect returns the format by its header.
func dialect(head []byte) string {
	if rate, ok := bytes.CutPrefix(head, []byte("heap_v2/")); ok && len(rate) > 0 && rate[0]-'0' <= 9 {
		return nameJemalloc
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if !bytes.HasPrefix(line, []byte("heap profile:")) {
		return ""
	}
	if c, _, ok := cutCounts(bytes.TrimPrefix(line, []byte("heap profile:"))); !ok || c.blocks < 0 {
		return ""
	}
	if bytes.Contains(line, []byte("@ heap/")) {
		return nameGo
	}
	return nameTcmalloc
}
