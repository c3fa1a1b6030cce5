// Package indexcache keeps the indexes of traces in files, beside the traces or in the user's cache. It uses none that
// other than the user or root could have written, and removes those from the cache that were not used for longest.
// Names of code in binaries are kept there in the same way.
package indexcache
