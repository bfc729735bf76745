import type { MessageInitShape } from '@bufbuild/protobuf';
import { RefusalCode, refusalOf, refuse } from '@supplier/lib/rpc/refusal';
import { publicError, type RpcCall } from '@supplier/lib/rpc/rpc-server';
import type { SubmissionStatusSchema } from '@supplier/proto/common/v1/status';
import type { BatchResultSchema } from '@supplier/proto/submission/v1/staff_batches';
import type { Context } from '../context.ts';

/** Items of one batch that run concurrently. Most of the pool is left to callers with a single item. */
const AT_ONCE = 4;

type Result = Exclude<MessageInitShape<typeof BatchResultSchema>, { $typeName: string }>;
type Status = MessageInitShape<typeof SubmissionStatusSchema>;

/**
 * Applies one act to each item of a batch, four at a time, each in a separate transaction. Resolves to the results in
 * the order of the items. A refused or failed item does not affect the others. No further item starts after the caller
 * disconnects or the deadline passes; finished items stay done. VALIDATION_ERROR, before anything is done, for a batch
 * that names a submission twice: `list` is the field with the items. Implements docs/contract.md, section 5.
 */
export async function runBatch<Item extends { readonly submissionId: string }>(
  { log }: Pick<Context, 'log'>,
  list: string,
  items: readonly Item[],
  call: RpcCall,
  act: (item: Item, call: RpcCall) => Promise<Status>,
): Promise<{ results: Result[] }> {
  refuseRepeated(list, items);
  const results: Result[] = items.map(({ submissionId }) => ({ submissionId }));
  const waiting = items.entries();
  const lane = async () => {
    for (const [index, item] of waiting) {
      if (call.signal.aborted) return;
      results[index] = { submissionId: item.submissionId, outcome: await outcomeOf(item) };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  call.signal.throwIfAborted();
  return { results };

  async function outcomeOf(item: Item): Promise<NonNullable<Result['outcome']>> {
    try {
      return { case: 'done', value: await act(item, call) };
    } catch (error) {
      const shown = publicError(error, call.method.name, log);
      const refusal = refusalOf(shown);
      return {
        case: 'refused',
        value: {
          code: refusal?.code ?? RefusalCode.UNSPECIFIED,
          message: shown.rawMessage,
          violations: refusal?.violations ?? [],
        },
      };
    }
  }
}

function refuseRepeated(list: string, items: readonly { readonly submissionId: string }[]): void {
  const seen = new Set<string>();
  const violations = items.flatMap(({ submissionId }, index) => {
    const id = submissionId.toLowerCase();
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    return [{ path: `${list}.${index}.submission_id`, message: 'repeats an earlier id of the batch' }];
  });
  if (violations.length > 0)
    throw refuse(RefusalCode.VALIDATION_ERROR, 'A batch must name each submission only once.', {
      violations,
    });
}
