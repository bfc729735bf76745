import { readFileSync } from 'node:fs';
import { deliveryBody } from '../../testing/sample-bodies.ts';
import { pathsAgainst } from '../../testing/violations-of.ts';
import { compileValidator } from '../../validation/validator.ts';
import { createDeliverySubmissionSchema } from './create-delivery-submission.schema.ts';

const validate = compileValidator(createDeliverySubmissionSchema('screening_provider'));
const pathsOf = (body: unknown) => pathsAgainst(validate, body);
const byEmail = { ...deliveryBody().contact_expectation, channels: ['phone', 'email'] };

describe('createDeliverySubmissionSchema', () => {
  it("accepts the guides' example enquiry", () => {
    const example = new URL('../../../../../docs/suppliers/example/enquiry.json', import.meta.url);
    expect(pathsOf(JSON.parse(readFileSync(example, 'utf8')))).toEqual([]);
  });

  it.each([
    ['a channel is email', { contact_expectation: byEmail }],
    ['email is preferred', { preferred_contact_method: 'email' }],
    ['both', { contact_expectation: byEmail, preferred_contact_method: 'email' }],
  ])('requires an email address when %s', (_where, fields) => {
    expect(pathsOf({ ...deliveryBody(), ...fields })).toEqual(['email']);
    expect(pathsOf({ ...deliveryBody(), ...fields, email: 'a@b.test' })).toEqual([]);
  });

  it.each(['phone', 'either'])(
    'requires no email address when %s is preferred and no channel is email',
    (method) => {
      expect(pathsOf({ ...deliveryBody(), preferred_contact_method: method })).toEqual([]);
    },
  );

  it.each([
    ['contact_expectation', null],
    ['contact_expectation', 'email'],
    ['contact_expectation.channels', { ...byEmail, channels: 'email' }],
    ['contact_expectation.channels.0', { ...byEmail, channels: ['post'] }],
  ])('reports an invalid %s without also reporting the email address', (path, contact_expectation) => {
    expect(pathsOf({ ...deliveryBody(), contact_expectation })).toEqual([path]);
  });
});
