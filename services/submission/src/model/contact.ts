import { clone, create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import type { Contact } from '@supplier/proto/submission/v1/submission';

/** Reports whether a correction changes anything. */
export function statesContact(contact: Contact | undefined): contact is Contact {
  if (!contact) return false;
  const { firstName, lastName, telephone, email, preferredContactMethod } = contact;
  return (
    [firstName, lastName, telephone, email].some((text) => text !== undefined) || preferredContactMethod !== 0
  );
}

/** Returns the enquiry with the working contact instead of the original one. */
export function withContact(enquiry: Enquiry, contact: Contact): Enquiry {
  const { firstName, lastName, telephone, email, preferredContactMethod } = contact;
  const stated = { firstName, lastName, telephone, email, preferredContactMethod };
  return mergeMessages(EnquirySchema, enquiry, create(EnquirySchema, stated));
}

/**
 * Returns `base` with the fields stated by `over` replaced. Fields are replaced as a whole: two addresses are never
 * mixed. Does not modify its arguments.
 */
export function mergeMessages<Desc extends DescMessage>(
  schema: Desc,
  base: MessageShape<Desc>,
  over: MessageShape<Desc>,
): MessageShape<Desc> {
  const merged = clone(schema, base);
  const target = reflect(schema, merged);
  const source = reflect(schema, clone(schema, over));
  for (const field of schema.fields) {
    if (source.isSet(field)) target.set(field, source.get(field));
  }
  return merged;
}
