import { createHash } from 'node:crypto';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { MatchKey } from '@supplier/proto/submission/v1/timeline';
import { companyNumberOf } from './company-number.ts';
import { emailKey } from './email-key.ts';
import { telephoneKey } from './telephone-key.ts';

/** The normalised values that identify two enquiries as one customer; undefined if no identifying value was given. */
export interface MatchKeys {
  readonly company: string | undefined;
  readonly telephone: string | undefined;
  readonly email: string | undefined;
}

export type MatchFields = Partial<Pick<Enquiry, 'companyNumber' | 'telephone' | 'email'>>;

/** An earlier submission from the same customer, and the kind of the matching key. */
export interface Match {
  readonly id: SubmissionId;
  readonly key: MatchKey;
}

/** A value that identifies no customer, such as a broker's telephone number. */
export interface ExcludedValue {
  readonly kind: keyof MatchKeys;
  readonly text: string;
}

/** How match keys are made. */
export interface MatchRule {
  /** Stored with the keys of this rule. Rows with a different id from the process's are due for renewal. */
  readonly id: string;
  keysOf(fields: MatchFields): MatchKeys;
}

/** Increment this when any normal form below changes what it accepts, rejects or returns. */
const VERSION = '5';

/**
 * Creates the match rule of docs/contract.md, section 5: only values that can identify one customer are keys, and
 * listed values are excluded.
 */
export function matchRule(excluded: readonly ExcludedValue[] = []): MatchRule {
  const listed = new Set(excluded.map(({ kind, text }) => `${kind} ${keyOf(kind, text)}`));
  const names = (kind: keyof MatchKeys, text: string | undefined) => {
    const key = text === undefined ? undefined : keyOf(kind, text);
    return listed.has(`${kind} ${key}`) ? undefined : key;
  };
  return {
    id: listed.size === 0 ? VERSION : `${VERSION}-${digestOf([...listed].sort().join('\n'))}`,
    keysOf: ({ companyNumber, telephone, email }) => ({
      company: names('company', companyNumber),
      telephone: names('telephone', telephone),
      email: names('email', email),
    }),
  };
}

/** Returns the normal form of an identifying value; undefined for any other value. */
export function keyOf(kind: keyof MatchKeys, text: string): string | undefined {
  switch (kind) {
    case 'company':
      return companyNumberOf(text);
    case 'telephone':
      return telephoneKey(text);
    case 'email':
      return emailKey(text);
  }
}

/** The list is not secret: a few hexadecimal digits are enough to distinguish two lists. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
