import { join } from 'node:path';
import { KeyRing } from '../../data/crypto/index.ts';
import { setting, text } from '../../runtime/config/index.ts';
import { AUTHENTICATED, matchesSubject } from './subscriptions.ts';

const PURPOSE = 'event';

/** The variable of the processes that publish or consume authenticated events. */
export const eventKeyVariables = {
  SSS_EVENT_KEYS_DIR: setting(
    text(),
    'folder of the [key rings](operating.md#keys) that authenticate events, one file per consumer: `billing.json`, `webhook.json`',
  ),
} as const;

export type AuthenticatedConsumer = 'billing' | 'webhook';

/** A message header per consumer, which is computed when an event is published. */
export type EventSigner = (subject: string, envelope: Uint8Array) => readonly (readonly [string, string])[];

/** A message, as much of it as its code covers. */
export interface CodedMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Returns the value of a header, or an empty string. */
  header(name: string): string;
}

/** Returns whether the publisher made the message for this consumer. */
export type EventVerifier = (message: CodedMessage) => boolean;

const headerOf = (consumer: string) => `Sss-Code-${consumer}`;
const ringOf = (folder: string, consumer: string) =>
  KeyRing.fromFile(join(folder, `${consumer}.json`), 'SSS_EVENT_KEYS_DIR');
const covered = (subject: string, envelope: Uint8Array) => [`${subject}\n`, envelope] as const;

/**
 * Returns the signer of the submission service. Each consumer has its own key, so that none can forge an event for
 * another. Throws a ConfigError if a ring is unreadable.
 */
export function eventSigner(folder: string): EventSigner {
  const consumers = AUTHENTICATED.map(({ consumer, subject }) => ({
    ...{ subject, name: headerOf(consumer), ring: ringOf(folder, consumer) },
  }));
  return (subject, envelope) =>
    consumers
      .filter((one) => matchesSubject(one.subject, subject))
      .map(({ name, ring }) => [name, toText(ring.digest(PURPOSE, ...covered(subject, envelope)))]);
}

/** Returns the verifier of a consumer, which accepts codes under every key of its ring. Throws like `eventSigner`. */
export function eventVerifier(folder: string, consumer: AuthenticatedConsumer): EventVerifier {
  const ring = ringOf(folder, consumer);
  const name = headerOf(consumer);
  return (message) => {
    const code = Buffer.from(message.header(name), 'base64url');
    return ring.isDigest(code, PURPOSE, ...covered(message.subject, message.data));
  };
}

const toText = ({ buffer }: Uint8Array<ArrayBuffer>) => Buffer.from(buffer).toString('base64url');
