// Package indexcache stores the indexes of traces in files, next to the traces or in the user's cache. It uses no file
// that anyone other than the user or root could have written, and removes the least recently used ones from the cache.
// Data about binaries is stored there in the same way.
package indexcache
