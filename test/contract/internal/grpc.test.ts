import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { AccountService, GetAccountRequestSchema } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { Status } from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import {
  Health,
  HealthCheckRequestSchema,
  type HealthCheckResponse,
  HealthCheckResponse_ServingStatus as Serving,
} from '@supplier/proto/grpc/health';
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
} from '@supplier/proto/grpc/reflection';
import {
  ServerReflection as AlphaReflection,
  ServerReflectionRequestSchema as AlphaRequestSchema,
  type ServerReflectionResponse as AlphaResponse,
} from '@supplier/proto/grpc/reflection_v1alpha';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { DecideSubmissionRequestSchema } from '@supplier/proto/submission/v1/staff_decisions';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { grpcCall, grpcStream, grpcWatch } from '../../harness/grpc.ts';
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

  it('does not report the health of an unknown service', async () => {
    const asked = create(HealthCheckRequestSchema, { service: 'supplier.nothing.v1.Nothing' });
    expect((await grpcCall(name, Health, 'Check', asked)).code).toBe(status.NOT_FOUND);
  });

  it('lists its services by reflection', async () => {
    const asked = create(ServerReflectionRequestSchema, {
      messageRequest: { case: 'listServices', value: '' },
    });
    const { code, reply } = await grpcStream(
      name,
      ServerReflection,
      'ServerReflectionInfo',
      asked,
      staffToken,
    );
    expect(code).toBe(status.OK);
    const { messageResponse } = reply as ServerReflectionResponse;
    if (messageResponse.case !== 'listServicesResponse') throw new Error(`answered ${messageResponse.case}`);
    expect(messageResponse.value.service.map((s) => s.name)).toEqual([
      service.typeName,
      ...(name === 'submission' ? [PrivacyService.typeName] : []),
      ...(name === 'submission' ? ['supplier.submission.v1.PolicyService'] : []),
      ...(name === 'submission' || name === 'account' ? ['supplier.approval.v1.ApprovalService'] : []),
      'supplier.audit.v1.AuditService',
      'supplier.reconciliation.v1.ReconciliationService',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
  });

  it('supports v1alpha reflection, including for the health service', async () => {
    const asked = create(AlphaRequestSchema, {
      messageRequest: { case: 'fileContainingSymbol', value: 'grpc.health.v1.Health' },
    });
    const { code, reply } = await grpcStream(
      name,
      AlphaReflection,
      'ServerReflectionInfo',
      asked,
      staffToken,
    );
    expect(code).toBe(status.OK);
    expect((reply as AlphaResponse).messageResponse.case).toBe('fileDescriptorResponse');
    expect((await grpcStream(name, AlphaReflection, 'ServerReflectionInfo', asked)).code).toBe(
      status.UNAUTHENTICATED,
    );
  });

  it('reports that it is serving to a health watcher', async () => {
    const asked = create(HealthCheckRequestSchema, { service: service.typeName });
    const told = await grpcWatch(name, Health, 'Watch', asked, 1);
    expect(told).toMatchObject([{ status: Serving.SERVING }]);
  });

  it('describes its service by reflection, with all required files', async () => {
    const asked = create(ServerReflectionRequestSchema, {
      messageRequest: { case: 'fileContainingSymbol', value: service.typeName },
    });
    const { code, reply } = await grpcStream(
      name,
      ServerReflection,
      'ServerReflectionInfo',
      asked,
      staffToken,
    );
    expect(code).toBe(status.OK);
    const { messageResponse } = reply as ServerReflectionResponse;
    if (messageResponse.case !== 'fileDescriptorResponse')
      throw new Error(`answered ${messageResponse.case}`);
    expect(messageResponse.value.fileDescriptorProto.length).toBeGreaterThan(0);
  });

  it('returns UNIMPLEMENTED for an unknown method', async () => {
    const other = name === 'account' ? BillingService : AccountService;
    const method = other.methods[0];
    if (!method) throw new Error('a service without methods');
    const { code } = await grpcCall(name, other, method.name, create(method.input), staffToken);
    expect(code).toBe(status.UNIMPLEMENTED);
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

  it('returns a refusal message that is readable as written', async () => {
    const asked = create(DecideSubmissionRequestSchema, {
      submissionId: randomUUID(),
      decision: Status.RETURNED,
      reason: 'none',
    });
    const { code, message } = await grpcCall(
      'submission',
      SubmissionService,
      'DecideSubmission',
      asked,
      staffToken,
    );
    expect(code).toBe(status.INVALID_ARGUMENT);
    expect(message).toBe('The decision is invalid.');
  });
});
