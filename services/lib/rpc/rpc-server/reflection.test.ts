import { create, createFileRegistry, fromBinary, type Registry, toJson } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { ConnectError, createClient } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { ServerReflection } from '@supplier/proto/grpc/reflection';
import { ServerReflection as ServerReflectionAlpha } from '@supplier/proto/grpc/reflection_v1alpha';
import { startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { ERROR_DETAILS } from '../refusal/index.ts';

let server: TestRpcServer<typeof BillingService>;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await startTestRpcServer('billing', BillingService, (router) =>
    router.service(BillingService, {}),
  );
  headers = { authorization: `Bearer ${await server.tokenOf('jo', 'staff:viewer')}` };
});
afterAll(() => server.close());

type Asked = { case: 'fileContainingSymbol' | 'fileByFilename'; value: string };

/** Returns the types of a file as the server describes them, using nothing from this checkout. */
async function reflected(messageRequest: Asked, version = ServerReflection): Promise<Registry | undefined> {
  const client = createClient(version, createGrpcTransport({ baseUrl: server.h2cUrl }));
  async function* requests() {
    yield { messageRequest };
  }
  for await (const { messageResponse } of client.serverReflectionInfo(requests(), { headers })) {
    if (messageResponse.case !== 'fileDescriptorResponse') return undefined;
    const files = messageResponse.value.fileDescriptorProto;
    const file = files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes)).reverse();
    return createFileRegistry(create(FileDescriptorSetSchema, { file }));
  }
  return undefined;
}

it.each([
  ['gRPC', () => createGrpcTransport({ baseUrl: server.h2cUrl })],
  ['gRPC-Web', () => createGrpcWebTransport({ httpVersion: '1.1', baseUrl: server.baseUrl })],
  ['Connect', () => createConnectTransport({ httpVersion: '1.1', baseUrl: server.baseUrl })],
])('a violation in an error over %s can be decoded by reflection', async (_what, transport) => {
  const call = createClient(BillingService, transport()).getSubmissionLedger(
    { submissionId: 'x' },
    { headers },
  );
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => ConnectError.from(thrown),
  );
  const detail = error?.details[0] as { type: string; value: Uint8Array };
  const registry = await reflected({ case: 'fileContainingSymbol', value: detail.type });
  const schema = registry?.getMessage(detail.type);
  if (!registry || !schema) throw new Error('the type of the detail is not offered');
  expect(toJson(schema, fromBinary(schema, detail.value))).toEqual({
    code: 'REFUSAL_CODE_VALIDATION_ERROR',
    violations: [{ path: 'submission_id', message: 'must be a UUID' }],
  });
});

describe.each(ERROR_DETAILS.map((type) => [type.typeName, type] as const))(
  'error detail %s',
  (name, type) => {
    it.each([ServerReflection, ServerReflectionAlpha as unknown as typeof ServerReflection])(
      'is available by its name, its fields and its file: $typeName',
      async (version) => {
        const field = `${name}.${type.fields[0]?.name}`;
        const asked: Asked[] = [
          { case: 'fileContainingSymbol', value: name },
          { case: 'fileContainingSymbol', value: field },
          { case: 'fileByFilename', value: type.file.proto.name },
        ];
        for (const one of asked) expect((await reflected(one, version))?.getMessage(name)).toBeDefined();
      },
    );
  },
);
