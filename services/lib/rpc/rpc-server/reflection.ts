import { createRegistry, type DescFile, type DescService, type Registry, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { Health } from '@supplier/proto/grpc/health';
import { ServerReflection, type ServerReflectionRequest } from '@supplier/proto/grpc/reflection';
import { ServerReflection as ServerReflectionAlpha } from '@supplier/proto/grpc/reflection_v1alpha';
import { ERROR_DETAILS } from '../refusal/index.ts';

/** A reflection request, in either version. */
interface Request {
  readonly host: string;
  readonly messageRequest:
    | ServerReflectionRequest['messageRequest']
    // The other version has its own types for the same messages.
    | { readonly case: 'fileContainingExtension' | undefined; readonly value?: unknown };
}

/** Serves gRPC reflection, v1 and the older v1alpha, for `own`, shared services and error details. */
export function serveReflection(router: ConnectRouter, own: readonly DescService[]): void {
  const services = [...own, Health, ServerReflection, ServerReflectionAlpha];
  const files = new Map(
    [...services, ...ERROR_DETAILS]
      .flatMap(({ file }) => withImports(file))
      .map((file) => [file.proto.name, file]),
  );
  const registry = createRegistry(...files.values());
  router.service(ServerReflection, { serverReflectionInfo: answers });
  router.service(ServerReflectionAlpha, { serverReflectionInfo: answers });

  async function* answers<Asked extends Request>(requests: AsyncIterable<Asked>) {
    for await (const request of requests) {
      yield { validHost: request.host, originalRequest: request, messageResponse: answer(request) };
    }
  }

  function answer({ messageRequest }: Request) {
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

/** Returns the file of a symbol: a type, or a method or field of one. */
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
