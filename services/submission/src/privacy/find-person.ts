import type { KeyRing } from '@supplier/lib/data/crypto';
import { auditCall } from '@supplier/lib/governance/audit';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { invalid } from '@supplier/lib/rpc/refusal';
import { parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { type FindPersonRequest, FindPersonRequestSchema } from '@supplier/proto/submission/v1/privacy';
import type { Context, PrivacyRpcs } from '../context.ts';
import { type MaskedContact, maskedContact } from '../model/masked-contact.ts';
import { type MatchHashes, type Matching, statedHashes } from '../model/match-hashes.ts';
import { openWorkingEnquiry } from '../store/submission-row.ts';
import { type FoundRow, findPerson as findMatching, type PersonHashes } from './find-person.sql.ts';

/** Rejected, because an empty response would imply that there are no submissions. */
const IDENTIFIES_NO_ONE =
  "must identify one person: not a placeholder, not a part, and not on the list of values that aren't anyone's";

/**
 * Finds the submissions of a person by telephone or email in any spelling, as received, corrected or promoted, newest
 * first, in pages: each with the matching fields and the masked contact. Audited with its purpose before the response,
 * without the search terms or a digest of them, which could be tested with an address. VALIDATION_ERROR without a
 * purpose, without a search term, or with one that cannot identify a person. Implements docs/contract.md, section 10.
 */
export function findPerson(context: Context): PrivacyRpcs['findPerson'] {
  const { pool, clock, keyRing } = context;
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const page = requestedPage(FindPersonRequestSchema, request, parseId<SubmissionId>);
    const hashes = requestedHashes(context, request);
    const { rows, next } = await findMatching(pool, hashes, page.after, page.size);
    const after = {
      by: [
        ...(hashes.emails.length > 0 ? ['email'] : []),
        ...(hashes.telephones.length > 0 ? ['telephone'] : []),
      ],
      submissionIds: rows.map(({ id }) => id),
    };
    await auditCall(pool, call, { at: clock.now(), target: '', after, purpose });
    return { submissions: rows.map((row) => found(keyRing, row)), nextPageToken: page.tokenAfter(next) };
  };
}

function requestedHashes(matching: Matching, { email, telephone }: FindPersonRequest): PersonHashes {
  if (email === undefined && telephone === undefined) throw invalid('email', 'this or telephone is required');
  const { hashesUnderOtherKeys, ...primary } = statedHashes(matching, { email, telephone });
  const all = [primary, ...hashesUnderOtherKeys];
  const those = (pick: (hashes: MatchHashes) => Uint8Array | null) =>
    all.flatMap((hashes) => pick(hashes) ?? []);
  const hashes = { telephones: those((h) => h.telephoneHash), emails: those((h) => h.emailHash) };
  if (email !== undefined && hashes.emails.length === 0) throw invalid('email', IDENTIFIES_NO_ONE);
  if (telephone !== undefined && hashes.telephones.length === 0)
    throw invalid('telephone', IDENTIFIES_NO_ONE);
  return hashes;
}

function found(keyRing: KeyRing, row: FoundRow) {
  const contact = contactOf(keyRing, row);
  return {
    submissionId: row.id,
    accountId: row.account_id,
    environment: row.environment,
    externalReference: row.external_reference,
    level: row.level,
    status: row.status,
    receivedAt: toTimestamp(row.received_at),
    held: row.held,
    erasureId: row.erasure_id ?? '',
    matched: [...row.matched],
    ...(contact ? { contact } : {}),
    ...(row.erased_at ? { erasedAt: toTimestamp(row.erased_at) } : {}),
  };
}

/** Returns the masked contact; undefined once erased. A row that cannot be opened must not hide the others. */
function contactOf(keyRing: KeyRing, row: FoundRow): MaskedContact | undefined {
  if (row.enquiry === null) return undefined;
  try {
    return maskedContact(openWorkingEnquiry(keyRing, row));
  } catch {
    return undefined;
  }
}
