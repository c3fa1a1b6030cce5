package valgrind

import (
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// frameOf reads "0xADDRESS: function (file:line)". A function without a name is named by its address.
func frameOf(b *weighted.Builder, text string) weighted.Frame {
	f := weighted.Frame{Line: model.NoLine, Function: text}
	addr, rest, ok := strings.Cut(text, ": ")
	if !ok || !strings.HasPrefix(addr, "0x") {
		return f
	}
	f.Function = rest
	if i := strings.LastIndex(rest, " ("); i >= 0 && strings.HasSuffix(rest, ")") {
		place := rest[i+2 : len(rest)-1]
		if in, ok := strings.CutPrefix(place, "in "); ok {
			f.Function, f.DSO = rest[:i], b.DSO(model.DSO{Name: in})
		} else if file, line, ok := lineOf(place); ok {
			f.Function, f.File, f.Line, f.Column = rest[:i], file, line.line, line.column
		}
	}
	if f.Function == "???" {
		f.Function, f.Flags = symbols.UnnamedAt(addr, b.Profile.DSOs[f.DSO].Name), model.FrameUnresolved
	}
	return f
}

type sourceLine struct {
	line   int64
	column uint32
}

// lineOf reads "file:line" or "file:line:column".
func lineOf(text string) (file string, at sourceLine, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", at, false
	}
	last, err := strconv.ParseUint(text[i+1:], 10, 32)
	if err != nil {
		return "", at, false
	}
	file, at.line = text[:i], int64(last)
	if j := strings.LastIndexByte(file, ':'); j > 0 {
		if n, err := strconv.ParseUint(file[j+1:], 10, 32); err == nil {
			return file[:j], sourceLine{int64(n), uint32(last)}, true
		}
	}
	return file, at, true
}

// addressOf returns the address in a frame's text, "" for none.
func addressOf(text string) string {
	addr, _, ok := strings.Cut(text, ": ")
	if !ok || !strings.HasPrefix(addr, "0x") {
		return ""
	}
	return addr
}

// places makes frames of texts, each distinct text once: files repeat them for every stack.
type places struct {
	b    *weighted.Builder
	made map[placeKey]model.FrameID
}

type placeKey struct {
	text    string
	inlined bool
}

func newPlaces(b *weighted.Builder) places { return places{b, map[placeKey]model.FrameID{}} }

// frames returns frames from texts, leaf first: a frame with the address of the next one was inlined into that.
func (p *places) frames(leafFirst []string) []model.FrameID {
	out := make([]model.FrameID, len(leafFirst))
	for i, text := range leafFirst {
		a := addressOf(text)
		k := placeKey{text, a != "" && i+1 < len(leafFirst) && addressOf(leafFirst[i+1]) == a}
		f, ok := p.made[k]
		if !ok {
			made := frameOf(p.b, text)
			if k.inlined {
				made.Flags |= model.FrameInlined
			}
			f = p.b.Frame(made)
			p.made[k] = f
		}
		out[i] = f
	}
	return out
}
