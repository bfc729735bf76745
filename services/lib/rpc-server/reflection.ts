import { createRegistry, type DescFile, type DescService, type Registry, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { ServerReflection, type ServerReflectionRequest } from '@supplier/proto/grpc/reflection';

/** Serves grpc.reflection.v1 for `services`, so that tools can call them without the protos at hand. */
export function serveReflection(router: ConnectRouter, services: readonly DescService[]): void {
  const files = new Map(
    services.flatMap(({ file }) => withImports(file)).map((file) => [file.proto.name, file]),
  );
  const registry = createRegistry(...files.values());
  router.service(ServerReflection, {
    async *serverReflectionInfo(requests) {
      for await (const request of requests) {
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(request) };
      }
    },
  });

  function answer({ messageRequest }: ServerReflectionRequest) {
    if (messageRequest.case === 'listServices') {
      const service = services.map(({ typeName }) => ({ name: typeName }));
      return { case: 'listServicesResponse' as const, value: { service } };
    }
    const file =
      messageRequest.case === 'fileByFilename'
        ? files.get(messageRequest.value)
        : messageRequest.case === 'fileContainingSymbol'
          ? fileOfSymbol(registry, messageRequest.value)
          : undefined;
    if (!file) {
      return {
        case: 'errorResponse' as const,
        value: { errorCode: Code.NotFound, errorMessage: 'not found' },
      };
    }
    const fileDescriptorProto = withImports(file).map(({ proto }) =>
      toBinary(FileDescriptorProtoSchema, proto),
    );
    return { case: 'fileDescriptorResponse' as const, value: { fileDescriptorProto } };
  }
}

/** A symbol is a type, or a method or field of one. */
function fileOfSymbol(registry: Registry, symbol: string): DescFile | undefined {
  const found = registry.get(symbol) ?? registry.get(symbol.slice(0, symbol.lastIndexOf('.')));
  return found?.file;
}

function withImports(file: DescFile, seen = new Set<DescFile>()): DescFile[] {
  if (!seen.has(file)) {
    seen.add(file);
    for (const dependency of file.dependencies) withImports(dependency, seen);
  }
  return [...seen];
}
