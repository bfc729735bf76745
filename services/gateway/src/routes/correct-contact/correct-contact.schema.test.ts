import { pathsAgainst, violationsOf } from '../../testing/violations-of.ts';
import { compileValidator } from '../../validation/validator.ts';
import { correctContactSchema } from './correct-contact.schema.ts';

const validate = compileValidator(correctContactSchema('screening_provider'));
const pathsOf = (body: unknown) => pathsAgainst(validate, body);
const base = { operation_idempotency_key: 'correct-1', expected_revision: 0 };
const CONTACT = {
  first_name: 'Ada',
  last_name: 'Byron',
  telephone: '1',
  email: 'a@b.test',
  preferred_contact_method: 'phone',
};

describe('correctContactSchema', () => {
  it.each(Object.entries(CONTACT))('accepts a correction of only %s', (name, value) => {
    expect(pathsOf({ ...base, [name]: value })).toEqual([]);
  });

  it('requires a contact field and names each when there is none', () => {
    expect(violationsOf(validate, base)).toEqual(
      Object.keys(CONTACT).map((path) => ({ path, message: 'is required, or one of its alternatives' })),
    );
  });
});
