package pyheap

import (
	"bytes"
	"strings"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/objects"
	"github.com/memtui/memtui/model"
)

// extraAbout is the column of the names of objects, as indexes of the names.
const (
	extraAbout = iota
	numExtra
)

// parser belongs to one goroutine.
type parser struct {
	names *objects.Names
	class model.EdgeLabel
	line  parsed
}

// parsed is a parsed line. Texts are decoded.
type parsed struct {
	root, kind, name, format []byte
	file                     []byte
	keys, refs               []byte // raw
	value                    []byte // raw
	id, class, size          uint64
	thread, object           uint64
	threadName               []byte
	number                   int64
	midden, isRoot, isThread bool
}

func newParser(n *objects.Names) *parser {
	return &parser{names: n, class: objects.StringLabel(n.Add([]byte("<class>")))}
}

// Line implements [objects.Parser].
func (p *parser) Line(u *objects.Unit, line []byte, at int64, cut bool) {
	text := bytes.TrimSpace(line)
	if len(text) == 0 {
		return
	}
	p.line = parsed{number: model.NoLine}
	l, v := &p.line, json.Members(text)
	for name, value, ok := v.Member(); ok; name, value, ok = v.Member() {
		p.member(string(name), value)
	}
	bad := v.Bad || len(bytes.TrimSpace(v.Rest())) > 0
	switch {
	case bad && cut:
		u.Problem(model.Error, objects.CodeTruncated, at, "the file ends within a line")
		return
	case bad:
		u.Problem(model.Error, "line", at, "a line is not JSON: it was left out")
		return
	case l.format != nil:
		return
	case l.isRoot:
		p.roots(u)
	case l.id != 0 && l.kind != nil:
		p.object(u, at)
	default:
		u.Problem(model.Warning, "foreign-line", at, "a line states neither an object nor roots: it was left out")
	}
}

// member reads a member of a line.
func (p *parser) member(name string, value []byte) {
	l := &p.line
	switch name {
	case "address":
		l.id, _ = json.Uint(value)
	case "id":
		l.id, _ = json.Uint(value)
		l.midden = true
	case "type":
		l.kind, _ = json.Text(value)
	case "class":
		l.class, _ = json.Uint(value)
	case "size":
		l.size, _ = json.Uint(value)
	case "refs", "references":
		l.refs = value
	case "keys":
		l.keys = value
	case "name":
		l.name, _ = json.Text(value)
	case "value":
		l.value = value
	case "root":
		l.root, l.isRoot = json.Text(value)
	case "format":
		l.format, _ = json.Text(value)
	case "thread":
		l.thread, l.isThread = json.Uint(value)
	case "thread_name":
		l.threadName, _ = json.Text(value)
	case "thread_object":
		l.object, _ = json.Uint(value)
	case "file":
		l.file, _ = json.Text(value)
	case "line":
		if n, ok := json.Int(value); ok && n >= 0 {
			l.number = n
		}
	}
}

// addresses calls visit with the addresses of an array.
func addresses(value []byte, visit func(id uint64)) {
	for i := 1; i < len(value); {
		if c := value[i]; c < '0' || c > '9' {
			i++
			continue
		}
		n := i
		for n < len(value) && json.Numeric(value[n]) {
			n++
		}
		if id, ok := json.Uint(value[i:n]); ok {
			visit(id)
		} else {
			visit(0)
		}
		i = n
	}
}

// labels sets the labels of references to keys.
func (p *parser) labels(keys []byte, labels []model.EdgeLabel) {
	v := json.Elements(keys)
	for i := range labels {
		key, ok := v.Element()
		if !ok {
			return
		}
		if text, ok := json.Text(key); ok {
			labels[i] = objects.StringLabel(p.names.Add(text))
		} else if n, ok := json.Uint(key); ok {
			labels[i] = objects.IndexLabel(int(min(n, 1<<31)))
		}
	}
}

func (p *parser) roots(u *objects.Unit) {
	l := &p.line
	r := objects.Root{Group: p.names.Add(l.root), Name: p.names.Add(l.name)}
	addresses(l.refs, func(id uint64) { r.Refs = append(r.Refs, id) })
	if l.keys != nil {
		r.Labels = make([]model.EdgeLabel, len(r.Refs))
		p.labels(l.keys, r.Labels)
	}
	if l.isThread {
		kept := func(b []byte) string { return string(model.KeptName(b)) }
		r.Call = &objects.Call{Thread: l.thread, Object: l.object, ThreadName: kept(l.threadName),
			Function: kept(l.name), File: kept(l.file), Line: l.number}
	}
	u.Roots = append(u.Roots, r)
}

func (p *parser) object(u *objects.Unit, at int64) {
	l := &p.line
	kind := l.kind
	if l.midden {
		kind = bytes.TrimPrefix(kind, []byte("builtins."))
	}
	o := objects.Object{ID: l.id, Class: l.class, Size: l.size, Kind: kindObject, Name: p.names.Add(kind)}
	if k, ok := kinds[string(kind)]; ok {
		o.Kind = k
	} else if !l.midden && l.name != nil && isMeta(string(kind)) {
		o.Kind = kindClass
	}
	named := l.class == 0
	addresses(l.refs, func(id uint64) {
		named = named || id == l.class
		u.Ref(id, model.LabelUnknown)
	})
	_, labels := u.Refs()
	if l.keys != nil {
		p.labels(l.keys, labels)
	} else if l.midden && (string(kind) == "list" || string(kind) == "tuple") {
		for i := range labels {
			labels[i] = objects.IndexLabel(i)
		}
	}
	if !named {
		u.Ref(l.class, p.class)
	}
	p.called(&o)
	u.Add(&o, at, numExtra)
}

// called reads the name of an object that describes something.
func (p *parser) called(o *objects.Object) {
	if !schema.Kinds[o.Kind].About {
		return
	}
	name := p.line.name
	if text, ok := json.Text(p.line.value); ok && name == nil && p.line.midden {
		name = bytes.TrimPrefix(text, []byte("module "))
	}
	if len(name) > 0 {
		o.Extra[extraAbout] = p.names.Add(name)
	}
}

// isMeta reports whether objects of a type are classes themselves, judging by the type's name.
func isMeta(name string) bool {
	return strings.HasSuffix(name, "Meta") || strings.HasSuffix(name, "EnumType") || strings.HasSuffix(name, ".type")
}
