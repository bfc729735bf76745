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


def verify(raw_body, headers, secrets, now=...):
    """True when the request is genuine.

    raw_body is the body as it arrived (bytes), headers has a case-insensitive or lower-case get(), and secrets are all
    that you accept at the moment. now is Unix time in seconds (the clock when left out); None leaves the age unchecked,
    which is for test vectors only.
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
    for secret in secrets:
        mac = hmac.new(secret.encode("utf-8"), signed, hashlib.sha256).hexdigest()
        wanted = b"v1=" + mac.encode("ascii")
        if any(hmac.compare_digest(entry, wanted) for entry in entries):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    """Answers 204 to what is genuine and 401 to everything else."""

    secrets = [secret for secret in os.environ.get("WEBHOOK_SECRETS", "").split(",") if secret]

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        if length > LARGEST_BODY:
            return self.answer(413)
        raw_body = self.rfile.read(length)
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
        ThreadingHTTPServer(("127.0.0.1", int(argument)), Receiver).serve_forever()
