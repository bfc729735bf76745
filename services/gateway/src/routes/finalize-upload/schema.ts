import type { Static } from 'typebox';
import { closed, externalReference, uuid } from '../../validation/field-types.ts';

/** The body of a finalize, whole. Implements docs/contract.md, section 2. */
export const finalizeUploadSchema = () =>
  closed({
    external_reference: externalReference(),
    document_id: uuid(),
  });

export type FinalizeUploadBody = Static<ReturnType<typeof finalizeUploadSchema>>;
