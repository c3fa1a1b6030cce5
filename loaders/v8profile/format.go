package v8profile

import (
	"bytes"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/weighted"
)

const (
	heapName = "v8-heapprofile"
	cpuName  = "v8-cpuprofile"
)

// Heap returns the format of sampling heap profiles.
func Heap() loaders.Format {
	return format(heapName, "sampling heap profiles of V8 (Node.js, Chrome, Deno)", ".heapprofile")
}

// CPU returns the format of CPU profiles.
func CPU() loaders.Format {
	return format(cpuName, "CPU profiles of V8 (Node.js, Chrome, Deno)", ".cpuprofile")
}

func format(name, summary, extension string) loaders.Format {
	return weighted.Format(loaders.Format{
		Name: name, Summary: summary, Extensions: []string{extension},
		Sniff: func(head []byte) loaders.Confidence { return sniff(head, name) },
	}, func(r *weighted.Reading) error { return newReader(r, name == heapName).read() })
}

// sniff searches for the members of nodes, in a file with the right beginning.
func sniff(head []byte, name string) loaders.Confidence {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	i := json.Blank(head, 0)
	if i == len(head) || head[i] != '{' {
		return loaders.No
	}
	has := func(member string) bool { return bytes.Contains(head, []byte(`"`+member+`"`)) }
	first := false
	for _, member := range []string{"head", "nodes", "samples", "timeDeltas", "startTime", "endTime", "title",
		"typeId", "uid", "timestamps"} {
		first = first || bytes.HasPrefix(head[json.Blank(head, i+1):], []byte(`"`+member+`"`))
	}
	heap := has("selfSize")
	cpu := !heap && (has("hitCount") || has("timeDeltas") || has("callFrame") && has("nodes") || has("positionTicks"))
	switch {
	case !first || !heap && !cpu || heap != (name == heapName):
		return loaders.No
	case has("callFrame") || has("functionName"):
		return loaders.Sure
	}
	return loaders.Maybe
}
