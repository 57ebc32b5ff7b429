// Package peers holds tests only: it compares the decoders with the accumulators of the official client libraries on the
// same bytes, and runs the providers against a scripted model server whose faults are switched on. They need Node and the
// packages of test/peers, and run with the build tag peers:
//
//	npm ci --prefix test/peers && go test -tags peers ./wasm/internal/llm/peers
package peers
