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

describe('the body of a contact correction', () => {
  it.each(Object.entries(CONTACT))('passes with %s alone', (name, value) => {
    expect(pathsOf({ ...base, [name]: value })).toEqual([]);
  });

  it('passes with all contact fields', () => {
    expect(pathsOf({ ...base, ...CONTACT })).toEqual([]);
  });

  it('must have a contact field: each is named where there is none', () => {
    expect(violationsOf(validate, base)).toEqual(
      Object.keys(CONTACT).map((path) => ({ path, message: 'is required, or one of the fields like it' })),
    );
  });

  it('must have a key and a revision', () => {
    expect(pathsOf({ email: 'a@b.test' })).toEqual(['expected_revision', 'operation_idempotency_key']);
    expect(pathsOf([])).toEqual(['']);
  });

  it('takes no field that cannot be corrected', () => {
    expect(pathsOf({ ...base, ...CONTACT, business_name: 'Engines Ltd' })).toEqual(['business_name']);
  });
});
