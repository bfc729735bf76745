import { STREAMS } from './streams.ts';

/** A durable consumer: its stream, its name, and the subject that the server delivers, which may contain wildcards. */
export interface Subscription {
  readonly stream: string;
  readonly consumer: string;
  readonly subject: string;
}

/** Every durable consumer, by process. NATS permissions are derived from this (permissions.ts). */
export const SUBSCRIPTIONS = {
  billing: {
    stream: STREAMS.submission,
    consumer: 'billing',
    subject: 'supplier.submission.SubmissionStatusChanged.billing',
  },
  scanner: { stream: STREAMS.document, consumer: 'scanner', subject: 'supplier.document.DocumentFinalized' },
  webhook: {
    stream: STREAMS.submission,
    consumer: 'webhook',
    subject: 'supplier.submission.SubmissionStatusChanged.*',
  },
} as const satisfies Readonly<Record<string, Subscription>>;

/** Consumers that accept only events with a code of the submission service: a forged one would move money or notify. */
export const AUTHENTICATED = Object.values(SUBSCRIPTIONS).filter(
  ({ stream }) => stream === STREAMS.submission,
);

/** Subjects that a process receives only while it is connected. */
export const LISTENS_TO = { gateway: 'supplier.account.>' } as const;

/** Returns whether a subject matches a NATS pattern: `*` is one token, a final `>` is one or more. */
export function matchesSubject(pattern: string, subject: string): boolean {
  const tokens = subject.split('.');
  const wanted = pattern.split('.');
  const tail = wanted.at(-1) === '>';
  if (tail ? tokens.length < wanted.length : tokens.length !== wanted.length) return false;
  return wanted.every(
    (token, at) => token === '*' || token === tokens[at] || (tail && at === wanted.length - 1),
  );
}
