//go:build !js

package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// guard lets through who may call: web pages of the known origins, and where a token is set only those who send it. Without
// a token only loopback names may stand in the Host header, so that a page cannot reach the proxy under a name of its own.
func (s *Server) guard(next http.Handler) http.Handler {
	want := sha256.Sum256([]byte(s.cfg.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if origin := r.Header.Get("Origin"); origin != "" {
			if !slices.Contains(s.cfg.Origins, origin) {
				(&wireError{Status: http.StatusForbidden, Code: "origin_not_allowed", Message: "This web origin may not call the proxy. Start it with --origin to allow it."}).write(w)
				return
			}
			allowOrigin(w.Header(), r, origin)
		}
		if r.Method == http.MethodOptions {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		if s.cfg.Token == "" {
			if !loopbackName(r.Host) {
				(&wireError{Status: http.StatusForbidden, Code: "host_not_allowed", Message: "Call the proxy by a loopback address, or start it with a token."}).write(w)
				return
			}
		} else if r.URL.Path != "/healthz" {
			sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
			if got := sha256.Sum256([]byte(sent)); subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
				(&wireError{Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: "The proxy needs its token as the API key (Authorization: Bearer …)."}).write(w)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func allowOrigin(h http.Header, r *http.Request, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions {
		return
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	headers := r.Header.Get("Access-Control-Request-Headers")
	if headers == "" {
		headers = "authorization, content-type"
	}
	h.Set("Access-Control-Allow-Headers", headers)
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
}

// loopbackName reports whether a host, with or without a port, is this machine by a name that nobody else can give.
func loopbackName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}
