import type { SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { callerOf } from '@supplier/lib/rpc-server';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState, type ReturnSubmissionRequest } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { appendAudit } from '../db/append-audit.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { stateOf } from '../db/submission-row.ts';
import { waitsForStaff } from '../db/waits-for-staff.ts';
import { canBeReturned } from '../domain/return-window.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import { timeOfChange } from '../domain/submission.ts';
import { finishPreUnderwriting } from '../lifecycle/finish-pre-underwriting.ts';
import { returnLead } from '../lifecycle/return-lead.ts';
import type { Rpc } from './rpc.ts';
import { submissionNotFound } from './submission-not-found.ts';

/**
 * A return by staff: final, and only of a lead that was accepted not too long ago. Pre-underwriting that waits for staff
 * ends with it, not cleared. Implements docs/contract.md, section 5.
 */
export function returnSubmission(context: Context): Rpc<ReturnSubmissionRequest, SubmissionStatus> {
  return async (request, call) => {
    const caller = callerOf(call);
    return context.db.$transaction(async (tx) => {
      const row = await lockSubmission(tx, request.submissionId.toLowerCase() as SubmissionId);
      if (!row) throw submissionNotFound();
      const state = stateOf(row);
      if (!canBeReturned(state, context.clock.now(), context.config.returnWindowDays)) {
        throw refuse(
          RefusalCode.WRONG_STATE,
          'Only an accepted submission can be returned, within the return window.',
        );
      }
      const told = (await waitsForStaff(tx, state.id))
        ? await finishPreUnderwriting(
            tx,
            state,
            PreUnderwritingState.NOT_CLEARED,
            timeOfChange(state, context.clock.now()),
          )
        : state;
      const returned = await returnLead(context, tx, told, request.reasonCategory);
      await appendAudit(tx, context.clock, {
        actor: caller.subject,
        action: 'return-submission',
        subject: state.id,
      });
      return toStatusMessage(returned);
    });
  };
}
