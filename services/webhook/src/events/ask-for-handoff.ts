import { callOptions, createRpcClient, type ServiceTokens } from '@supplier/lib/rpc-client';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { ServiceContext } from '../context.ts';

/** Asks the submission service for the journey link a supplier would read at this moment. */
export function askForHandoff(baseUrl: string, tokens: ServiceTokens): ServiceContext['handoffOf'] {
  const submissions = createRpcClient(SubmissionService, { baseUrl, audience: 'submission', tokens });
  return async (submissionId) => (await submissions.getSubmission({ submissionId }, callOptions())).handoff;
}
