package tool

import "context"

type scopeKey struct{}

// InSecretScope says that the secrets of a call come from one scope and from no
// other; "" leaves it to the order of scopes.
func InSecretScope(ctx context.Context, scope string) context.Context {
	if scope == "" {
		return ctx
	}
	return context.WithValue(ctx, scopeKey{}, scope)
}

// SecretScope gives the scope that InSecretScope chose, or "".
func SecretScope(ctx context.Context) string {
	scope, _ := ctx.Value(scopeKey{}).(string)
	return scope
}
