import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf, refuse } from '@supplier/lib/refusal';
import { callOptions, createRpcClient, type RpcAccess } from '@supplier/lib/rpc-client';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type EnvironmentName, environmentOf } from './domain/enum-mapping.ts';

/** Leaves the object store the rest of the time that callers of FinalizeUpload wait. */
const TIMEOUT_MS = 2_000;
const UNAVAILABLE: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded];

/** A supplier's own reference of a submission. */
export interface Reference {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
}

/** The submission of a reference; undefined when there is none. Throws SERVICE_UNAVAILABLE while the service is. */
export type FindSubmission = (reference: Reference) => Promise<SubmissionId | undefined>;

/** Those of up to 100 submissions that were ever accepted. */
export type FindAccepted = (ids: readonly SubmissionId[]) => Promise<ReadonlySet<SubmissionId>>;

type Submissions = Client<typeof SubmissionService>;

/** A client of the submission service for {@link submissionFinder} and {@link acceptedFinder}. */
export function submissionClient(baseUrl: string, access: RpcAccess): Submissions {
  return createRpcClient(SubmissionService, {
    baseUrl,
    audience: 'submission',
    ...access,
    timeoutMs: TIMEOUT_MS,
  });
}

/** Finds submissions by calling the submission service. */
export function submissionFinder(submissions: Pick<Submissions, 'findSubmission'>): FindSubmission {
  return async ({ accountId, environment, externalReference }) => {
    try {
      const request = { accountId, environment: environmentOf(environment), externalReference };
      return parseId<SubmissionId>((await submissions.findSubmission(request, callOptions())).submissionId);
    } catch (error) {
      if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return undefined;
      if (error instanceof ConnectError && UNAVAILABLE.includes(error.code))
        throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
      throw error;
    }
  };
}

/** Finds accepted submissions by calling the submission service. Rejects when it does not answer: nobody may guess. */
export function acceptedFinder(submissions: Pick<Submissions, 'listAccepted'>): FindAccepted {
  return async (ids) => {
    const { submissionIds } = await submissions.listAccepted({ submissionIds: [...ids] }, callOptions());
    return new Set(submissionIds as SubmissionId[]);
  };
}
