import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Flow;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.PaymentIntentsApi;
import org.openapitools.client.model.Corridor;
import org.openapitools.client.model.CreateIntentRequest;
import org.openapitools.client.model.PaymentIntentEvent;
import org.openapitools.client.model.WebhookHeaders;

/** The client of openapi-generator, `java` with the library `native`. */
public class Call {
    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.updateBaseUri(System.getenv("BASE_URL"));
        client.setReadTimeout(Duration.ofSeconds(15));
        client.setRequestInterceptor(Call::addSignature);
        var order = new CreateIntentRequest()
                .partnerUserId("user-4711").amountUsdCents(1250).corridor(Corridor.TH_QRPAY);
        String key = "order-" + CreateIntent.randomHex(8);
        var intent = new PaymentIntentsApi(client).createPaymentIntent(order, key);
        System.out.println(intent.getIntentId() + " " + intent.getStatus() + " "
                + intent.getAmountUsdCents() + " " + intent.getCorridor());

        var mapper = client.getObjectMapper();
        var event = mapper.readValue(System.getenv("WEBHOOK_BODY"), PaymentIntentEvent.class);
        var headers = mapper.readValue(System.getenv("WEBHOOK_HEADERS"), WebhookHeaders.class);
        System.out.println(headers.getWebhookId() + " " + event.getType() + " "
                + event.getData().getStatus());
    }

    static void addSignature(HttpRequest.Builder builder) {
        try {
            HttpRequest request = builder.build();
            String timestamp = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
            String nonce = CreateIntent.randomHex(32);
            String signature = CreateIntent.sign(request.method(), request.uri().getRawPath(),
                    timestamp, nonce, bodyOf(request), System.getenv("SIGNING_SECRET"));
            builder.setHeader("X-Service-Key-Id", System.getenv("KEY_ID"))
                    .setHeader("X-Service-Timestamp", timestamp)
                    .setHeader("X-Service-Nonce", nonce)
                    .setHeader("X-Service-Signature", signature);
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** A publisher of bytes in memory publishes all of them at once, and again when it is sent. */
    static byte[] bodyOf(HttpRequest request) {
        var bytes = new ByteArrayOutputStream();
        request.bodyPublisher().ifPresent(body -> body.subscribe(new Flow.Subscriber<>() {
            public void onSubscribe(Flow.Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
            }

            public void onNext(ByteBuffer part) {
                byte[] read = new byte[part.remaining()];
                part.get(read);
                bytes.writeBytes(read);
            }

            public void onError(Throwable failure) {
                throw new IllegalStateException(failure);
            }

            public void onComplete() {}
        }));
        return bytes.toByteArray();
    }
}
