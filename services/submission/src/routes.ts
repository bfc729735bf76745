import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { listAccepted, listBilling } from './billing/list-billing.ts';
import { returnSubmission, returnSubmissions } from './billing/return-submission.ts';
import type { Context, PolicyRpcs, PrivacyRpcs, Rpcs } from './context.ts';
import { correctContact } from './correct/correct-contact.ts';
import { createSubmission } from './create/create-submission.ts';
import { decideSubmission, decideSubmissions } from './decide/decide-submission.ts';
import { getIntake } from './figures/get-intake.ts';
import { exchangeJourneyCode, getJourneyLink, redeemJourneyLink } from './journey/redeem-journey-link.ts';
import { activatePolicy } from './policies/activate-policy.ts';
import { ACTIVATE_POLICY } from './policies/approve-activation.ts';
import { dryRunPolicy } from './policies/dry-run-policy.ts';
import { getPolicy, getRuleEffect, listPolicies } from './policies/list-policies.ts';
import type { PolicyChecks } from './policies/policy-checks.ts';
import { storePolicy, validatePolicy } from './policies/store-policy.ts';
import { getErasure, listErasures } from './privacy/erasure-message.ts';
import { exportSubmission } from './privacy/export-submission.ts';
import { findPerson } from './privacy/find-person.ts';
import { holdSubmissions, listHeld, releaseHold } from './privacy/hold-submissions.ts';
import { previewRetention } from './privacy/preview-retention.ts';
import { REQUEST_ERASURE, requestErasure } from './privacy/request-erasure.ts';
import { closePendingBilling } from './promote/close-pending-billing.ts';
import { listPendingBilling } from './promote/list-pending-billing.ts';
import { promoteSubmission } from './promote/promote-submission.ts';
import { getQueues } from './queues/get-queues.ts';
import { listParkedWork } from './queues/list-parked-work.ts';
import { releaseParkedWork } from './queues/release-parked-work.ts';
import { watchQueues } from './queues/watch-queues.ts';
import {
  findSubmission,
  getSubmission,
  getSubmissionByReference,
  getSubmissionOwner,
  listOwners,
} from './read/get-submission.ts';
import { listSubmissions } from './read/list-submissions.ts';
import { readEnquiry } from './read/read-enquiry.ts';
import { listStatusChanges } from './status-changes/list-status-changes.ts';
import { restateSubmission } from './status-changes/restate-submission.ts';
import { besideEntries } from './store/beside-entries.ts';
import { getDecisionFacts } from './timeline/get-decision-facts.ts';
import { getTimeline } from './timeline/get-timeline.ts';
import { watchTimeline } from './timeline/watch-timeline.ts';
import { completePreUnderwriting, completePreUnderwritings } from './underwrite/complete-pre-underwriting.ts';
import { getApplication } from './underwrite/get-application.ts';

/** Serves the RPCs of the service. Creates the handlers and their shared state once. */
export function routes(context: Context, policyChecks: PolicyChecks): (router: ConnectRouter) => void {
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
    getDecisionFacts: getDecisionFacts(context),
    getIntake: getIntake(context),
    getJourneyLink: getJourneyLink(context),
    getQueues: getQueues(context),
    getSubmission: getSubmission(context),
    getSubmissionByReference: getSubmissionByReference(context),
    getSubmissionOwner: getSubmissionOwner(context),
    listOwners: listOwners(context),
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
    listPendingBilling: listPendingBilling(context),
    closePendingBilling: closePendingBilling(context),
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
    activatePolicy: activatePolicy(context, policyChecks),
    dryRunPolicy: dryRunPolicy(context, policyChecks),
    getPolicy: getPolicy(context),
    getRuleEffect: getRuleEffect(context),
    listPolicies: listPolicies(context),
    storePolicy: storePolicy(context, policyChecks),
    validatePolicy: validatePolicy(policyChecks),
  };
  return (router) => {
    auditRoutes(context.pool, besideEntries(context.db))(router);
    context.approvals.routes(router, [ACTIVATE_POLICY, REQUEST_ERASURE]);
    router.service(SubmissionService, handlers);
    router.service(PrivacyService, privacy);
    router.service(PolicyService, policies);
  };
}
