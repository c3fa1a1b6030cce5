// Package tally adds up the blocks of a trace while its index is built: what would take a second walk over all events
// later. Of each chunk it has how high the live bytes of each stack, thread and size class rise; of all blocks that end
// in the chunk in which they are born, how long they live. Blocks that outlive their chunk have records: these are added
// in one walk over them.
package tally
