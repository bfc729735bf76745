import { parseId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { toTimestamp } from '@supplier/lib/time';
import { type ParkedRow, parkedRows } from '@supplier/lib/work';
import type { Context, Rpcs } from '../context.ts';

const DEFAULT_PAGE_SIZE = 100;

/**
 * Submissions whose decision, minting or pre-underwriting failed repeatedly, with what failed, those parked longest first.
 * VALIDATION_ERROR for a page token that no answer held. Implements docs/contract.md, section 11.
 */
export function listParkedWork({ pool }: Pick<Context, 'pool'>): Rpcs['listParkedWork'] {
  return async ({ pageSize, pageToken }) => {
    const limit = pageSize === 0 ? DEFAULT_PAGE_SIZE : pageSize;
    const parked = await parkedRows(
      pool,
      'submission',
      limit,
      pageToken === '' ? undefined : readToken(pageToken),
    );
    const last = parked.length === limit ? parked.at(-1) : undefined;
    return {
      parked: parked.map(({ id, attempts, failure, parkedAt }) => ({
        submissionId: id,
        attempts,
        failure,
        parkedAt: toTimestamp(parkedAt),
      })),
      nextPageToken: last ? writeToken(last) : '',
    };
  };
}

type After = Pick<ParkedRow, 'id' | 'parkedAt'>;

function writeToken({ id, parkedAt }: After): string {
  return Buffer.from(`${parkedAt.getTime()}.${id}`).toString('base64url');
}

function readToken(token: string): After {
  const [ms = '', text = ''] = Buffer.from(token, 'base64url').toString().split('.');
  const id = parseId(text);
  if (!/^\d{1,14}$/.test(ms) || !id) {
    throw refuse(RefusalCode.VALIDATION_ERROR, 'The page token is not one of an answer.', {
      violations: [{ path: 'page_token', message: 'must be the next_page_token of the page before' }],
    });
  }
  return { id, parkedAt: new Date(Number(ms)) };
}
