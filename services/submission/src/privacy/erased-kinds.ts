/**
 * Everything that an erasure removes, by service, as its certificate words it. A certificate names each kind, with how
 * many there were. Implements docs/contract.md, section 10.
 */
export const ERASED_KINDS = {
  submission: {
    enquiry: 'the enquiry as it was received',
    working_contact: 'the contact as it was corrected last',
    contact_correction: 'each correction of the contact',
    other_contact: 'what corrections and promotions stated, to be found by',
    application_snapshot: 'the enquiry as it stood when the Application was made',
    match_hash:
      'digests of company number, telephone and email, by which duplicates are found, and the submission they found',
    body_digest: 'the digest of the body that made the submission',
    operation_digest: 'digests of the bodies of corrections and promotions',
    journey_link: 'what opens links into the journey',
    request_id: 'the id of the request that made the submission',
    decision_reason: 'the free-text reason of the decision',
    close_reason: 'the free-text reason of the closing',
  },
  document: {
    document: 'documents in whatever state, with their names and bytes',
    upload_reference: 'the right to upload documents for the reference',
  },
  webhook: {
    event_body: 'bodies that carried a link into the journey',
    attempt_answer: 'what receivers answered',
  },
} as const;

export type ErasedPlace = keyof typeof ERASED_KINDS;
export type ErasedKind<Place extends ErasedPlace> = keyof (typeof ERASED_KINDS)[Place];

/** A kind in words; empty for one that a later version has removed. */
export function wordsFor(place: string, kind: string): string {
  const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = ERASED_KINDS;
  return kinds[place]?.[kind] ?? '';
}
