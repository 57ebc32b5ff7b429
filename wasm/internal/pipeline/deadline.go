package pipeline

import (
	"context"
	"time"
)

// deadline bounds one attempt: by the call's own limit, the tool's, or the
// policy's, and never by more than the policy's.
func (s *state) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := s.d.Timeout
	if s.entry.Timeout > 0 && (limit == 0 || s.entry.Timeout < limit) {
		limit = s.entry.Timeout
	}
	if own := time.Duration(s.call.TimeoutMs) * time.Millisecond; own > 0 && (limit == 0 || own < limit) {
		limit = own
	}
	if limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}
