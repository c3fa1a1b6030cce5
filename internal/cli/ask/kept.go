package ask

import (
	"slices"
	"strings"

	"github.com/memtui/memtui/export/html"
)

// mostKept is how many inputs of pages are kept: each may have the graph of a snapshot.
const mostKept = 2

// Kept has the newest inputs of pages, which have many sections, by the words of their command lines.
type Kept struct{ list []kept }

type kept struct {
	words string
	src   *html.Source
}

// Of returns the input with these words, made if it is not kept. The error is that of what makes it.
func (k *Kept) Of(words string, build func() (*html.Source, error)) (html.Source, error) {
	for _, old := range k.list {
		if old.words == words {
			return *old.src, nil
		}
	}
	src, err := build()
	if err != nil {
		return html.Source{}, err
	}
	k.list = append([]kept{{words, src}}, k.list[:min(len(k.list), mostKept-1)]...)
	return *src, nil
}

// Named is a file as the command line and as the page name it.
type Named struct{ Typed, Path, Name string }

// Hide replaces the places of files by their names.
func Hide(text string, files []Named) string {
	for _, f := range files {
		if f.Path != "" && f.Path != "-" {
			text = strings.ReplaceAll(text, f.Path, f.Name)
		}
	}
	for _, f := range files {
		text = strings.ReplaceAll(text, f.Typed, f.Name)
	}
	return text
}

// Command returns the command that prints what the page shows, with the names of files instead of their places.
func Command(args []string, files []Named) []string {
	words := []string{"memtui"}
	for _, w := range args {
		if i := slices.IndexFunc(files, func(f Named) bool { return f.Typed == w }); i >= 0 {
			w = files[i].Name
		}
		if w != "--format=json" && !strings.HasPrefix(w, "--limit=") {
			words = append(words, w)
		}
	}
	return words
}
