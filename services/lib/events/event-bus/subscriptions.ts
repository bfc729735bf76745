import { STREAMS } from './streams.ts';

/** A durable consumer: its stream, its name, and what the server is to deliver, one subject with wildcards. */
export interface Subscription {
  readonly stream: string;
  readonly consumer: string;
  readonly subject: string;
}

/**
 * Every durable consumer, by the process that has it. NATS permissions are derived from it (permissions.ts), so a
 * consumer that is not listed here gets no events.
 */
export const SUBSCRIPTIONS = {
  billing: {
    stream: STREAMS.submission,
    consumer: 'billing',
    subject: 'supplier.submission.SubmissionStatusChanged.lead',
  },
  scanner: { stream: STREAMS.document, consumer: 'scanner', subject: 'supplier.document.DocumentFinalized' },
  webhook: {
    stream: STREAMS.submission,
    consumer: 'webhook',
    subject: 'supplier.submission.SubmissionStatusChanged.*',
  },
} as const satisfies Readonly<Record<string, Subscription>>;

/** What a process receives only while it is connected. */
export const LISTENS_TO = { gateway: 'supplier.account.>' } as const;

/** Whether a subject is one of those that a pattern of NATS means: `*` is one token, `>` at the end is all that follow. */
export function matchesSubject(pattern: string, subject: string): boolean {
  const tokens = subject.split('.');
  const wanted = pattern.split('.');
  const tail = wanted.at(-1) === '>';
  if (tail ? tokens.length < wanted.length : tokens.length !== wanted.length) return false;
  return wanted.every(
    (token, at) => token === '*' || token === tokens[at] || (tail && at === wanted.length - 1),
  );
}
