/**
 * The servers that the suite tests: its service behind our RPC server, started as services start it. All run in one
 * process, which listens on the given socket, because the suite starts dozens and allows each ten seconds. With the
 * further argument `set`, unary calls reach them in sets.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { create, fromBinary, setExtension, toBinary } from '@bufbuild/protobuf';
import { anyPack, anyUnpack, MethodOptionsSchema } from '@bufbuild/protobuf/wkt';
import { ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect';
import { startRpcServer } from '@supplier/lib/rpc/rpc-server';
import { ANY_PORTS, createTestIssuer, startTestProcess, testConfig } from '@supplier/lib/testing';
import { OnBehalfSchema, on_behalf } from '@supplier/proto/common/v1/behalf';
import { AccessSchema, access } from '@supplier/proto/common/v1/options';
import {
  conformanceService,
  type Failure,
  framed,
  frames,
  messageType,
  type Request,
  type ResponseDefinition,
  type ServerRequest,
  toHeaders,
  types,
} from './contracts.ts';
import { intoSets } from './sets.ts';

const NAME = 'account';
const inSets = process.argv[3] === 'set';
/** Only the gateway sends sets. */
const ROLE = inSets ? 'service:gateway' : 'staff:viewer';
const CALLERS = 64;
/** The suite opens as many connections as it likes. */
const BOUNDS = { unprovenMs: 600_000, unproven: 5_000, unprovenPerAddress: 5_000, perAddress: 5_000 };

const service = conformanceService();
const requestInfo = messageType('ConformancePayload.RequestInfo');

/**
 * The suite has no tokens and its contract has no roles, so every request gets a token and every method a role.
 * Requests come from several callers in turn, because one caller may have only a few open streams.
 */
function admitAll(tokens: readonly string[]): void {
  let requests = 0;
  for (const { proto } of service.methods) {
    proto.options ??= create(MethodOptionsSchema);
    setExtension(proto.options, access, create(AccessSchema, { roles: [ROLE] }));
    setExtension(proto.options, on_behalf, create(OnBehalfSchema, { nobody: true }));
  }
  const withToken =
    <Answer>(handler: (request: IncomingMessage, response: ServerResponse) => Answer) =>
    (request: IncomingMessage, response: ServerResponse) => {
      requests += 1;
      request.headers.authorization ??= `Bearer ${tokens[requests % tokens.length]}`;
      return handler(request, response);
    };
  for (const [module, name] of [
    [http, 'createServer'],
    [http2, 'createServer'],
    [http2, 'createSecureServer'],
  ] as const) {
    const original = Reflect.get(module, name);
    Reflect.set(module, name, (options: object, handler: Parameters<typeof withToken>[0]) =>
      original(options, inSets ? intoSets(withToken(handler)) : withToken(handler)),
    );
  }
}

function infoOf(context: HandlerContext, requests: Request[]) {
  const timeoutMs = context.timeoutMs();
  const query = [...new URL(context.url).searchParams].map(([name, value]) => ({ name, value: [value] }));
  return create(requestInfo, {
    requestHeaders: toHeaders(context.requestHeader),
    requests: requests.map((request) => anyPack(typeOf(request), request)),
    ...(timeoutMs === undefined ? {} : { timeoutMs: BigInt(Math.round(timeoutMs)) }),
    ...(context.requestMethod === 'GET' ? { connectGetInfo: { queryParams: query } } : {}),
  });
}

const typeOf = ({ $typeName }: Request) =>
  messageType($typeName.replace(/^connectrpc\.conformance\.v1\./, ''));

function errorOf({ code, message, details }: Failure, info?: ReturnType<typeof infoOf>): ConnectError {
  const all = info ? [...details, anyPack(requestInfo, info)] : details;
  const outgoing = all.map((packed) => {
    const value = anyUnpack(packed, types);
    const desc = value && types.getMessage(value.$typeName);
    if (!desc) throw new Error(`the suite has no message ${packed.typeUrl}`);
    return { desc, value };
  });
  return new ConnectError(message ?? '', code, undefined, outgoing);
}

function putHeaders(definition: ResponseDefinition | undefined, context: HandlerContext): void {
  for (const { name, value } of definition?.responseHeaders ?? [])
    for (const one of value) context.responseHeader.append(name, one);
  for (const { name, value } of definition?.responseTrailers ?? [])
    for (const one of value) context.responseTrailer.append(name, one);
}

async function one(
  definition: ResponseDefinition | undefined,
  requests: Request[],
  context: HandlerContext,
): Promise<object> {
  putHeaders(definition, context);
  const info = infoOf(context, requests);
  await pause(definition?.responseDelayMs ?? 0);
  const { case: kind, value } = definition?.response ?? {};
  if (kind === 'error') throw errorOf(value as Failure, info);
  return { payload: { requestInfo: info, ...(value ? { data: value as Uint8Array } : {}) } };
}

const unary = (request: Request, context: HandlerContext) =>
  one(request.responseDefinition, [request], context);

async function clientStream(messages: AsyncIterable<Request>, context: HandlerContext): Promise<object> {
  const requests: Request[] = [];
  for await (const request of messages) requests.push(request);
  return one(requests[0]?.responseDefinition, requests, context);
}

async function* serverStream(request: Request, context: HandlerContext) {
  const { responseDefinition: definition } = request;
  putHeaders(definition, context);
  yield* answers(definition, infoOf(context, [request]), 0);
}

async function* bidiStream(messages: AsyncIterable<Request>, context: HandlerContext) {
  let definition: ResponseDefinition | undefined;
  let requests: Request[] = [];
  let sent = 0;
  let isFirst = true;
  let isFullDuplex = false;
  for await (const request of messages) {
    if (isFirst) {
      isFirst = false;
      definition = request.responseDefinition;
      isFullDuplex = request.fullDuplex === true;
      putHeaders(definition, context);
    }
    requests.push(request);
    if (!isFullDuplex) continue;
    const data = definition?.responseData[sent];
    if (!data) break;
    await pause(definition?.responseDelayMs ?? 0);
    yield { payload: { requestInfo: infoOf(context, requests), data } };
    sent += 1;
    requests = [];
  }
  yield* answers(definition, infoOf(context, requests), sent);
}

async function* answers(
  definition: ResponseDefinition | undefined,
  info: ReturnType<typeof infoOf>,
  sent: number,
) {
  if (!definition) return;
  for (const [place, data] of definition.responseData.entries()) {
    if (place < sent) continue;
    await pause(definition.responseDelayMs);
    yield { payload: { ...(place === 0 ? { requestInfo: info } : {}), data } };
  }
  if (definition.error)
    throw errorOf(definition.error, definition.responseData.length === 0 ? info : undefined);
}

/** Starts a server; resolves to its port and to a function that stops it. */
async function serve(given: ServerRequest, issuersFile: string) {
  const { useTls, serverCreds, clientTlsCert } = given;
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const file = (setting: string, content: Uint8Array) => {
    const path = join(folder, setting);
    writeFileSync(path, content, { mode: 0o600 });
    return { setting, path };
  };
  const rpc =
    useTls && serverCreds
      ? {
          port: 0,
          privatePort: 0,
          identity: {
            certificate: file('cert.pem', serverCreds.cert),
            key: file('key.pem', serverCreds.key),
          },
          callerAuthorities: clientTlsCert.length > 0 ? file('ca.pem', clientTlsCert) : undefined,
        }
      : ANY_PORTS;
  const config = testConfig(rpc, issuersFile);
  const implementation = { unary, idempotentUnary: unary, clientStream, serverStream, bidiStream };
  const server = startTestProcess(NAME);
  const { http1Port, http2Port } = await startRpcServer(server, {
    config,
    services: [service],
    routes: (router: ConnectRouter) => router.service(service, implementation as object),
    ready: async () => {},
    connectionBounds: BOUNDS,
    types,
    ...(given.messageReceiveLimit > 0 ? { maxRequestBytes: given.messageReceiveLimit } : {}),
  });
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  };
  return { port: given.httpVersion === 1 && !useTls ? http1Port : http2Port, stop };
}

const issuer = await createTestIssuer();
process.once('exit', () => issuer.close());
process.once('SIGTERM', () => process.exit(0));
// The test issuer gives the roles of services to `tester` only.
const callers = inSets ? ['tester'] : Array.from({ length: CALLERS }, (_, caller) => `suite-${caller}`);
admitAll(await Promise.all(callers.map((caller) => issuer.tokenOf(caller, ROLE, NAME, 3_000))));

/** One connection per server that the suite starts, open until the suite stops that server. */
const host = net.createServer(async (socket) => {
  socket.on('error', () => {});
  for await (const bytes of frames(socket)) {
    const given = fromBinary(messageType('ServerCompatRequest'), bytes) as unknown as ServerRequest;
    const { port, stop } = await serve(given, issuer.issuersFile);
    socket.once('close', stop);
    const pemCert = given.useTls && given.serverCreds ? { pemCert: given.serverCreds.cert } : {};
    const response = messageType('ServerCompatResponse');
    socket.write(framed(toBinary(response, create(response, { host: '127.0.0.1', port, ...pemCert }))));
  }
});
host.listen(process.argv[2], () => console.log('listening'));
