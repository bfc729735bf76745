import { PublicError } from '../../errors/public-error.ts';
import { fullBody, sampleBody } from '../../testing/sample-body.ts';
import { violationsOf } from '../../testing/violations-of.ts';
import { compileValidator } from '../../validation/validator.ts';
import { createSubmissionSchema } from './create-submission.schema.ts';

const validate = compileValidator(createSubmissionSchema('screening_provider'));
const violations = (body: unknown) => violationsOf(validate, body);

/** Returns the full body with the value at a dotted path replaced or, if undefined, removed. */
function bodyWith(path: string, value: unknown): unknown {
  const body = structuredClone(fullBody()) as unknown as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = body;
  for (const name of names) place = place[name] as Record<string, unknown>;
  if (value === undefined) delete place[last];
  else place[last] = value;
  return body;
}

describe('createSubmissionSchema', () => {
  it('returns the body unchanged', () => {
    const body = fullBody();
    expect(validate(body)).toBe(body);
    expect(body).toEqual(fullBody());
  });

  it('reports what is wrong and where for each kind of violation', () => {
    for (const [path, value, message] of [
      ['first_name', undefined, 'is required'],
      ['first_name', '', 'must have at least 1 character'],
      ['first_name', 'x'.repeat(101), 'must have at most 100 characters'],
      ['first_name', 'a\u0000b', 'must not contain NUL or an unpaired surrogate'],
      ['first_name', 12, 'must be text'],
      ['funding_amount', 999, 'must be at least 1000'],
      ['funding_amount', 10_000_001, 'must be at most 10000000'],
      ['funding_amount', 1000.5, 'must be a whole number'],
      ['annual_turnover_gbp', 0, 'must be greater than 0'],
      [
        'business_sector',
        'mining',
        // Written without spaces, so that all of them fit.
        'must be one of construction,transport,manufacturing,motor-trade,retail-wholesale,hospitality,professional-services,healthcare,agriculture,beauty-wellness,facilities,technology-media,education,other',
      ],
      ['preferred_contact_method', 'post', 'must be one of email, phone, either'],
      ['level', 'basic', 'must be application'],
      ['privacy_information.provided', false, 'must be true'],
      ['privacy_information.provided', 'true', 'must be true or false'],
      ['capture_timestamp', '', 'must be a valid UTC time, such as 2026-01-31T09:30:00Z'],
      ['date_of_birth', '1985-02-29', 'must be a valid date, YYYY-MM-DD'],
      ['residence_since', '2020-13', 'must be a valid month, YYYY-MM'],
      ['home_address', [], 'must be an object'],
      ['extra', 'x', 'is not a known field'],
      ['credit_screening.declared.extra', 'x', 'is not a known field'],
    ] as const)
      expect(violations(bodyWith(path, value))).toEqual([{ path, message }]);
  });

  it.each([[[]], ['text'], [1], [null], [true]])('requires an object, not %j', (body) => {
    expect(violations(body)).toEqual([{ path: '', message: 'must be an object' }]);
  });

  it('lists at most 50 violations', () => {
    const channels = Array.from({ length: 9_000 }, () => 'post');
    expect(violations(bodyWith('contact_expectation.channels', channels))).toHaveLength(50);
  });

  it('shortens the path of a long unknown property to 128 well-formed characters', () => {
    for (const name of ['x'.repeat(500), `x${'\u{1f600}'.repeat(500)}`, `\ud800${'x'.repeat(500)}`]) {
      const [violation] = violations({ ...sampleBody(), [name]: 1 });
      expect(violation?.path.length).toBeLessThanOrEqual(128);
      expect(violation?.path.length).toBeGreaterThan(120);
      expect(violation?.path.isWellFormed()).toBe(true);
    }
  });

  it('never repeats a submitted value', () => {
    const secret = 'S3CRET-value';
    const everywhere = JSON.parse(JSON.stringify(fullBody()), (_key, value) =>
      typeof value === 'object' ? value : `${secret}\u0000`,
    );
    const found = violations(everywhere);
    expect(found.length).toBeGreaterThan(30);
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('accepts the provider that the operator has configured', () => {
    const other = compileValidator(createSubmissionSchema('other_agency'));
    expect(() => other(fullBody())).toThrow(PublicError);
    expect(() => other(bodyWith('credit_screening.provider', 'other_agency'))).not.toThrow();
  });
});
