import { correctionBody } from '../../testing/sample-bodies.ts';
import { pathsAgainst, violationsOf } from '../../testing/violations-of.ts';
import { compileValidator } from '../../validation/validator.ts';
import { correctContactSchema } from './schema.ts';

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

  it.each([0, 1, Number.MAX_SAFE_INTEGER])('takes the revision %s', (expected_revision) => {
    expect(pathsOf({ ...correctionBody(), expected_revision })).toEqual([]);
  });

  it.each([
    ['expected_revision', -1],
    ['expected_revision', Number.MAX_SAFE_INTEGER + 1],
    ['expected_revision', '0'],
    ['expected_revision', 0.5],
    ['operation_idempotency_key', '1234567'],
    ['first_name', ''],
    ['last_name', 'x'.repeat(101)],
    ['telephone', null],
    ['email', 'x'.repeat(321)],
    ['preferred_contact_method', 'post'],
    ['business_name', 'Engines Ltd'],
  ])('refuses %s = %j', (path, value) => {
    expect(pathsOf({ ...base, ...CONTACT, [path]: value })).toEqual([path]);
  });
});
