import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okio.Buffer;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.PaymentIntentsApi;
import org.openapitools.client.model.Corridor;
import org.openapitools.client.model.CreateIntentRequest;
import org.openapitools.client.model.PaymentIntentEvent;
import org.openapitools.client.model.WebhookHeaders;

/** The client of openapi-generator, `java`, which sends by OkHttp. */
public class Call {
    public static void main(String[] args) throws Exception {
        ApiClient client = new ApiClient();
        client.setBasePath(System.getenv("BASE_URL"));
        client.setReadTimeout(15_000);
        // OkHttp would repeat a request with the same nonce, which is answered 401.
        client.setHttpClient(client.getHttpClient().newBuilder()
                .addInterceptor(Call::sendSigned)
                .retryOnConnectionFailure(false)
                .followRedirects(false)
                .build());
        var order = new CreateIntentRequest()
                .partnerUserId("user-4711").amountUsdCents(1250).corridor(Corridor.TH_QRPAY);
        String key = "order-" + CreateIntent.randomHex(8);
        var intent = new PaymentIntentsApi(client).createPaymentIntent(order, key);
        System.out.println(intent.getIntentId() + " " + intent.getStatus() + " "
                + intent.getAmountUsdCents() + " " + intent.getCorridor());

        var event = PaymentIntentEvent.fromJson(System.getenv("WEBHOOK_BODY"));
        var headers = WebhookHeaders.fromJson(System.getenv("WEBHOOK_HEADERS"));
        System.out.println(headers.getWebhookId() + " " + event.getType() + " "
                + event.getData().getStatus());
    }

    static Response sendSigned(Interceptor.Chain chain) throws IOException {
        Request request = chain.request();
        Buffer body = new Buffer();
        if (request.body() != null) request.body().writeTo(body);
        String timestamp = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
        String nonce = CreateIntent.randomHex(32);
        return chain.proceed(request.newBuilder()
                .header("X-Service-Key-Id", System.getenv("KEY_ID"))
                .header("X-Service-Timestamp", timestamp)
                .header("X-Service-Nonce", nonce)
                .header("X-Service-Signature", signatureOf(request, timestamp, nonce, body.readByteArray()))
                .build());
    }

    static String signatureOf(Request request, String timestamp, String nonce, byte[] body) {
        try {
            return CreateIntent.sign(request.method(), request.url().encodedPath(), timestamp, nonce,
                    body, System.getenv("SIGNING_SECRET"));
        } catch (Exception failure) {
            throw new IllegalStateException(failure);
        }
    }
}
