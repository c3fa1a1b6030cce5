package model

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"github.com/memtui/memtui/model/sections"
)

var stacksFormat = sections.Format{Magic: "memtui.test/1\r\n", Version: 1}

// moved writes symbols to a file and reads them.
func moved(t *testing.T, s *Stacks) (*Stacks, error) {
	t.Helper()
	var b bytes.Buffer
	if err := stacksFormat.Write(t.Context(), &b, sections.Key{1}, s.Sections); err != nil {
		t.Fatal(err)
	}
	file := &sections.File{Data: b.Bytes(), At: bytes.NewReader(b.Bytes())}
	f, err := stacksFormat.Open(context.Background(), file, sections.Key{1}, sections.Layout(NewStacks().Sections))
	if err != nil {
		t.Fatal(err)
	}
	out := NewStacks()
	out.Sections(f)
	err = f.Done()
	clear(b.Bytes()) // what was read is a copy
	return out, err
}

func someStacks() *Stacks {
	s := NewStacks()
	s.Functions, s.Files = append(s.Functions, "main", "\xff\x00"), append(s.Files, "a.c", "")
	s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, 1, 2), append(s.FrameFile, 2, 1), append(s.FrameLine, 7, 1<<40)
	s.Parent, s.Frame, s.Depth = append(s.Parent, 0, 1), append(s.Frame, 2, 1), append(s.Depth, 1, 2)
	s.Leaf = map[StackID]NodeID{0: 0, 1 << 63: 2}
	return s
}

// Symbols come back as they were written, and those that refer to what is not there are refused.
func TestStacksInFiles(t *testing.T) {
	want := someStacks()
	if got, err := moved(t, want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
	for name, harm := range map[string]func(s *Stacks){
		"no functions":          func(s *Stacks) { s.Functions = nil },
		"no files":              func(s *Stacks) { s.Files = nil },
		"too few lines":         func(s *Stacks) { s.FrameLine = s.FrameLine[:2] },
		"too few files":         func(s *Stacks) { s.FrameFile = s.FrameFile[:2] },
		"an unknown function":   func(s *Stacks) { s.FrameFunc[2] = 3 },
		"an unknown file":       func(s *Stacks) { s.FrameFile[1] = 3 },
		"an unknown frame":      func(s *Stacks) { s.Frame[2] = 3 },
		"a parent behind":       func(s *Stacks) { s.Parent[1] = 1 },
		"a root with a parent":  func(s *Stacks) { s.Parent[0] = 1 },
		"a wrong depth":         func(s *Stacks) { s.Depth[2] = 1 },
		"too few depths":        func(s *Stacks) { s.Depth = s.Depth[:1] },
		"too few frames":        func(s *Stacks) { s.Frame = s.Frame[:1] },
		"no nodes":              func(s *Stacks) { s.Parent, s.Frame, s.Depth = nil, nil, nil },
		"a stack without nodes": func(s *Stacks) { s.Leaf[5] = 3 },
	} {
		s := someStacks()
		harm(s)
		if _, err := moved(t, s); err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}
