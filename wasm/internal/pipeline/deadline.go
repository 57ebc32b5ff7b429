package pipeline

import (
	"context"
	"time"
)

// limit is how long one attempt may take: the call's own limit, the tool's, or
// the policy's, and never more than the policy's; 0 for no limit.
func (s *state) limit() time.Duration {
	limit := s.d.Timeout
	if s.entry.Timeout > 0 && (limit == 0 || s.entry.Timeout < limit) {
		limit = s.entry.Timeout
	}
	if own := time.Duration(s.call.TimeoutMs) * time.Millisecond; own > 0 && (limit == 0 || own < limit) {
		limit = own
	}
	return limit
}

// deadline bounds one attempt by the deadline that its call carries.
func (s *state) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.by.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, s.by)
}
