import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { parseId, type SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf, refuse } from '@supplier/lib/refusal';
import { callOptions, createRpcClient, type ServiceTokens } from '@supplier/lib/rpc-client';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { ServiceContext } from '../context.ts';
import { environmentOf } from '../domain/environment.ts';

/** What is left of the time that callers of finalize wait is for the store. */
const TIMEOUT_MS = 2_000;
const AWAY: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded];

type Submissions = Pick<Client<typeof SubmissionService>, 'findSubmission'>;

/** A client of the submission service for {@link askForSubmission}. */
export function submissionClient(baseUrl: string, tokens: ServiceTokens): Submissions {
  return createRpcClient(SubmissionService, {
    baseUrl,
    audience: 'submission',
    tokens,
    timeoutMs: TIMEOUT_MS,
  });
}

/** Asks the submission service which submission a reference belongs to. Throws SERVICE_UNAVAILABLE when it is away. */
export function askForSubmission(submissions: Submissions): ServiceContext['findSubmission'] {
  return async ({ accountId, environment, externalReference }) => {
    try {
      const asked = { accountId, environment: environmentOf(environment), externalReference };
      return parseId<SubmissionId>((await submissions.findSubmission(asked, callOptions())).submissionId);
    } catch (error) {
      if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return undefined;
      if (error instanceof ConnectError && AWAY.includes(error.code))
        throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
      throw error;
    }
  };
}
