"""Verifies webhooks. Python 3.9 or later, no dependencies."""

import hashlib
import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300
LARGEST_BODY = 1024 * 1024
# Anything else, such as an empty variable, could be guessed by whoever wants to sign.
SECRET = re.compile(r"whsec_\S")


def is_secret(value):
    """Whether a value can be a signing secret."""
    return isinstance(value, str) and SECRET.match(value) is not None


def verify(raw_body, headers, secrets, now=...):
    """True when the request is genuine.

    raw_body is the body as it arrived (bytes), headers has a case-insensitive or lower-case get(), and secrets are all
    that you accept at the moment: a value that cannot be a secret is skipped. now is Unix time in seconds (the clock when
    left out); None leaves the age unchecked, which is for test vectors only.
    """
    timestamp = headers.get("svc-webhook-timestamp") or ""
    if not re.fullmatch(r"[0-9]{1,15}", timestamp):
        return False
    if now is ...:
        now = time.time()
    if now is not None and abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signature = headers.get("svc-webhook-signature") or ""
    entries = [entry.strip().encode("utf-8") for entry in signature.split(",")]
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


if __name__ == "__main__":
    command, argument = sys.argv[1:3]
    if command == "vectors":
        sys.exit(0 if wrong_vectors(argument) == 0 else 1)
    if command == "serve":
        if not Receiver.secrets:
            print("WEBHOOK_SECRETS must be set to your signing secret, which starts with whsec_.", file=sys.stderr)
            sys.exit(64)
        ThreadingHTTPServer(("127.0.0.1", int(argument)), Receiver).serve_forever()
