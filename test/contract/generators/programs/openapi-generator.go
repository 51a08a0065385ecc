package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"partner/client"
)

// The client of openapi-generator, `go`.
func main() {
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	configuration.HTTPClient = &http.Client{Transport: signedTransport{}, Timeout: 15 * time.Second}
	api := client.NewAPIClient(configuration).PaymentIntentsAPI
	request := client.NewCreateIntentRequest("user-4711", 1250, "th_qrpay")
	intent, _, err := api.CreatePaymentIntent(context.Background()).
		IdempotencyKey("order-" + randomHex(8)).
		CreateIntentRequest(*request).
		Execute()
	must(err)
	fmt.Println(intent.IntentId, intent.Status, intent.AmountUsdCents, intent.Corridor)

	var event client.PaymentIntentEvent
	must(json.Unmarshal([]byte(os.Getenv("WEBHOOK_BODY")), &event))
	var headers client.WebhookHeaders
	must(json.Unmarshal([]byte(os.Getenv("WEBHOOK_HEADERS")), &headers))
	fmt.Println(headers.WebhookId, event.Type, event.Data.Status)
}
