// Package column packs the numbers of an index: columns of values that are appended and never move, ascending columns,
// streams of a few bits for each FREE, sums of a group, and the pyramid of extremes over the live curve.
package column
