package jsbridge

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unsafe"

	"embedded-agent/wasm/internal/canon"
	"embedded-agent/wasm/internal/fault"
	"embedded-agent/wasm/internal/host"
	"embedded-agent/wasm/internal/protocol"
	"embedded-agent/wasm/internal/text"
)

// The parameters of the calls that a run makes thousands of times are written
// by appending: encoding/json is four to ten times slower under wasm.

// appendText appends bytes that are valid UTF-8 as a JSON string.
func appendText(dst, text []byte) []byte {
	// AppendString only reads, and keeps nothing: no copy is needed.
	return canon.AppendString(dst, unsafe.String(unsafe.SliceData(text), len(text)))
}

// appendContent appends a protocol.Content: text where it can be, otherwise a
// blob.
func appendContent(dst, data []byte, blob func([]byte) int) []byte {
	if !text.Is(data) {
		dst = append(dst, `{"text":"","blob":`...)
		dst = strconv.AppendInt(dst, int64(blob(data)), 10)
		return append(dst, '}')
	}
	dst = append(dst, `{"text":`...)
	dst = appendText(dst, data)
	return append(dst, `,"blob":-1}`...)
}

// appendOp appends a protocol.Op.
func appendOp(dst []byte, op host.Op, blob func([]byte) int) []byte {
	dst = append(dst, `{"kind":`...)
	dst = canon.AppendString(dst, string(op.Kind))
	dst = append(dst, `,"path":`...)
	dst = canon.AppendString(dst, op.Path)
	switch op.Kind {
	case host.OpRename:
		dst = append(dst, `,"to":`...)
		dst = canon.AppendString(dst, op.To)
	case host.OpModify:
		dst = append(dst, `,"before":`...)
		dst = appendContent(dst, op.Before, blob)
		dst = append(dst, `,"data":`...)
		dst = appendContent(dst, op.Data, blob)
	case host.OpCreate:
		dst = append(dst, `,"data":`...)
		dst = appendContent(dst, op.Data, blob)
	case host.OpTrash, host.OpRemove:
		if op.Before != nil { // a file; folders have no bytes
			dst = append(dst, `,"before":`...)
			dst = appendContent(dst, op.Before, blob)
		}
	}
	if op.Caret != nil {
		dst = append(dst, `,"caret":{"from":`...)
		dst = appendPosition(dst, op.Caret.From)
		dst = append(dst, `,"to":`...)
		dst = appendPosition(dst, op.Caret.To)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func appendPosition(dst []byte, p host.Position) []byte {
	dst = append(dst, `{"line":`...)
	dst = strconv.AppendInt(dst, int64(p.Line), 10)
	dst = append(dst, `,"ch":`...)
	dst = strconv.AppendInt(dst, int64(p.Ch), 10)
	return append(dst, '}')
}

// pathParams are those of the calls that take a path alone.
func pathParams(path string) Params {
	return func(dst []byte, _ func([]byte) int) []byte {
		dst = append(dst, `{"path":`...)
		return append(canon.AppendString(dst, path), '}')
	}
}

// storeParams are those of store.append and store.write.
func storeParams(path string, data []byte) Params {
	return func(dst []byte, blob func([]byte) int) []byte {
		dst = append(dst, `{"path":`...)
		dst = canon.AppendString(dst, path)
		dst = append(dst, `,"blob":`...)
		dst = strconv.AppendInt(dst, int64(blob(data)), 10)
		return append(dst, '}')
	}
}

// jsonParams are any value that encoding/json can write.
func jsonParams(v any) Params {
	return func(dst []byte, _ func([]byte) int) []byte {
		b, err := json.Marshal(v)
		if err != nil { // a type of package protocol: cannot fail
			panic(fmt.Sprintf("jsbridge: %T: %v", v, err))
		}
		return append(dst, b...)
	}
}

func noParams(dst []byte, _ func([]byte) int) []byte { return append(dst, "{}"...) }

// decode reads a result of the app's side into v.
func decode(method string, data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fault.New(fault.Internal, "error.internal", nil).With(fmt.Errorf("%s: %w", method, err))
	}
	return nil
}

// content gives the bytes of a protocol.Content; blobs are those of its batch.
func content(method string, c protocol.Content, blobs [][]byte) ([]byte, error) {
	if c.Blob < 0 {
		return []byte(c.Text), nil
	}
	if c.Blob >= len(blobs) {
		return nil, fault.New(fault.Internal, "error.internal", nil).
			With(fmt.Errorf("%s: blob %d of %d", method, c.Blob, len(blobs)))
	}
	return blobs[c.Blob], nil
}
