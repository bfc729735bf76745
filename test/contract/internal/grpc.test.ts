import { create } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { AccountService, GetAccountRequestSchema } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { DocumentService } from '@supplier/proto/document/v1/document';
import {
  Health,
  HealthCheckRequestSchema,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus as Serving,
} from '@supplier/proto/grpc/health';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { grpcCall } from '../../harness/grpc.ts';
import { readStack } from '../../harness/stack.ts';

const SERVICES = [
  ['account', AccountService],
  ['submission', SubmissionService],
  ['document', DocumentService],
  ['billing', BillingService],
  ['webhook', WebhookService],
] as const;
const { staffToken, suppliers } = readStack();

describe.each(SERVICES)('gRPC over h2c of %s', (name, service) => {
  it('reports that it is serving to a health probe without a token, overall and by service name', async () => {
    for (const asked of ['', service.typeName]) {
      const { code, reply } = await grpcCall(
        name,
        Health,
        'Check',
        create(HealthCheckRequestSchema, { service: asked }),
      );
      expect([asked, code]).toEqual([asked, status.OK]);
      expect((reply as HealthCheckResponse).status).toBe(Serving.SERVING);
    }
  });
});

describe('a gRPC call', () => {
  it('returns the message of its contract', async () => {
    const accountId = suppliers.alpha?.accountId ?? '';
    const asked = create(GetAccountRequestSchema, { accountId });
    const { code, reply } = await grpcCall('account', AccountService, 'GetAccount', asked, staffToken);
    expect(code).toBe(status.OK);
    expect(reply).toMatchObject({ accountId, name: 'alpha' });
  });
});
