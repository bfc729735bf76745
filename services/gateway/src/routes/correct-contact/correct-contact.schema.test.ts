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

  it('accepts all contact fields', () => {
    expect(pathsOf({ ...base, ...CONTACT })).toEqual([]);
  });

  it('requires a contact field and names each when there is none', () => {
    expect(violationsOf(validate, base)).toEqual(
      Object.keys(CONTACT).map((path) => ({ path, message: 'is required, or one of its alternatives' })),
    );
  });

  it('requires a key and a revision', () => {
    expect(pathsOf({ email: 'a@b.test' })).toEqual(['expected_revision', 'operation_idempotency_key']);
    expect(pathsOf([])).toEqual(['']);
  });

  it('rejects fields that cannot be corrected', () => {
    expect(pathsOf({ ...base, ...CONTACT, business_name: 'Engines Ltd' })).toEqual(['business_name']);
  });
});
