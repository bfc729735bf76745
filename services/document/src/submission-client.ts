import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refusalOf, refuse } from '@supplier/lib/rpc/refusal';
import { callOptions, createRpcClient, type RpcAccess } from '@supplier/lib/rpc/rpc-client';
import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import type { SubmissionReference } from '@supplier/proto/submission/v1/list_held';
import type { SubmissionOwner as OwnerMessage } from '@supplier/proto/submission/v1/list_owners';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { referenceKey } from './model/admission.ts';
import { type EnvironmentName, environmentNameOf, environmentOf } from './model/enum-mapping.ts';

/** Leaves the rest of the FinalizeUpload callers' timeout to the object store. */
const TIMEOUT_MS = 2_000;
const UNAVAILABLE: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded];

export interface Reference {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
}

/**
 * Returns the submission with a reference; undefined when there is none. Throws SERVICE_UNAVAILABLE while the service
 * is unavailable.
 */
export type FindSubmission = (reference: Reference) => Promise<SubmissionId | undefined>;

/** Returns which of up to 100 submissions were ever accepted. */
export type FindAccepted = (ids: readonly SubmissionId[]) => Promise<ReadonlySet<SubmissionId>>;

/**
 * Returns the keys ({@link referenceKey}) of the references, up to 100 per call, whose submissions are under legal
 * hold.
 */
export type FindHeld = (references: readonly Reference[]) => Promise<ReadonlySet<string>>;

export interface SubmissionOwner {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
}

/**
 * Returns the owners of up to 1,000 submissions; omits unknown ones. Throws SERVICE_UNAVAILABLE while the service is
 * unavailable.
 */
export type FindOwners = (
  ids: readonly SubmissionId[],
) => Promise<ReadonlyMap<SubmissionId, SubmissionOwner>>;

type Submissions = Client<typeof SubmissionService>;

/**
 * Makes a client of the submission service for {@link submissionFinder}, {@link acceptedFinder}, {@link heldFinder} and {@link ownersFinder}.
 */
export function submissionClient(baseUrl: string, access: RpcAccess): Submissions {
  return createRpcClient(SubmissionService, {
    baseUrl,
    audience: 'submission',
    ...access,
    timeoutMs: TIMEOUT_MS,
  });
}

export function submissionFinder(submissions: Pick<Submissions, 'findSubmission'>): FindSubmission {
  return async ({ accountId, environment, externalReference }) => {
    try {
      const request = { accountId, environment: environmentOf(environment), externalReference };
      return parseId<SubmissionId>((await submissions.findSubmission(request, callOptions())).submissionId);
    } catch (error) {
      if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return undefined;
      throw unavailableWhere(error);
    }
  };
}

function unavailableWhere(error: unknown): unknown {
  return error instanceof ConnectError && UNAVAILABLE.includes(error.code)
    ? refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.')
    : error;
}

/**
 * Finds accepted submissions by calling the submission service. Rejects when it does not respond rather than guessing.
 */
export function acceptedFinder(submissions: Pick<Submissions, 'listAccepted'>): FindAccepted {
  return async (ids) => {
    const { submissionIds } = await submissions.listAccepted({ submissionIds: [...ids] }, callOptions());
    return new Set(submissionIds as SubmissionId[]);
  };
}

/**
 * Finds references under legal hold by calling the submission service. Rejects when it does not respond, with
 * SERVICE_UNAVAILABLE while it is unavailable, so that nothing is removed.
 */
export function heldFinder(submissions: Pick<Submissions, 'listHeld'>): FindHeld {
  return async (references) => {
    const asked = references.map(({ accountId, environment, externalReference }) => ({
      accountId,
      environment: environmentOf(environment),
      externalReference,
    }));
    try {
      const held = await submissions.listHeld({ references: asked }, callOptions());
      return new Set(held.references.map(keyOf));
    } catch (error) {
      throw unavailableWhere(error);
    }
  };
}

export function ownersFinder(submissions: Pick<Submissions, 'listOwners'>): FindOwners {
  return async (ids) => {
    try {
      const { owners } = await submissions.listOwners({ submissionIds: [...ids] }, callOptions());
      return new Map(owners.map((owner) => [owner.submissionId as SubmissionId, readOwner(owner)]));
    } catch (error) {
      throw unavailableWhere(error);
    }
  };
}

function readOwner({ accountId, environment }: OwnerMessage): SubmissionOwner {
  if (environment === Environment.UNSPECIFIED) throw new Error('a submission owner lacks its environment');
  return { accountId: accountId as AccountId, environment: environmentNameOf(environment) };
}

function keyOf({ accountId, environment, externalReference }: SubmissionReference): string {
  if (environment === Environment.UNSPECIFIED) throw new Error('a held reference lacks its environment');
  return referenceKey({
    accountId: accountId as AccountId,
    environment: environmentNameOf(environment),
    externalReference,
  });
}
