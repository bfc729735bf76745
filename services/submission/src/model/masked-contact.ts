import type { Enquiry } from '@supplier/proto/common/v1/enquiry';

/** Enough for staff to recognise an applicant on the telephone. */
export interface MaskedContact {
  /** First letters of the names, as in `A. S.`. */
  readonly initials: string;
  /** The last three digits. */
  readonly telephoneEnding: string;
  /** The first letter and the domain, as in `a…@example.test`; empty without an address. */
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
  return at < 0 ? '' : `${first(email)}…${email.slice(at)}`;
}

/** Keeps characters of several code units whole. */
const first = (text = ''): string => [...text.trim()][0] ?? '';
