import { create } from '@bufbuild/protobuf';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import type { Contact } from '@supplier/proto/submission/v1/submission';
import { mergeMessages } from './merge-messages.ts';

/** Whether a correction corrects anything. */
export function statesContact(contact: Contact | undefined): contact is Contact {
  if (!contact) return false;
  const { firstName, lastName, telephone, email, preferredContactMethod } = contact;
  return (
    [firstName, lastName, telephone, email].some((text) => text !== undefined) || preferredContactMethod !== 0
  );
}

/** The enquiry with the working contact instead of the originally stated one. */
export function withContact(enquiry: Enquiry, contact: Contact): Enquiry {
  const { firstName, lastName, telephone, email, preferredContactMethod } = contact;
  const stated = { firstName, lastName, telephone, email, preferredContactMethod };
  return mergeMessages(EnquirySchema, enquiry, create(EnquirySchema, stated));
}
