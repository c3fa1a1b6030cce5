package loaders

import (
	"context"
	"io"
)

// OpenStream is [OpenSource] for bytes that are not a file, such as the built-in samples; path is the displayed name.
func OpenStream(ctx context.Context, path string, r io.Reader) (*Source, error) {
	return openStream(ctx, path, func() (io.Reader, error) { return r, nil })
}
