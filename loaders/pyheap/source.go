package pyheap

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

const (
	formatName = "python-heap"
	ownName    = "memtui-pydump"
	version    = 1
	maxHeader  = 64 << 10
)

var errVersion = errors.New("only version 1 can be read")

// Format returns the format of Python's heap dumps.
func Format() loaders.Format {
	return loaders.Format{
		Name:       formatName,
		Summary:    "Python heap dumps of `memtui heap dumper python` and of Midden: every object, and what refers to it",
		Extensions: []string{".pydump", ".jsonl"},
		Heap:       newSchema(),
		Dumper: loaders.Dumper{
			Language: "python",
			Help:     "a module that needs only the standard library, to import or to run with sys.remote_exec of Python 3.14: memtui heap dumper python > heapdump.py",
			Source:   dumper,
		},
		Sniff:    sniff,
		Load:     objects.Load(open),
		Info:     objects.Info(open),
		Validate: validate,
	}
}

// sniff recognizes the header, or a line of Midden's.
func sniff(head []byte) loaders.Confidence {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if bytes.HasPrefix(bytes.ReplaceAll(line[:min(len(line), 100)], []byte(" "), nil), []byte(`{"format":"`+ownName+`"`)) {
		return loaders.Sure
	}
	var id, kind, refs bool
	v := json.Members(line)
	for n := 0; n < 3; n++ {
		name, value, ok := v.Member()
		if !ok { // a long list of references may be cut
			refs = refs || n == 2 && len(line) == len(head) && bytes.Contains(line, []byte(`"references": [`))
			break
		}
		_, number := json.Uint(value)
		id = id || n == 0 && string(name) == "id" && number
		kind = kind || n == 1 && string(name) == "type" && value[0] == '"'
		refs = refs || n == 2 && string(name) == "references" && value[0] == '['
	}
	if id && kind && refs {
		return loaders.Maybe
	}
	return loaders.No
}

// header is what a file states about itself.
type header struct {
	version                int64
	python, implementation string
	pid                    int64
	clock                  model.Time // µs since 1970, 0 for none
}

// file is an open file.
type file struct {
	*objects.File
	head header
}

func open(ctx context.Context, src *loaders.Source) (*file, error) {
	f, err := objects.Open(ctx, src, objects.Form{Schema: &schema, Start: newPass,
		Kinds: objects.Kinds{Group: kindGroup, Root: kindLine, Call: kindCall, Lines: true}})
	if err != nil {
		return nil, err
	}
	x := &file{File: f}
	if err := x.readHeader(ctx); err != nil {
		return nil, err
	}
	if x.head.version > version {
		return nil, &loaders.FormatError{Format: formatName, Path: src.Path(), Field: "version", Err: errVersion}
	}
	return x, nil
}

func (f *file) readHeader(ctx context.Context) error {
	b := make([]byte, min(maxHeader, f.Size))
	n, err := f.Src.ReadSome(ctx, b, 0)
	if n == 0 && err != nil {
		return err
	}
	line, _, _ := bytes.Cut(b[:n], []byte("\n"))
	v := json.Members(line)
	for name, value, ok := v.Member(); ok; name, value, ok = v.Member() {
		text, _ := json.Text(value)
		switch string(name) {
		case "version":
			f.head.version, _ = json.Int(value)
		case "python":
			f.head.python = string(model.KeptName(text))
		case "implementation":
			f.head.implementation = string(model.KeptName(text))
		case "pid":
			f.head.pid, _ = json.Int(value)
		case "time":
			if s, ok := json.Float(value); ok && s > 0 && s < 1<<40 {
				f.head.clock = model.Time(s * 1e6)
			}
		}
	}
	return nil
}

// Clock implements join.Clock of package model.
func (f *file) Clock() (at model.Time, ok bool) { return f.head.clock, f.head.clock > 0 }

// Describe implements [objects.Dumped].
func (f *file) Describe() model.Meta {
	m := model.Meta{Path: f.Src.Path(), Name: f.Src.Name(), Format: formatName, Version: int(f.head.version),
		Size: f.Src.StoredSize(), Outer: f.Src.Outer()}
	if f.head.python != "" {
		m.Facts = append(m.Facts, model.Fact{Key: "python", Label: "Python", Value: f.head.python + " (" + f.head.implementation + ")"})
	}
	if f.head.pid > 0 {
		m.Facts = append(m.Facts, model.Fact{Key: "pid", Label: "Process", Value: strconv.FormatInt(f.head.pid, 10),
			Int: f.head.pid, HasInt: true})
	}
	if f.head.clock > 0 {
		ms := int64(f.head.clock) / 1000
		m.Facts = append(m.Facts, model.Fact{Key: "written_ms", Label: "Written",
			Value: time.UnixMilli(ms).UTC().Format(time.RFC3339), Int: ms, HasInt: true})
	}
	return m
}

func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	f, err := open(ctx, src)
	if loaders.ReportRefusal(err, "", report) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Validate(ctx, report)
}
