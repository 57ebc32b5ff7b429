package host

// Mark has what a disk says of an entry without reading it. Where two marks of a path
// are the same, and the first was sure, nobody has changed the entry in between.
// The zero Mark is that of a path where nothing is.
type Mark struct {
	Kind     Kind
	Size     int64
	Changed  int64  // when it was changed last, in nanoseconds
	Modified int64  // the same, as programs may set it
	Entry    uint64 // what the disk knows the entry by; 0 where it does not tell
	Device   uint64
}

// Marks tells the mark of a path of the vault. Of a folder it is only which folder that
// is; listed asks for what is directly in it, too. It is not sure where an entry could
// be changed and keep its mark: it was changed a moment ago, or a link leads to it.
type Marks func(path string, listed bool) (m Mark, sure bool)
