import { randomUUID } from 'node:crypto';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { type Client, Code } from '@connectrpc/connect';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { endpointOf } from '../../harness/endpoints.ts';
import { rpcClient, rpcErrorOf } from '../../harness/rpc.ts';
import { readStack } from '../../harness/stack.ts';
import { token } from '../../harness/tokens.ts';

type Webhooks = Client<typeof WebhookService>;

// Of an account, a submission and an event that there are not: whoever may ask is told so, and nothing comes of it.
const at = endpointOf(randomUUID());
const submissionId = randomUUID();
const eventId = randomUUID();

const PRIVACY = 'staff:privacy';
const VIEWER = ['staff:viewer', 'staff:operator', 'staff:admin'];
const OPERATOR = ['staff:operator', 'staff:admin'];
const ADMIN = ['staff:admin'];
/** Everybody who may hold a token for this service, and some who may not. */
const EVERYBODY = [
  ...VIEWER,
  PRIVACY,
  'service:gateway',
  'service:submission',
  'staff:everything',
  'STAFF:ADMIN',
];

const CALLS: Record<string, [roles: readonly string[], call: (as: Webhooks) => Promise<unknown>]> = {
  CreateEndpoint: [ADMIN, (as) => as.createEndpoint({ ...at, url: 'https://10.0.0.1/' })],
  UpdateEndpointUrl: [ADMIN, (as) => as.updateEndpointUrl({ ...at, url: 'https://example.com/' })],
  EnableEndpoint: [ADMIN, (as) => as.enableEndpoint(at)],
  DisableEndpoint: [ADMIN, (as) => as.disableEndpoint(at)],
  RotateSecret: [ADMIN, (as) => as.rotateSecret(at)],
  PreflightEndpoint: [ADMIN, (as) => as.preflightEndpoint(at)],
  SendTestEvent: [OPERATOR, (as) => as.sendTestEvent({ submissionId })],
  GetEvent: [[...OPERATOR, PRIVACY], (as) => as.getEvent({ purpose: 'looked at by a test', eventId })],
  RedeliverEvent: [OPERATOR, (as) => as.redeliverEvent({ eventId })],
  RedeliverExhausted: [OPERATOR, (as) => as.redeliverExhausted({ ...at, since: timestampNow() })],
  GetEndpoint: [VIEWER, (as) => as.getEndpoint(at)],
  ListEndpoints: [VIEWER, (as) => as.listEndpoints({})],
  ListEndpointEvents: [VIEWER, (as) => as.listEndpointEvents(at)],
  EraseDeliveries: [['service:submission'], (as) => as.eraseDeliveries({ submissionId })],
  ListEvents: [[...VIEWER, PRIVACY], (as) => as.listEvents({ submissionId })],
};

/** The code that a call with this token ends with; undefined for success. */
async function codeOf(call: (as: Webhooks) => Promise<unknown>, bearer: string): Promise<Code | undefined> {
  const made = call(rpcClient('webhook', WebhookService, bearer));
  return made.then(
    () => undefined,
    async () => (await rpcErrorOf(made)).code,
  );
}

const REFUSALS = [Code.Unauthenticated, Code.PermissionDenied];

describe('who may call', () => {
  it('is said here of every operation of the service', () => {
    expect(Object.keys(CALLS).sort()).toEqual(WebhookService.methods.map(({ name }) => name).sort());
  });

  it.each(Object.entries(CALLS))('%s: its roles and nobody else', async (_name, [roles, call]) => {
    for (const role of EVERYBODY) {
      const code = await codeOf(call, token({ roles: [role], audience: 'webhook' }));
      if (roles.includes(role))
        expect([role, REFUSALS.includes(code ?? Code.Unknown)]).toEqual([role, false]);
      else expect([role, code && Code[code]]).toEqual([role, 'PermissionDenied']);
    }
  });

  it.each(Object.entries(CALLS))(
    '%s: no supplier, and nobody without a token for this service',
    async (_n, [, call]) => {
      const suppliers = Object.values(readStack().suppliers).flatMap((s) => [s.credential, s.liveCredential]);
      for (const bearer of ['', suppliers[0] ?? '', suppliers[1] ?? '']) {
        expect(await codeOf(call, bearer)).toBe(Code.Unauthenticated);
      }
      const elsewhere = token({ roles: ['staff:admin'], audience: 'submission' });
      expect(await codeOf(call, elsewhere)).toBe(Code.PermissionDenied);
    },
  );
});
