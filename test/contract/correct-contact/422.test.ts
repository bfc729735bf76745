import { randomUUID } from 'node:crypto';
import { correction, enquiry } from '../../harness/enquiries.ts';
import { pathsOf } from '../../harness/responses.ts';
import { decided, supplier } from '../../harness/suppliers.ts';
import { ENUMS, EXPECTED_REVISION, IDEMPOTENCY_KEY, STRINGS } from '../create-submission/fields.ts';
import {
  insideEnum,
  insideText,
  insideWhole,
  outsideEnum,
  outsideText,
  outsideWhole,
  pathsOfRows,
  type Row,
  together,
  withRows,
} from '../create-submission/invalid-values.ts';

const alpha = supplier('alpha');
const CONTACT = ['email', 'first_name', 'last_name', 'preferred_contact_method', 'telephone'];

const corrected = <Field extends { readonly path: string }>(table: readonly Field[]) =>
  table.filter(({ path }) => CONTACT.includes(path));
const WRONG: readonly Row[] = [
  ...outsideWhole(EXPECTED_REVISION),
  ...outsideText(IDEMPOTENCY_KEY),
  ...corrected(STRINGS).flatMap(outsideText),
  ...corrected(ENUMS).flatMap(outsideEnum),
  ['business_name', '"Engines Ltd"'],
  ['__proto__', '{}'],
];
const RIGHT: readonly Row[] = [
  ...insideWhole(EXPECTED_REVISION),
  ...insideText(IDEMPOTENCY_KEY),
  ...corrected(STRINGS).flatMap(insideText),
  ...corrected(ENUMS).flatMap(insideEnum),
];

describe('contact correction 422', () => {
  it('covers every contact field', () => {
    expect([...corrected(STRINGS), ...corrected(ENUMS)].map(({ path }) => path).sort()).toEqual(CONTACT);
  });

  // Uses a submission that doesn't exist, because the body is validated before the lookup.
  it('is not the response to valid fields', async () => {
    for (const rows of together(RIGHT))
      expect((await alpha.correct(randomUUID(), withRows(correction(), rows))).status).toBe(404);
  });

  it('names every invalid field, and no other', async () => {
    for (const rows of together(WRONG))
      expect(pathsOf(await alpha.correct(randomUUID(), withRows(correction(), rows)))).toEqual(
        pathsOfRows(rows),
      );
  });

  it('names every missing field, and an id that is not a UUID', async () => {
    const missing = [...CONTACT, 'expected_revision', 'operation_idempotency_key', 'submission_id'];
    expect(pathsOf(await alpha.correct('no-uuid', {}))).toEqual(missing.sort());
  });
});

describe('contact correction of a submission in the wrong state', () => {
  it('returns 422 for an application-level submission', async () => {
    const { submission_id } = await decided(alpha, enquiry());
    expect(pathsOf(await alpha.correct(submission_id, correction()))).toEqual(['submission_id']);
  });
});
