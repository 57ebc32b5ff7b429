// Package digest is SHA-256 (FIPS 180-4). Natively it is crypto/sha256. As
// wasm it has a compression function of its own in assembly: the compiler's
// code for the portable one keeps half of its variables in memory, and the
// core hashes every note and every record (docs/adr/0014-digest.md).
package digest

// Size is the length of a sum in bytes.
const Size = 32
