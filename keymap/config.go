package keymap

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Line is one `key = value` line of a config file. It is an alias, so that package themes, which does not import this
// one, accepts the same lines.
type Line = struct {
	Number int // from 1
	Key    string
	Value  string // without blanks at its ends, never ""
}

// Config is a parsed config file; settings and roles are interpreted elsewhere.
//
//	# comments are on lines of their own
//	theme = dark
//	mouse = on
//	bind = global.quit q Ctrl-Q
//	[theme night]
//	base = dark
//	warning = #ffaf00 bold
type Config struct {
	Settings []Line // everything before the first section except bindings, each key once
	Bindings []Line // bind and unbind, for [Map.Merge]
	Themes   []ThemeLines
}

// ThemeLines is a section [theme NAME]: the lines of one user theme.
type ThemeLines struct {
	Name   string // letters, digits, - and _
	Number int    // line of the heading
	Lines  []Line
}

// maxConfig is the maximum size of a config file, in bytes.
const maxConfig = 1 << 20

// ParseConfig reads a config file. Every error names its line; the readable part is returned with the errors.
func ParseConfig(r io.Reader) (*Config, error) {
	limited := &io.LimitedReader{R: r, N: maxConfig + 1}
	in := bufio.NewScanner(limited)
	in.Buffer(nil, maxConfig+1)
	p := configReader{config: &Config{}, seen: map[string]int{}}
	for number := 1; in.Scan(); number++ {
		if err := p.line(number, strings.TrimSpace(strings.TrimPrefix(in.Text(), "\ufeff"))); err != nil {
			p.errs = append(p.errs, fmt.Errorf("line %d: %w", number, err))
		}
	}
	if err := in.Err(); err != nil {
		p.errs = append(p.errs, err)
	} else if limited.N == 0 {
		p.errs = append(p.errs, fmt.Errorf("larger than %d bytes", maxConfig))
	}
	return p.config, errors.Join(p.errs...)
}

// maxConfigErrors limits the list of errors: a file that is not a config file has one on every line.
const maxConfigErrors = 20

type configReader struct {
	config *Config
	theme  *ThemeLines    // the current section, nil before the first
	seen   map[string]int // section and key → line
	errs   []error
}

func (p *configReader) line(number int, text string) error {
	switch {
	case len(p.errs) >= maxConfigErrors || text == "" || text[0] == '#':
		return nil
	case text[0] == '[':
		return p.heading(number, text)
	}
	key, value, ok := strings.Cut(text, "=")
	l := Line{Number: number, Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
	if !ok || !isName(l.Key) || l.Value == "" {
		return fmt.Errorf("not of the form key = value: %q", shorten(text))
	}
	if p.theme == nil && (l.Key == "bind" || l.Key == "unbind") {
		p.config.Bindings = append(p.config.Bindings, l)
		return nil
	}
	section := ""
	if p.theme != nil {
		section = p.theme.Name
	}
	if err := p.once(section+"\n"+l.Key, l.Key, number); err != nil {
		return err
	}
	if p.theme != nil {
		p.theme.Lines = append(p.theme.Lines, l)
	} else {
		p.config.Settings = append(p.config.Settings, l)
	}
	return nil
}

func (p *configReader) heading(number int, text string) error {
	words := strings.Fields(strings.TrimSuffix(text[1:], "]"))
	p.config.Themes = append(p.config.Themes, ThemeLines{Number: number})
	p.theme = &p.config.Themes[len(p.config.Themes)-1] // also if malformed: its lines are not settings
	if !strings.HasSuffix(text, "]") || len(words) != 2 || words[0] != "theme" || !isName(words[1]) {
		p.config.Themes = p.config.Themes[:len(p.config.Themes)-1]
		p.theme = &ThemeLines{}
		return fmt.Errorf("not of the form [theme NAME]: %q", shorten(text))
	}
	p.theme.Name = words[1]
	return p.once("theme "+words[1], "theme "+words[1], number)
}

// once reports a duplicate in the file.
func (p *configReader) once(id, what string, number int) error {
	if first := p.seen[id]; first != 0 {
		return fmt.Errorf("%s is already on line %d", what, first)
	}
	p.seen[id] = number
	return nil
}

// isName reports whether s is a name: letters, digits, - and _, beginning with a letter or digit.
func isName(s string) bool {
	for i, r := range s {
		letter := r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if !letter && (i == 0 || r != '-' && r != '_') {
			return false
		}
	}
	return s != ""
}

func shorten(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return s
}
