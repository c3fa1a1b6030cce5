// Package places holds places of a program in reports: lines, stacks, and who owns an allocation.
package places

import (
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
)

// Place is a line of a program. Parts that the file does not record are nil.
type Place struct {
	Function *string `json:"function,omitzero"`
	File     *string `json:"file,omitzero"`
	Line     *int64  `json:"line,omitzero"`
}

// Of resolves one frame. Parts that the file omits are nil.
func Of(s *model.Stacks, id model.FrameID) Place {
	var p Place
	if f := s.FrameFunc[id]; f != 0 {
		p.Function = &s.Functions[f]
	}
	if f := s.FrameFile[id]; f != 0 {
		p.File = &s.Files[f]
	}
	if line := s.FrameLine[id]; line != model.NoLine {
		p.Line = &s.FrameLine[id]
	}
	return p
}

// Name returns the function, cleaned, or a placeholder if the file has none.
func (p Place) Name() string {
	if p.Function == nil || *p.Function == "" {
		return calltree.NoFunction
	}
	return model.Clean(*p.Function)
}

// Where returns file:line, cleaned, or "" if the file is unknown. A line of 0 or less is unknown and omitted.
func (p Place) Where() string {
	if p.File == nil {
		return ""
	}
	if p.Line == nil || *p.Line <= 0 {
		return model.Clean(*p.File)
	}
	return model.Clean(*p.File) + ":" + strconv.FormatInt(*p.Line, 10)
}

// Base returns Where without directories.
func (p Place) Base() string {
	where := p.Where()
	return where[strings.LastIndexByte(where, '/')+1:]
}

// appendPlace is not a method: the rows that embed a Place would inherit it.
func appendPlace(dst []byte, p Place) []byte {
	dst = append(dst, '{')
	sep := ""
	if p.Function != nil {
		dst = object.Quote(append(dst, `"function": `...), *p.Function)
		sep = ", "
	}
	if p.File != nil {
		dst = object.Quote(append(append(dst, sep...), `"file": `...), *p.File)
		sep = ", "
	}
	if p.Line != nil {
		dst = strconv.AppendInt(append(append(dst, sep...), `"line": `...), *p.Line, 10)
	}
	return append(dst, '}')
}

// OfFrame returns a frame as a place; unknown parts stay nil.
func OfFrame(f model.Frame) Place {
	var p Place
	if f.Function != "" {
		p.Function = &f.Function
	}
	if f.File != "" {
		p.File = &f.File
	}
	if f.Line != model.NoLine {
		p.Line = &f.Line
	}
	return p
}
