import { closed, text } from '../../validation/field-types.ts';

/** What the query must hold once it is decoded; parameters that the contract does not know are ignored. */
export const getSubmissionByReferenceSchema = closed({ external_reference: text(1, 128) });
