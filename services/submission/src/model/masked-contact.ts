import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { DOMAIN } from './contact-checks.ts';

/** Enough for staff to recognise an applicant on the telephone. */
export interface MaskedContact {
  /** First letters of the names, as in `A. S.`. */
  readonly initials: string;
  /** The last three digits. */
  readonly telephoneEnding: string;
  /** The first letter and the domain, as in `a…@example.test`, or `a…@…` without a valid one; empty without an `@`. */
  readonly email: string;
}

type ContactFields = Partial<Pick<Enquiry, 'firstName' | 'lastName' | 'telephone' | 'email'>>;

export function maskedContact({ firstName, lastName, telephone, email }: ContactFields): MaskedContact {
  const initials = [firstName, lastName].map((name) => first(name)).filter((letter) => letter !== '');
  return {
    initials: initials.map((letter) => `${letter}.`).join(' '),
    telephoneEnding: (telephone ?? '').replace(/\D/g, '').slice(-3),
    email: maskedEmail(email ?? ''),
  };
}

function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1).trim();
  // A supplier can write a name or a telephone number there.
  return at < 0 ? '' : `${first(email.slice(0, at))}…@${DOMAIN.test(domain) ? domain : '…'}`;
}

/** Keeps characters of several code units whole. Other characters could reverse or hide what follows. */
const first = (text = ''): string => /[\p{L}\p{N}]/u.exec(text)?.[0] ?? '';
