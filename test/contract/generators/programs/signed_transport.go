package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"time"
)

// signedTransport signs each request. Generated clients take it inside their http.Client.
type signedTransport struct{}

func (signedTransport) RoundTrip(given *http.Request) (*http.Response, error) {
	request := given.Clone(given.Context())
	var body []byte
	if given.Body != nil {
		defer given.Body.Close()
		read, err := io.ReadAll(given.Body)
		if err != nil {
			return nil, err
		}
		body = read
		request.Body = io.NopCloser(bytes.NewReader(body))
	}
	timestamp, nonce := time.Now().UTC().Format(time.RFC3339), randomHex(32)
	secret := os.Getenv("SIGNING_SECRET")
	signature := sign(request.Method, request.URL.EscapedPath(), timestamp, nonce, body, secret)
	request.Header.Set("X-Service-Key-Id", os.Getenv("KEY_ID"))
	request.Header.Set("X-Service-Timestamp", timestamp)
	request.Header.Set("X-Service-Nonce", nonce)
	request.Header.Set("X-Service-Signature", signature)
	// On a reused connection Go may repeat a request: its nonce would make that a 401.
	request.Close = true
	return http.DefaultTransport.RoundTrip(request)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
