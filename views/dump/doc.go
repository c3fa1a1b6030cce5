// Package dump has the screens of memory dumps: measured series, page layouts and their fragmentation.
package dump
