package memtest

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxCode is how many columns a line of code may have, where a text counts as its quotes alone: texts, rows of tables
// and flags with their help are not wrapped.
const maxCode = 220

// codeWidths returns the columns of the lines of a Go file: a tab is four, a text two, a comment none.
func codeWidths(src []byte) []int {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(src))
	blank := []byte(strings.Clone(string(src)))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		from := file.Offset(pos)
		to := from + len(text)
		if tok == token.STRING {
			from, to = from+1, to-1
		}
		if tok == token.STRING || tok == token.COMMENT {
			for i := from; i < to; i++ {
				if blank[i] != '\n' {
					blank[i] = 0
				}
			}
		}
	}
	var widths []int
	for line := range strings.Lines(string(blank)) {
		line = strings.ReplaceAll(strings.ReplaceAll(line, "\x00", ""), "\t", "    ")
		widths = append(widths, len([]rune(strings.TrimRight(line, " \n"))))
	}
	return widths
}

func TestLinesOfCodeAreNotEndless(t *testing.T) {
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		src, err := os.ReadFile(path)
		for i, width := range codeWidths(src) {
			if width > maxCode {
				t.Errorf("%s:%d: %d columns of code", path, i+1, width)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWidthsOfCode(t *testing.T) {
	got := codeWidths([]byte("package p\n\tvar a = \"long\" + `two\nlines` // note\n"))
	if len(got) != 3 || got[0] != 9 || got[1] != 4+len(`var a = "" + `+"`") || got[2] != 1 {
		t.Error(got)
	}
}
