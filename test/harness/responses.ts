import type { Answer } from './http.ts';
import { asErrorBody, asStatusObject, type ErrorBody, type StatusObject, type Violation } from './schemas.ts';

/** Returns the status object of a response with `status`; for any other status, throws with the whole response. */
export function submissionOf(answer: Answer, status: 200 | 202): StatusObject {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return asStatusObject(answer.json, 'create');
}

/** Returns the error of a response refused with `status`; for any other status, throws with the whole response. */
export function refusalOf(answer: Answer, status: number): ErrorBody['error'] {
  if (answer.status !== status) throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
  return asErrorBody(answer.json);
}

/** Returns the violations of a 422 response. */
export const violationsOf = (answer: Answer): Violation[] => refusalOf(answer, 422).details as Violation[];

/** Returns the paths of the violations, sorted. */
export const pathsOf = (answer: Answer): string[] =>
  violationsOf(answer)
    .map((violation) => violation.path)
    .sort();
