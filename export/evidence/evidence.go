// Package evidence writes what is known about a file to a folder or an archive that can be attached to a ticket: each
// part, and a manifest that lists all of them with their sizes and hashes, and what was left out.
package evidence

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memtui/memtui/export/report"
)

// schema is the name of the manifest's object.
const schema = "memtui.evidence/1"

// manifestName is the file that names all others.
const manifestName = "MANIFEST.json"

// Part is one file. Write may return what it left out, in words.
type Part struct {
	Name  string
	About string // its content, in a few words
	Write func(ctx context.Context, w io.Writer) (cut []string, err error)
}

// Manifest describes the evidence: the file, and the list of parts.
type Manifest struct {
	Schema   string           `json:"schema"`
	File     report.File      `json:"file"` // the analyzed file
	Complete bool             `json:"complete"`
	Lost     int64            `json:"lost_bytes"`
	Problems []report.Problem `json:"problems"`
	Time     report.Time      `json:"time"`
	Program  string           `json:"program"`  // that wrote it
	Redacted bool             `json:"redacted"` // names were replaced
	Parts    []PartInfo       `json:"files"`
	Cut      []CutPart        `json:"cut"` // what was left out, by file
}

// PartInfo is one file of the evidence.
type PartInfo struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Bytes int64  `json:"bytes"`
	SHA   string `json:"sha256"` // hexadecimal
}

// CutPart is something that a file lacks.
type CutPart struct {
	Name string `json:"name"`
	What string `json:"what"`
}

// Write writes all parts and then the manifest, whose lists it fills in, to out: an archive where that ends in .tar,
// .tar.gz or .tgz, else a folder. Existing files are never overwritten, and the output appears only when it is
// complete. Equal parts give equal archives, as their files have no times.
func Write(ctx context.Context, out string, m *Manifest, parts []Part) (err error) {
	if err := vacant(out); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(filepath.Clean(out)), ".evidence-")
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(temp)) }()
	m.Schema, m.Parts, m.Cut = schema, []PartInfo{}, []CutPart{}
	folder := filepath.Join(temp, "files")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for _, p := range parts {
		if err := m.write(ctx, folder, p); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	var text bytes.Buffer
	if err := report.WriteJSON(&text, m); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, manifestName), text.Bytes(), 0o644); err != nil {
		return err
	}
	if !archived(out) {
		if err := os.Remove(out); err != nil && !errors.Is(err, fs.ErrNotExist) { // an empty folder
			return err
		}
		return os.Rename(folder, out)
	}
	packed := filepath.Join(temp, "archive")
	if err := pack(packed, folder, nameIn(out), !strings.HasSuffix(out, ".tar"), m); err != nil {
		return err
	}
	return os.Rename(packed, out)
}

// vacant fails if something would be overwritten.
func vacant(out string) error {
	list, err := os.ReadDir(out)
	switch {
	case err == nil && len(list) == 0 && !archived(out):
		return nil
	case err == nil:
		return fmt.Errorf("%s: the folder is not empty", out)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	if _, err := os.Lstat(out); err == nil {
		return fmt.Errorf("%s: %w", out, fs.ErrExist)
	}
	return err
}

func archived(out string) bool {
	return slices.ContainsFunc([]string{".tar", ".tar.gz", ".tgz"}, func(s string) bool { return strings.HasSuffix(out, s) })
}

// nameIn returns the folder's name within an archive.
func nameIn(out string) string {
	name := filepath.Base(out)
	for _, s := range []string{".gz", ".tar", ".tgz"} {
		name = strings.TrimSuffix(name, s)
	}
	return cmp.Or(name, "evidence")
}

// write writes one part and records its size and hash.
func (m *Manifest) write(ctx context.Context, folder string, p Part) error {
	file, err := os.OpenFile(filepath.Join(folder, p.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	hash := sha256.New()
	count := &counter{w: io.MultiWriter(file, hash)}
	cut, err := p.Write(ctx, count)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	m.Parts = append(m.Parts, PartInfo{p.Name, p.About, count.n, hex.EncodeToString(hash.Sum(nil))})
	for _, c := range cut {
		m.Cut = append(m.Cut, CutPart{p.Name, c})
	}
	return nil
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// pack makes an archive of a folder: the manifest first.
func pack(out, folder, name string, zip bool, m *Manifest) error {
	file, err := os.OpenFile(out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	var w io.WriteCloser = file
	if zip {
		w = gzip.NewWriter(file)
	}
	archive := tar.NewWriter(w)
	err = add(archive, folder, name, manifestName)
	for _, p := range m.Parts {
		err = errors.Join(err, add(archive, folder, name, p.Name))
	}
	err = errors.Join(err, archive.Close())
	if zip {
		err = errors.Join(err, w.Close())
	}
	return errors.Join(err, file.Close())
}

func add(archive *tar.Writer, folder, name, part string) error {
	data, err := os.ReadFile(filepath.Join(folder, part))
	if err != nil {
		return err
	}
	head := &tar.Header{Name: name + "/" + part, Mode: 0o644, Size: int64(len(data)), ModTime: time.Unix(0, 0)}
	if err := archive.WriteHeader(head); err != nil {
		return err
	}
	_, err = archive.Write(data)
	return err
}
