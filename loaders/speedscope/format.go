package speedscope

import (
	"bytes"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/weighted"
)

const formatName = "speedscope"

// Format returns the file format of speedscope.
func Format() loaders.Format {
	return weighted.Format(loaders.Format{
		Name:       formatName,
		Summary:    "profiles of speedscope, which many profilers write",
		Extensions: []string{".speedscope.json", ".speedscope"},
		Sniff:      sniff,
	}, func(r *weighted.Reading) error { return newReader(r).read() })
}

// sniff searches for members that only these files have, in any order.
func sniff(head []byte) loaders.Confidence {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return loaders.No
	}
	has := func(text string) bool { return bytes.Contains(head, []byte(text)) }
	switch {
	case has(`speedscope.app/file-format-schema.json"`), has(`"speedscope@`) && has(`"exporter"`):
		return loaders.Sure
	case has(`"shared"`) && has(`"frames"`), has(`"profiles"`) && (has(`"evented"`) || has(`"sampled"`)):
		return loaders.Maybe
	}
	return loaders.No
}
