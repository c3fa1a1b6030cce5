package evidence

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func part(name, text string, err error) Part {
	return Part{Name: name, About: "a test", Write: func(_ context.Context, w io.Writer) ([]string, error) {
		_, writeErr := io.WriteString(w, text)
		return []string{"half of it"}, errors.Join(err, writeErr)
	}}
}

func TestFolderAndArchive(t *testing.T) {
	dir := t.TempDir()
	for _, place := range []string{"empty", "new"} {
		out := filepath.Join(dir, place)
		if place == "empty" {
			if err := os.Mkdir(out, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := Write(t.Context(), out, &Manifest{}, []Part{part("a", "abc", nil)}); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(out, manifestName))
		if err != nil {
			t.Fatal(err)
		}
		var m Manifest
		if err := json.Unmarshal(data, &m); err != nil || len(m.Parts) != 1 || m.Parts[0].Bytes != 3 || len(m.Cut) != 1 || m.Cut[0] != (CutPart{"a", "half of it"}) {
			t.Errorf("%v: %s", err, data)
		}
	}
	if err := Write(t.Context(), filepath.Join(dir, "x.tar"), &Manifest{}, []Part{part("a", "abc", nil)}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, "x.tar"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := tar.NewReader(file)
	for _, want := range []string{"x/" + manifestName, "x/a"} {
		if h, err := r.Next(); err != nil || h.Name != want {
			t.Errorf("%v: not %s", err, want)
		}
	}
}

func TestNothingIsLeftOfWhatFails(t *testing.T) {
	dir, broken := t.TempDir(), errors.New("broken")
	if err := Write(t.Context(), filepath.Join(dir, "x.tgz"), &Manifest{}, []Part{part("a", "abc", nil), part("b", "", broken)}); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"file", "file/x", "."} {
		if err := Write(t.Context(), filepath.Join(dir, out), &Manifest{}, []Part{part("a", "abc", nil)}); err == nil {
			t.Errorf("%s: no error", out)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("%v: left behind: %v", err, list)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "file")); string(data) != "mine" {
		t.Errorf("the file holds %q", data)
	}
}
