import { create } from '@bufbuild/protobuf';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import { sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { statesContact, withContact } from './contact.ts';

const ENQUIRY = sampleEnquiry();
const FULL = {
  firstName: 'Grace',
  lastName: 'Other',
  telephone: '07700 900999',
  email: 'grace@example.test',
  preferredContactMethod: 2,
};

describe('a contact correction', () => {
  it.each(Object.entries(FULL))('corrects something if it states %s', (field, value) => {
    expect(statesContact(create(ContactSchema, { [field]: value }))).toBe(true);
  });

  it('corrects nothing if it is absent or empty', () => {
    expect(statesContact(undefined)).toBe(false);
    expect(statesContact(create(ContactSchema))).toBe(false);
  });

  it('replaces every stated field of the enquiry and no other', () => {
    expect(withContact(ENQUIRY, create(ContactSchema, FULL))).toEqual({ ...ENQUIRY, ...FULL });
  });

  it.each(Object.entries(FULL))(
    'replaces only %s and does not change the original enquiry',
    (field, value) => {
      const before = structuredClone(ENQUIRY);
      expect(withContact(ENQUIRY, create(ContactSchema, { [field]: value }))).toEqual({
        ...ENQUIRY,
        [field]: value,
      });
      expect(ENQUIRY).toEqual(before);
    },
  );
});
