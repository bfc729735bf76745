import fc from 'fast-check';
import { type Body, fullEnquiry, newReference, without, withValue } from '../../harness/enquiries.ts';
import { pathsOf, submissionOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';
import { BOOLEANS, ENUMS, INTEGERS, REQUIRED_AT_THE_TOP, STRINGS, TIMESTAMPS } from './fields.ts';

const RUNS = { numRuns: 60 };
const alpha = supplier('alpha');

/** Generates any text of `min` to `max` code points that the contract accepts. */
const text = (min: number, max: number) =>
  fc.string({ unit: 'binary', minLength: min, maxLength: max }).filter((any) => !any.includes('\u0000'));
const timestamp = fc
  .tuple(
    fc.date({
      min: new Date('1900-01-01T00:00:00Z'),
      max: new Date('2200-01-01T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.stringMatching(/^(\.\d{1,9})?$/),
  )
  .map(([date, fraction]) => `${date.toISOString().slice(0, 19)}${fraction}Z`);

/** Every field in the tables, with any of its valid values; references must be unused. */
const VALID = new Map<string, fc.Arbitrary<unknown>>([
  ...STRINGS.map(({ path, min, max }) => [path, text(min, max)] as const),
  ...ENUMS.map(({ path, values }) => [path, fc.constantFrom(...values)] as const),
  ...INTEGERS.map(({ path, min, max }) => [path, fc.integer({ min, max })] as const),
  ...BOOLEANS.map(({ path, mustBeTrue }) => [path, mustBeTrue ? fc.constant(true) : fc.boolean()] as const),
  ...TIMESTAMPS.map((path) => [path, timestamp] as const),
]);
VALID.delete('external_reference');

const NOTHING_LIKE_IT = [null, [], {}, -1.5];
const tooLong = (max: number) => text(max + 1, max + 40);

/** Every field, with invalid values. */
const INVALID = new Map<string, fc.Arbitrary<unknown>>([
  ...STRINGS.map(
    ({ path, max }) =>
      [path, fc.oneof(tooLong(max), fc.constantFrom('', '\u0000', ...NOTHING_LIKE_IT))] as const,
  ),
  ...ENUMS.map(
    ({ path, values }) =>
      [
        path,
        fc.oneof(
          fc.string().filter((any) => !values.includes(any)),
          fc.constantFrom(...NOTHING_LIKE_IT),
        ),
      ] as const,
  ),
  ...INTEGERS.map(
    ({ path, min, max }) =>
      [
        path,
        fc.oneof(
          fc.integer({ max: min - 1 }),
          fc.integer({ min: max + 1 }),
          fc.constantFrom(min + 0.5, String(min), null, true, [], {}),
        ),
      ] as const,
  ),
  ...BOOLEANS.map(({ path }) => [path, fc.constantFrom('true', 0, 1, null, [], {})] as const),
  ...TIMESTAMPS.map((path) => [path, fc.oneof(fc.string(), fc.constantFrom(0, null, {}))] as const),
]);

const optional = Object.keys(fullEnquiry()).filter((name) => !REQUIRED_AT_THE_TOP.includes(name));

/** Generates a body in which every field has a valid value and some optional ones are missing. */
const validBody = fc
  .tuple(fc.tuple(...[...VALID.values()]), fc.subarray(optional))
  .map(([values, absent]) => {
    let body: Body = fullEnquiry({ external_reference: newReference() });
    for (const [index, path] of [...VALID.keys()].entries()) body = withValue(body, path, values[index]);
    for (const name of absent) body = without(body, name);
    return body;
  });

describe('generated bodies', () => {
  it('are accepted when every field is valid', async () => {
    await fc.assert(
      fc.asyncProperty(validBody, async (body) => {
        submissionOf(await alpha.create(body), 202);
      }),
      RUNS,
    );
  });

  it('are refused with the path of the one invalid field', async () => {
    const breach = fc
      .constantFrom(...INVALID.entries())
      .chain(([path, values]) => values.map((value) => ({ path, value })));
    await fc.assert(
      fc.asyncProperty(breach, async ({ path, value }) => {
        const paths = pathsOf(await alpha.create(withValue(fullEnquiry(), path, value)));
        expect([...new Set(paths)]).toEqual([path]);
      }),
      { numRuns: 200 },
    );
  });
});
