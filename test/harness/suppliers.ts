import { type Answer, type Call, CREATE_PATH, call, DELIVERY_PATH } from './http.ts';
import { submissionOf } from './responses.ts';
import type { StatusObject } from './schemas.ts';
import { readStack } from './stack.ts';
import { NotYet, type Patience, waitFor } from './wait.ts';

export type Environment = 'sandbox' | 'production';

/** A supplier's API client for one environment. */
export interface SupplierApi {
  readonly name: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly credential: string;
  /** Sends any request, with the supplier's credential unless the call has its own. */
  call(request: Call): Promise<Answer>;
  create(body: Call['body'] & {}, how?: Partial<Call>): Promise<Answer>;
  /** Creates a submission on the delivery contract. */
  createBasic(body: Call['body'] & {}, how?: Partial<Call>): Promise<Answer>;
  promote(submissionId: string, body: Call['body'] & {}): Promise<Answer>;
  correct(submissionId: string, body: Call['body'] & {}): Promise<Answer>;
  read(submissionId: string): Promise<Answer>;
  readByReference(reference: string): Promise<Answer>;
}

/** Returns one of the suppliers that every local stack has. */
export function supplier(name: string, environment: Environment = 'sandbox'): SupplierApi {
  const seeded = readStack().suppliers[name];
  if (!seeded) throw new Error(`the stack has no supplier ${name}`);
  const credential = environment === 'sandbox' ? seeded.credential : seeded.liveCredential;
  return supplierApi({ name, accountId: seeded.accountId, environment, credential });
}

/** Returns an API client for a credential that a test had issued. */
export function supplierApi(
  who: Pick<SupplierApi, 'name' | 'accountId' | 'environment' | 'credential'>,
): SupplierApi {
  const origin = originOf(who.environment);
  const callAs = (request: Call) => call(origin, { credential: who.credential, ...request });
  return {
    ...who,
    call: callAs,
    create: (body, how = {}) => callAs({ method: 'POST', path: CREATE_PATH, body, ...how }),
    createBasic: (body, how = {}) => callAs({ method: 'POST', path: DELIVERY_PATH, body, ...how }),
    promote: (submissionId, body) =>
      callAs({ method: 'POST', path: `${CREATE_PATH}/${submissionId}/promotion`, body }),
    correct: (submissionId, body) =>
      callAs({ method: 'POST', path: `${CREATE_PATH}/${submissionId}/contact-corrections`, body }),
    read: (submissionId) => callAs({ path: `${CREATE_PATH}/${submissionId}` }),
    readByReference: (reference) =>
      callAs({ path: `${CREATE_PATH}?external_reference=${encodeURIComponent(reference)}` }),
  };
}

/** Returns the public origin of an environment. */
export const originOf = (environment: Environment): string =>
  environment === 'sandbox' ? readStack().gateway : readStack().production;

/** Creates a submission, which must be new. */
export const created = async (api: SupplierApi, body: object): Promise<StatusObject> =>
  submissionOf(await api.create(body), 202);

/** Creates a basic submission; the response doesn't say whether it is new. */
export const createdBasic = async (api: SupplierApi, body: object): Promise<StatusObject> =>
  submissionOf(await api.createBasic(body), 200);

/** Polls a submission until `holds` returns true; `what` names that state. */
export function settled(
  api: SupplierApi,
  submissionId: string,
  what: string,
  holds: (s: StatusObject) => boolean,
  patience: Patience = {},
): Promise<StatusObject> {
  return waitFor(
    `submission ${submissionId} to be ${what}`,
    async () => {
      const seen = submissionOf(await api.read(submissionId), 200);
      if (!holds(seen)) throw new NotYet(JSON.stringify(seen));
      return seen;
    },
    patience,
  );
}

/** Creates a submission and waits for its commercial decision. */
export async function decided(api: SupplierApi, body: object): Promise<StatusObject> {
  const { submission_id } = await created(api, body);
  return settled(api, submission_id, 'decided', isDecided);
}

export const isDecided = (s: StatusObject): boolean => s.status !== 'received';
export const isBilled = (s: StatusObject): boolean => s.billing.billing_status !== 'pending';
