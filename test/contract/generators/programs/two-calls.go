package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// Two creates by the function of the guide, then two by the transport of generated clients.
func main() {
	path, headers := "/v1/payment_intents", map[string]string{"Idempotency-Key": "order-1"}
	for i := 0; i < 2; i++ {
		fmt.Println(call("POST", path, []byte("{}"), headers))
	}
	client := http.Client{Transport: signedTransport{}}
	for i := 0; i < 2; i++ {
		request, err := http.NewRequest("POST", os.Getenv("BASE_URL")+path, strings.NewReader("{}"))
		must(err)
		request.Header.Set("Idempotency-Key", "order-1")
		if answer, err := client.Do(request); err == nil {
			fmt.Println(answer.StatusCode)
			_, err = io.Copy(io.Discard, answer.Body)
			must(err)
			must(answer.Body.Close())
		}
	}
}
