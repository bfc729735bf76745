import {
  create,
  createFileRegistry,
  type DescMethod,
  type DescService,
  fromBinary,
  getOption,
} from '@bufbuild/protobuf';
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import { access } from '@supplier/proto/common/v1/options';
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
} from '@supplier/proto/grpc/reflection';
import { grpcBytes, grpcMessages, grpcStream } from '../../harness/grpc.ts';
import { rolesTable } from '../../harness/roles-table.ts';
import { readStack, type ServiceName } from '../../harness/stack.ts';

const NAMES: readonly ServiceName[] = ['account', 'submission', 'document', 'billing', 'webhook'];
/** The codes returned if a method is missing or crashes. */
const BROKEN = [status.UNIMPLEMENTED, status.INTERNAL, status.UNKNOWN, status.DATA_LOSS];
const { staffToken } = readStack();

async function reflected(
  name: ServiceName,
  messageRequest: { case: 'listServices' | 'fileContainingSymbol'; value: string },
): Promise<ServerReflectionResponse['messageResponse']> {
  const asked = create(ServerReflectionRequestSchema, { messageRequest });
  const { reply } = await grpcStream(name, ServerReflection, 'ServerReflectionInfo', asked, staffToken);
  return (reply as ServerReflectionResponse).messageResponse;
}

/** Returns the contracts that a process serves, from its reflection service and not from this checkout. */
async function contractsOf(name: ServiceName): Promise<DescService[]> {
  const listed = await reflected(name, { case: 'listServices', value: '' });
  if (listed.case !== 'listServicesResponse') throw new Error(`answered ${listed.case}`);
  const own = listed.value.service.map((one) => one.name).filter((one) => one.startsWith('supplier.'));
  return Promise.all(
    own.map(async (typeName) => {
      const described = await reflected(name, { case: 'fileContainingSymbol', value: typeName });
      if (described.case !== 'fileDescriptorResponse') throw new Error(`answered ${described.case}`);
      const file = inOrder(
        described.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes)),
      );
      const service = createFileRegistry(create(FileDescriptorSetSchema, { file })).getService(typeName);
      if (!service) throw new Error(`${typeName} does not describe itself`);
      return service;
    }),
  );
}

/** Orders each file after its imports. */
function inOrder(files: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const ordered = new Set<FileDescriptorProto>();
  const add = (file: FileDescriptorProto) => {
    for (const name of file.dependency) {
      const imported = byName.get(name);
      if (!imported) throw new Error(`${file.name} imports ${name}, which is not among the answer's files`);
      add(imported);
    }
    ordered.add(file);
  };
  for (const file of files) add(file);
  return [...ordered];
}

const isForStaff = (method: DescMethod) =>
  getOption(method, access).roles.some((role) => role.startsWith('staff:'));

/** Calls a method with an empty request, as an administrator. */
async function answerTo(name: ServiceName, method: DescMethod): Promise<status> {
  if (method.methodKind !== 'server_streaming')
    return (await grpcBytes(name, method, Buffer.alloc(0), { token: staffToken })).code;
  const { code } = await grpcMessages(name, method.parent, method.name, create(method.input), staffToken);
  return code;
}

describe.each(NAMES)('a client that knows %s only by reflection', (name) => {
  it('can call every method that staff may, and gets a response or a refusal', async () => {
    const methods = (await contractsOf(name)).flatMap((service) => service.methods.filter(isForStaff));
    expect(methods.length).toBeGreaterThan(3);
    const answers = [];
    for (const method of methods) answers.push([method.name, status[await answerTo(name, method)]]);
    expect(answers.filter(([, code]) => BROKEN.some((broken) => status[broken] === code))).toEqual([]);
  });

  it('finds exactly the published methods', async () => {
    const served = (await contractsOf(name)).flatMap(({ name: service, methods }) =>
      methods.map((method) => `${service}/${method.name}`),
    );
    const { allowed } = rolesTable();
    const contracts = new Set(served.map((method) => method.split('/')[0]));
    const published = Object.keys(allowed).filter((method) => contracts.has(method.split('/')[0]));
    expect(served.sort()).toEqual(published.sort());
  });
});
