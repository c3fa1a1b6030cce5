package sources

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// tree writes files below a folder, each with its own path as contents.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(name+"\r\nsecond\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen(t *testing.T) {
	dir := tree(t, "src/shop/cart.c", "src/main.c", "old/shop/cart.c", "old/x/main.c", "lib/util/list.h", "web/app.js", "a/only.py")
	abs := tree(t, "here.go", "secrets.txt")
	f := NewFinder([]string{dir}, []Map{{"/build/x", filepath.Join(dir, "lib")}, {"C:\\work", dir}}, "")
	tests := []struct{ name, want string }{
		{"src/shop/cart.c", "src/shop/cart.c"},
		{"/home/ann/src/shop/cart.c", "src/shop/cart.c"},
		{"../../src/shop/cart.c", "src/shop/cart.c"},
		{"/elsewhere/x/main.c", "old/x/main.c"}, // the longest end that fits
		{"/build/x/util/list.h", "lib/util/list.h"},
		{`C:\work\web\app.js`, "web/app.js"},
		{`D:\other\web\app.js`, "web/app.js"},
		{"webpack://shop/./web/app.js?3f2a", "web/app.js"},
		{"file:///srv/web/app.js", "web/app.js"},
		{"only.py", "a/only.py"},
		{abs + "/here.go", "here.go"},
	}
	for _, tt := range tests {
		file, err := f.Open(t.Context(), tt.name)
		if err != nil || len(file.Lines) != 2 || file.Lines[0] != tt.want || file.Lines[1] != "second" {
			t.Errorf("%s: %+v, %v", tt.name, file, err)
		}
		if has, err := f.Has(t.Context(), tt.name); err != nil || !has {
			t.Errorf("there is no file of %s, %v", tt.name, err)
		}
	}
	if file, err := f.Open(t.Context(), "shop/cart.c"); err != nil || len(file.Also) != 1 {
		t.Errorf("two files fit, but %+v, %v", file, err)
	}
	for name, why := range map[string]string{
		"absent.c": dir, abs + "/secrets.txt": "not that of a source file", abs + "/absent.go": abs + "/absent.go", "/etc/passwd": "/etc/passwd", "<frozen os>": "not a file",
	} {
		_, err := f.Open(t.Context(), name)
		if missing := (*NotFoundError)(nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", name, err)
		}
		if has, err := f.Has(t.Context(), name); err != nil || has {
			t.Errorf("there is a file of %s, %v", name, err)
		}
	}
}

// TestLinksStayInside has links that lead out of a root, a pipe, and a file that is no text.
func TestLinksStayInside(t *testing.T) {
	dir, other := tree(t, "in.c", "binary.c"), tree(t, "out.c")
	for from, to := range map[string]string{"leads.c": other + "/out.c", "up.c": "../" + filepath.Base(other) + "/out.c", "good.c": "in.c"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.c"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "binary.c"), []byte("a\x00b"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Finder{NewFinder([]string{dir}, nil, ""), NewFinder(nil, nil, ""), NewFinder(nil, []Map{{dir, dir}}, "")} {
		if file, err := f.Open(t.Context(), dir+"/good.c"); err != nil || file.Lines[0] != "in.c" {
			t.Errorf("good.c: %+v, %v", file, err)
		}
		for _, name := range []string{"leads.c", "up.c", "pipe.c", "binary.c"} {
			if file, err := f.Open(t.Context(), dir+"/"+name); err == nil {
				t.Errorf("%s: %+v", name, file)
			}
		}
	}
}

// TestCheckout finds files in the git checkout around the current folder.
func TestCheckout(t *testing.T) {
	dir := tree(t, ".git/HEAD", "deep/in/x.c", ".git/x.h")
	f := NewFinder(nil, nil, dir+"/deep")
	if file, err := f.Open(t.Context(), "/build/x.c"); err != nil || file.Lines[0] != "deep/in/x.c" {
		t.Errorf("%+v, %v", file, err)
	}
	if file, err := f.Open(t.Context(), "x.h"); err == nil {
		t.Errorf("%+v", file)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := NewFinder([]string{dir}, nil, "").Open(ctx, "y/z.c"); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

func TestParseMap(t *testing.T) {
	if m, err := ParseMap("/a=/b=c"); err != nil || m != (Map{"/a", "/b=c"}) {
		t.Error(m, err)
	}
	for _, bad := range []string{"", "/a", "=/b", "/a="} {
		if _, err := ParseMap(bad); err == nil {
			t.Errorf("%q is valid", bad)
		}
	}
}
