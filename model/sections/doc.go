// Package sections writes and opens files that hold arrays in their memory layout, so that opening one copies next to
// nothing: indexes of recordings, which are kept between runs.
//
//	magic                  of the format
//	sections               each at a multiple of 64 bytes
//	checksums              CRC-32C of each block of BlockSize bytes so far
//	table                  16 bytes per section: offset, length
//	trailer                see trailer
//
// Everything outside sections is little-endian; sections have this machine's byte order. A section is identified by its
// index in the table alone. A format lists its sections in one function for writing and for reading. The trailer has a
// hash of that list and of the layout of every type in it, so that a file of a program with other types is never
// accepted.
package sections
