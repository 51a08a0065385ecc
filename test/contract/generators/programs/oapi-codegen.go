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

// The client of oapi-codegen.
func main() {
	transport := &http.Client{Transport: signedTransport{}, Timeout: 15 * time.Second}
	api, err := client.NewClientWithResponses(os.Getenv("BASE_URL"), client.WithHTTPClient(transport))
	must(err)
	key := "order-" + randomHex(8)
	answer, err := api.CreatePaymentIntentWithResponse(
		context.Background(),
		&client.CreatePaymentIntentParams{IdempotencyKey: &key},
		client.CreateIntentRequest{PartnerUserId: "user-4711", AmountUsdCents: 1250, Corridor: "th_qrpay"},
	)
	must(err)
	if answer.JSON201 == nil {
		panic(string(answer.Body))
	}
	intent := answer.JSON201
	fmt.Println(intent.IntentId, intent.Status, intent.AmountUsdCents, intent.Corridor)

	var event client.PaymentIntentEvent
	must(json.Unmarshal([]byte(os.Getenv("WEBHOOK_BODY")), &event))
	var headers client.OnPaymentIntentEventParams
	must(json.Unmarshal([]byte(os.Getenv("WEBHOOK_HEADERS")), &headers))
	fmt.Println(headers.WebhookId, event.Type, event.Data.Status)
}
