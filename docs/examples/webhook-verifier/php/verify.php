<?php

// Verifies webhooks. PHP 8.0 or later, no dependencies.

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const LARGEST_BODY = 1024 * 1024;

/** Whether a value can be a signing secret. Anything else, such as an empty variable, could be guessed by whoever wants to sign; a pasted line end would be part of the key. */
function isSecret(mixed $value): bool
{
    return is_string($value) && preg_match('/^whsec_[A-Za-z0-9_-]{43}$/D', $value) === 1;
}

/**
 * True when the request is genuine. $rawBody is the body as it arrived, $headers have lower-case names, and $secrets are
 * all that you accept at the moment: a value that cannot be a secret is skipped. $now is Unix time in seconds; null leaves the age unchecked, which is for test
 * vectors only.
 *
 * @param array<string, string> $headers
 * @param array<mixed> $secrets
 */
function verify(string $rawBody, array $headers, array $secrets, ?int $now): bool
{
    $timestamp = $headers['svc-webhook-timestamp'] ?? '';
    if (preg_match('/^[0-9]{1,15}$/D', $timestamp) !== 1) {
        return false;
    }
    if ($now !== null && abs($now - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $entries = array_map('trim', explode(',', $headers['svc-webhook-signature'] ?? ''));
    foreach (array_filter($secrets, 'isSecret') as $secret) {
        $wanted = 'v1=' . hash_hmac('sha256', $timestamp . '.' . $rawBody, $secret);
        foreach ($entries as $entry) {
            if (hash_equals($wanted, $entry)) {
                return true;
            }
        }
    }
    return false;
}

/** Answers 204 to what is genuine and 401 to everything else. */
function receive(): void
{
    // The body as it arrived; $_POST and json_decode come later, if at all.
    $rawBody = (string) file_get_contents('php://input', length: LARGEST_BODY + 1);
    if (strlen($rawBody) > LARGEST_BODY) {
        http_response_code(413);
        return;
    }
    $headers = [
        'svc-webhook-timestamp' => $_SERVER['HTTP_SVC_WEBHOOK_TIMESTAMP'] ?? '',
        'svc-webhook-signature' => $_SERVER['HTTP_SVC_WEBHOOK_SIGNATURE'] ?? '',
    ];
    $secrets = array_filter(explode(',', (string) getenv('WEBHOOK_SECRETS')), 'isSecret');
    if ($secrets === []) {
        error_log('WEBHOOK_SECRETS must be your signing secret (whsec_ and 43 characters), without spaces, quotes or a line end.');
        http_response_code(503);
        return;
    }
    if (!verify($rawBody, $headers, $secrets, time())) {
        http_response_code(401);
        return;
    }
    $event = json_decode($rawBody, true, 32, JSON_THROW_ON_ERROR);
    // Here: skip an id that you have seen, put the event into your own queue, and answer. Work on it afterwards.
    error_log("{$event['id']} {$event['type']} {$event['occurred_at']}");
    http_response_code(204);
}

/** How many vectors come out other than they should. */
function wrongVectors(string $file): int
{
    $vectors = json_decode((string) file_get_contents($file), true, 32, JSON_THROW_ON_ERROR)['vectors'];
    $wrong = 0;
    foreach ($vectors as $vector) {
        $headers = [
            'svc-webhook-timestamp' => $vector['timestamp'],
            'svc-webhook-signature' => $vector['signature'],
        ];
        if (verify($vector['body'], $headers, $vector['secrets'], $vector['now'] ?? null) !== $vector['valid']) {
            fwrite(STDERR, "wrong: {$vector['description']}\n");
            $wrong += 1;
        }
    }
    $all = count($vectors);
    echo $all - $wrong, " of {$all} vectors are as they should be\n";
    return $all === 0 ? 1 : $wrong;
}

if (PHP_SAPI !== 'cli') {
    receive();
} elseif (($argv[1] ?? '') === 'vectors') {
    exit(wrongVectors($argv[2] ?? '') === 0 ? 0 : 1);
}
