"""Client of supplier submissions: the operations, sent again until they are answered, and webhooks that are checked."""

import json
from urllib.parse import quote, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

from .verify import verify

__all__ = ["Refused", "Submissions", "WebhookRefused", "read_webhook"]

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Refused(Exception):
    """A request that was refused: `status`, `code`, `details` and `request_id` say why."""

    def __init__(self, response):
        try:
            error = response.json()["error"]
        except (ValueError, KeyError, TypeError):
            error = {}
        self.status = response.status_code
        self.code = error.get("code")
        self.details = error.get("details")
        self.request_id = response.headers.get("X-Request-Id")
        super().__init__(f"{self.status} {self.code}: {error.get('message')}")


class WebhookRefused(Exception):
    """A request at the webhook's address that does not come from us, or is older than five minutes: answer it with 401."""


class _Waiting(Retry):
    """Waits no longer than a minute, whatever an answer asks for."""

    def get_retry_after(self, response):
        asked = super().get_retry_after(response)
        return None if asked is None else min(asked, 60)


class _Bearer(requests.auth.AuthBase):
    """As `auth`, and not as a header of the session, which a password of ~/.netrc would replace."""

    def __init__(self, credential):
        self._credential = credential

    def __call__(self, request):
        request.headers["Authorization"] = f"Bearer {self._credential}"
        return request


class Submissions:
    """The operations of the interface.

    What got no answer, and what was answered with 429, 502, 503 or 504, is sent again as it was, after the time that the
    answer names: sending the same under the same reference never creates twice. `attempts` bounds how often, `timeout`
    how many seconds each may take.
    """

    def __init__(self, base_url, credential, attempts=5, timeout=30):
        url = urlsplit(base_url)
        if url.scheme != "https" and url.hostname not in _LOOPBACK:
            raise ValueError("base_url must be an https URL: the credential goes with every request")
        if attempts < 1:
            raise ValueError("attempts must be 1 or more")
        retry = _Waiting(
            total=attempts - 1,
            status_forcelist=(429, 502, 503, 504),
            allowed_methods=None,
            backoff_factor=0.5,
            raise_on_status=False,
            raise_on_redirect=False,
            redirect=0,
        )
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._session = requests.Session()
        self._session.auth = _Bearer(credential)
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))

    def _call(self, method, path, body=None, **query):
        answer = self._session.request(
            method,
            self._base_url + path,
            params=query,
            json=body,
            timeout=self._timeout,
            allow_redirects=False,
        )
        if answer.status_code not in (200, 202):
            raise Refused(answer)
        return answer.json()

    # OPERATIONS


def read_webhook(body, headers, secrets, now=None):
    """The event in a request to your webhook.

    `body` is what arrived, as bytes, unparsed; `headers` any mapping; `secrets` all that you accept now: a value
    that can't be a secret is skipped.
    Raises WebhookRefused for everything that is not genuine.
    """
    named = {name.lower(): value for name, value in headers.items()}
    extra = {} if now is None else {"now": now}
    if not verify(body, named, secrets, **extra):
        raise WebhookRefused("the signature or the time of the webhook is not right")
    return json.loads(body)
