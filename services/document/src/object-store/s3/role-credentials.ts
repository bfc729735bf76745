import { readFile } from 'node:fs/promises';
import type { Clock } from '@supplier/lib/text/time';
import { z } from 'zod';
import { StoreUnavailable } from '../object-store.ts';
import type { S3Credentials, S3RoleConfig } from '../store-config.ts';

/** Provides credentials for signing requests. */
export interface S3CredentialSource {
  /**
   * Returns credentials valid until `then`, or for the next minute. Rejects with StoreUnavailable while there are none.
   */
  goodUntil(then?: Date): Promise<S3Credentials>;
}

/** The token service's default, valid for every role. */
const SESSION_S = 3_600;
/** Early enough for links, which last half an hour at most and must not outlive their credentials. */
const RENEWED_BEFORE_MS = 35 * 60_000;
/** Validity needed for a request that is sent immediately. */
const SEND_MS = 60_000;
/** Retry delay after a failed renewal, while the current credentials are still valid. */
const AGAIN_AFTER_MS = 10_000;
const ANSWER_MS = 5_000;
const MAX_ANSWER_BYTES = 65_536;
const SESSION_NAME = 'supplier-submissions';

interface Session {
  readonly credentials: S3Credentials;
  readonly expiresAt: number;
}

/**
 * Returns the credentials of a role, from AssumeRoleWithWebIdentity. They are requested on first use and renewed when
 * 35 of their 60 minutes are left, by one request at a time of at most 5 s. Callers that the current credentials serve
 * do not wait for it; while renewal fails, the current credentials are used as long as they are valid for the request.
 */
export function roleCredentials(config: S3RoleConfig, clock: Clock): S3CredentialSource {
  let session: Session | undefined;
  let renewing: Promise<void> | undefined;
  let notBefore = 0;

  const renew = () => {
    renewing ??= askForSession(config)
      .then((renewed) => {
        session = renewed;
      })
      .finally(() => {
        notBefore = clock.now().getTime() + AGAIN_AFTER_MS;
        renewing = undefined;
      });
    return renewing;
  };
  const goodUntil = (until: number) =>
    session && session.expiresAt >= until ? session.credentials : undefined;

  return {
    async goodUntil(then) {
      const now = clock.now().getTime();
      const until = Math.max(then?.getTime() ?? 0, now + SEND_MS);
      const atHand = goodUntil(until);
      if (atHand) {
        const isOld = !goodUntil(now + RENEWED_BEFORE_MS);
        // The error is reported only when no usable credentials are left.
        if (isOld && now >= notBefore) renew().catch(() => undefined);
        return atHand;
      }
      try {
        await renew();
      } catch (error) {
        throw new StoreUnavailable('assume its role', error);
      }
      const renewed = goodUntil(until);
      if (!renewed) throw new StoreUnavailable('sign for the requested time');
      return renewed;
    },
  };
}

const text = (max: number) => z.string().min(1).max(max);
const answered = z.object({
  AccessKeyId: text(256),
  SecretAccessKey: text(256),
  SessionToken: text(16_384),
  Expiration: z.iso.datetime({ offset: true }),
});

async function askForSession({ role, tokenFile, stsUrl }: S3RoleConfig): Promise<Session> {
  const token = (await readFile(tokenFile, 'utf8')).trim();
  const answer = await fetch(stsUrl, {
    method: 'POST',
    redirect: 'error',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/xml' },
    body: new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      DurationSeconds: String(SESSION_S),
      RoleArn: role,
      RoleSessionName: SESSION_NAME,
      WebIdentityToken: token,
    }).toString(),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const xml = await bodyOf(answer);
  // The error contains only the response's code, which explains the failure.
  if (!answer.ok)
    throw new Error(
      `the security token service responded ${answer.status} ${elementOf(xml, 'Code') ?? ''}`.trim(),
    );
  const parts = Object.keys(answered.shape).map((name) => [name, elementOf(xml, name)]);
  const { success, data } = answered.safeParse(Object.fromEntries(parts));
  // The contents are secret.
  if (!success) throw new Error('cannot read the credentials in the response of the security token service');
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = data;
  return {
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
    expiresAt: Date.parse(Expiration),
  };
}

async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest.
    if (bytes > MAX_ANSWER_BYTES)
      throw new Error(
        `cannot read the response of the security token service: larger than ${MAX_ANSWER_BYTES} bytes`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Returns the text of the only element of that name. Credentials contain no characters that need escaping. */
function elementOf(xml: string, name: string): string | undefined {
  const found = [...xml.matchAll(new RegExp(`<${name}>([^<&]*)</${name}>`, 'g'))];
  return found.length === 1 ? found[0]?.[1]?.trim() : undefined;
}
