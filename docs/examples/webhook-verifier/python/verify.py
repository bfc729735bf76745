"""Verifies webhooks, and tests a receiver: python3 verify.py --help. Python 3.9 or later, no dependencies."""

import hashlib
import hmac
import ipaddress
import json
import os
import re
import ssl
import sys
import time
import uuid
from datetime import datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

TOLERANCE_SECONDS = 300
LARGEST_BODY = 1024 * 1024
# Anything else, such as an empty variable, could be guessed by whoever wants to sign; a pasted line end would be part of
# the key.
SECRET = re.compile(r"whsec_[A-Za-z0-9_-]{43}")


def is_secret(value):
    """Whether a value can be a signing secret."""
    return isinstance(value, str) and SECRET.fullmatch(value) is not None


def verify(raw_body, headers, secrets, now=...):
    """True when the request is genuine.

    raw_body is the body as it arrived (bytes), headers has a case-insensitive or lower-case get(), and secrets are all
    that you accept at the moment: a value that cannot be a secret is skipped. now is Unix time in seconds (the clock when
    left out); None leaves the age unchecked, which is for test vectors only.
    """
    # A header that is not ASCII may not even be a text.
    timestamp = str(headers.get("svc-webhook-timestamp") or "")
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        return False
    if now is ...:
        now = time.time()
    if now is not None and not (isinstance(now, (int, float)) and abs(now - int(timestamp)) <= TOLERANCE_SECONDS):
        return False
    signature = str(headers.get("svc-webhook-signature") or "")
    entries = [entry.strip().encode("utf-8", "replace") for entry in signature.split(",")]
    signed = timestamp.encode("ascii") + b"." + raw_body
    for secret in filter(is_secret, secrets):
        mac = hmac.new(secret.encode("utf-8"), signed, hashlib.sha256).hexdigest()
        wanted = b"v1=" + mac.encode("ascii")
        if any(hmac.compare_digest(entry, wanted) for entry in entries):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to what is genuine and 401 to everything else."""

    secrets = list(filter(is_secret, os.environ.get("WEBHOOK_SECRETS", "").split(",")))
    # In seconds: a sender that stops in the middle of a body does not occupy a thread for ever.
    timeout = 10

    def do_POST(self):
        # A length that is not one, or is negative, would be read to the end of the connection.
        length = self.headers.get("Content-Length") or ""
        if not re.fullmatch(r"[0-9]{1,9}", length, re.ASCII):
            return self.answer(411)
        if int(length) > LARGEST_BODY:
            return self.answer(413)
        raw_body = self.rfile.read(int(length))
        if not verify(raw_body, self.headers, self.secrets):
            return self.answer(401)
        event = json.loads(raw_body)
        # Here: skip an id that you have seen, put the event into your own queue, and answer. Work on it afterwards.
        print(event["id"], event["type"], event["occurred_at"], flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


def wrong_vectors(file):
    """How many vectors come out other than they should."""
    with open(file, encoding="utf-8") as source:
        vectors = json.load(source)["vectors"]
    wrong = []
    for vector in vectors:
        headers = {
            "svc-webhook-timestamp": vector["timestamp"],
            "svc-webhook-signature": vector["signature"],
        }
        found = verify(vector["body"].encode("utf-8"), headers, vector["secrets"], vector.get("now"))
        if found != vector["valid"]:
            wrong.append(vector["description"])
    for description in wrong:
        print("wrong:", description, file=sys.stderr)
    print(f"{len(vectors) - len(wrong)} of {len(vectors)} vectors are as they should be")
    return len(wrong) if vectors else 1


ATTEMPT_SECONDS = 10


class Misuse(Exception):
    """The command cannot be used like this."""


def accepts(status):
    return isinstance(status, int) and 200 <= status < 300


def refuses(status):
    """A 5xx to a forged request would make it look like an outage."""
    return isinstance(status, int) and 400 <= status < 500


EXPECTS = {accepts: "a 2xx", refuses: "a 4xx, such as 401"}


def signed(body, secret, age=0):
    timestamp = str(int(time.time()) - age)
    mac = hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), hashlib.sha256).hexdigest()
    return body, timestamp, f"v1={mac}"


def changed_body(body, secret):
    _, timestamp, signature = signed(body, secret)
    return body + " ", timestamp, signature


def without_signature(body, secret):
    return (*signed(body, secret)[:2], None)


def altered(body, **changes):
    event = {**json.loads(body), "id": str(uuid.uuid4()), **changes}
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)


def older_than(body):
    """Another event of the same submission that happened a second earlier."""
    occurred_at = moment_of(json.loads(body)["occurred_at"]) - timedelta(seconds=1)
    return altered(body, occurred_at=occurred_at.isoformat(timespec="milliseconds") + "Z")


def moment_of(timestamp):
    return datetime.strptime(timestamp[:19], "%Y-%m-%dT%H:%M:%S") + timedelta(seconds=float(f"0{timestamp[19:-1]}"))


# The ways in which each event is sent: broken first, so that a receiver cannot know its id from a genuine request.
WAYS = [
    ("wrong signature", refuses, lambda body, secret: signed(body, secret + "x")),
    ("changed body", refuses, changed_body),
    ("no signature", refuses, without_signature),
    ("empty secret", refuses, lambda body, secret: signed(body, "")),
    ("timestamp 10 minutes old", refuses, lambda body, secret: signed(body, secret, 600)),
    ("timestamp 10 minutes ahead", refuses, lambda body, secret: signed(body, secret, -600)),
    ("genuine", accepts, signed),
    ("duplicate", accepts, signed),
    ("out of order", accepts, lambda body, secret: signed(older_than(body), secret)),
    ("unknown type", accepts, lambda body, secret: signed(altered(body, type="submission.unknown"), secret)),
]


def samples(only):
    """The samples with ids of their own in each run: a receiver that remembers the last run sees new events."""
    unknown = [kind for kind in only if kind not in SAMPLES]
    if unknown:
        raise Misuse(f"no such kind: {', '.join(unknown)}. Kinds: {', '.join(SAMPLES)}")
    fresh = {}

    def renew(match):
        return match.group(1) + fresh.setdefault(match.group(2), str(uuid.uuid4()))

    kinds = [kind for kind in SAMPLES if not only or kind in only]
    return [(kind, re.sub(r'("(?:submission_)?id":")([0-9a-f-]{36})', renew, SAMPLES[kind])) for kind in kinds]


def events_in(file):
    """One event a line, or a JSON array of events. A line is sent byte for byte."""
    with open(file, encoding="utf-8", newline="") as source:
        text = source.read().strip()
    try:
        if text.startswith("["):
            bodies = [json.dumps(event, separators=(",", ":"), ensure_ascii=False) for event in json.loads(text)]
        else:
            bodies = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
        for at, body in enumerate(bodies, 1):
            event = json.loads(body)
            moment_of(event["occurred_at"])
            if not all(isinstance(event[name], str) for name in ("id", "type")) or not isinstance(event["data"], dict):
                raise ValueError
    except (ValueError, KeyError, TypeError):
        raise Misuse(f"{file}: each event needs id, type, occurred_at and data, one event a line or a JSON array") from None
    return [(f"event {at}", body) for at, body in enumerate(bodies, 1)]


def loopback(text):
    """The receiver's address, which must be on this machine. Names other than localhost could lead anywhere."""
    try:
        url = urlsplit(text)
        host = url.hostname or ""
        is_local = host == "localhost" or ipaddress.ip_address(host) in LOOPBACK[ipaddress.ip_address(host).version]
        if url.scheme not in ("http", "https") or "@" in url.netloc or not is_local:
            raise ValueError
        return url, url.port or (443 if url.scheme == "https" else 80)
    except ValueError:
        raise Misuse(
            "the URL must be of this machine: http://localhost, http://127.0.0.1 or http://[::1], with a port"
        ) from None


LOOPBACK = {4: ipaddress.ip_network("127.0.0.0/8"), 6: ipaddress.ip_network("::1/128")}


def post(url, port, body, timestamp, signature):
    """The status, or why there is none. Redirects are not followed; nothing is sent but to loopback addresses."""
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Svc-Webhooks/1",
        "Svc-Webhook-Id": json.loads(body)["id"],
        "Svc-Webhook-Timestamp": timestamp,
        "Host": url.netloc,
    }
    if signature is not None:
        headers["Svc-Webhook-Signature"] = signature
    target = (url.path or "/") + (f"?{url.query}" if url.query else "")
    for host in ["127.0.0.1", "::1"] if url.hostname == "localhost" else [url.hostname]:
        if url.scheme == "https":
            # A development certificate is signed by nobody.
            trusting = ssl._create_unverified_context()
            connection = HTTPSConnection(host, port, timeout=ATTEMPT_SECONDS, context=trusting)
        else:
            connection = HTTPConnection(host, port, timeout=ATTEMPT_SECONDS)
        try:
            connection.request("POST", target, body.encode("utf-8"), headers)
            return connection.getresponse().status
        except ConnectionRefusedError:
            continue
        except TimeoutError:
            return "no answer within 10 s"
        except (OSError, HTTPException) as error:
            return type(error).__name__
        finally:
            connection.close()
    raise Misuse(f"nothing listens at {url.netloc}: start your receiver first")


def send(arguments):
    """Sends to a receiver on this machine; returns the exit code."""
    options = {"--events": None, "--only": None, "--genuine-only": False}
    urls = []
    remaining = iter(arguments)
    for argument in remaining:
        name, _, value = argument.partition("=")
        if name == "--genuine-only":
            options[name] = True
        elif name in options:
            options[name] = value or next(remaining, None)
            if not options[name]:
                raise Misuse(f"{name} needs a value")
        elif argument.startswith("-"):
            raise Misuse(f"unknown option {argument}; --help explains the options")
        else:
            urls.append(argument)
    if len(urls) != 1:
        raise Misuse("send needs the URL of your receiver")
    url, port = loopback(urls[0])
    secret = next(filter(is_secret, os.environ.get("WEBHOOK_SECRETS", "").split(",")), None)
    if secret is None:
        raise Misuse("set WEBHOOK_SECRETS to the same value for send and for your receiver, such as whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
    only = options["--only"].split(",") if options["--only"] else []
    events = events_in(options["--events"]) if options["--events"] else samples(only)
    ways = [way for way in WAYS if not options["--genuine-only"] or way[0] == "genuine"]
    wrong = 0
    for kind, body in events:
        print(kind)
        for way, is_right, broken in ways:
            status = post(url, port, *broken(body, secret))
            right = is_right(status)
            wrong += 0 if right else 1
            advice = "" if right else f": a correct receiver returns {EXPECTS[is_right]}"
            print(f"  {'ok   ' if right else 'WRONG'}  {way:26}  {status}{advice}")
    sent = len(events) * len(ways)
    print(f"\n{sent - wrong} of {sent} responses are correct.")
    print("Check your own records: they must hold, once, this latest state of each submission:")
    for event in latest(events):
        data = event["data"]
        billing = (data.get("billing") or {}).get("billing_status")
        print(f"  {data.get('submission_id')}  {data.get('status')}, {billing}, as of {event['occurred_at']}")
    return 0 if wrong == 0 else 1


def latest(events):
    by_submission = {}
    for event in (json.loads(body) for _, body in events):
        known = by_submission.get(event["data"].get("submission_id"))
        if known is None or moment_of(known["occurred_at"]) < moment_of(event["occurred_at"]):
            by_submission[event["data"].get("submission_id")] = event
    return by_submission.values()


HELP = """Verifies webhooks, and tests a receiver on this machine without us.

  python3 verify.py send URL [--only KIND,...] [--events FILE] [--genuine-only]
      Sends a sample of every kind of event to your receiver, signed with the first secret in
      WEBHOOK_SECRETS. Each is sent genuine, as a duplicate, out of order, with an unknown type, and
      broken: wrong signature, changed body, no signature, empty secret, old or future timestamp.
      URL must be of this machine, such as http://localhost:9000/webhooks.
      --only KIND,...   only these samples: KINDS
      --events FILE     your own events instead of the samples: one a line, or a JSON array
      --genuine-only    only the genuine requests
  python3 verify.py samples       Prints the samples, one a line, as --events reads them.
  python3 verify.py serve PORT    A receiver on 127.0.0.1, with the secrets in WEBHOOK_SECRETS.
  python3 verify.py vectors FILE  Checks verify() against the published test vectors.

Exit codes: 0 all is well; 1 an answer or a verdict is wrong; 64 the command cannot be used like this."""


def main(arguments):
    command, *rest = arguments or [""]
    if {"help", "--help", "-h"} & set(arguments):
        print(HELP.replace("KINDS", ", ".join(SAMPLES)))
        return 0
    if command == "send":
        return send(rest)
    if command == "vectors" and len(rest) == 1:
        return 0 if wrong_vectors(rest[0]) == 0 else 1
    if command == "samples" and not rest:
        print("\n".join(SAMPLES.values()))
        return 0
    if command == "serve" and len(rest) == 1:
        if not Receiver.secrets:
            raise Misuse("WEBHOOK_SECRETS must be your signing secret (whsec_ and 43 characters), without spaces, quotes or a line end")
        ThreadingHTTPServer(("127.0.0.1", int(rest[0])), Receiver).serve_forever()
    raise Misuse("expected send, samples, serve or vectors; --help explains them")


# SAMPLES: generated, one of each kind of event, byte for byte as they are sent
SAMPLES = {
    "accepted": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e964","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"pending","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":null}}}',
    "billable": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e965","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.460Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"billable","billable_at":"2026-11-20T09:30:01.460Z","billing_model":"accepted_submission","not_billable_reason":null}}}',
    "handoff": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e966","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.517Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"billable","billable_at":"2026-11-20T09:30:01.460Z","billing_model":"accepted_submission","not_billable_reason":null},"handoff":{"customer_journey_url":"https://pages.supplier.example/journey/p2Xc9Lw7eQ5rV1uGmN3bKsZ8tJyFhDaMoE4iRxCvB6n","expires_at":"2026-11-23T09:30:01.392Z","single_use":true}}}',
    "returned": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e967","type":"submission.status_changed","occurred_at":"2026-11-21T14:12:09.015Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"returned","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"returned"},"return":{"reason_category":"outstanding_ccjs","reason_category_version":"v1","returned_at":"2026-11-21T14:12:09.015Z"}}}',
    "rejected": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e968","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d48","external_reference":"lead-2026-000418","level":"application","status":"rejected","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":null,"application_created_at":null,"billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"rejected"}}}',
    "duplicate": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e969","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d49","external_reference":"lead-2026-000419","level":"application","status":"duplicate_not_accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":null,"application_created_at":null,"billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"duplicate"}}}',
    "basic": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e960","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.205Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d45","external_reference":"lead-2026-000415","level":"basic","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.205Z","application_reference":null,"application_created_at":null,"billing":{"billing_status":"pending","billable_at":null,"billing_model":"application_created","not_billable_reason":null}}}',
    "sandbox": '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e961","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"sandbox","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d46","external_reference":"lead-2026-000416","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"sandbox"}}}',
}
# END OF SAMPLES

if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Misuse, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        sys.exit(64)
