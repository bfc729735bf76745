import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { ContactCheck } from '@supplier/proto/submission/v1/list_submissions';
import { isTelephoneNumber } from './telephone-key.ts';

/** Allowed clock skew: how far a capture time may be ahead of the receipt. */
const AHEAD_MS = 3_600_000;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** A domain with a dot, with labels of letters, digits and hyphens; others cannot be delivered to from outside. */
export const DOMAIN =
  /^(?=.{1,253}$)([\p{L}\p{N}]([\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+\p{L}[\p{L}\p{N}-]{0,61}[\p{L}\p{N}]$/u;
const LOCAL_PART = /^[^\s@"(),:;<>[\]\\.]+(\.[^\s@"(),:;<>[\]\\.]+)*$/u;

/** Returns true for each check that fails. Unstated values are not checked. */
const CHECKS: readonly (readonly [ContactCheck, (stated: Enquiry, receivedAt: Date) => boolean])[] = [
  [ContactCheck.TELEPHONE, ({ telephone }) => telephone !== undefined && !isTelephoneNumber(telephone)],
  [ContactCheck.EMAIL, ({ email }) => email !== undefined && !isMailAddress(email)],
  [
    ContactCheck.NAME,
    ({ firstName, lastName, businessName }) =>
      [firstName, lastName].some(lacks(/\p{L}/u)) || lacks(/[\p{L}\p{N}]/u)(businessName),
  ],
  [
    ContactCheck.CAPTURE_TIME,
    ({ captureTimestamp, privacyInformation, contactExpectation }, receivedAt) =>
      [captureTimestamp, privacyInformation?.capturedAt, contactExpectation?.capturedAt].some(
        (time) => time !== undefined && timestampMs(time) > receivedAt.getTime() + AHEAD_MS,
      ),
  ],
];

/**
 * Returns the checks of an enquiry for staff, as stored bits: values that the contract accepts but that are unusable.
 */
export function checkContact(stated: Enquiry, receivedAt: Date): number {
  return CHECKS.reduce((bits, [check, finds]) => (finds(stated, receivedAt) ? bits | bitOf(check) : bits), 0);
}

export const contactChecksOf = (bits: number): ContactCheck[] =>
  CHECKS.flatMap(([check]) => (hasBit(bits, check) ? [check] : []));

/** Returns the checks as facts for policies, which never see the values. */
export const contactFacts = (bits: number) => ({
  telephone_unusable: hasBit(bits, ContactCheck.TELEPHONE),
  email_unusable: hasBit(bits, ContactCheck.EMAIL),
  name_unusable: hasBit(bits, ContactCheck.NAME),
  captured_in_future: hasBit(bits, ContactCheck.CAPTURE_TIME),
});

const hasBit = (bits: number, check: ContactCheck): boolean => (bits & bitOf(check)) !== 0;

export const bitOf = (check: ContactCheck): number => 1 << (check - 1);

const lacks = (character: RegExp) => (name: string | undefined) =>
  name !== undefined && !character.test(name.replace(INVISIBLE, ''));

function isMailAddress(text: string): boolean {
  const [local = '', domain = '', ...rest] = text.trim().split('@');
  return rest.length === 0 && local.length <= 64 && LOCAL_PART.test(local) && DOMAIN.test(domain);
}
