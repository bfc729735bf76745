import type { MessageInitShape } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { callerOf } from '@supplier/lib/rpc-server';
import { toTimestamp } from '@supplier/lib/time';
import { StatusChange } from '@supplier/proto/submission/v1/events';
import {
  RestatementReason,
  type RestateSubmissionRequest,
  type RestateSubmissionResponseSchema,
} from '@supplier/proto/submission/v1/status_changes';
import type { Context } from '../context.ts';
import { appendAudit } from '../db/append-audit.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { saveChange } from '../db/save-change.ts';
import { stateOf } from '../db/submission-row.ts';
import { timeOfChange } from '../domain/submission.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

type Response = MessageInitShape<typeof RestateSubmissionResponseSchema>;

/**
 * Tells again how a submission stands, in an event like that of a change: at a later time than every one before, with
 * the state of exactly that time. Moves nothing but that time. Implements docs/contract.md, section 7.
 */
export function restateSubmission(context: Context): Rpc<RestateSubmissionRequest, Response> {
  return async (request, call) => {
    const change = changeFor(request.reason);
    const { subject: actor } = callerOf(call);
    return context.db.$transaction(async (tx) => {
      const row = await lockSubmission(tx, request.submissionId.toLowerCase() as SubmissionId);
      if (!row) throw submissionNotFound();
      const state = stateOf(row);
      const changedAt = timeOfChange(state, context.clock.now());
      const eventId = await saveChange(tx, { ...state, changedAt }, change);
      await appendAudit(tx, context.clock, { actor, action: 'restate-submission', subject: state.id });
      return { eventId, occurredAt: toTimestamp(changedAt) };
    });
  };
}

function changeFor(reason: RestatementReason): StatusChange {
  switch (reason) {
    case RestatementReason.TEST:
      return StatusChange.TEST;
    case RestatementReason.REDELIVERY:
      return StatusChange.REDELIVERY;
    case RestatementReason.UNSPECIFIED:
      throw refuse(RefusalCode.VALIDATION_ERROR, 'A restatement has a reason.', {
        violations: [{ path: 'reason', message: 'must be test or redelivery' }],
      });
    default:
      return reason satisfies never;
  }
}
