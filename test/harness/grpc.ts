import { type DescMethod, type DescService, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import * as grpc from '@grpc/grpc-js';
import { readStack, type ServiceName, tlsOfCaller } from './stack.ts';

const DEADLINE_MS = 20_000;
const GZIP = 2;

export interface GrpcReply {
  /** OK is 0. */
  readonly code: grpc.status;
  readonly message: string;
  readonly reply?: Message;
}

/**
 * Makes one call to a service's gRPC port (h2c, or h2 where the parts use TLS) over a new channel, with a third-party
 * client as other teams would use. Never rejects: a failure is a reply with its code.
 */
export function grpcCall(
  name: ServiceName,
  service: DescService,
  method: string,
  request: Message,
  token?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<GrpcReply> {
  return overChannel(name, (client) => {
    const m = methodOf(service, method);
    return new Promise((resolve) => {
      client.makeUnaryRequest(
        pathOf(m),
        writer(m),
        reader(m),
        request,
        metadata(token, headers),
        { deadline: Date.now() + DEADLINE_MS },
        (error, reply) => resolve(error ? failure(error) : success(reply)),
      );
    });
  });
}

/** Makes the same call with raw bytes, which need not be a valid message, compressed or not. */
export function grpcBytes(
  name: ServiceName,
  method: DescMethod,
  bytes: Buffer,
  {
    token,
    gzip = false,
    headers = {},
  }: { token?: string | undefined; gzip?: boolean; headers?: Readonly<Record<string, string>> } = {},
): Promise<GrpcReply> {
  const work = (client: grpc.Client) =>
    new Promise<GrpcReply>((resolve) => {
      client.makeUnaryRequest(
        pathOf(method),
        () => bytes,
        reader(method),
        bytes,
        metadata(token, headers),
        { deadline: Date.now() + DEADLINE_MS },
        (error, reply) => resolve(error ? failure(error) : success(reply)),
      );
    });
  return overChannel(name, work, { 'grpc.default_compression_algorithm': gzip ? GZIP : 0 });
}

/** Returns the first `count` messages of a server stream; fewer if it ends earlier. */
export function grpcWatch(
  name: ServiceName,
  service: DescService,
  method: string,
  request: Message,
  count: number,
  token?: string,
): Promise<Message[]> {
  return overChannel(name, (client) => {
    const m = methodOf(service, method);
    return new Promise((resolve) => {
      const seen: Message[] = [];
      const deadline = Date.now() + DEADLINE_MS;
      const [write, read, headers] = [writer(m), reader(m), metadata(token)];
      const stream = client.makeServerStreamRequest(pathOf(m), write, read, request, headers, { deadline });
      stream.on('error', () => resolve(seen));
      stream.on('end', () => resolve(seen));
      stream.on('data', (reply: Message) => {
        seen.push(reply);
        if (seen.length === count) stream.cancel();
      });
    });
  });
}

/** Returns all messages of a server stream and its final status code. */
export function grpcMessages(
  name: ServiceName,
  service: DescService,
  method: string,
  request: Message,
  token?: string,
): Promise<GrpcReply & { readonly messages: readonly Message[] }> {
  return overChannel(name, (client) => {
    const m = methodOf(service, method);
    return new Promise((resolve) => {
      const messages: Message[] = [];
      const deadline = Date.now() + DEADLINE_MS;
      const [write, read, headers] = [writer(m), reader(m), metadata(token)];
      const stream = client.makeServerStreamRequest(pathOf(m), write, read, request, headers, { deadline });
      stream.on('data', (reply: Message) => messages.push(reply));
      stream.on('error', (error: grpc.ServiceError) => resolve({ ...failure(error), messages }));
      stream.on('end', () => resolve({ ...success(undefined), messages }));
    });
  });
}

/** Sends one request on a bidirectional stream and returns the first reply. */
export function grpcStream(
  name: ServiceName,
  service: DescService,
  method: string,
  request: Message,
  token?: string,
): Promise<GrpcReply> {
  return overChannel(name, (client) => {
    const m = methodOf(service, method);
    return new Promise((resolve) => {
      const deadline = Date.now() + DEADLINE_MS;
      const stream = client.makeBidiStreamRequest(pathOf(m), writer(m), reader(m), metadata(token), {
        deadline,
      });
      stream.on('data', (reply: Message) => {
        resolve(success(reply));
        stream.cancel();
      });
      stream.on('error', (error: grpc.ServiceError) => resolve(failure(error)));
      stream.on('end', () => resolve({ code: grpc.status.UNKNOWN, message: 'it ended without a reply' }));
      stream.write(request);
      stream.end();
    });
  });
}

async function overChannel<T>(
  name: ServiceName,
  work: (client: grpc.Client) => Promise<T>,
  options: grpc.ClientOptions = {},
): Promise<T> {
  const tls = tlsOfCaller();
  const { host } = new URL(readStack().rpc[name]);
  const client = tls
    ? new grpc.Client(host, grpc.credentials.createSsl(tls.ca, tls.key, tls.cert), {
        ...options,
        // The service must present a certificate for its own name, not only for this machine.
        'grpc.ssl_target_name_override': name,
      })
    : new grpc.Client(host, grpc.credentials.createInsecure(), options);
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

function methodOf(service: DescService, name: string): DescMethod {
  const method = service.methods.find((m) => m.name === name);
  if (!method) throw new Error(`${service.typeName} has no method ${name}`);
  return method;
}

const pathOf = (method: DescMethod): string => `/${method.parent.typeName}/${method.name}`;
const writer = (method: DescMethod) => (message: Message) => Buffer.from(toBinary(method.input, message));
const reader = (method: DescMethod) => (bytes: Buffer) => fromBinary(method.output, bytes);
const failure = ({ code, details }: grpc.ServiceError): GrpcReply => ({ code, message: details });
const success = (reply: Message | undefined): GrpcReply => ({
  code: grpc.status.OK,
  message: '',
  ...(reply && { reply }),
});

function metadata(token: string | undefined, more: Readonly<Record<string, string>> = {}): grpc.Metadata {
  const headers = new grpc.Metadata();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  for (const [header, value] of Object.entries(more)) headers.set(header, value);
  return headers;
}
