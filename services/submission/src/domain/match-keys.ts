import { createHash } from 'node:crypto';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** By what two enquiries are recognised as one customer, each in its normal form; undefined where nothing was given that can name one. */
export interface MatchKeys {
  readonly company: string | undefined;
  readonly telephone: string | undefined;
  readonly email: string | undefined;
}

/** What match keys are made from. */
export type Stated = Partial<Pick<Enquiry, 'companyNumber' | 'telephone' | 'email'>>;

/** A value that is nobody's, whoever states it: a broker's own telephone number. */
export interface NobodysValue {
  readonly kind: keyof MatchKeys;
  readonly text: string;
}

/** How match keys are made. */
export interface MatchRule {
  /** Stands beside what was stored under this rule: another one than that of the process says that it is to be made again. */
  readonly id: string;
  keysOf(stated: Stated): MatchKeys;
}

/** Raised whenever the forms below change for anything that they take or refuse. */
const VERSION = '3';

/**
 * The rule of docs/contract.md, section 5: only what can name one customer is a key, and what is listed as nobody's is
 * none.
 */
export function matchRule(nobodys: readonly NobodysValue[] = []): MatchRule {
  const listed = new Set(nobodys.map(({ kind, text }) => `${kind} ${keyOf(kind, text)}`));
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

/** The normal form of what a customer can be told by; undefined for what is no such thing. */
export function keyOf(kind: keyof MatchKeys, text: string): string | undefined {
  switch (kind) {
    case 'company':
      return companyKey(text);
    case 'telephone':
      return telephoneKey(text);
    case 'email':
      return emailKey(text);
  }
}

/** As the register of companies writes them: up to eight digits, or two letters, digits, and perhaps a letter, eight in all. */
const REGISTERED = /^(?<prefix>[A-Z]{2}|)(?<digits>\d+)(?<suffix>[A-Z]?)$/;
const REGISTERED_LENGTH = 8;

function companyKey(text: string): string | undefined {
  const {
    prefix = '',
    digits = '',
    suffix = '',
  } = REGISTERED.exec(text.normalize('NFKC').replace(/\s/gu, '').toUpperCase())?.groups ?? {};
  const padded = digits.padStart(REGISTERED_LENGTH - prefix.length - suffix.length, '0');
  const number = `${prefix}${padded}${suffix}`;
  const isShaped = number.length === REGISTERED_LENGTH && (prefix !== '' || suffix === '');
  // Nothing, zeros, or one digit over and over; with letters or zeros in front that was written out, and is in the register.
  const isPlaceholder = /^0*$/.test(digits) || (prefix === '' && isOneRepeated(digits));
  return isShaped && !isPlaceholder ? number : undefined;
}

function telephoneKey(text: string): string | undefined {
  const number = parsePhoneNumberFromString(text, 'GB');
  return number?.isPossible() && !isOneRepeated(number.nationalNumber) ? number.number : undefined;
}

function emailKey(text: string): string | undefined {
  const email = text.trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/u.test(email) ? email : undefined;
}

/** What whoever has no number types in its place. One digit alone is a number. */
function isOneRepeated(digits: string): boolean {
  return /^(\d)\1+$/.test(digits);
}

/** What is listed is no secret, and nobody's: a few hexadecimal digits tell one list from another. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
