// Package sections writes and opens files that hold arrays as they lie in memory, so that opening one copies next to
// nothing: indexes of recordings, which are kept between runs.
//
//	magic                  of the format
//	sections               each from a multiple of 64 bytes on
//	checksums              CRC-32C of each block of BlockSize bytes so far
//	table                  16 bytes per section: offset, length
//	trailer                see trailer
//
// Everything outside sections is little-endian, sections are as this machine has them. What a section holds is told by
// its place in the table alone; a format lists its sections in one function for writing and for reading, and the
// trailer has a hash of that list and of the layout of every type in it, so that a file of a program with other types
// is never taken for one of this.
package sections
