import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** By what two enquiries are recognised as one customer, each in its normal form; undefined where nothing was given. */
export interface MatchKeys {
  readonly company: string | undefined;
  readonly telephone: string | undefined;
  readonly email: string | undefined;
}

const COMPANY_NUMBER_LENGTH = 8;

/** Normalises the matching fields of an enquiry. Implements docs/contract.md, section 5. */
export function matchKeys(enquiry: Enquiry): MatchKeys {
  return {
    company: normalise(enquiry.companyNumber, (text) => {
      const number = text.replace(/\s/gu, '').toUpperCase();
      return number === '' ? '' : number.padStart(COMPANY_NUMBER_LENGTH, '0');
    }),
    telephone: normalise(
      enquiry.telephone,
      // What is no telephone number anywhere is compared as it was written, less its white space.
      (text) => parsePhoneNumberFromString(text, 'GB')?.number ?? text.replace(/\s/gu, ''),
    ),
    email: normalise(enquiry.email, (text) => text.trim().toLowerCase()),
  };
}

function normalise(text: string | undefined, rule: (text: string) => string): string | undefined {
  return text === undefined ? undefined : rule(text) || undefined;
}
