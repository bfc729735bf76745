import Type, { type Static } from 'typebox';
import { enquiryFields } from '../../enquiry/fields.ts';
import { closed, having, operationIdempotencyKey, whole } from '../../validation/field-types.ts';

const { Optional } = Type;

/** A correction requires at least one of these fields. */
const CONTACT_FIELDS = ['first_name', 'last_name', 'telephone', 'email', 'preferred_contact_method'] as const;

/** Returns the schema of a contact correction's body. Implements docs/contract.md, section 2. */
export function correctContactSchema(screeningProvider: string) {
  const field = enquiryFields(screeningProvider);
  return closed(
    {
      operation_idempotency_key: operationIdempotencyKey(),
      expected_revision: whole(0, Number.MAX_SAFE_INTEGER),
      first_name: Optional(field.first_name),
      last_name: Optional(field.last_name),
      telephone: Optional(field.telephone),
      email: Optional(field.email),
      preferred_contact_method: Optional(field.preferred_contact_method),
    },
    { anyOf: CONTACT_FIELDS.map(having) },
  );
}

export type CorrectContactBody = Static<ReturnType<typeof correctContactSchema>>;
