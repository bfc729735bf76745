import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { Context, PolicyRpcs, PrivacyRpcs, Rpcs } from '../context.ts';
import { actReasons } from '../db/act-reasons.ts';
import { activatePolicy } from './activate-policy.ts';
import { closePendingLead } from './close-pending-lead.ts';
import { completePreUnderwriting } from './complete-pre-underwriting.ts';
import { completePreUnderwritings } from './complete-pre-underwritings.ts';
import { correctContact } from './correct-contact.ts';
import { createSubmission } from './create-submission.ts';
import { decideSubmission } from './decide-submission.ts';
import { decideSubmissions } from './decide-submissions.ts';
import { dryRunPolicy } from './dry-run-policy.ts';
import { exchangeJourneyCode } from './exchange-journey-code.ts';
import { exportSubmission } from './export-submission.ts';
import { findPerson } from './find-person.ts';
import { findSubmission } from './find-submission.ts';
import { getApplication } from './get-application.ts';
import { getErasure } from './get-erasure.ts';
import { getIntake } from './get-intake.ts';
import { getJourneyLink } from './get-journey-link.ts';
import { getPolicy } from './get-policy.ts';
import { getQueues } from './get-queues.ts';
import { getRuleEffect } from './get-rule-effect.ts';
import { getSubmission } from './get-submission.ts';
import { getSubmissionByReference } from './get-submission-by-reference.ts';
import { getSubmissionOwner } from './get-submission-owner.ts';
import { getTimeline } from './get-timeline.ts';
import { holdSubmissions, releaseHold } from './hold-submissions.ts';
import { listAccepted } from './list-accepted.ts';
import { listBilling } from './list-billing.ts';
import { listErasures } from './list-erasures.ts';
import { listHeld } from './list-held.ts';
import { listParkedWork } from './list-parked-work.ts';
import { listPendingLeads } from './list-pending-leads.ts';
import { listPolicies } from './list-policies.ts';
import { listStatusChanges } from './list-status-changes.ts';
import { listSubmissions } from './list-submissions.ts';
import { previewRetention } from './preview-retention.ts';
import { promoteSubmission } from './promote-submission.ts';
import { readEnquiry } from './read-enquiry.ts';
import { redeemJourneyLink } from './redeem-journey-link.ts';
import { releaseParkedWork } from './release-parked-work.ts';
import { requestErasure } from './request-erasure.ts';
import { restateSubmission } from './restate-submission.ts';
import { returnSubmission } from './return-submission.ts';
import { returnSubmissions } from './return-submissions.ts';
import { storePolicy } from './store-policy.ts';
import { validatePolicy } from './validate-policy.ts';
import { watchQueues } from './watch-queues.ts';
import { watchTimeline } from './watch-timeline.ts';

/** Serves the RPCs of the service. The handlers, and what calls share, are created once. */
export function routes(context: Context): (router: ConnectRouter) => void {
  const handlers: Rpcs = {
    completePreUnderwriting: completePreUnderwriting(context),
    completePreUnderwritings: completePreUnderwritings(context),
    correctContact: correctContact(context),
    createSubmission: createSubmission(context),
    decideSubmission: decideSubmission(context),
    decideSubmissions: decideSubmissions(context),
    exchangeJourneyCode: exchangeJourneyCode(context),
    findSubmission: findSubmission(context),
    getApplication: getApplication(context),
    getIntake: getIntake(context),
    getJourneyLink: getJourneyLink(context),
    getQueues: getQueues(context),
    getSubmission: getSubmission(context),
    getSubmissionByReference: getSubmissionByReference(context),
    getSubmissionOwner: getSubmissionOwner(context),
    getTimeline: getTimeline(context),
    listAccepted: listAccepted(context),
    listBilling: listBilling(context),
    listHeld: listHeld(context),
    listParkedWork: listParkedWork(context),
    listStatusChanges: listStatusChanges(context),
    listSubmissions: listSubmissions(context),
    promoteSubmission: promoteSubmission(context),
    readEnquiry: readEnquiry(context),
    redeemJourneyLink: redeemJourneyLink(context),
    releaseParkedWork: releaseParkedWork(context),
    listPendingLeads: listPendingLeads(context),
    closePendingLead: closePendingLead(context),
    restateSubmission: restateSubmission(context),
    returnSubmission: returnSubmission(context),
    returnSubmissions: returnSubmissions(context),
    watchQueues: watchQueues(context),
    watchTimeline: watchTimeline(context),
  };
  const privacy: PrivacyRpcs = {
    exportSubmission: exportSubmission(context),
    findPerson: findPerson(context),
    getErasure: getErasure(context),
    holdSubmissions: holdSubmissions(context),
    listErasures: listErasures(context),
    previewRetention: previewRetention(context),
    releaseHold: releaseHold(context),
    requestErasure: requestErasure(context),
  };
  const policies: PolicyRpcs = {
    activatePolicy: activatePolicy(context),
    dryRunPolicy: dryRunPolicy(context),
    getPolicy: getPolicy(context),
    getRuleEffect: getRuleEffect(context),
    listPolicies: listPolicies(context),
    storePolicy: storePolicy(context),
    validatePolicy: validatePolicy(context),
  };
  return (router) => {
    auditRoutes(context.pool, actReasons(context.pool))(router);
    context.approvals.routes(router);
    router.service(SubmissionService, handlers);
    router.service(PrivacyService, privacy);
    router.service(PolicyService, policies);
  };
}
