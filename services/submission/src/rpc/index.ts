import type { ConnectRouter } from '@connectrpc/connect';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import { createSubmission } from './create-submission.ts';
import { decideSubmission } from './decide-submission.ts';
import { getApplication } from './get-application.ts';
import { getSubmission } from './get-submission.ts';
import { getSubmissionByReference } from './get-submission-by-reference.ts';
import { returnSubmission } from './return-submission.ts';

export function routes(context: Context): (router: ConnectRouter) => void {
  return (router) => {
    router.service(SubmissionService, {
      createSubmission: createSubmission(context),
      decideSubmission: decideSubmission(context),
      getApplication: getApplication(context),
      getSubmission: getSubmission(context),
      getSubmissionByReference: getSubmissionByReference(context),
      returnSubmission: returnSubmission(context),
    });
  };
}
