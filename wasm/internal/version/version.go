// Package version has the core's version.
package version

// Core is the executor's version, as envelopes, traces and the handshake carry it.
const Core = "0.1.0"
