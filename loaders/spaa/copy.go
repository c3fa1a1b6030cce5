package spaa

import (
	"bytes"
	"context"
	"io"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// copyRecords copies every record of src to w unchanged, one per line. Blank lines and lines without a record are left out;
// problems describe the latter.
func copyRecords(ctx context.Context, src *loaders.Source, w io.Writer) ([]model.Problem, error) {
	var found findings
	lines := int64(0)
	err := each(ctx, src, false, func(k *block) error {
		o := &k.out
		for _, i := range o.issues {
			if i.rule == "json" || i.rule == "line-length" || i.rule == "record-type" && i.severity == model.Error {
				found.add(model.Problem{
					Severity: i.severity, Code: i.rule, Message: i.message, Count: i.count,
					Offset: k.offset + int64(i.place.at), Line: lines + int64(i.place.line) + 1,
				})
			}
		}
		lines += o.lines
		return copyLines(w, k.data, o.bad)
	})
	return found.list(), err
}

// copyLines writes lines, except blank ones and those that start at an offset in bad, which rises.
func copyLines(w io.Writer, data []byte, bad []uint32) error {
	for at := 0; at < len(data); {
		end := bytes.IndexByte(data[at:], '\n') + at
		if end < at {
			end = len(data)
		}
		from := at
		at = end + 1
		if len(bad) > 0 && bad[0] == uint32(from) {
			bad = bad[1:]
			continue
		}
		line := bytes.TrimRight(data[from:end], "\r")
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
		if _, err := w.Write([]byte{'\n'}); err != nil {
			return err
		}
	}
	return nil
}
