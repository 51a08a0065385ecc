#!/usr/bin/env python3
"""Makes session-token.json (spec, "Session JWT") without any code of this repository.

    pip install cryptography
    python3 test/vectors/make-session-token.py

RS256 is RSASSA-PKCS1-v1_5, which draws no random number: the same key and the same text give the same bytes. The keys
are read from session-token.json, so that a second run changes nothing; without that file new ones are made.
"""
import base64, hashlib, hmac, json, uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path
from cryptography.hazmat.primitives import hashes, serialization as ser
from cryptography.hazmat.primitives.asymmetric import padding, rsa

FILE = Path(__file__).with_name("session-token.json")
NOW = datetime(2025, 1, 15, 10, 30, tzinfo=timezone.utc)
T = int(NOW.timestamp())
ACME, GLOBEX = "https://acme.example", "https://globex.example"
WELL_KNOWN = "/.well-known/jwks.json"
KIDS = {"acme-2025-q1": "ACME's key", "acme-2025-q2": "the key that replaces it", "globex-1": "another partner's key"}

b64 = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=").decode()
text = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
number = lambda n: b64(n.to_bytes((n.bit_length() + 7) // 8, "big"))
rfc3339 = lambda at: at.isoformat(timespec="seconds" if at.microsecond == 0 else "milliseconds").replace("+00:00", "Z")
at = lambda seconds: rfc3339(NOW + timedelta(seconds=seconds))


def load_keys():
    if not FILE.exists():
        return {kid: rsa.generate_private_key(public_exponent=65537, key_size=2048) for kid in KIDS}
    kept = json.loads(FILE.read_text("utf-8"))["keys"]
    return {key["kid"]: ser.load_pem_private_key(key["private_key_pem"].encode(), None) for key in kept}


KEYS = load_keys()


def private_pem(key):
    return key.private_bytes(ser.Encoding.PEM, ser.PrivateFormat.PKCS8, ser.NoEncryption()).decode()


def public_pem(key):
    return key.public_key().public_bytes(ser.Encoding.PEM, ser.PublicFormat.SubjectPublicKeyInfo).decode()


def jwk(kid):
    public = KEYS[kid].public_key().public_numbers()
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": number(public.n), "e": number(public.e)}


def intent_id(number_):
    """`pi_`, 48 bits of time, 80 other bits, in Crockford base32."""
    bits = int((NOW - timedelta(minutes=1)).timestamp() * 1000) << 80 | number_
    return "pi_" + "".join("0123456789abcdefghjkmnpqrstvwxyz"[bits >> shift & 31] for shift in range(125, -1, -5))


STATES = ["created", "authorized", "captured", "failed", "expired", "cancelled", "refunded"]


def intent(status="created", number_=None):
    number_ = STATES.index(status) if number_ is None else number_
    return {"intent_id": intent_id(number_), "amount_usd_cents": 1250, "corridor": "th_qrpay", "status": status}


KYC = {"verified": True, "method": "document", "verified_at": "2025-01-10T08:00:00Z"}
SANCTIONS = {"clean": True, "screened_at": "2025-01-15T10:29:00Z"}
MISSING = object()


def claims(name, changes, about):
    good = {
        "iss": ACME, "aud": "service-checkout", "sub": "user-4711", "iat": T, "exp": T + 600,
        "jti": str(uuid.uuid5(uuid.NAMESPACE_URL, name)),
        "service:intent_id": about["intent_id"], "service:amount_usd_cents": about["amount_usd_cents"],
        "service:corridor": about["corridor"], "service:kyc_attestation": KYC, "service:sanctions_attestation": SANCTIONS,
    }
    return {claim: value for claim, value in {**good, **changes}.items() if value is not MISSING}


TOKENS = []


def token(name, note, step=None, set=None, header=None, key="acme-2025-q1", published="acme", about=None, now=NOW,
          payload=None, spell=str, sign=None, send="{}.{}".format, jti_used=False):
    """`step` is where it is refused, None where it is accepted. `spell` writes what is signed in another way, `send` makes
    the token of what was signed and the signature."""
    about = about or intent()
    head = {"alg": "RS256", "typ": "JWT", "kid": key, **(header or {})}
    head = text({member: value for member, value in head.items() if value is not MISSING})
    body = payload or text(claims(name, set or {}, about))
    signing_input = spell(f"{b64(head.encode())}.{b64(body.encode())}")
    rs256 = lambda data: KEYS[key].sign(data, padding.PKCS1v15(), hashes.SHA256())
    signature = b64((sign or rs256)(signing_input.encode()))
    TOKENS.append({
        "name": name, "note": note, "accepted": step is None, "step": step, "now": rfc3339(now), "key_set": published,
        "intent": about, "jti_used": jti_used, "header": head, "payload": body, "signing_input": signing_input,
        "signed_with": key if sign is None else None, "token": send(signing_input, signature),
    })


token("good", "As a partner mints it, ten minutes to live.")
token("claims-in-any-order", "The order of members and blanks between them do not matter.",
      payload=json.dumps(dict(reversed(claims("claims-in-any-order", {}, intent()).items())), indent=1))
token("beyond-ascii", "Payloads are JSON in UTF-8.", set={"sub": "ผู้ใช้-đồng"})
token("without-typ", "`typ` is not asked for.", header={"typ": MISSING})
token("undocumented-claim", "Claims that the service does not know are passed over.", set={"locale": "th"})
token("authorized-intent", "`created` and `authorized` are open.", about=intent("authorized"))

token("iss-is-the-key-set-url", "The registered key-set URL itself.", set={"iss": ACME + WELL_KNOWN})
token("iss-with-slash", "The same without its well-known path, the slash kept.", set={"iss": ACME + "/"})
token("iss-in-capitals", "Issuers are compared character by character.", "2", set={"iss": "https://ACME.example"})
token("iss-of-nobody", "An issuer is looked up and never fetched.", "2", set={"iss": "https://evil.example"})
token("iss-with-another-path", "Not a form that was registered.", "2", set={"iss": ACME + "/.well-known/"})

token("rotation-old-key", "While both keys are published, the old one signs.", published="acme-rotating")
token("rotation-new-key", "While both keys are published, the new one signs.", key="acme-2025-q2", published="acme-rotating")
token("new-key-not-published", "The new key signs and is not in the key set yet.", "2", key="acme-2025-q2")
token("old-key-withdrawn", "The old key signs and is not in the key set any more.", "2", published="acme-rotated")

token("lifetime-601", "`exp - iat` is at most 600.", "7", set={"exp": T + 601})
token("exp-in-a-second", "`exp` is in the future.", set={"iat": T - 599, "exp": T + 1})
token("exp-now", "At `exp` the token is over.", "6", set={"iat": T - 600, "exp": T})
token("exp-in-a-millisecond", "The clock counts more finely than `exp`: one millisecond is left.",
      set={"iat": T - 599, "exp": T + 1}, now=NOW + timedelta(milliseconds=999))
token("iat-900-s-ago", "Fifteen minutes pass step 6. Such a token is over or lives too long all the same.", "7",
      set={"iat": T - 900, "exp": T + 1})
token("iat-901-s-ago", "More than 15 minutes in the past.", "6", set={"iat": T - 901, "exp": T + 1})
token("iat-300-s-ahead", "Clocks may differ by five minutes.", set={"iat": T + 300, "exp": T + 900})
token("iat-301-s-ahead", "Minted too far in the future.", "6", set={"iat": T + 301, "exp": T + 900})
token("exp-at-iat", "`exp` is after `iat`.", "7", set={"iat": T + 60, "exp": T + 60})
token("exp-before-iat", "`exp` is after `iat`.", "7", set={"iat": T + 60, "exp": T + 30})
token("nbf-in-5-s", "The clock that wrote `nbf` may be five seconds ahead.", set={"nbf": T + 5})
token("nbf-in-6-s", "Not that long before `nbf`.", "6", set={"nbf": T + 6})

for claim in claims("", {}, intent()):
    token(f"without-{claim.replace('service:', '')}", "Every claim but `nbf` is required.", "1", set={claim: MISSING})
token("aud-list", "`aud` is a string: JWT's list form is refused.", "1", set={"aud": ["service-checkout"]})
token("aud-of-v1.1", "Announced, and not accepted in v1.", "4", set={"aud": "service-checkout-test"})
token("iat-fraction", "`iat` is an integer.", "1", set={"iat": T + 0.5})
token("iat-text", "`iat` is an integer and not its digits.", "1", set={"iat": str(T)})
token("nbf-null", "`nbf` is left out or an integer.", "1", set={"nbf": None})
token("amount-text", "The amount is an integer and not its digits.", "1", set={"service:amount_usd_cents": "1250"})
token("verified-text", "`verified` is a boolean.", "1", set={"service:kyc_attestation": {**KYC, "verified": "true"}})

nothing = lambda data: b""
token("alg-none", "Unsigned.", "1", header={"alg": "none"}, sign=nothing)
token("alg-hs256-with-the-public-key", "The published key's PEM as the secret of an HMAC.", "1", header={"alg": "HS256"},
      sign=lambda data: hmac.new(public_pem(KEYS["acme-2025-q1"]).encode(), data, hashlib.sha256).digest())
token("alg-rs512", "Signed well, by an algorithm that is not RS256.", "1", header={"alg": "RS512"},
      sign=lambda data: KEYS["acme-2025-q1"].sign(data, padding.PKCS1v15(), hashes.SHA512()))
token("without-kid", "The key is picked by `kid`.", "1", header={"kid": MISSING})
token("kid-unknown", "No published key has this `kid`.", "2", header={"kid": "acme-2031-q1"})
token("kid-of-another-partner", "Keys are looked for in the issuer's set alone.", "2", key="globex-1")
token("signed-with-another-key", "The right `kid` over a signature of another key.", "3", key="globex-1",
      header={"kid": "acme-2025-q1"})
token("embedded-jwk", "A key that the token itself brings along is never used.", "3", key="globex-1",
      header={"kid": "acme-2025-q1", "jwk": jwk("globex-1")})

cheaper = text(claims("payload-tampered", {"service:amount_usd_cents": 1}, intent()))
token("payload-tampered", "Sent with the payload of one cent in place of the one that was signed.", "3",
      send=lambda signed, signature: ".".join([signed.split(".")[0], b64(cheaper.encode()), signature]))
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
spare_bit = lambda segment: segment[:-1] + ALPHABET[ALPHABET.index(segment[-1]) | 1]
token("signature-not-canonical", "A spare bit of the last character is set: another text for the same 256 bytes.", "1",
      send=lambda signed, signature: f"{signed}.{spare_bit(signature)}")
token("payload-not-canonical", "The same in the payload, and signed as it is sent.", "1", spell=spare_bit,
      set={"sub": "user-47111"})
token("signature-padded", "base64url in a JWS has no padding.", "1", send="{}.{}==".format)
token("two-segments", "The signature is left off.", "1", sign=nothing, send=lambda signed, signature: signed)
token("four-segments", "One segment too many.", "1", send="{}.{}.e30".format)

token("another-partners-token", "Good in itself, of a partner who does not own the intent.", "5", key="globex-1",
      published="globex", set={"iss": GLOBEX})
token("jti-used", "A confirm was accepted with this `jti` before.", "8", about=intent("authorized", 99), jti_used=True)
for status in STATES[2:]:
    token(f"intent-{status}", "The intent is not open any more.", "9", about=intent(status))
token("amount-lower", "The amount is the intent's.", "10", set={"service:amount_usd_cents": 1249})
token("amount-higher", "The amount is the intent's.", "10", set={"service:amount_usd_cents": 1251})
token("corridor-other", "The corridor is the intent's.", "11", set={"service:corridor": "vn_qrpay"})

attest = lambda claim, good, **change: {f"service:{claim}_attestation": {**good, **change}}
token("attested-60-s-ahead", "Clocks may differ by a minute.", set=attest("sanctions", SANCTIONS, screened_at=at(60)))
token("attested-61-s-ahead", "Screened in the future.", "attestations",
      set=attest("sanctions", SANCTIONS, screened_at=at(61)))
token("attested-in-bangkok-time", "RFC 3339 of any offset.",
      set=attest("kyc", KYC, verified_at="2025-01-15T17:00:00+07:00"))
token("not-verified", "The user is not verified.", "attestations", set=attest("kyc", KYC, verified=False))
token("not-clean", "The user is on a sanctions list.", "attestations", set=attest("sanctions", SANCTIONS, clean=False))
token("verified-no-date", "A time that is not RFC 3339.", "attestations", set=attest("kyc", KYC, verified_at="yesterday"))

published = lambda name, site, note, *kids: {
    "name": name, "note": note, "jwks_url": site + WELL_KNOWN, "document": {"keys": [jwk(kid) for kid in kids]}}
VECTORS = {
    "about": "Vectors for session tokens (spec, Session JWT). Made with Python's cryptography package by "
             "make-session-token.py, not with this repository's code. README.md says what each member means. "
             "The keys protect nothing.",
    "partners": [
        {"name": name, "jwks_url": site + WELL_KNOWN, "issuers": [site, site + "/", site + WELL_KNOWN]}
        for name, site in [("acme", ACME), ("globex", GLOBEX)]],
    "keys": [
        {"kid": kid, "note": note, "private_key_pem": private_pem(KEYS[kid]), "public_key_pem": public_pem(KEYS[kid])}
        for kid, note in KIDS.items()],
    "key_sets": [
        published("acme", ACME, "Before a rotation.", "acme-2025-q1"),
        published("acme-rotating", ACME, "For 14 days both keys are published.", "acme-2025-q1", "acme-2025-q2"),
        published("acme-rotated", ACME, "After a rotation.", "acme-2025-q2"),
        published("globex", GLOBEX, "Another partner's.", "globex-1")],
    "tokens": TOKENS,
}
FILE.write_text(json.dumps(VECTORS, indent=2, ensure_ascii=False) + "\n", "utf-8")
