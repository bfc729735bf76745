import type { Answer } from './http.ts';
import { asErrorBody, asStatusObject, type ErrorBody, type StatusObject, type Violation } from './schemas.ts';

/** The status object of an answer that must have `status`; fails with the whole answer otherwise. */
export function submissionOf(answer: Answer, status: 200 | 202): StatusObject {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return asStatusObject(answer.json, 'create');
}

/** The error of an answer that must be refused with `status`; fails with the whole answer otherwise. */
export function refusalOf(answer: Answer, status: number): ErrorBody['error'] {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return asErrorBody(answer.json);
}

/** The violations of an answer that must be 422. */
export const violationsOf = (answer: Answer): Violation[] => refusalOf(answer, 422).details as Violation[];

/** The paths of those violations, sorted. */
export const pathsOf = (answer: Answer): string[] =>
  violationsOf(answer)
    .map((violation) => violation.path)
    .sort();
