package valgrind

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

const nameMemcheck = "memcheck"

// Memcheck returns the format of the leaks that memcheck writes as XML.
func Memcheck() loaders.Format {
	return weighted.Format(loaders.Format{
		Name: nameMemcheck, Summary: "memcheck: leaks, as XML", Extensions: []string{".xml"}, AllocatorFrames: true,
		Sniff: func(head []byte) loaders.Confidence {
			if bytes.Contains(head, []byte("<valgrindoutput>")) &&
				bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n"), []byte("<")) {
				return loaders.Sure
			}
			return loaders.No
		},
	}, readMemcheck)
}

const (
	maxXMLDepth = 64      // nesting of elements
	maxXMLToken = 1 << 20 // bytes of a token
)

// leak is an error of memcheck that is a leak.
type leak struct {
	kind, text    string
	bytes, blocks string
	offset        int64
	frames        []model.FrameID // of the first stack, leaf first
	stacks        int
}

type memcheck struct {
	*weighted.Reading
	d      *xml.Decoder
	in     *bounded
	path   []string
	leak   leak
	frame  map[string]string
	others int64 // errors that are not leaks
	tool   string
	event  uint16
	ids    [2]model.MetricID
	seen   map[string]uint64 // leaked bytes by kind
}

// bounded ends a reader if what is read at once becomes too large: the XML decoder has no bounds.
type bounded struct {
	r        io.Reader
	off, max int64
	err      error // of reading
}

var errLong = errors.New("a token is longer than a megabyte")

func (b *bounded) Read(p []byte) (int, error) {
	if b.off >= b.max {
		return 0, errLong
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.max-b.off)])
	b.off += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

func readMemcheck(r *weighted.Reading) error {
	in := &bounded{r: r.Reader()}
	m := &memcheck{Reading: r, in: in, d: xml.NewDecoder(in), seen: map[string]uint64{}}
	m.d.Strict = true
	m.d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	r.LeafFirst(true)
	r.Profile.SourceTool = nameMemcheck
	m.ids[0], _ = r.Metric(model.ProfileMetric{Name: "leaked_bytes", Unit: "bytes"})
	m.ids[1], _ = r.Metric(model.ProfileMetric{Name: "leaked_count", Unit: "count"})
	m.event = r.Event(model.ProfileEvent{Name: "leaks", Kind: "allocation", PrimaryName: "leaked_bytes", Primary: m.ids[0]})
	err := m.read()
	m.facts()
	return err
}

func (m *memcheck) read() error {
	for {
		m.in.max = m.in.off + maxXMLToken
		t, err := m.d.Token()
		switch {
		case errors.Is(err, io.EOF) && len(m.path) == 0:
			return nil
		case err != nil:
			return m.fail(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(m.path) == maxXMLDepth {
				return m.fail(fmt.Errorf("elements are nested more than %d deep", maxXMLDepth))
			}
			m.path = append(m.path, t.Name.Local)
			m.begin()
		case xml.CharData:
			m.data(t)
		case xml.EndElement:
			if err := m.end(); err != nil {
				return err
			}
			m.path = m.path[:len(m.path)-1]
		}
	}
}

// fail records why reading ends, unless that is not the fault of the file.
func (m *memcheck) fail(err error) error {
	if why := cmp.Or(m.Ctx.Err(), m.in.err); why != nil {
		return why
	}
	line, _ := m.d.InputPos()
	m.Cut = true
	if syntax := (*xml.SyntaxError)(nil); errors.Is(err, io.EOF) || errors.As(err, &syntax) && syntax.Msg == "unexpected EOF" {
		m.Say(model.Error, "truncated", m.d.InputOffset(), int64(line), "the file ends in the middle of its XML")
	} else {
		m.Say(model.Error, "syntax", m.d.InputOffset(), int64(line), "this is not XML that can be read: %v", err)
	}
	return nil
}

// at reports whether the innermost elements have these names.
func (m *memcheck) at(names ...string) bool {
	if len(m.path) < len(names) {
		return false
	}
	for i, n := range names {
		if m.path[len(m.path)-len(names)+i] != n {
			return false
		}
	}
	return true
}

func (m *memcheck) begin() {
	switch {
	case m.at("error"):
		m.leak = leak{offset: m.d.InputOffset()}
	case m.at("error", "stack"):
		m.leak.stacks++
	case m.at("stack", "frame"):
		m.frame = map[string]string{}
	}
}

func (m *memcheck) data(text []byte) {
	into := func(to *string) {
		if len(*to) < model.MaxName {
			*to += string(text)
		}
	}
	switch {
	case m.at("error", "kind"):
		into(&m.leak.kind)
	case m.at("xwhat", "text"):
		into(&m.leak.text)
	case m.at("xwhat", "leakedbytes"):
		into(&m.leak.bytes)
	case m.at("xwhat", "leakedblocks"):
		into(&m.leak.blocks)
	case m.at("valgrindoutput", "protocoltool"):
		into(&m.tool)
	case m.at("argv", "exe"), m.at("argv", "arg"):
		if m.Profile.Command != "" && len(m.Profile.Command) < model.MaxName {
			m.Profile.Command += " "
		}
		into(&m.Profile.Command)
	case len(m.path) > 1 && m.path[len(m.path)-2] == "frame" && m.frame != nil:
		s := m.frame[m.path[len(m.path)-1]]
		into(&s)
		m.frame[m.path[len(m.path)-1]] = s
	}
}

func (m *memcheck) end() error {
	switch {
	case m.at("stack", "frame"):
		if m.leak.stacks == 1 && len(m.leak.frames) < maxDepth {
			m.leak.frames = append(m.leak.frames, m.Frame(m.place()))
		}
	case m.at("error"):
		return m.record()
	}
	return nil
}

// place returns a frame as described by the file.
func (m *memcheck) place() weighted.Frame {
	f := weighted.Frame{Function: m.frame["fn"], File: m.frame["file"], Line: model.NoLine}
	if obj := m.frame["obj"]; obj != "" {
		f.DSO = m.DSO(model.DSO{Name: obj})
	}
	if dir := m.frame["dir"]; dir != "" && f.File != "" {
		f.File = strings.TrimSuffix(dir, "/") + "/" + f.File
	}
	if n, err := strconv.ParseInt(m.frame["line"], 10, 64); err == nil && n > 0 {
		f.Line = n
	}
	if f.Function == "" {
		f.Function, f.Flags = symbols.UnnamedAt(m.frame["ip"], m.frame["obj"]), model.FrameUnresolved
	}
	return f
}

var direct = regexp.MustCompile(`^[\d,]+ \(([\d,]+) direct, [\d,]+ indirect\) bytes`)

// record adds a leak.
func (m *memcheck) record() error {
	l := &m.leak
	kind, ok := strings.CutPrefix(l.kind, "Leak_")
	if !ok {
		m.others++
		return nil
	}
	size, err := strconv.ParseUint(strings.TrimSpace(l.bytes), 10, 64)
	blocks, bad := strconv.ParseUint(strings.TrimSpace(l.blocks), 10, 64)
	if err != nil || bad != nil {
		line, _ := m.d.InputPos()
		m.Say(model.Error, "number", l.offset, int64(line), "a leak does not state its bytes and blocks as numbers: it was left out")
		return nil
	}
	if own := direct.FindStringSubmatch(l.text); own != nil {
		if n, err := strconv.ParseUint(strings.ReplaceAll(own[1], ",", ""), 10, 64); err == nil {
			size = min(n, size)
		}
	}
	m.Weigh(m.ids[0], model.Unsigned(size))
	m.Weigh(m.ids[1], model.Unsigned(blocks))
	word := kindOfLeak(kind)
	m.seen[word] = add(m.seen[word], size)
	m.Add(weighted.Record{
		Node: m.LeafStack(m.Callers(l.frames)), Event: m.event, CPU: model.NoCPU, Offset: l.offset,
		Labels: m.Labels([]model.Label{{Key: "leak", Text: word}}),
	})
	return m.Step()
}

func kindOfLeak(kind string) string {
	if word := map[string]string{
		"DefinitelyLost": "definite", "IndirectlyLost": "indirect", "PossiblyLost": "possible", "StillReachable": "reachable",
	}[kind]; word != "" {
		return word
	}
	return "other"
}

func (m *memcheck) facts() {
	m.Fact("tool", "Tool", strings.TrimSpace(m.tool))
	m.Fact("command", "Command", m.Profile.Command)
	for _, k := range [...]string{"definite", "indirect", "possible", "reachable", "other"} {
		if n, ok := m.seen[k]; ok {
			m.Fact(k+"_bytes", strings.ToUpper(k[:1])+k[1:]+" leaks", model.Bytes(n).Exact())
		}
	}
	m.CountHidden()
	if m.others > 0 {
		m.Count("errors", "Errors other than leaks", m.others)
	}
	if m.Empty() && !m.Cut {
		m.Say(model.Note, "no-leaks", model.NoOffset, 0, "%s",
			cmp.Or(map[bool]string{true: "the file lists errors but no leaks: --leak-check=full lists them"}[m.others > 0], "the file lists no leaks"))
	}
}
