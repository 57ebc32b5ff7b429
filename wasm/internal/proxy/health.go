//go:build !js

package proxy

import "net/http"

// health says whether the backend is up.
func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	name, up := s.backend.Status()
	status := http.StatusOK
	if !up {
		status = http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(mustJSON(map[string]any{"backend": name, "up": up, "active": s.active.Load()}), '\n'))
}

// models lists the backend's models.
func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	names, err := s.backend.Models(r.Context())
	if err != nil {
		fromBackend(err).write(w)
		return
	}
	data := []map[string]any{}
	for _, n := range names {
		data = append(data, map[string]any{"id": n, "object": "model", "created": 0, "owned_by": "backend"})
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(mustJSON(map[string]any{"object": "list", "data": data}), '\n'))
}
